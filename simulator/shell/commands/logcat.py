"""Provide ``logcat``: print the log so far with ``-d``, otherwise follow it until the client closes the connection.

While a client follows the log, the phone logs its battery whenever a second passes without a line. Real phones always
log something, and clients such as adbutils notice only at the next line that they are to stop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from manyhands.simulator.phone.device import InstallableDevice
from manyhands.simulator.shell.command import FAILED, BadOption, Call, Command
from manyhands.simulator.shell.patterns import BadPattern, Pattern, within_limits
from manyhands.simulator.shell.streams import Collector
from manyhands.simulator.system.device_log import APP, PRIORITIES, LogLine
from manyhands.simulator.system.phone_system import PhoneSystem

HEARTBEAT_S = 1.0
BUFFERS = frozenset(("main", "system", "crash", "events", "radio", "kernel", "security", "default", "all"))
SILENT = "S"
DIVIDER = "--------- beginning of main"
LONG = {"--clear": "-c", "--dump": "-d", "--format": "-v", "--buffer": "-b", "--regex": "-e", "--max-count": "-m"}
NAMES = ("clear", "dump", "format=", "buffer=", "regex=", "max-count=", "pid=")


def stamp(line: LogLine) -> str:
    """Return ``MM-DD HH:MM:SS.mmm`` in UTC, the phone's time zone."""
    return time.strftime("%m-%d %H:%M:%S", time.gmtime(line.at)) + f".{int(line.at * 1000) % 1000:03d}"


FORMATS: dict[str, Callable[[LogLine], str]] = {
    "threadtime": lambda line: (
        f"{stamp(line)} {line.pid:5d} {line.pid:5d} {line.priority} {line.tag:<8}: {line.message}"
    ),
    "time": lambda line: f"{stamp(line)} {line.priority}/{line.tag:<8}({line.pid:5d}): {line.message}",
    "brief": lambda line: f"{line.priority}/{line.tag:<8}({line.pid:5d}): {line.message}",
    "tag": lambda line: f"{line.priority}/{line.tag:<8}: {line.message}",
    "raw": lambda line: line.message,
    "process": lambda line: f"{line.priority}({line.pid:5d}) {line.message}  ({line.tag})",
    "long": lambda line: (
        f"[ {stamp(line)} {line.pid:5d}:{line.pid:5d} {line.priority}/{line.tag:<8} ]\n{line.message}\n"
    ),
}


@dataclass(slots=True)
class Wanted:
    """Hold the arguments of a ``logcat``.

    ``priorities``: by tag, the lowest priority that is shown; SILENT shows no line. ``otherwise``: the lowest priority
    for all other tags. ``last``: how many old lines are printed first. ``most``: after how many lines the command ends.
    """

    form: Callable[[LogLine], str] = FORMATS["threadtime"]
    follows: bool = True
    clears: bool = False
    last: int | None = None
    most: int | None = None
    is_of_crashes: bool = False
    """Whether it prints the buffer of crashes, and no other."""
    pid: int | None = None
    pattern: Pattern | None = None
    otherwise: str = "V"
    priorities: dict[str, str] = field(default_factory=dict)

    def shows(self, line: LogLine) -> bool:
        """Return whether a line passes the filters, apart from the pattern for its text."""
        lowest = self.priorities.get(line.tag, self.otherwise)
        if lowest == SILENT or PRIORITIES.index(line.priority) < PRIORITIES.index(lowest):
            return False
        return self.pid in (None, line.pid)


def wanted(call: Call) -> Wanted:
    """Read the arguments. Raises BadOption, BadPattern."""
    asked = Wanted()
    options, filters = call.options("cdsv:b:t:T:m:e:", NAMES)
    for name, value in options.items():
        option = LONG.get(name, name)
        if option == "-c":
            asked.clears = True
        elif option == "-d":
            asked.follows = False
        elif option == "-s":
            asked.otherwise = SILENT
        elif option == "-v":
            form = value.removesuffix(",UTC")  # a virtual phone's log has no other zone
            if form not in FORMATS:
                raise BadOption(f"Invalid parameter {value!r} to -v; there are {', '.join(FORMATS)}")
            asked.form = FORMATS[form]
        elif option == "-b":
            if not set(value.split(",")) <= BUFFERS:
                raise BadOption(f"unknown buffer {value}")
            asked.is_of_crashes = value == "crash"
        elif option == "-e":
            asked.pattern = Pattern([value], "extended")
        else:
            _count(asked, option, value)
    for text in filters:
        _filter(asked, text)
    return asked


