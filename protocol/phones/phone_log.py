"""Define the log of a phone that is recorded beside an episode: its parts, its header, and its times.

The lines have Android's form ``threadtime``: ``11-26 22:33:14.335  1234  1250 I ActivityManager: text``. They name no
year and no time zone, so the header says how the phone's clock compares with that of the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from manyhands.protocol.base import Message

LOGCAT = "logcat.txt"
"""The name of the file in an episode's folder."""
_HEADER = re.compile(
    r"# logcat, threadtime; (?:first at (?P<first>\S+) s; offset (?P<offset>\S+) s|no clock); "
    r"left out (?P<left_out>\d+) bytes"
)
_LINE = re.compile(r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d{1,9})( .*)")
_HALF_YEAR_S = 182 * 86400.0


class PhoneLog(Message):
    """Hold what a phone has logged since the last time."""

    text: str = ""
    """Whole lines, each with its end."""
    left_out: int = 0
    """Bytes that were left out, because the phone logged too much at a time."""
    clock_offset_s: float | None = None
    """What to subtract from a time of the log, read as UTC, for Unix seconds of the host; None if nobody knows."""


class LogHeader(Message):
    """Describe a recorded log. It is the first line of the file."""

    first_at: float
    """When the recording began, in Unix seconds. It tells the year of the lines."""
    clock_offset_s: float | None = None
    left_out: int = 0
    """Bytes that were left out: too much at a time, or the oldest of too much in all."""

    def text(self) -> str:
        """Return the header as a line, without its end."""
        offset = self.clock_offset_s
        clock = "no clock" if offset is None else f"first at {self.first_at:017.3f} s; offset {offset:+017.3f} s"
        return f"# logcat, threadtime; {clock}; left out {self.left_out:012d} bytes"

    @classmethod
    def read(cls, line: str) -> LogHeader | None:
        """Return the header that a line holds; None for another line."""
        match = _HEADER.match(line)
        if match is None:
            return None
        offset = match["offset"]
        return cls(
            first_at=float(match["first"] or 0.0),
            clock_offset_s=None if offset is None else float(offset),
            left_out=int(match["left_out"]),
        )


def lines_in_unix_time(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a recorded log with Unix seconds of the host (``-v epoch``) in the place of the phone's time.

    Lines without a known time stay as they are.
    """
    header: LogHeader | None = None
    for line in lines:
        header = header or LogHeader.read(line)
        at = None if header is None else _unix_time(line, header)
        yield line if at is None else f"{at:.3f}{line[line.index(' ', 6) :]}"


def _unix_time(line: str, header: LogHeader) -> float | None:
    match = _LINE.match(line)
    if match is None or header.clock_offset_s is None:
        return None
    month, day, hour, minute, second = match.groups()[:5]
    began = header.first_at + header.clock_offset_s
    try:
        year, rest = datetime.fromtimestamp(began, UTC).year, (int(month), int(day), int(hour), int(minute))
        at = datetime(year, *rest, tzinfo=UTC).timestamp() + float(second)
        if at < began - _HALF_YEAR_S:  # the year ended meanwhile
            at = datetime(year + 1, *rest, tzinfo=UTC).timestamp() + float(second)
    except (ValueError, OverflowError, OSError):
        return None
    return at - header.clock_offset_s
