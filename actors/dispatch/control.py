"""What people tell a run while it goes on: the dispatcher follows the file in its folder."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.needs import Lack
from manyhands.protocol.base import Ending
from manyhands.protocol.control import FILE, Add, Control, Drain, Go, read_control
from manyhands.protocol.errors import StoreError, store_error
from manyhands.protocol.tasks import TaskSpec

CHECK_S = 1.0
SAID_BY = "manyhands control"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Held:
    """What is not to be begun: the whole run, some phones, some tasks."""

    run: bool = False
    phones: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()

    def with_(self, control: Control) -> _Held:
        """Return the same with what a pause or a drain names."""
        assert not isinstance(control, Add)
        named = bool(control.phones or control.tasks)
        return _Held(self.run or not named, self.phones | {*control.phones}, self.tasks | {*control.tasks})

    def without(self, go: Go) -> _Held:
        if not go.phones and not go.tasks:
            return _Held()
        return _Held(self.run, self.phones - {*go.phones}, self.tasks - {*go.tasks})

    def __bool__(self) -> bool:
        return self.run or bool(self.phones) or bool(self.tasks)


@dataclass(frozen=True, slots=True)
class Orders:
    """All that a run was told, folded."""

    paused: _Held = field(default_factory=_Held)
    drained: _Held = field(default_factory=_Held)
    added: tuple[TaskSpec, ...] = ()


def orders_of(told: Iterable[Control]) -> Orders:
    """Fold what a run was told."""
    orders = Orders()
    for control in told:
        if isinstance(control, Add):
            orders = replace(orders, added=(*orders.added, *control.tasks))
        elif isinstance(control, Go):
            orders = replace(orders, paused=orders.paused.without(control), drained=orders.drained.without(control))
        elif isinstance(control, Drain):
            orders = replace(orders, drained=orders.drained.with_(control))
        else:
            orders = replace(orders, paused=orders.paused.with_(control))
    return orders


class Steering:
    """Implements Need: leave to go on. Follows ``control.mh`` in a run folder; without one nobody says anything."""

    def __init__(self, folder: Path | None, serials: Sequence[str], clock: Clock) -> None:
        self.orders = Orders()
        self._folder = folder
        self._serials = frozenset(serials)
        self._clock = clock
        self._since: float | None = None
        """Since when something is held."""
        self._paused_since: float | None = None
        self._paused_s = 0.0

    async def read(self) -> bool:
        """Read what has been said so far; return whether that is news. Raises StoreError."""
        if self._folder is None:
            return False
        try:
            orders = orders_of(await asyncio.to_thread(read_control, self._folder))
        except OSError as error:
            raise store_error(error, str(self._folder / FILE)) from error
        if orders == self.orders:
            return False
        self._note(orders)
        return True

    def allows_phone(self, serial: str) -> bool:
        """Return whether the phone may have tasks."""
        return serial not in self.orders.paused.phones | self.orders.drained.phones

    def allows_task(self, task: TaskSpec) -> bool:
        """Return whether the task may be begun now."""
        return task.id not in self.orders.paused.tasks | self.orders.drained.tasks

    def drops(self, task: TaskSpec) -> bool:
        """Return whether the task is given up, if it waits."""
        return task.id in self.orders.drained.tasks

    # ------------------------------------------------------------------------ as a need of the batch
    def lack(self) -> Lack | None:
        """Return a lack while no phone may have a task: for as long as it takes, or at its end where it is drained."""
        paused, drained = self.orders.paused, self.orders.drained
        if drained.run or (self._serials and self._serials <= drained.phones):
            return self._lack(f"drained by {SAID_BY}", 0.0)
        if paused.run or (self._serials and self._serials <= paused.phones | drained.phones):
            return self._lack(f"paused by {SAID_BY}", math.inf)
        return None

    def paused_s(self) -> float:
        """Return for how long, in all, something was paused: that nothing runs meanwhile is as it was told.

        What is drained waits for nothing, and so holds nothing up.
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

    def _lack(self, reason: str, patience_s: float) -> Lack:
        since = self._since if self._since is not None else self._clock.now()
        return Lack("leave to go on", since, reason, patience_s, Ending.CANCELLED)

    def _note(self, orders: Orders) -> None:
        now, self.orders = self._clock.now(), orders
        if not orders.paused and not orders.drained:
            self._since = None
        elif self._since is None:
            self._since = now
        if orders.paused and self._paused_since is None:
            self._paused_since = now
        elif not orders.paused and self._paused_since is not None:
            self._paused_s += now - self._paused_since
            self._paused_since = None
