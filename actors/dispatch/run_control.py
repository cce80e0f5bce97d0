"""Control of a run by people (pause, drain, add): the dispatcher follows a file in the run folder."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.missing_requirements import MissingRequirement
from manyhands.protocol.base import Ending
from manyhands.protocol.control import FILE, WAITS_FOR_GO, read_control
from manyhands.protocol.control_state import ControlState, control_state
from manyhands.protocol.errors import StoreError, store_error
from manyhands.protocol.tasks import TaskSpec

CHECK_S = 1.0
SAID_BY = "manyhands control"
logger = logging.getLogger(__name__)


class RunControl:
    """Implements Requirement: leave to run. Follows ``control.mh`` in a run folder, if there is one."""

    def __init__(self, folder: Path | None, serials: Sequence[str], clock: Clock) -> None:
        self.state = ControlState()
        self._folder = folder
        self._serials = frozenset(serials)
        self._clock = clock
        self._since: float | None = None
        """When something was first held back; None while nothing is held back."""
        self._paused_since: float | None = None
        self._paused_s = 0.0

    async def read(self) -> bool:
        """Read all commands so far. Return whether the state of the run changed. Raises StoreError."""
        if self._folder is None:
            return False
        try:
            state = control_state(await asyncio.to_thread(read_control, self._folder))
        except OSError as error:
            raise store_error(error, str(self._folder / FILE)) from error
        if state == self.state:
            return False
        self._note(state)
        return True

    def allows_phone(self, serial: str) -> bool:
        """Return whether the phone may have tasks."""
        return serial not in self.state.paused.phones and serial not in self.state.drained.phones

    def allows_task(self, task: TaskSpec) -> bool:
        """Return whether the task may start now."""
        return task.id not in self.state.paused.tasks and task.id not in self.state.drained.tasks

    def drops(self, task: TaskSpec) -> bool:
        """Return whether the task is given up if it is waiting."""
        return task.id in self.state.drained.tasks

    # ------------------------------------------------------------------------ as a requirement of the batch
    def missing(self) -> MissingRequirement | None:
        """Return what is missing while no phone may have a task. A pause has no time limit; a drain has the limit 0."""
        paused, drained = self.state.paused, self.state.drained
        if drained.run is not None or (self._serials and self._serials <= drained.phones.keys()):
            return self._describe_missing(f"drained by {SAID_BY}", 0.0)
        held = paused.phones.keys() | drained.phones.keys()
        if paused.run is not None or (self._serials and self._serials <= held):
            return self._describe_missing(f"paused by {SAID_BY}", math.inf)
        return None

    def paused_s(self) -> float:
        """Return for how many seconds in total something was paused, because people wanted nothing to run then.

        A drain does not count: a drained task or phone waits for nothing.
        """
        return self._paused_s + (0.0 if self._paused_since is None else self._clock.now() - self._paused_since)

    async def watch(self, changed: Callable[[], None]) -> None:
        if self._folder is None:
            return
        while True:
            try:
                if await self.read():
                    changed()
            except StoreError as error:
                logger.warning("what the run is told cannot be read now: %s", error)
            await self._clock.sleep(CHECK_S)

    def _describe_missing(self, reason: str, patience_s: float) -> MissingRequirement:
        since = self._since if self._since is not None else self._clock.now()
        return MissingRequirement(WAITS_FOR_GO, since, reason, patience_s, Ending.CANCELLED)

    def _note(self, state: ControlState) -> None:
        now, self.state = self._clock.now(), state
        if not state.paused and not state.drained:
            self._since = None
        elif self._since is None:
            self._since = now
        if state.paused and self._paused_since is None:
            self._paused_since = now
        elif not state.paused and self._paused_since is not None:
            self._paused_s += now - self._paused_since
            self._paused_since = None
