"""Name our actions as Qwen's phone tool and Mobile-Agent-E do.

An action that has no word here is called by its own name in small letters in Qwen's tool.
"""

from __future__ import annotations

from typing import assert_never

from manyhands.protocol.actions import ATOMS, Axis, Flag, Number, Parameter, Seconds, Text, parameters, point_parameters

TOOL = "mobile_use"
RUN_SHORTCUT = "run_shortcut"
PLACES = ("coordinate", "coordinate2")
"""The points of an action of Qwen's tool, in order."""
BUTTONS = {"Back": "Back", "Home": "Home", "Menu": "Switch_App", "Enter": "Enter"}
"""Actions that are buttons of Qwen's tool."""
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
TOOL_ACTIONS: dict[str, str | None] = {
    **_QWEN,
    **{name.lower(): name for name in ATOMS if name not in _NAMED_OTHERWISE},
}
"""The actions of Qwen's tool and ours, by its words; None where an argument decides which of ours is meant."""
PAPER_ARGUMENTS = {"app": "app_name"}
"""Arguments that Mobile-Agent-E calls otherwise than we do."""

_unknown = {name for name in _NAMED_OTHERWISE if name} - ATOMS.keys()
if _unknown:
    raise LookupError(f"words of Qwen's tool for actions that are not declared: {sorted(_unknown)}")


def tool_arguments(name: str) -> dict[str, tuple[Parameter, ...]]:
    """Return the arguments that an action has in Qwen's tool, and which arguments of ours each of them gives.

    Raises LookupError for an action with more arguments than the tool can tell apart.
    """
    kind = ATOMS[name]
    found: dict[str, tuple[Parameter, ...]] = dict(zip(PLACES, point_parameters(kind), strict=False))
    for parameter in parameters(kind):
        match parameter.mark:
            case Axis():
                pass
            case Text():
                found["text"] = (parameter,)
            case Seconds():
                found["time"] = (parameter,)
            case Flag() | Number():
                found[parameter.name] = (parameter,)
            case _:
                assert_never(parameter.mark)
    if sum(map(len, found.values())) < len(parameters(kind)):
        raise LookupError(f"{name} has more arguments than {TOOL} can tell apart")
    return found
