"""Read lines from this process's stdin without blocking the event loop."""

from __future__ import annotations

import asyncio
import os
import threading

LONGEST_LINE = 1000
WAITING_LINES = 64


class StdinLines:
    """Read the lines of this process's stdin in a thread. Stdin may be a pipe, a file or a terminal.

    The thread reads the file descriptor itself, so it holds no lock of Python's stdin when the process exits.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(WAITING_LINES)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> str | None:
        """Return the next line; None once stdin has closed, or after a line longer than LONGEST_LINE bytes."""
        return await self._lines.get()

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                data = os.read(0, LONGEST_LINE)
            except OSError:
                data = b""
            *lines, rest = (rest + data).split(b"\n")
            found: list[str | None] = [line.decode("utf-8", "replace") for line in lines]
            if not data or len(rest) > LONGEST_LINE:
                found.append(None)
            for line in found:
                if not self._put(line):
                    return

    def _put(self, line: str | None) -> bool:
        """Put a line into the queue, and return whether there is more to read."""
        waiting = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(waiting, self._loop).result()
        except RuntimeError:  # the loop has ended, and with it the process
            waiting.close()
            return False
        return line is not None
