"""What the keys of a keyboard do to the text field that has the focus."""

from __future__ import annotations

import string
from dataclasses import dataclass

from manyhands.simulator.phone.ui.field import Field, Way

KEY_TAB, KEY_SPACE, KEY_ENTER, KEY_DEL, KEY_FORWARD_DEL, KEY_NUMPAD_ENTER = 61, 62, 66, 67, 112, 160
KEY_0, KEY_A, KEY_NUMPAD_0 = 7, 29, 144
CUT, COPY, PASTE = 277, 278, 279
SHIFT, CTRL, ALT_OR_META = frozenset((59, 60)), frozenset((113, 114)), frozenset((57, 58, 117, 118))
MODIFIERS = SHIFT | CTRL | ALT_OR_META

WAYS: dict[int, tuple[Way, Way]] = {
    19: ("up", "start"),
    20: ("down", "end"),
    21: ("left", "word left"),
    22: ("right", "word right"),
    122: ("line start", "start"),
    123: ("line end", "end"),
}
"""The arrow keys, MOVE_HOME and MOVE_END: alone, and with CTRL."""

CHARACTERS: dict[int, str] = {
    **{KEY_0 + index: pair for index, pair in enumerate(("0)", "1!", "2@", "3#", "4$", "5%", "6^", "7&", "8*", "9("))},
    **{KEY_A + index: letter + letter.upper() for index, letter in enumerate(string.ascii_lowercase)},
    **{KEY_NUMPAD_0 + index: digit * 2 for index, digit in enumerate(string.digits)},
    17: "**",
    18: "##",
    55: ",<",
    56: ".>",
    KEY_TAB: "  ",
    KEY_SPACE: "  ",
    68: "`~",
    69: "-_",
    70: "=+",
    71: "[{",
    72: "]}",
    73: "\\|",
    74: ";:",
    75: "'\"",
    76: "/?",
    77: "@@",
    81: "++",
    154: "//",
    155: "**",
    156: "--",
    157: "++",
    158: "..",
    159: ",,",
    161: "==",
    162: "((",
    163: "))",
}
"""What a key types: alone, and with SHIFT."""

SHORTCUTS = {KEY_A + 2: COPY, KEY_A + 21: PASTE, KEY_A + 23: CUT}


@dataclass(slots=True)
class Clipboard:
    """What was cut or copied last, on the whole phone."""

    text: str = ""


def edit(field: Field, code: int, held: frozenset[int], clipboard: Clipboard) -> bool:
    """Do what a key does; whether it does anything."""
    if held & ALT_OR_META:
        return False
    ctrl, shift = bool(held & CTRL), bool(held & SHIFT)
    if ctrl and code == KEY_A:
        field.select_all()
    elif code in (CUT, COPY, PASTE) or (ctrl and code in SHORTCUTS):
        _clip(field, SHORTCUTS.get(code, code), clipboard)
    elif code in WAYS:
        field.move(WAYS[code][ctrl], extend=shift)
    elif code in (KEY_DEL, KEY_FORWARD_DEL):
        ahead = code == KEY_FORWARD_DEL
        if ctrl and not field.selected:
            field.move("word right" if ahead else "word left", extend=True)
        (field.erase_ahead if ahead else field.erase)()
    elif ctrl:
        return False
    elif code in (KEY_ENTER, KEY_NUMPAD_ENTER):
        field.enter()
    elif code in CHARACTERS:
        field.insert(CHARACTERS[code][shift])
    else:
        return False
    return True


def _clip(field: Field, what: int, clipboard: Clipboard) -> None:
    if what == PASTE:
        field.insert(clipboard.text)
    elif field.selected:
        clipboard.text = field.selected
        if what == CUT:
            field.erase()
