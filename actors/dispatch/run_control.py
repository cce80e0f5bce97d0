"""Let people control a run (pause, drain, add): the dispatcher follows a file in the run folder."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.missing_requirements import MissingRequirement
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import StoreError, store_error
from manyhands.protocol.runs.control import FILE, WAITS_FOR_GO, ControlReader
from manyhands.protocol.runs.control_state import ControlState
from manyhands.protocol.tasks.selectors import selects
from manyhands.protocol.tasks.task import TaskSpec

CHECK_S = 1.0
SAID_BY = "manyhands control"
CANCELLED_BY, RUN_CANCELLED = "the task was cancelled", "the run was cancelled"
logger = logging.getLogger(__name__)


class RunControl:
    """Follows the commands in ``control.mh`` of a run folder, if there is one. Implements Requirement."""

    def __init__(self, folder: Path | None, serials: Sequence[str], clock: Clock) -> None:
        """``folder``: where the run's commands are; None if there are none."""
        self.state = ControlState()
        self.added: list[TaskSpec] = []
        """The tasks that were added to the run, in order."""
        self._reader = None if folder is None else ControlReader(folder)
        self._folder = folder or Path()
        self._serials = tuple(serials)
        self._clock = clock
        self._since: float | None = None
        """Since when something is paused or drained; None while nothing is."""
        self._paused_since: float | None = None
        self._paused_s = 0.0

    async def read(self) -> bool:
        """Read the commands since the last call. Return whether there were any. Raises StoreError."""
        if self._reader is None:
            return False
        try:
            controls = await asyncio.to_thread(self._reader.read)
        except OSError as error:
            raise store_error(error, str(self._folder / FILE)) from error
        for control in controls:
            self.added += self.state.note(control)
        self._count_pauses()
        return bool(controls)

    @property
    def serials(self) -> tuple[str, ...]:
        """Return the serials of the run's phones. People may attach and detach phones."""
        return self.state.phones_of(self._serials)

    def allows_phone(self, serial: str) -> bool:
        """Return whether the phone may have tasks."""
        state = self.state
        return not (serial in state.paused.phones or serial in state.drained.phones or serial in state.detached)

    def allows_task(self, task: TaskSpec, serial: str) -> bool:
        """Return whether the task may start now, on this phone."""
        state = self.state
        if task.id in state.paused.tasks or task.id in state.drained.tasks or task.id in state.cancelled:
            return False
        if self._reserved_phones().get(serial, state.owner_of(task.id)) != state.owner_of(task.id):
            return False
        return not task.phones or selects(task.phones, state.labels_of(serial))

    def refusal(self, task: str) -> tuple[Ending, str] | None:
        """Return the ending and the reason with which a waiting task is given up; None if the task may go on waiting.

        ``task``: its id.
        """
        if task in self.state.cancelled:
            return Ending.CANCELLED, self.reason_of(task)
        return (Ending.CANCELLED, f"drained by {SAID_BY}") if task in self.state.drained.tasks else None

    def reason_of(self, task: str) -> str:
        """Return why a task was cancelled. If only the whole run was cancelled, say so."""
        return self.state.cancelled.get(task, RUN_CANCELLED) or CANCELLED_BY

    # ------------------------------------------------------------------------ as a requirement of the batch
    def missing(self) -> MissingRequirement | None:
        """Return what is missing while no phone may have a task; else None. A pause has no limit, a drain has 0 s."""
        paused, drained, serials = self.state.paused, self.state.drained, set(self.serials)
        if drained.run is not None or (serials and serials <= drained.phones.keys()):
            return self._describe_missing(f"drained by {SAID_BY}", 0.0)
        withheld = paused.phones.keys() | drained.phones.keys()
        if paused.run is not None or (serials and serials <= withheld):
            return self._describe_missing(f"paused by {SAID_BY}", math.inf)
        return None

    def paused_s(self) -> float:
        """Return for how many seconds in total people had something paused.

        A drain does not count: a drained task or phone waits for nothing.
        """
        return self._paused_s + (0.0 if self._paused_since is None else self._clock.now() - self._paused_since)

    async def watch(self, changed: Callable[[], None]) -> None:
        if self._reader is None:
            return
        reserved = self._reserved_phones()
        while True:
            try:
                is_told = await self.read()
            except StoreError as error:
                logger.warning("what the run is told cannot be read now: %s", error)
                is_told = False
            before, reserved = reserved, self._reserved_phones()
            if is_told or reserved != before:
                changed()
            await self._clock.sleep(CHECK_S)

    def _reserved_phones(self) -> Mapping[str, str]:
        """Return the owners for whom phones are reserved now, by serial."""
        now = self._clock.now()
        return {serial: one.owner for serial, one in self.state.reservations.items() if now < one.until}

    def _describe_missing(self, reason: str, patience_s: float) -> MissingRequirement:
        since = self._since if self._since is not None else self._clock.now()
        return MissingRequirement(WAITS_FOR_GO, since, reason, patience_s, Ending.CANCELLED)

    def _count_pauses(self) -> None:
        now, state = self._clock.now(), self.state
        if not state.paused and not state.drained:
            self._since = None
        elif self._since is None:
            self._since = now
        if state.paused and self._paused_since is None:
            self._paused_since = now
        elif not state.paused and self._paused_since is not None:
            self._paused_s += now - self._paused_since
            self._paused_since = None
