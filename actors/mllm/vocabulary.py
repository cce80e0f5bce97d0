"""Name our actions as Qwen's phone tool and Mobile-Agent-E do.

If an action has no word here, its word in Qwen's tool is its own name in small letters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from manyhands.protocol.roles.replies import ActionSpec
from manyhands.protocol.screens.actions import WRITTEN
from manyhands.protocol.screens.argument_types import (
    ArgumentType,
    AxisArgument,
    Parameter,
    SecondsArgument,
    TextArgument,
    parameters,
    point_parameters,
)

TOOL = "mobile_use"
MOBILE_USE, MAI_UI, UI_TARS, AUTOGLM, UI_VENUS = "mobile_use", "mai_ui", "ui_tars", "autoglm", "ui_venus"
HOLO, UI_VENUS_15, GELAB = "holo", "ui_venus_15", "gelab"
PLAIN = "plain"
"""The forms in which model families write actions by their training: Qwen-VL and GUI-Owl, MAI-UI, UI-TARS,
AutoGLM-Phone, UI-Venus-2; Holo, UI-Venus-1.5, GELab-Zero. ``PLAIN`` is our own, for text models that no one trained on
phones."""
RUN_SHORTCUT = "run_shortcut"
PLACES = ("coordinate", "coordinate2")
"""The arguments of Qwen's tool that are points, in order."""
_SHARED: Mapping[type[ArgumentType], str] = {TextArgument: "text", SecondsArgument: "time"}
"""Arguments of Qwen's tool whose meaning depends on the action, by our argument type."""
TOOL_ARGUMENTS = frozenset({*PLACES, *_SHARED.values()})
"""The tool's own arguments, beside its action, its button and its status."""
BUTTONS = {"Back": "Back", "Home": "Home", "Menu": "Switch_App", "Enter": "Enter"}
"""The buttons of Qwen's tool, each with our action for it."""
_QWEN = {
    "click": "Tap",
    "long_press": "Long_Press",
    "swipe": "Swipe",
    "type": "Type",
    "system_button": None,
    "open": "Open_App",
    "wait": "Wait",
    "answer": "Answer",
    "terminate": None,
}
_NAMED_OTHERWISE = {*_QWEN.values(), *BUTTONS.values(), "Stop"}


def tool_words(names: Collection[str]) -> dict[str, str | None]:
    """Return the words of Qwen's tool for these actions, in the tool's order, each with the action that it means.

    None instead of an action means that an argument decides the action: the button, or the status of an end.
    """
    decided = {"system_button": any(name in names for name in BUTTONS.values()), "terminate": "Stop" in names}
    return {
        **{word: name for word, name in _QWEN.items() if (decided[word] if name is None else name in names)},
        **{name.lower(): name for name in WRITTEN if name in names and name not in _NAMED_OTHERWISE},
    }


PAPER_ARGUMENTS = {"app": "app_name"}
"""Arguments that Mobile-Agent-E names differently: our name and theirs."""

_unknown = {name for name in _NAMED_OTHERWISE if name} - WRITTEN.keys()
if _unknown:
    raise LookupError(f"words of Qwen's tool for actions that are not declared: {sorted(_unknown)}")


def tool_arguments(name: str) -> dict[str, tuple[Parameter, ...]]:
    """Return the arguments of an action in Qwen's tool, each with the arguments of ours that it stands for.

    Raises LookupError for an action with more arguments than the tool can tell apart.
    """
    kind = WRITTEN[name]
    arguments: dict[str, tuple[Parameter, ...]] = dict(zip(PLACES, point_parameters(kind), strict=False))
    for parameter in parameters(kind):
        if not isinstance(parameter.mark, AxisArgument):
            arguments[_SHARED.get(type(parameter.mark), parameter.name)] = (parameter,)
    if sum(map(len, arguments.values())) < len(parameters(kind)):
        raise LookupError(f"{name} has more arguments than {TOOL} can tell apart")
    return arguments


def added_arguments(specs: Mapping[str, ActionSpec]) -> dict[str, Parameter]:
    """Return the arguments of these actions that Qwen's tool does not have itself, by name.

    Raises LookupError if two actions use a name differently.
    """
    arguments: dict[str, Parameter] = {}
    for name in specs:
        for argument, (first, *_) in tool_arguments(name).items() if name in WRITTEN else ():
            if argument not in TOOL_ARGUMENTS and first in specs[name].parameters:
                same = arguments.setdefault(argument, first)
                if (same.mark, same.kind) != (first.mark, first.kind):
                    raise LookupError(f"{argument} of {name} is not what it is of another action of {TOOL}")
    return arguments
