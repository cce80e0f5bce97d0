"""Map the names of Android's keys to their codes (``android.view.KeyEvent``), for keys that virtual phones handle."""

from __future__ import annotations

_RUNS: dict[int, str] = {
    3: "HOME BACK",
    7: "0 1 2 3 4 5 6 7 8 9 STAR POUND",
    19: "DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT",
    26: "POWER",
    29: "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z COMMA PERIOD",
    57: "ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE",
    66: "ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT",
    81: "PLUS MENU",
    92: "PAGE_UP PAGE_DOWN",
    111: "ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT",
    117: "META_LEFT META_RIGHT",
    122: "MOVE_HOME MOVE_END",
    144: "NUMPAD_0 NUMPAD_1 NUMPAD_2 NUMPAD_3 NUMPAD_4 NUMPAD_5 NUMPAD_6 NUMPAD_7 NUMPAD_8 NUMPAD_9",
    154: "NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS",
    162: "NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN",
    187: "APP_SWITCH",
    223: "SLEEP WAKEUP",
    276: "SOFT_SLEEP CUT COPY PASTE",
}

KEY_CODES: dict[str, int] = {
    name: first + offset for first, names in _RUNS.items() for offset, name in enumerate(names.split())
}

KNOWN_KEYS = frozenset(KEY_CODES.values())

SHIFT, CTRL, ALT, META = (
    frozenset((KEY_CODES[f"{name}_LEFT"], KEY_CODES[f"{name}_RIGHT"])) for name in ("SHIFT", "CTRL", "ALT", "META")
)


def key_code(text: str) -> int:
    """Return the key code for a number or a name with or without ``KEYCODE_``; 0 (unknown) for anything else.

    As on Android, a number is a code and not the name of a digit key: ``7`` is the code 7, which is KEYCODE_0.
    """
    if text.isascii() and text.isdecimal():
        return int(text) if len(text) < 6 else 0
    return KEY_CODES.get(text.removeprefix("KEYCODE_"), 0)
