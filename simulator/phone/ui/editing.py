"""What the keys of a keyboard do to the text field that has the focus."""

from __future__ import annotations

from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.phone.ui.field import Field

_NAMES = "STAR POUND COMMA PERIOD TAB SPACE GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON"
_SIGNS = dict(zip(f"{_NAMES} APOSTROPHE SLASH AT PLUS".split(), "*#,.  `-=[]\\;'/@+", strict=True))
CHARACTERS = {
    code: name.lower() if len(name) == 1 else _SIGNS[name]
    for name, code in KEY_CODES.items()
    if len(name) == 1 or name in _SIGNS
}
"""What a key types."""


def edit(field: Field, code: int) -> None:
    """Do what a key does; most keys do nothing."""
    if code in CHARACTERS:
        field.insert(CHARACTERS[code])
    elif code in (KEY_CODES["DPAD_LEFT"], KEY_CODES["DPAD_RIGHT"]):
        field.move(1 if code == KEY_CODES["DPAD_RIGHT"] else -1)
    elif code in (KEY_CODES["MOVE_HOME"], KEY_CODES["MOVE_END"]):
        field.move_in_line(to_end=code == KEY_CODES["MOVE_END"])
    elif code == KEY_CODES["DEL"]:
        field.erase()
    elif code == KEY_CODES["FORWARD_DEL"]:
        field.erase_ahead()
    elif code == KEY_CODES["ENTER"]:
        field.enter()
