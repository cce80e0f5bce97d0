"""End a process of the simulator within a fixed time after a signal or the end of its stdin."""

from __future__ import annotations

import asyncio
import signal
from types import FrameType

STOP_S = 8.0
"""The operating system ends the process this many seconds after the shutdown began, whatever the process waits for."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Shutdown:
    """Wait until the process is to end: after SIGINT, SIGTERM, SIGHUP (its terminal is gone), or ``begin``.

    The shutdown starts an alarm of the operating system. SIGALRM has no handler, so it ends the process even if a wait
    never ends or a thread is still running.
    """

    def __init__(self) -> None:
        """Install the signal handlers. Call this in a running loop, in the main thread."""
        self._event = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue  # under nohup, the process outlives its terminal
            loop.add_signal_handler(number, self.begin)  # wakes the loop, which calls begin
            signal.signal(number, _set_alarm)  # sets the alarm at once, even if the loop is busy

    def begin(self) -> None:
        """Begin the shutdown. Later calls do nothing."""
        if not self._event.is_set():
            _set_alarm()
            self._event.set()

    async def wait(self) -> None:
        """Return once the shutdown has begun."""
        await self._event.wait()


def _set_alarm(number: int = 0, frame: FrameType | None = None) -> None:
    if signal.getitimer(signal.ITIMER_REAL)[0] == 0:
        signal.setitimer(signal.ITIMER_REAL, STOP_S)
