"""Type: every text arrives exactly, or is refused with a reason.

Two ways. ADBKeyboard takes any Unicode text as base64 in a broadcast. ``input text`` makes key events and
knows printable ASCII only; it reads ``%s`` as a blank, so a text that holds these two characters is cut
between them and typed by two commands of one line.
"""

from __future__ import annotations

import base64
import re

from manyhands.actors.phones.adb.refusal import Refused

ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
CLEAR_KEYS = 200
"""How many characters ``clear`` deletes where there is no ADBKeyboard."""
MAX_ARGUMENT_BYTES = 40_000
"""A shell line travels in one request of at most 65535 bytes to the adb server."""
_KEY_MOVE_END = "123"
_KEY_DEL = "67"
_PRINTABLE_ASCII = re.compile(r"[ -~]+")


def typing_commands(text: str, clear: bool, adb_keyboard: bool) -> list[list[str]]:
    """Return shell commands that type ``text`` into the focused field. Raises Refused."""
    if adb_keyboard:
        return _by_broadcast(text, clear)
    return _by_keys(text, clear)


def _by_broadcast(text: str, clear: bool) -> list[list[str]]:
    encoded = base64.b64encode(text.encode("utf-8")).decode("ascii")
    if len(encoded) > MAX_ARGUMENT_BYTES:
        raise Refused(f"a text of {len(text)} characters is too long for one broadcast; type it in parts")
    emptied = [["am", "broadcast", "-a", "ADB_CLEAR_TEXT"]] if clear else []
    return [*emptied, ["am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", encoded]]


def _by_keys(text: str, clear: bool) -> list[list[str]]:
    if not _PRINTABLE_ASCII.fullmatch(text):
        odd = next(character for character in text if not " " <= character <= "~")
        raise Refused(
            f"the character {odd!r} cannot be typed: this phone has no ADBKeyboard, and key events carry only "
            "printable ASCII; install com.android.adbkeyboard"
        )
    emptied = [["input", "keyevent", _KEY_MOVE_END, *[_KEY_DEL] * CLEAR_KEYS]] if clear else []
    return [*emptied, *(["input", "text", part.replace(" ", "%s")] for part in _without_percent_s(text))]


def _without_percent_s(text: str) -> list[str]:
    """Return ``text`` in parts, none of which holds ``%s``."""
    return re.split(r"(?<=%)(?=s)", text)
