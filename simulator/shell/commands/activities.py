"""Provide ``am`` and ``monkey``: start and stop apps, send broadcasts, list tasks."""

from __future__ import annotations

import base64
import binascii
import contextlib
from collections.abc import Sequence
from dataclasses import replace

from manyhands.simulator.phone.device import UnknownComponent, UserDevice
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.shell.command import BAD_USAGE, FAILED, BadOption, Call, Command, NotSimulated, options_of
from manyhands.simulator.shell.intents import HOME, LAUNCHER, MAIN, Intent, IntentError, parse_intent
from manyhands.simulator.system.phone_system import ADB_KEYBOARD, PhoneSystem, short_component

MONKEY_ABORTED = 252
START = ("start", "start-activity")
BROADCASTS = frozenset(
    ("ADB_INPUT_TEXT", "ADB_INPUT_B64", "ADB_INPUT_CHARS", "ADB_INPUT_CODE", "ADB_EDITOR_CODE", "ADB_CLEAR_TEXT")
)
"""The broadcasts that ADBKeyboard receives. On a virtual phone, only ADBKeyboard and Clipper receive broadcasts."""
NOT_SIMULATED = frozenset(("ADB_INPUT_MCODE",))
"""Broadcasts that ADBKeyboard receives on a real phone, but not here."""
CLIPPER, CLIPPER_GET = "ca.zgrs.clipper", "clipper.get"
"""The broadcast that the app Clipper answers with the clipboard's text. Here Clipper counts as a system app, which may
read the clipboard at any time."""
MONKEY_OPTIONS = ("p:c:s:", ("throttle=", "pct-syskeys=", "pct-touch="))


class NotStarted(Exception):
    """Report that an intent started nothing, in Android's words."""


TASK_ID = "1"
"""The id of the one task that reports show: that of the app in front."""


def am_acts(args: Sequence[str]) -> bool:
    """Return whether ``am`` acts on the phone: if it starts or stops an app, or sends a broadcast to ADBKeyboard."""
    if not args:
        return False
    if args[0] == "broadcast":
        return not BROADCASTS.isdisjoint(args[1:])
    return args[0] in (*START, "force-stop") or tuple(args[:2]) == ("stack", "remove")


async def am(call: Call) -> int:
    if not call.args:
        await call.complain("am commands: start, force-stop, broadcast, stack list, get-current-user")
        return BAD_USAGE
    action, *args = call.args
    try:
        if action in START:
            return await start(call, parse_intent(args))
        if action == "force-stop":
            return await stop(call, args)
        if action == "broadcast":
            return await broadcast(call, parse_intent(args))
    except IntentError as error:
        await call.complain(f"Error: {error}")
        return FAILED
    if (action, *args) == ("stack", "list"):
        await call.print(task_list(call.phone))
        return 0
    if (action, *args) == ("stack", "remove", TASK_ID):
        front = call.phone.device.focus().partition("/")[0]
        return await stop(call, [front])
    if (action, *args) == ("get-current-user",):
        await call.print("0")
        return 0
    await call.complain(f"Unknown command: {action}")
    return BAD_USAGE


# ---------------------------------------------------------------------------- start and stop
async def start(call: Call, intent: Intent) -> int:
    """Run ``am start``: start what the intent names. Print the intent to stdout and an error to stderr."""
    outcome = None
    call.phone.log.write("I", "ActivityTaskManager", f"START u0 {intent.describe()[7:]} from uid 2000")
    if intent.options & {"-S"} and intent.component:
        call.phone.device.force_stop(intent.component.partition("/")[0])
    try:
        open_intent(call.phone, intent)
    except NotStarted as error:
        outcome = str(error)
    await call.print(f"Starting: {intent.describe()}")
    if outcome is not None:
        await call.complain(outcome)
        return FAILED
    if "-W" in intent.options:
        focus = short_component(call.phone.device.focus())
        report = ("Status: ok", "LaunchState: COLD", f"Activity: {focus}", "TotalTime: 120", "WaitTime: 125")
        await call.print("\n".join((*report, "Complete")))
    return 0


def open_intent(phone: PhoneSystem, intent: Intent) -> None:
    """Start what an intent names. Raises NotStarted."""
    device, link = phone.device, intent.link
    try:
        if intent.component is not None:
            device.launch(intent.component)
            if link is not None:
                with contextlib.suppress(UnknownComponent):  # an app that cannot open the link is started nevertheless
                    device.open_link(replace(link, package=intent.component.partition("/")[0]))
        elif link is not None:
            device.open_link(link)
        elif intent.action == MAIN and HOME in intent.categories:
            device.key(KEY_CODES["HOME"])
        elif intent.package is not None:
            device.launch(intent.package)
        else:
            raise UnknownComponent(intent.describe())
    except UnknownComponent as error:
        if intent.component is not None:
            message = f"Error type 3\nError: Activity class {{{intent.component}}} does not exist."
        else:
            message = f"Error: Activity not started, unable to resolve {intent.describe('0x10000000')}"
        raise NotStarted(message) from error


