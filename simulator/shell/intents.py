"""Intents as ``am``, ``pm`` and ``cmd package`` read them from their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from simulator.shell.system import full_component, short_component

MAIN = "android.intent.action.MAIN"
VIEW = "android.intent.action.VIEW"
HOME = "android.intent.category.HOME"
LAUNCHER = "android.intent.category.LAUNCHER"

TEXT_EXTRAS = ("--es", "-e", "--ei", "--el", "--ef", "--ez", "--eu", "--eia", "--esa", "--ela", "--ecn", "--edf")
FLAGS_WITH_VALUE = ("--user", "-f", "--display", "--windowingMode", "--activityType", "-P", "-R", "--sampling", "-i")
RECEIVER_PERMISSION = "--receiver-permission"


class IntentError(ValueError):
    """Arguments that Android refuses, with its words."""


@dataclass(slots=True)
class Intent:
    """``component`` is ``package/activity``, the activity fully qualified. ``options`` are flags without value."""

    action: str | None = None
    data: str | None = None
    mime: str | None = None
    component: str | None = None
    package: str | None = None
    categories: list[str] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)

    def describe(self, flags: str | None = None) -> str:
        """The form in which ``am`` prints an intent."""
        parts = [
            f"act={self.action}" if self.action else "",
            f"cat=[{','.join(self.categories)}]" if self.categories else "",
            f"dat={self.data}" if self.data else "",
            f"typ={self.mime}" if self.mime else "",
            f"flg={flags}" if flags else "",
            f"pkg={self.package}" if self.package else "",
            f"cmp={short_component(self.component)}" if self.component else "",
            "(has extras)" if self.extras else "",
        ]
        return " ".join(("Intent {", *(part for part in parts if part), "}"))


def parse_intent(args: Sequence[str]) -> Intent:
    """Raises IntentError for an option without its value."""
    intent = Intent()
    rest = list(args)

    def value(option: str) -> str:
        if not rest:
            raise IntentError(f'Argument expected after "{option}"')
        return rest.pop(0)

    while rest:
        option = rest.pop(0)
        if option == "-a":
            intent.action = value(option)
        elif option == "-d":
            intent.data = value(option)
        elif option == "-t":
            intent.mime = value(option)
        elif option == "-c":
            intent.categories.append(value(option))
        elif option == "-n":
            intent.component = component(value(option))
        elif option == "-p":
            intent.package = value(option)
        elif option in TEXT_EXTRAS:
            name = value(option)
            intent.extras[name] = value(option)
        elif option == "--esn":
            intent.extras[value(option)] = ""
        elif option in FLAGS_WITH_VALUE or option == RECEIVER_PERMISSION:
            value(option)
        elif option.startswith("-"):
            intent.options.add(option)
        elif option:
            _positional(intent, option)
    return intent


def component(text: str) -> str:
    """``package/activity``, fully qualified. Raises IntentError."""
    package, slash, activity = text.partition("/")
    if not (package and slash and activity):
        raise IntentError(f"Bad component name: {text}")
    return full_component(text)


def _positional(intent: Intent, text: str) -> None:
    """A URI, a component or a package; Android starts the last two as a launcher does."""
    if ":" in text:
        intent.action = intent.action or VIEW
        intent.data = text
        return
    if "/" in text:
        intent.component = component(text)
    else:
        intent.package = text
    intent.action = intent.action or MAIN
    if not intent.categories:
        intent.categories.append(LAUNCHER)
