"""Name our actions as others do: Qwen's phone tool and Mobile-Agent-E.

An action without a word here bears its own name in small letters in Qwen's tool, its points as ``coordinate``.
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
"""What may be asked of Qwen's tool, and which action of ours it is; None where an argument decides."""
PAPER_ARGUMENTS = {"app": "app_name"}
"""Arguments that Mobile-Agent-E calls otherwise than we do."""

_unknown = {name for name in _NAMED_OTHERWISE if name} - ATOMS.keys()
if _unknown:
    raise LookupError(f"words of Qwen's tool for actions that are not declared: {sorted(_unknown)}")


def tool_arguments(name: str) -> dict[str, tuple[Parameter, ...]]:
    """Return the arguments that an action has in Qwen's tool, and which arguments of ours each of them gives."""
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
    return found