def _count(asked: Wanted, option: str, value: str) -> None:
    """Read the number of ``-t``, ``-T``, ``-m`` or ``--pid`` into ``asked``. Raises BadOption."""
    if not value.isdecimal():
        raise BadOption(f"{value!r} is no count (a time is not understood) to {option}")
    if option == "-m":
        asked.most = int(value)
    elif option == "--pid":
        asked.pid = int(value)
    else:
        asked.last, asked.follows = int(value), asked.follows and option == "-T"


def _filter(asked: Wanted, text: str) -> None:
    """Read ``TAG:PRIORITY``, ``TAG`` or ``*:PRIORITY`` into ``asked``. Raises BadOption."""
    tag, _, priority = text.partition(":")
    priority = (priority or "V").upper()
    if priority not in (*PRIORITIES, SILENT):
        raise BadOption(f"Invalid filter expression '{text}'")
    if tag == "*":
        asked.otherwise = priority
    else:
        asked.priorities[tag] = priority


async def logcat(call: Call) -> int:
    try:
        return await show(call, wanted(call))
    except BadPattern as error:
        await call.complain(f"logcat: {error}")
        return FAILED


async def show(call: Call, asked: Wanted) -> int:
    """Print the lines that the arguments select. Raises BadPattern for a line that is too long for the pattern."""
    log = call.phone.log
    if asked.clears and not asked.is_of_crashes:
        log.clear()
        return 0
    if asked.follows and asked.most is None and isinstance(call.stdio.stdout, Collector):
        await call.complain("logcat: a virtual phone's pipe waits for the end of what comes first: use logcat -d")
        return FAILED
    lines = crash_lines(call.phone) if asked.is_of_crashes else log.since(0)
    left = asked.most
    if asked.last is None:
        await call.print(DIVIDER)
    else:
        lines = [line for line in lines if asked.shows(line)][-asked.last :] if asked.last else []
    following = max((line.number + 1 for line in log.since(0)), default=0)
    while True:
        for line in lines:
            if left != 0 and await shown(asked, line):
                await call.print(asked.form(line))
                left = None if left is None else left - 1
        if left == 0 or not asked.follows:
            return 0
        if not log.since(following):  # no new line came while the last lines were sent
            await news(call.phone, following)
        lines = log.since(following)
        following = max((line.number + 1 for line in lines), default=following)


def crash_lines(phone: PhoneSystem) -> list[LogLine]:
    """Return what AndroidRuntime has logged of apps that crashed."""
    faults = phone.device.faults() if isinstance(phone.device, InstallableDevice) else ()
    lines: list[LogLine] = []
    for fault in faults:
        if fault.kind == "crash":
            texts = (
                "FATAL EXCEPTION: main",
                f"Process: {fault.package}, PID: {APP}",
                f"java.lang.IllegalStateException: the page {fault.page} has no model",
                f"\tat {fault.package}.Page.{fault.page}(Page.kt:12)",
                f"\tat {fault.package}.MainActivity.open(MainActivity.kt:34)",
                "\tat android.os.Handler.dispatchMessage(Handler.java:106)",
            )
            lines += [
                LogLine(len(lines) + number, fault.at, APP, "E", "AndroidRuntime", text)
                for number, text in enumerate(texts)
            ]
    return lines


async def news(phone: PhoneSystem, following: int) -> None:
    """Wait until the log has a line of number ``following`` or later. After HEARTBEAT_S without one, write one."""
    try:
        async with asyncio.timeout(HEARTBEAT_S):
            await phone.log.next_line()
    except TimeoutError:
        if not phone.log.since(following):  # one heartbeat is enough for all clients
            battery = phone.device.battery
            said = f"battery l={battery.level} t={battery.temperature / 10:.1f} st={battery.status}"
            phone.log.write("I", "healthd", said)


async def shown(asked: Wanted, line: LogLine) -> bool:
    """Return whether a line passes the filters and the pattern."""
    if not asked.shows(line):
        return False
    if asked.pattern is None:
        return True
    text, pattern = line.message.encode("utf-8", "surrogateescape"), asked.pattern
    return await within_limits(pattern.work(len(text)), lambda _: pattern.holds(text))


COMMANDS = {"logcat": Command(logcat)}
