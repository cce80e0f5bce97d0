"""Provide ``input``: taps, swipes, finger movements, keys and text.

A swipe takes as long as the command says, as on a real phone; but the phone receives it at the start of that time. A
swipe that hardly moves is a tap, or a long press from 500 ms on. ``draganddrop`` does the same as ``swipe``.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from manyhands.simulator.phone.keycodes import ALT, CTRL, KEY_CODES, KNOWN_KEYS, META, SHIFT, key_code
from manyhands.simulator.shell.command import BAD_USAGE, BadOption, Call, Command, NotSimulated, options_of
from manyhands.simulator.system.finger import NoFinger, perform

POINTERS = ("mouse", "rotaryencoder", "stylus", "touchnavigation", "touchpad", "touchscreen", "trackball")
SOURCES = frozenset((*POINTERS, "dpad", "gamepad", "joystick", "keyboard"))
KEY_OPTIONS = ("longpress", "doubletap", "async", "delay=", "duration=")
EVENTS = frozenset(("tap", "swipe", "draganddrop", "keyevent", "keycombination", "motionevent", "text"))
SWIPE_MS = 300
MAX_MS = 600_000


class InvalidArguments(ValueError):
    """Report arguments that ``input`` refuses."""


def event_of(args: Sequence[str]) -> list[str]:
    """Return the name of the event and its values. Leave out the source and the display, which have no effect."""
    rest = list(args)
    if rest and rest[0] in SOURCES:
        rest.pop(0)
    if len(rest) > 1 and rest[0] == "-d":
        del rest[:2]
    return rest


def acts(args: Sequence[str]) -> bool:
    """Return whether a virtual phone simulates the event and all its keys."""
    name, *values = event_of(args) or [""]
    if name not in EVENTS:
        return False
    try:
        known_keys(key_names(name, values))
    except (BadOption, NotSimulated):
        return False
    return True


def key_names(event: str, values: Sequence[str]) -> list[str]:
    """Return the names of the keys that an event presses, without its options. Raises BadOption."""
    if event == "keyevent":
        return options_of(values, "", KEY_OPTIONS)[1]
    if event == "keycombination":
        return list(values[2:] if values[:1] == ["-t"] else values)
    return []


def known_keys(names: Sequence[str]) -> list[int]:
    """Return the codes of keys. Raises NotSimulated for a key that a virtual phone does not simulate."""
    codes = [key_code(name) for name in names]
    for name, code in zip(names, codes, strict=True):
        if code not in KNOWN_KEYS:
            raise NotSimulated(f"the key {name}")
    return codes


async def input_(call: Call) -> int:
    args = event_of(call.args)
    if not args:
        await call.complain("Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]")
        return BAD_USAGE
    name, *values = args
    try:
        if name == "tap":
            x, y = numbers(values, 2)
            call.phone.device.tap(x, y)
            seconds = 0.0
        elif name in ("swipe", "draganddrop"):
            seconds = swipe(call, values)
        elif name == "keyevent":
            seconds = await keys(call, values)
        elif name == "keycombination":
            seconds = await combination(call, values)
        elif name == "motionevent":
            motion(call, values)
            seconds = 0.0
        elif name == "text":
            return await text(call, values)
        else:
            await call.complain(f"Error: Unknown command: {name}")
            return BAD_USAGE
    except InvalidArguments as error:
        await call.complain(f"Error: Invalid arguments for command: {name}: {error}")
        return BAD_USAGE
    await asyncio.sleep(seconds)
    return 0


def numbers(values: Sequence[str], count: int) -> list[int]:
    """Return the first ``count`` values as rounded numbers: pixels or milliseconds. Raises InvalidArguments."""
    if len(values) < count:
        raise InvalidArguments(f"{count} numbers are expected")
    found = []
    for value in values[:count]:
        try:
            number = float(value)
        except ValueError as error:
            raise InvalidArguments(f'For input string: "{value}"') from error
        if not math.isfinite(number):
            raise InvalidArguments(f'For input string: "{value}"')
        found.append(round(number))
    return found


def swipe(call: Call, values: Sequence[str]) -> float:
    """Swipe, and return how many seconds the swipe takes. Raises InvalidArguments."""
    x1, y1, x2, y2, ms = numbers((*values[:5], str(SWIPE_MS)) if len(values) == 4 else values, 5)
    ms = SWIPE_MS if ms < 0 else min(ms, MAX_MS)
    perform(call.phone.device, (x1, y1), (x2, y2), (x2, y2), ms)
    return ms / 1000


def motion(call: Call, values: Sequence[str]) -> None:
    """Run ``motionevent DOWN|MOVE|UP X Y`` or ``motionevent CANCEL``. Raises InvalidArguments."""
    action = values[0].upper() if values else ""
    finger = call.phone.finger
    try:
        if action == "CANCEL":
            finger.cancel()
        elif action in ("DOWN", "MOVE", "UP"):
            x, y = numbers(values[1:], 2)
            {"DOWN": finger.down, "MOVE": finger.move, "UP": finger.up}[action](x, y)
        else:
            raise InvalidArguments(f"Unknown action: {action or 'none'}")
    except NoFinger as error:
        raise InvalidArguments(str(error)) from error


async def combination(call: Call, values: Sequence[str]) -> float:
    """Press keys one after another while modifier keys among them stay down. Return how many seconds they are held.

    Raises InvalidArguments, NotSimulated.
    """
    ms = numbers(values[1:2], 1)[0] if values[:1] == ["-t"] else 0
    names = key_names("keycombination", values)
    codes = [key_code(name) for name in names]
    if KEY_CODES["POWER"] in codes:
        raise InvalidArguments("a virtual phone takes no screenshots by keys and has no power menu")
    if 0 in codes:
        raise InvalidArguments(f"Unknown keycode: {names[codes.index(0)]}")
    known_keys(names)
    if len(codes) < 2:
        raise InvalidArguments("keycombination requires at least 2 keycodes")
    held: frozenset[int] = frozenset()
    for code in codes:
        call.phone.device.key(code, held)
        await asyncio.sleep(0)
        held |= {code} & (ALT | CTRL | META | SHIFT)
    return min(max(ms, 0), MAX_MS) / 1000


async def keys(call: Call, values: Sequence[str]) -> float:
    """Press all keys, and return how many seconds that takes.

    Raises InvalidArguments. Raises NotSimulated before it presses the first key.
    """
    options, names = options_of(values, "", KEY_OPTIONS)
    (delay,) = numbers([options.get("--delay", "0")], 1)
    delay = min(max(delay, 0), MAX_MS)
    codes = known_keys(names)
    if not codes:
        raise InvalidArguments("a key is expected")
    if "--longpress" in options and KEY_CODES["POWER"] in codes:
        raise InvalidArguments("a virtual phone has no power menu")
    awake = call.phone.device.awake()
    for code in codes:
        call.phone.device.key(code)
        await asyncio.sleep(0)  # lets other phones run, as there may be very many keys
    if call.phone.device.awake() != awake:
        call.phone.log.write("I", "PowerManagerService", "Going to sleep..." if awake else "Waking up...")
    return delay * (len(codes) - 1) / 1000


async def text(call: Call, values: Sequence[str]) -> int:
    """Type the first argument, in which ``%s`` stands for a blank. As on Android, ignore further arguments.

    Raises InvalidArguments.
    """
    if not values:
        raise InvalidArguments("a text is expected")
    try:
        call.phone.device.input_text(call.phone.arriving(values[0].replace("%s", " ")))
    except ValueError:
        await call.complain(
            "Exception occurred while executing 'text':\n"
            "java.lang.NullPointerException: Attempt to get length of null array\n"
            "\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:332)"
        )
        return BAD_USAGE
    return 0


COMMANDS = {"input": Command(input_, acts)}
