"""The thread on which a Ray begins and ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future

End = Callable[[], None]
Start = Callable[[], End]
"""Starts a Ray, or joins one; returns what ends that again. Both may block."""
_log = logging.getLogger(__name__)


class Keeper:
    """Starts a Ray, keeps it until nobody wants it any more, and ends it: all on one thread.

    For Linux ends Ray's processes with the thread that started them, and a start that hangs is to keep neither an
    event loop nor the process from ending.
    """

    def __init__(self, start: Start, before: Keeper | None) -> None:
        """``before``: whose Ray is to have ended first."""
        self.opened: Future[None] = Future()
        """Done once Ray is there; has what the start raised."""
        self.ended: Future[None] = Future()
        """Done once nothing is left of it."""
        self._start = start
        self._before: Keeper | None = before
        self._unwanted = threading.Event()
        threading.Thread(target=self._keep, name="ray", daemon=True).start()

    @property
    def is_unwanted(self) -> bool:
        return self._unwanted.is_set()

    def end(self) -> None:
        """Let it end, as soon as it has begun. Returns at once."""
        self._unwanted.set()

    def _keep(self) -> None:
        if self._before is not None:
            self._before.ended.result()
            self._before = None
        try:
            end = self._start()
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            self.opened.set_exception(error)
            self.ended.set_result(None)
            return
        self.opened.set_result(None)
        self._unwanted.wait()
        try:
            end()
        except Exception:  # noqa: BLE001 - nobody waits for more than its end
            _log.exception("this process's Ray did not end in order")
        finally:
            self.ended.set_result(None)