async def stop(call: Call, args: Sequence[str]) -> int:
    """Run ``am force-stop``. As on Android, an unknown package is no error."""
    packages = [arg for arg in args if not arg.startswith("-") and not arg.isdigit()]
    if not packages:
        await call.complain("Error: Argument expected")
        return BAD_USAGE
    if any(app.package == packages[0] for app in call.phone.device.apps()):
        call.phone.log.write("I", "ActivityManager", f"Force stopping {packages[0]} appid=10123 user=0: from pid 4711")
        call.phone.device.force_stop(packages[0])
    return 0


def task_list(phone: PhoneSystem) -> str:
    """Return the task in front, as ``am stack list`` prints it."""
    focus, size = phone.device.focus(), f"[0,0][{phone.device.width},{phone.device.height}]"
    return (
        f"RootTask id={TASK_ID} bounds={size} displayId=0 userId=0\n"
        f"  taskId={TASK_ID}: {focus} bounds={size} userId=0 visible=true topActivity=ComponentInfo{{{focus}}}"
    )


# ---------------------------------------------------------------------------- broadcasts
async def broadcast(call: Call, intent: Intent) -> int:
    """Run ``am broadcast``, which ends with result 0 whether anybody receives the broadcast or not.

    One that names a package reaches that package alone, any other every receiver of its action. ADBKeyboard receives a
    broadcast only while it is the default keyboard. Its filter matches none with data, a type or a category. Raises
    NotSimulated for broadcasts that ADBKeyboard receives on a real phone only.
    """
    device = call.phone.device
    package = intent.component.partition("/")[0] if intent.component else intent.package
    if intent.action == CLIPPER_GET and isinstance(device, UserDevice) and package in (None, CLIPPER):
        await call.print(
            f"Broadcasting: {intent.describe('0x400000')}\n"
            f'Broadcast completed: result=-1, data="{device.clipboard_text()}"'
        )
        return 0
    if intent.action in NOT_SIMULATED:
        raise NotSimulated(f"the broadcast {intent.action}")
    reaches = package in (None, ADB_KEYBOARD.partition("/")[0]) and not (
        intent.data or intent.mime or intent.categories
    )
    if intent.action in BROADCASTS and reaches and call.phone.device.default_ime() == ADB_KEYBOARD:
        type_broadcast(call.phone, intent)
    await call.print(f"Broadcasting: {intent.describe('0x400000')}\nBroadcast completed: result=0")
    return 0


def type_broadcast(phone: PhoneSystem, intent: Intent) -> None:
    """Do what ADBKeyboard does with a broadcast. Without the extra that it needs, a broadcast does nothing."""
    message = intent.extras.get("msg")
    if intent.action == "ADB_INPUT_TEXT" and message is not None:
        phone.device.ime_commit(phone.arriving(message.encode("utf-8", "surrogateescape").decode("utf-8", "replace")))
    elif intent.action == "ADB_INPUT_B64" and message is not None:
        text = decode_base64(message)
        if text is not None:
            phone.device.ime_commit(phone.arriving(text))
    elif intent.action == "ADB_INPUT_CHARS" and "chars" in intent.extras:
        codes = intent.extras["chars"].split(",")
        if all(code.strip().isdecimal() and int(code) < 0x110000 for code in codes):
            phone.device.ime_commit("".join(chr(int(code)) for code in codes))
    elif intent.action == "ADB_CLEAR_TEXT":
        phone.device.ime_clear()
    elif intent.action == "ADB_EDITOR_CODE":
        phone.device.key(KEY_CODES["ENTER"])
    elif intent.action == "ADB_INPUT_CODE" and intent.extras.get("code", "").isdecimal():
        phone.device.key(int(intent.extras["code"]))


def decode_base64(message: str) -> str | None:
    """Return the decoded text; None if ``message`` is not base64. Then ADBKeyboard types nothing."""
    try:
        return base64.b64decode("".join(message.split()), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None


# ---------------------------------------------------------------------------- monkey
async def monkey(call: Call) -> int:
    """Run ``monkey -p PACKAGE [-c CATEGORY] 1``, by which clients start an app whose activity they do not know."""
    options, counts = call.options(*MONKEY_OPTIONS)
    if len(counts) != 1 or not counts[0].isdecimal():
        await call.complain("** Error: a count of events is expected")
        return BAD_USAGE
    if counts[0] != "1":
        raise NotSimulated(f"{counts[0]} random events: with a count of 1 monkey starts an app")
    try:
        if "-p" not in options or options.get("-c", LAUNCHER) != LAUNCHER:
            raise UnknownComponent("no launcher activity")
        call.phone.device.launch(options["-p"])
    except UnknownComponent:
        await call.print("** No activities found to run, monkey aborted.")
        return MONKEY_ABORTED
    await call.print(
        "Events injected: 1\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)"
    )
    return 0


def monkey_acts(args: Sequence[str]) -> bool:
    try:
        return options_of(args, *MONKEY_OPTIONS)[1] == ["1"]
    except BadOption:
        return False


COMMANDS = {"am": Command(am, am_acts), "monkey": Command(monkey, monkey_acts)}
