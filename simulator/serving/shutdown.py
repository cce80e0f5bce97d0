"""The end of a process of the simulator, by a signal or the end of its stdin, within a stated time."""

from __future__ import annotations

import asyncio
import signal
from types import FrameType

STOP_S = 8.0
"""After so many seconds the system ends what is still there, whatever it waits for."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Shutdown:
    """Wait for the end of the process: SIGINT, SIGTERM, SIGHUP (its terminal is gone), or ``begin``.

    From then on an alarm of the system runs, which no state of this process can put off: a wait that never ends, a
    thread that is not done. SIGALRM has no handler, so that it ends the process by itself.
    """

    def __init__(self) -> None:
        """To be made in a running loop, in the main thread."""
        self._event = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue  # under nohup
            loop.add_signal_handler(number, self.begin)  # wakes the loop
            signal.signal(number, _set_alarm)  # before the loop has its turn, for it may be held up

    def begin(self) -> None:
        """End now; only the first time counts."""
        if not self._event.is_set():
            _set_alarm()
            self._event.set()

    async def wait(self) -> None:
        """Return once the process is to end."""
        await self._event.wait()


def _set_alarm(number: int = 0, frame: FrameType | None = None) -> None:
    if signal.getitimer(signal.ITIMER_REAL)[0] == 0:
        signal.setitimer(signal.ITIMER_REAL, STOP_S)
