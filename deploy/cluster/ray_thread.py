"""The thread that starts and ends a Ray."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol


class StartedRay(Protocol):
    """End what was started or joined. Both methods may block."""

    def kill(self) -> None:
        """End all processes at once that were started here, of a Ray that is dead already."""

    def end(self) -> None:
        """End it in order, and remove what it wrote; leave one that was joined."""


Start = Callable[[], StartedRay]
"""Starts or joins a Ray. May block."""
_log = logging.getLogger(__name__)


class RayThread:
    """Start a Ray, keep it until ``end`` is called, and end it, all on one thread.

    Linux ends Ray's processes with the thread that started them; and a start that hangs must not keep an event loop
    or the process from ending.
    """

    def __init__(self, start: Start, before: RayThread | None) -> None:
        """Start the thread, which waits first until the Ray of ``before`` has ended."""
        self.opened: Future[None] = Future()
        """Done once Ray is there, or with what the start raised."""
        self.ended: Future[None] = Future()
        """Done once nothing is left of it."""
        self._start = start
        self._started: StartedRay | None = None
        self._before: RayThread | None = before
        self._ending = threading.Event()
        threading.Thread(target=self._keep, name="ray", daemon=True).start()

    @property
    def is_ending(self) -> bool:
        """Tell whether ``end`` was called."""
        return self._ending.is_set()

    def end(self) -> None:
        """End Ray as soon as it has started. Returns at once."""
        self._ending.set()

    def kill(self) -> None:
        """End the processes of a Ray that is dead already; ``end`` has still to be called. Blocks."""
        if self._started is not None and not self.ended.done():
            self._started.kill()

    def _keep(self) -> None:
        if self._before is not None:
            self._before.ended.result()
            self._before = None
        try:
            self._started = self._start()
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            self.opened.set_exception(error)
            self.ended.set_result(None)
            return
        self.opened.set_result(None)
        self._ending.wait()
        try:
            self._started.end()
        except Exception:  # noqa: BLE001 - nobody waits for more than its end
            _log.exception("this process's Ray did not end in order")
        finally:
            self.ended.set_result(None)
