"""Start and end a Ray on a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol


class StartedRay(Protocol):
    """End a Ray that was started or joined. Both methods may block."""

    def kill(self) -> None:
        """Kill all processes of a dead Ray that were started here."""

    def end(self) -> None:
        """Shut Ray down in order and remove what it wrote. If a cluster was joined, only leave it."""


Start = Callable[[], StartedRay]
"""Starts or joins a Ray. May block."""
_log = logging.getLogger(__name__)


class RayThread:
    """Start a Ray, keep it until ``end`` is called, and end it, all on one thread.

    All happens on one thread because Linux ends Ray's processes together with the thread that started them. The thread
    is a daemon: if the start of Ray hangs, it blocks neither an event loop nor the end of this process.
    """

    def __init__(self, start: Start, before: RayThread | None) -> None:
        """Start the thread. It first waits until the Ray of ``before`` has ended."""
        self.opened: Future[None] = Future()
        """Set when Ray has started, or with the error of the start."""
        self.ended: Future[None] = Future()
        """Set when nothing is left of Ray."""
        self._start = start
        self._started: StartedRay | None = None
        self._before: RayThread | None = before
        self._ending = threading.Event()
        threading.Thread(target=self._keep, name="ray", daemon=True).start()

    @property
    def is_ending(self) -> bool:
        """Return whether ``end`` was called."""
        return self._ending.is_set()

    def end(self) -> None:
        """End Ray as soon as it has started. Return at once."""
        self._ending.set()

    def kill(self) -> None:
        """Kill the processes of a Ray that is already dead; ``end`` must still be called. Blocks."""
        if self._started is not None and not self.ended.done():
            self._started.kill()

    def _keep(self) -> None:
        if self._before is not None:
            self._before.ended.result()
            self._before = None
        try:
            self._started = self._start()
        except BaseException as error:  # noqa: BLE001 - ``opened`` raises it for whoever waits
            self.opened.set_exception(error)
            self.ended.set_result(None)
            return
        self.opened.set_result(None)
        self._ending.wait()
        try:
            self._started.end()
        except Exception:  # noqa: BLE001 - others wait only for its end
            _log.exception("this process's Ray did not end in order")
        finally:
            self.ended.set_result(None)
