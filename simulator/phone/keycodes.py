"""Android's key codes by name (``android.view.KeyEvent``): those that do something on a virtual phone."""

from __future__ import annotations

_RUNS: dict[int, str] = {
    3: "HOME BACK",
    7: "0 1 2 3 4 5 6 7 8 9 STAR POUND",
    21: "DPAD_LEFT DPAD_RIGHT",
    26: "POWER",
    29: "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z COMMA PERIOD",
    61: "TAB SPACE",
    66: "ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT",
    81: "PLUS MENU",
    92: "PAGE_UP PAGE_DOWN",
    111: "ESCAPE FORWARD_DEL",
    122: "MOVE_HOME MOVE_END",
    187: "APP_SWITCH",
    223: "SLEEP WAKEUP",
    276: "SOFT_SLEEP",
}

KEY_CODES: dict[str, int] = {
    name: first + offset for first, names in _RUNS.items() for offset, name in enumerate(names.split())
}


def key_code(text: str) -> int:
    """Return the code of a number or a name, with or without ``KEYCODE_``; 0 (unknown) for anything else.

    A number wins over the names of the digit keys, as on Android: ``7`` is code 7, KEYCODE_0.
    """
    if text.isascii() and text.isdecimal():
        return int(text) if len(text) < 6 else 0
    return KEY_CODES.get(text.removeprefix("KEYCODE_"), 0)
