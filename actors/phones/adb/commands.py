"""Turn atoms into commands of the phone's shell, and refuse what cannot be sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from manyhands.actors.phones.adb.apps import App, AppCatalogue
from manyhands.actors.phones.adb.refusal import Refused
from manyhands.actors.phones.adb.text_input import typing_commands
from manyhands.protocol.actions import (
    Answer,
    Atom,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    Stop,
    Swipe,
    SwitchApp,
    Tap,
    Type,
    Wait,
    points_of,
)
from manyhands.protocol.geometry import Size

KEY_HOME, KEY_BACK, KEY_ENTER, KEY_MENU, KEY_SWITCH_APP, KEY_WAKE = "3", "4", "66", "82", "187", "224"
_LAUNCHER_INTENT = ("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER")
_NEW_TASK_RESET = "0x10200000"
"""The flags with which a launcher starts an app: it comes to the front as it was left."""

Commands = list[list[str]]


@dataclass(frozen=True, slots=True)
class PhoneFacts:
    """Hold what an atom's commands depend on. ``apps`` is needed for Open_App alone."""

    size: Size
    adb_keyboard: bool
    apps: AppCatalogue | None


def commands_for(action: Atom, facts: PhoneFacts) -> Commands:
    """Return what to run for an atom, as one line. Raises Refused, also for a point outside the screen.

    Wait, Answer and Stop touch no phone; the episode deals with them, and here they are refused.
    """
    size = facts.size
    for x, y in points_of(action):
        if not size.contains(x, y):
            raise Refused(f"the point ({x}, {y}) lies outside the screen of {size.width} x {size.height} pixels")
    match action:
        case Tap(x=x, y=y):
            return [["input", "tap", str(x), str(y)]]
        case LongPress(x=x, y=y, ms=ms):
            return [["input", "swipe", str(x), str(y), str(x), str(y), str(ms)]]
        case Swipe(x1=x1, y1=y1, x2=x2, y2=y2, ms=ms):
            return [["input", "swipe", str(x1), str(y1), str(x2), str(y2), str(ms)]]
        case Type(text=text, clear=clear):
            return typing_commands(text, clear, facts.adb_keyboard)
        case OpenApp(app=label):
            if facts.apps is None:
                raise Refused("the apps of this phone are not known")
            return [start_command(facts.apps.find(label))]
        case Enter():
            return [["input", "keyevent", KEY_ENTER]]
        case SwitchApp():
            return [["input", "keyevent", KEY_SWITCH_APP]]
        case Back():
            return [["input", "keyevent", KEY_BACK]]
        case Home():
            return [["input", "keyevent", KEY_HOME]]
        case Wait() | Answer() | Stop():
            raise Refused(f"{action.name} is nothing that a phone does; the episode carries it out")
        case _:
            assert_never(action)


def start_command(app: App) -> list[str]:
    """Start an app as its icon does."""
    if app.activity is None:
        return ["monkey", "-p", app.package, "-c", "android.intent.category.LAUNCHER", "1"]
    return ["am", "start", *_LAUNCHER_INTENT, "-f", _NEW_TASK_RESET, "-n", f"{app.package}/{app.activity}"]


def reset_commands(front: str | None, seed_at: tuple[str, int] | None) -> Commands:
    """Wake, unlock, close the app ``front``, home; then the provider's reset with a seed where one is given."""
    commands = [["input", "keyevent", KEY_WAKE], ["input", "keyevent", KEY_MENU]]
    if front is not None:
        commands.append(["am", "force-stop", front])
    commands.append(["input", "keyevent", KEY_HOME])
    if seed_at is not None:
        provider, seed = seed_at
        commands.append(["content", "call", "--uri", provider, "--method", "reset", "--arg", str(seed)])
    return commands
