"""Follow the log of a phone through an adb server, and keep what nobody has taken yet, within limits."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from datetime import UTC, datetime

from manyhands.actors.phones.adb.server import SERVER_TIMEOUT_S
from manyhands.protocol.phones import PhoneLog

COMMAND = "logcat -v threadtime -T 1"
"""Begins with the newest line, and follows."""
CLOCK_LINE = "date +%Y-%m-%dT%H:%M:%S.%N"
"""Prints the phone's time without its zone, as ``logcat`` does."""
BYTES_A_SECOND = 64 * 1024
BURST_BYTES = 512 * 1024
"""So many bytes may come at once; later ones are left out until the rate allows for them."""
KEPT_BYTES = 1024 * 1024
"""Of what nobody takes the oldest is left out above this."""
LONGEST_LINE = 8 * 1024
FORSAKEN_S = 60.0
"""The stream ends if nobody takes anything for so long: its episode has ended without telling anybody."""
AGAIN_S = 1.0
_log = logging.getLogger(__name__)


class LogStream:
    """Follow the log of one phone until closed. After a lost connection, connect again."""

    def __init__(self, host: str, port: int, serial: str, clock_offset_s: float | None) -> None:
        """Prepare. ``clock_offset_s``: the phone's time, read as UTC, minus Unix seconds of this host."""
        self._host, self._port = host, port
        self._serial = serial
        self._offset_s = clock_offset_s
        self._lines: deque[bytes] = deque()
        self._kept = 0
        """The bytes of ``_lines``."""
        self._left_out = 0
        self._begun = b""
        """A line that has no end yet."""
        self._room = float(BURST_BYTES)
        """How many bytes may come now."""
        self._room_at = 0.0
        self._taken_at = asyncio.get_running_loop().time()
        self._following = asyncio.create_task(self._follow(), name=f"log of {serial}")

    @property
    def is_open(self) -> bool:
        """Return whether the log is followed."""
        return not self._following.done()

    def take(self) -> PhoneLog:
        """Return what has come since the last call."""
        self._taken_at = asyncio.get_running_loop().time()
        text = b"".join(self._lines).decode("utf-8", "replace")
        log = PhoneLog(text=text, left_out=self._left_out, clock_offset_s=self._offset_s)
        self._lines.clear()
        self._kept = self._left_out = 0
        return log

    async def close(self) -> None:
        """End the stream. With its connection the phone ends the command, too."""
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)

    # ------------------------------------------------------------------ following
    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        while loop.time() - self._taken_at < FORSAKEN_S:
            try:
                await self._follow_once()
            except (OSError, EOFError, TimeoutError) as error:
                _log.info("the log of %s: %s", self._serial, error)
            await asyncio.sleep(AGAIN_S)

    async def _follow_once(self) -> None:
        """Read until the connection ends."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(SERVER_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(self._host, self._port, limit=1 << 16)
        try:
            async with asyncio.timeout(SERVER_TIMEOUT_S):
                for request in (f"host:transport:{self._serial}", f"exec:{COMMAND}"):
                    data = request.encode()
                    writer.write(b"%04x" % len(data) + data)
                    if await reader.readexactly(4) != b"OKAY":
                        raise OSError(f"the adb server refuses {request}")
            self._begun = b""
            while loop.time() - self._taken_at < FORSAKEN_S:
                try:
                    async with asyncio.timeout(FORSAKEN_S):
                        data = await reader.read(1 << 16)
                except TimeoutError:
                    continue
                if not data:
                    raise EOFError("the connection ended")
                self._add(data, loop.time())
        finally:
            writer.close()

    def _add(self, data: bytes, now: float) -> None:
        """Keep the whole lines of what has come, as far as the limits allow."""
        self._room = min(BURST_BYTES, self._room + (now - self._room_at) * BYTES_A_SECOND)
        self._room_at = now
        *whole, rest = (self._begun + data).split(b"\n")
        if len(rest) > LONGEST_LINE:
            self._left_out += len(rest) - LONGEST_LINE
            rest = rest[:LONGEST_LINE]
        self._begun = rest
        for each in whole:
            line = each.rstrip(b"\r")[:LONGEST_LINE] + b"\n"
            self._left_out += max(0, len(each) - LONGEST_LINE)
            if len(line) > self._room:
                self._left_out += len(line)
                continue
            self._room -= len(line)
            self._lines.append(line)
            self._kept += len(line)
        while self._kept > KEPT_BYTES:
            oldest = self._lines.popleft()
            self._kept -= len(oldest)
            self._left_out += len(oldest)


def clock_offset(printed: str, before: float, after: float) -> float | None:
    """Return how much a phone's clock is ahead of Unix seconds, from what ``CLOCK_LINE`` printed.

    ``before`` and ``after``: when the phone was asked and when it had answered, in Unix seconds. None if the phone
    printed something else.
    """
    whole, _, fraction = printed.strip().partition(".")
    try:
        at = datetime.fromisoformat(whole).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None
    # An old phone prints no fraction: then the time is known to half a second.
    seconds = float(f"0.{fraction}") if fraction.isdecimal() and fraction.isascii() else 0.5
    return at + seconds - (before + after) / 2
