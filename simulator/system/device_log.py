"""Keep the log of a phone, which ``logcat`` prints."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

Priority = Literal["V", "D", "I", "W", "E", "F"]
PRIORITIES = "VDIWEF"
KEPT = 5000
LONGEST = 4000
PROCESSES = {"adbd": 412, "healthd": 388}
SYSTEM_SERVER, APP = 1240, 4711
"""The numbers of processes. Each app has the same."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """Hold one line. ``number`` counts all lines of the phone from 0; ``at`` is in Unix seconds."""

    number: int
    at: float
    pid: int
    priority: Priority
    tag: str
    message: str


class DeviceLog:
    """Keep the last KEPT lines in memory. Each new line wakes all who wait in ``next_line``."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._lines: deque[LogLine] = deque(maxlen=KEPT)
        self._count = 0
        self._news = asyncio.Event()
        self.write("I", "SystemServer", "Boot completed")

    def write(self, priority: Priority, tag: str, message: str) -> None:
        pid = PROCESSES.get(tag, SYSTEM_SERVER)
        self._lines.append(LogLine(self._count, self._now(), pid, priority, tag, message[:LONGEST]))
        self._count += 1
        self._news.set()
        self._news = asyncio.Event()

    def clear(self) -> None:
        self._lines.clear()

    def since(self, number: int) -> Sequence[LogLine]:
        """Return the lines from this number on that are still kept."""
        if not self._lines:
            return []
        return list(islice(self._lines, max(0, number - self._lines[0].number), None))  # numbers have no gaps

    async def next_line(self) -> None:
        """Wait until the next line is written."""
        await self._news.wait()
