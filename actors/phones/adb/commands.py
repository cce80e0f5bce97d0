"""Translate atoms to commands of the phone's shell, and refuse what cannot be sent.

A text is typed completely, or refused with a reason. There are two ways to type. ADBKeyboard receives any Unicode text
as base64 in a broadcast. ``input text`` makes key events and knows printable ASCII only. It reads ``%s`` as a blank, so
a text that contains these two characters is split between them and typed by two commands of one line.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import assert_never

from manyhands.actors.phones.adb.apps import App, AppCatalogue
from manyhands.actors.phones.adb.shell import ActionRefused
from manyhands.protocol.screens.actions import (
    Answer,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    OpenLink,
    PhoneAction,
    Stop,
    Swipe,
    SwitchApp,
    Tap,
    Type,
    Wait,
    points_of,
)
from manyhands.protocol.screens.geometry import Size

KEY_HOME, KEY_BACK, KEY_ENTER, KEY_MENU, KEY_SWITCH_APP, KEY_WAKE = "3", "4", "66", "82", "187", "224"
_LAUNCHER_INTENT = ("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER")
_NEW_TASK_RESET = "0x10200000"
"""The flags with which a launcher starts an app: with them, an app comes to the front in the state in which it was
left."""

Commands = list[list[str]]


@dataclass(frozen=True, slots=True)
class PhoneFacts:
    """Hold the facts that an atom's commands depend on. Only Open_App needs ``apps``."""

    size: Size
    adb_keyboard: bool
    apps: AppCatalogue | None
    keyboard_problem: str = ""
    """Why there is no ADBKeyboard, and what a person can do."""


def commands_for(action: PhoneAction, facts: PhoneFacts) -> Commands:
    """Return the commands for an atom, as one line. Raises ActionRefused. A point outside the screen is refused too.

    Wait, Answer and Stop touch no phone; the episode handles them, and here they are refused.
    """
    size = facts.size
    for x, y in points_of(action):
        if not size.contains(x, y):
            raise ActionRefused(f"the point ({x}, {y}) lies outside the screen of {size.width} x {size.height} pixels")
    match action:
        case Tap(x=x, y=y):
            return [["input", "tap", str(x), str(y)]]
        case LongPress(x=x, y=y, ms=ms):
            return [["input", "swipe", str(x), str(y), str(x), str(y), str(ms)]]
        case Swipe(x1=x1, y1=y1, x2=x2, y2=y2, ms=ms):
            return [["input", "swipe", str(x1), str(y1), str(x2), str(y2), str(ms)]]
        case Type(text=text, clear=clear):
            return typing_commands(text, clear, facts.adb_keyboard, facts.keyboard_problem)
        case OpenApp(app=label):
            if facts.apps is None:
                raise ActionRefused("the apps of this phone are not known")
            return [start_command(facts.apps.find(label))]
        case OpenLink(link=link):
            where = ["-d", link] if ":" in link else []
            return [["am", "start", "-a", "android.intent.action.VIEW" if where else link, *where]]
        case Enter():
            return [["input", "keyevent", KEY_ENTER]]
        case SwitchApp():
            return [["input", "keyevent", KEY_SWITCH_APP]]
        case Back():
            return [["input", "keyevent", KEY_BACK]]
        case Home():
            return [["input", "keyevent", KEY_HOME]]
        case Wait() | Answer() | Stop():
            raise ActionRefused(f"{action.name} is nothing that a phone does; the episode carries it out")
        case _:
            assert_never(action)


def start_command(app: App) -> list[str]:
    """Start an app as its icon does."""
    if app.activity is None:
        # A phone without keys of its own ends monkey with 251, unless the share of system keys is 0.
        return ["monkey", "-p", app.package, "-c", "android.intent.category.LAUNCHER", "--pct-syskeys", "0", "1"]
    return ["am", "start", *_LAUNCHER_INTENT, "-f", _NEW_TASK_RESET, "-n", f"{app.package}/{app.activity}"]


def reset_commands(front: str | None, seed_at: tuple[str, int] | None) -> Commands:
    """Wake, unlock, close the app ``front``, go home; then call the provider's reset if a seed is given."""
    commands = [["input", "keyevent", KEY_WAKE], ["input", "keyevent", KEY_MENU]]
    if front is not None:
        commands.append(["am", "force-stop", front])
    commands.append(["input", "keyevent", KEY_HOME])
    if seed_at is not None:
        provider, seed = seed_at
        commands.append(["content", "call", "--uri", provider, "--method", "reset", "--arg", str(seed)])
    return commands


ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
CLEAR_KEYS = 200
"""How many characters ``clear`` deletes on a phone without ADBKeyboard."""
MAX_ARGUMENT_BYTES = 40_000
"""The longest text of one command, in bytes. A shell line must fit into one request to the adb server, of at most 65535
bytes."""
_BROADCAST = ("am", "broadcast", "-p", "com.android.adbkeyboard", "-a")
"""A broadcast to ADBKeyboard alone. Some systems deliver none that names no package."""
_KEY_MOVE_END = "123"
_KEY_DEL = "67"
_PRINTABLE_ASCII = re.compile(r"[ -~]+")


def typing_commands(text: str, clear: bool, adb_keyboard: bool, problem: str = "") -> Commands:
    """Return shell commands that type ``text`` into the focused field. Raises ActionRefused.

    A line break at the end is the key Enter, as on a keyboard: UI-TARS sends what it types by it. ``problem``: why the
    phone has no ADBKeyboard that could be used.
    """
    line = text.removesuffix("\n")
    commands = _by_broadcast(line, clear) if adb_keyboard else _by_keys(line, clear, problem)
    return commands if line == text else [*commands, ["input", "keyevent", KEY_ENTER]]


def _by_broadcast(text: str, clear: bool) -> list[list[str]]:
    encoded = base64.b64encode(text.encode("utf-8")).decode("ascii")
    if len(encoded) > MAX_ARGUMENT_BYTES:
        raise ActionRefused(f"a text of {len(text)} characters is too long for one broadcast; type it in parts")
    emptied = [[*_BROADCAST, "ADB_CLEAR_TEXT"]] if clear else []
    if not text:
        return emptied
    return [*emptied, [*_BROADCAST, "ADB_INPUT_B64", "--es", "msg", encoded]]


def _by_keys(text: str, clear: bool, problem: str) -> list[list[str]]:
    if text and not _PRINTABLE_ASCII.fullmatch(text):
        odd = next(character for character in text if not " " <= character <= "~")
        raise ActionRefused(
            f"the character {odd!r} cannot be typed: key events carry only printable ASCII, and {problem}"
        )
    emptied = [["input", "keyevent", _KEY_MOVE_END, *[_KEY_DEL] * CLEAR_KEYS]] if clear else []
    if not text:
        return emptied
    return [*emptied, *(["input", "text", part.replace(" ", "%s")] for part in _without_percent_s(text))]


def _without_percent_s(text: str) -> list[str]:
    """Return ``text`` in parts, none of which contains ``%s``."""
    return re.split(r"(?<=%)(?=s)", text)
