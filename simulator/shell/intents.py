"""Read intents from the arguments of ``am``, ``pm`` and ``cmd package``."""

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
"""The options by what follows them: ``extra`` a name and a value, ``value`` a value, ``switch`` nothing."""
TEXT_EXTRAS, WITH_VALUE, SWITCHES = (frozenset(words.split()) for words in OPTIONS.values())
SWITCH_FAMILIES = ("--grant-", "--activity-", "--receiver-")


class IntentError(ValueError):
    """Report arguments that Android refuses, in Android's words."""


@dataclass(slots=True)
class Intent:
    """Hold an intent. ``component``: ``package/activity``, fully qualified. ``options``: the flags without a value."""

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
        """Return the intent as a link; None if it has no action or only ``MAIN``, so that it only starts an app."""
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
    """Read the arguments as Android does. Raises IntentError for an unknown option, or one without its value.

    The first argument that is neither an option nor a value of one is a URI, a component or a package. It ends the
    intent: what follows is ignored. So ``--es msg Hello world`` is the text "Hello" for the package "world".
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
    """Return a component as ``package/activity``, fully qualified. Raises IntentError."""
    package, slash, activity = text.partition("/")
    if not (package and slash and activity):
        raise IntentError(f"Bad component name: {text}")
    return full_component(text)


def _positional(intent: Intent, text: str) -> None:
    """Fill in the last argument: a URI, a component or a package. Android starts the last two like a launcher."""
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
