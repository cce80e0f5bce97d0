"""Name Android's keys as Chromium does (Playwright's names)."""

from __future__ import annotations

from manyhands.simulator.phone.keycodes import ALT, CTRL, KEY_CODES, META, SHIFT

_NAMES: dict[str, str] = {
    **{name: name for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{digit: digit for digit in "0123456789"},
    **{f"NUMPAD_{digit}": digit for digit in "0123456789"},
    "DPAD_UP": "ArrowUp",
    "DPAD_DOWN": "ArrowDown",
    "DPAD_LEFT": "ArrowLeft",
    "DPAD_RIGHT": "ArrowRight",
    "COMMA": ",",
    "PERIOD": ".",
    "TAB": "Tab",
    "SPACE": "Space",
    "ENTER": "Enter",
    "NUMPAD_ENTER": "Enter",
    "DEL": "Backspace",
    "FORWARD_DEL": "Delete",
    "GRAVE": "`",
    "MINUS": "-",
    "EQUALS": "=",
    "LEFT_BRACKET": "[",
    "RIGHT_BRACKET": "]",
    "BACKSLASH": "\\",
    "SEMICOLON": ";",
    "APOSTROPHE": "'",
    "SLASH": "/",
    "AT": "@",
    "PLUS": "+",
    "STAR": "*",
    "POUND": "#",
    "PAGE_UP": "PageUp",
    "PAGE_DOWN": "PageDown",
    "MOVE_HOME": "Home",
    "MOVE_END": "End",
    "CUT": "Control+X",
    "COPY": "Control+C",
    "PASTE": "Control+V",
}
_BY_CODE = {KEY_CODES[name]: key for name, key in _NAMES.items()}
_MODIFIERS = ((CTRL, "Control"), (ALT, "Alt"), (META, "Meta"), (SHIFT, "Shift"))


def browser_key(code: int, held: frozenset[int] = frozenset()) -> str | None:
    """Return a key with the modifiers that are held, such as ``Control+A``; None for a key that pages do not get."""
    key = _BY_CODE.get(code)
    if key is None:
        return None
    if len(key) == 1:
        key = key.lower()
    return "+".join((*(name for codes, name in _MODIFIERS if codes & held), key))
