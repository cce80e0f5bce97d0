"""What the keys of a keyboard do to the text field that has the focus."""

from __future__ import annotations

import string
from dataclasses import dataclass

from manyhands.simulator.phone.ui.field import Field, Way

KEY_TAB, KEY_ENTER, KEY_DEL, KEY_FORWARD_DEL, KEY_NUMPAD_ENTER = 61, 66, 67, 112, 160
KEY_0, KEY_A, KEY_NUMPAD_0 = 7, 29, 144
CUT, COPY, PASTE = 277, 278, 279
SHIFT, CTRL, ALT_OR_META = frozenset((59, 60)), frozenset((113, 114)), frozenset((57, 58, 117, 118))

WAYS: dict[int, tuple[Way, Way]] = {
    19: ("up", "start"),
    20: ("down", "end"),
    21: ("left", "word left"),
    22: ("right", "word right"),
    122: ("line start", "start"),
    123: ("line end", "end"),
}
"""The arrow keys, MOVE_HOME and MOVE_END: alone, and with CTRL."""

_RUNS: dict[int, tuple[str, ...]] = {
    KEY_0: ("0)", "1!", "2@", "3#", "4$", "5%", "6^", "7&", "8*", "9(", "**", "##"),
    KEY_A: (*(letter + letter.upper() for letter in string.ascii_lowercase), ",<", ".>"),
    KEY_TAB: ("  ", "  "),
    68: ("`~", "-_", "=+", "[{", "]}", "\\|", ";:", "'\"", "/?", "@@"),
    81: ("++",),
    KEY_NUMPAD_0: (*(digit * 2 for digit in string.digits), "//", "**", "--", "++", "..", ",,"),
    161: ("==", "((", "))"),
}
CHARACTERS = {first + offset: pair for first, pairs in _RUNS.items() for offset, pair in enumerate(pairs)}
"""What a key types: alone, and with SHIFT."""

SHORTCUTS = {KEY_A + 2: COPY, KEY_A + 21: PASTE, KEY_A + 23: CUT}


@dataclass(slots=True)
class Clipboard:
    """What was cut or copied last, on the whole phone."""

    text: str = ""


def edit(field: Field, code: int, held: frozenset[int], clipboard: Clipboard) -> None:
    """Do what a key does; most keys do nothing."""
    ctrl, shift = bool(held & CTRL), bool(held & SHIFT)
    if held & ALT_OR_META:
        return
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
    elif code in (KEY_ENTER, KEY_NUMPAD_ENTER) and not ctrl:
        field.enter()
    elif code in CHARACTERS and not ctrl:
        field.insert(CHARACTERS[code][shift])


def _clip(field: Field, what: int, clipboard: Clipboard) -> None:
    if what == PASTE:
        field.insert(clipboard.text)
    elif field.selected:
        clipboard.text = field.selected
        if what == CUT:
            field.erase()
