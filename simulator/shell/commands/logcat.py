"""``logcat``: the log so far with ``-d``, otherwise followed until the client goes.

While it is followed the phone logs its battery once a second, as phones always log something: clients
such as adbutils notice only at the next line that they are to stop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from manyhands.simulator.phone.device import BATTERY_LEVEL
from manyhands.simulator.shell.command import FAILED, BadOption, Call, Command
from manyhands.simulator.shell.streams import Collector
from manyhands.simulator.system.device_log import PRIORITIES, LogLine
from manyhands.simulator.system.phone_system import PhoneSystem

HEARTBEAT_S = 1.0
BUFFERS = frozenset(("main", "system", "crash", "events", "radio", "kernel", "security", "default", "all"))
SILENT = "S"
DIVIDER = "--------- beginning of main"
NAMES = ("clear", "dump", "format=", "buffer=")


def stamp(line: LogLine) -> str:
    """``MM-DD HH:MM:SS.mmm`` in UTC, the phone's time zone."""
    return time.strftime("%m-%d %H:%M:%S", time.gmtime(line.at)) + f".{int(line.at * 1000) % 1000:03d}"


FORMATS: dict[str, Callable[[LogLine], str]] = {
    "threadtime": lambda line: (
        f"{stamp(line)} {line.pid:5d} {line.pid:5d} {line.priority} {line.tag:<8}: {line.message}"
    ),
    "time": lambda line: f"{stamp(line)} {line.priority}/{line.tag:<8}({line.pid:5d}): {line.message}",
    "brief": lambda line: f"{line.priority}/{line.tag:<8}({line.pid:5d}): {line.message}",
    "raw": lambda line: line.message,
}


@dataclass(slots=True)
class Wanted:
    """The arguments. ``priorities``: the lowest priority of each tag; SILENT shows none."""

    form: Callable[[LogLine], str] = FORMATS["threadtime"]
    follows: bool = True
    clears: bool = False
    last: int | None = None
    otherwise: str = "V"
    priorities: dict[str, str] = field(default_factory=dict)

    def shows(self, line: LogLine) -> bool:
        """Return whether a line passes."""
        lowest = self.priorities.get(line.tag, self.otherwise)
        return lowest != SILENT and PRIORITIES.index(line.priority) >= PRIORITIES.index(lowest)


def wanted(call: Call) -> Wanted:
    """Read the arguments. Raises BadOption."""
    asked = Wanted()
    options, filters = call.options("cdsv:b:t:", NAMES)
    for option, value in options.items():
        if option in ("-c", "--clear"):
            asked.clears = True
        elif option in ("-d", "--dump"):
            asked.follows = False
        elif option == "-s":
            asked.otherwise = SILENT
        elif option in ("-v", "--format"):
            if value not in FORMATS:
                raise BadOption(f"Invalid parameter {value!r} to -v; there are {', '.join(FORMATS)}")
            asked.form = FORMATS[value]
        elif option in ("-b", "--buffer"):
            if not set(value.split(",")) <= BUFFERS:
                raise BadOption(f"unknown buffer {value}")
        elif not value.isdecimal():
            raise BadOption(f"{value!r} is no count (a time is not understood) to {option}")
        else:
            asked.last, asked.follows = int(value), False
    for text in filters:
        _filter(asked, text)
    return asked


def _filter(asked: Wanted, text: str) -> None:
    """``TAG:PRIORITY``, ``TAG`` or ``*:PRIORITY``."""
    tag, _, priority = text.partition(":")
    priority = (priority or "V").upper()
    if priority not in (*PRIORITIES, SILENT):
        raise BadOption(f"Invalid filter expression '{text}'")
    if tag == "*":
        asked.otherwise = priority
    else:
        asked.priorities[tag] = priority


async def logcat(call: Call) -> int:
    asked = wanted(call)
    log = call.phone.log
    if asked.clears:
        log.clear()
        return 0
    if asked.follows and isinstance(call.stdio.stdout, Collector):
        await call.complain("logcat: a virtual phone's pipe waits for the end of what comes first: use logcat -d")
        return FAILED
    lines = log.since(0)
    if asked.last is None:
        await call.print(DIVIDER)
    else:
        lines = [line for line in lines if asked.shows(line)][-asked.last :] if asked.last else []
    following = max((line.number + 1 for line in log.since(0)), default=0)
    while True:
        for line in lines:
            if asked.shows(line):
                await call.print(asked.form(line))
        if not asked.follows:
            return 0
        if not log.since(following):  # nothing came while the last lines were on their way
            await news(call.phone, following)
        lines = log.since(following)
        following = max((line.number + 1 for line in lines), default=following)


async def news(phone: PhoneSystem, following: int) -> None:
    """Return when the log has a line of that number or later, written for want of others if need be."""
    try:
        async with asyncio.timeout(HEARTBEAT_S):
            await phone.log.next_line()
    except TimeoutError:
        if not phone.log.since(following):  # one heartbeat is enough for all clients
            phone.log.write("I", "healthd", f"battery l={BATTERY_LEVEL} t=28.0 st=2")


COMMANDS = {"logcat": Command(logcat)}
