"""Apply the keys of a keyboard to the text field that has the focus."""

from __future__ import annotations

import string
from dataclasses import dataclass

from manyhands.simulator.phone.keycodes import ALT, CTRL, KEY_CODES, META, SHIFT
from manyhands.simulator.phone.ui.field import Field, Way

CUT, COPY, PASTE = (KEY_CODES[name] for name in ("CUT", "COPY", "PASTE"))
SHORTCUTS = {KEY_CODES["X"]: CUT, KEY_CODES["C"]: COPY, KEY_CODES["V"]: PASTE}
ENTER = (KEY_CODES["ENTER"], KEY_CODES["NUMPAD_ENTER"])

WAYS: dict[int, tuple[Way, Way]] = {
    KEY_CODES["DPAD_UP"]: ("up", "start"),
    KEY_CODES["DPAD_DOWN"]: ("down", "end"),
    KEY_CODES["DPAD_LEFT"]: ("left", "word left"),
    KEY_CODES["DPAD_RIGHT"]: ("right", "word right"),
    KEY_CODES["MOVE_HOME"]: ("line start", "start"),
    KEY_CODES["MOVE_END"]: ("line end", "end"),
}
"""Where a key moves the caret: alone, and with CTRL."""

_RUNS: dict[str, tuple[str, str]] = {
    "0": ("0123456789*#", ")!@#$%^&*(*#"),
    "A": (f"{string.ascii_lowercase},.", f"{string.ascii_uppercase}<>"),
    "TAB": ("  ", "  "),
    "GRAVE": ("`-=[]\\;'/@", '~_+{}|:"?@'),
    "PLUS": ("+", "+"),
    "NUMPAD_0": (f"{string.digits}/*-+.,", f"{string.digits}/*-+.,"),
    "NUMPAD_EQUALS": ("=()", "=()"),
}
CHARACTERS = {
    KEY_CODES[first] + offset: pair
    for first, (alone, shifted) in _RUNS.items()
    for offset, pair in enumerate(zip(alone, shifted, strict=True))
}
"""What a key types: alone, and with SHIFT."""


@dataclass(slots=True)
class Clipboard:
    """Hold what was last cut or copied on the phone."""

    text: str = ""


def edit(field: Field, code: int, held: frozenset[int], clipboard: Clipboard) -> None:
    """Do what a key does in a text field. Most keys do nothing."""
    ctrl, shift = bool(held & CTRL), bool(held & SHIFT)
    if held & (ALT | META):
        return
    if ctrl and code == KEY_CODES["A"]:
        field.select_all()
    elif code in (CUT, COPY, PASTE) or (ctrl and code in SHORTCUTS):
        _clip(field, SHORTCUTS.get(code, code), clipboard)
    elif code in WAYS:
        field.move(WAYS[code][ctrl], extend=shift)
    elif code in (KEY_CODES["DEL"], KEY_CODES["FORWARD_DEL"]):
        ahead = code == KEY_CODES["FORWARD_DEL"]
        if ctrl and not field.selected:
            field.move("word right" if ahead else "word left", extend=True)
        (field.erase_ahead if ahead else field.erase)()
    elif code in ENTER and not ctrl:
        field.enter()
    elif code in CHARACTERS and not ctrl:
        field.insert(CHARACTERS[code][shift])


def _clip(field: Field, what: int, clipboard: Clipboard) -> None:
    """Cut, copy or paste."""
    if what == PASTE:
        field.insert(clipboard.text)
    elif field.selected:
        clipboard.text = field.selected
        if what == CUT:
            field.erase()
