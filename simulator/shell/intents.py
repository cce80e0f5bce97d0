"""Intents as ``am``, ``pm`` and ``cmd package`` read them from their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from manyhands.simulator.phone.device import VIEW, Link
from manyhands.simulator.system.phone_system import full_component, short_component

MAIN = "android.intent.action.MAIN"
HOME = "android.intent.category.HOME"
LAUNCHER = "android.intent.category.LAUNCHER"

OPTIONS: dict[str, str] = {
    "extra": """
    --es -e --ei --el --ef --ed --ez --eu --eia --eial --ela --elal --efa --efal --esa --esal --ecn --edf
    """,
    "value": """
    --user -f --display --windowingMode --activityType -P -R -i --sampling --start-profiler
    --receiver-permission --attach-agent --attach-agent-bind --task --query-flags
    """,
    "switch": """
    -D -N -W -S --streaming --track-allocation --task-overlay --lock-task --async --suspend --selector
    --allow-background-activity-starts --splashscreen-show-icon --splashscreen-icon --include-stopped-packages
    --exclude-stopped-packages --debug-log-resolution --dismiss-keyguard
    """,
}
"""The options by what follows them: a name and a value, a value, nothing."""
TEXT_EXTRAS, WITH_VALUE, SWITCHES = (frozenset(words.split()) for words in OPTIONS.values())
SWITCH_FAMILIES = ("--grant-", "--activity-", "--receiver-")


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

    @property
    def link(self) -> Link | None:
        """Return what is asked for beside the component; None for an intent that only starts something."""
        if self.action in (None, MAIN):
            return None
        return Link(self.action, self.data or "", self.package, self.extras)

    def describe(self, flags: str | None = None) -> str:
        """Return the form in which ``am`` prints an intent."""
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
    """Read the arguments as Android does. Raises IntentError for an option that it does not know or without its value.

    What is neither an option nor its value ends the intent: a URI, a component or a package, and nothing that follows
    counts. So ``--es msg Hello world`` is the text "Hello" for the package "world".
    """
    intent = Intent()
    rest = list(args)

    def value(option: str) -> str:
        if not rest:
            raise IntentError(f'Argument expected after "{option}"')
        return rest.pop(0)

    while rest and (rest[0].startswith("-") or not rest[0]):
        option = rest.pop(0)
        if option == "--":
            break
        if len(option) > 2 and option[1] != "-":
            option, attached = option[:2], option[2:]
            rest.insert(0, attached)
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
        elif option in WITH_VALUE:
            value(option)
        elif option in SWITCHES or option.startswith(SWITCH_FAMILIES):
            intent.options.add(option)
        elif option:
            raise IntentError(f"Unknown option: {option}")
    if rest:
        _positional(intent, rest[0])
    return intent


def component(text: str) -> str:
    """``package/activity``, fully qualified. Raises IntentError."""
    package, slash, activity = text.partition("/")
    if not (package and slash and activity):
        raise IntentError(f"Bad component name: {text}")
    return full_component(text)


def _positional(intent: Intent, text: str) -> None:
    """Fill in a URI, a component or a package; Android starts the last two as a launcher does."""
    if ":" in text:
        intent.action = intent.action or VIEW
        intent.data = intent.data or text
        return
    if "/" in text:
        intent.component = intent.component or component(text)
    else:
        intent.package = intent.package or text
    if intent.action is None:
        intent.action = MAIN
        intent.categories = intent.categories or [LAUNCHER]
