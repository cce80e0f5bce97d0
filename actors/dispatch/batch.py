"""The state of a batch while it runs: its queue, its phones' health, and what it lacks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from manyhands.actors.dispatch.health import FleetHealth
from manyhands.actors.dispatch.needs import Change, Lack, Need
from manyhands.actors.dispatch.queue import TaskQueue, Turn
from manyhands.protocol.runs import EpisodeProgress, EpisodeResult
from manyhands.protocol.tasks import TaskSpec


class Batch:
    """Holds tasks, phones and running episodes of one call of ``run``. Belongs to one event loop."""

    def __init__(self, tasks: Sequence[TaskSpec], health: FleetHealth, needs: Sequence[Need], now: float) -> None:
        self.total = len(tasks)
        self.queue = TaskQueue(tasks)
        self.health = health
        self.running: dict[str, EpisodeProgress] = {}
        """The episodes that run, by id."""
        self.never_ran: list[tuple[Turn, EpisodeResult]] = []
        """Turns that were given up, whose end no host has journalled."""
        self._needs = tuple(needs)
        self._change = Change()
        self._went_on_at, self._paused_before_s = now, self.paused_s()
        """When the last attempt ended, or the batch began."""

    def changed(self) -> None:
        """Wake all who wait for a change."""
        self._change.notify()

    @property
    def lacks(self) -> tuple[Lack, ...]:
        """Return what is missing now. While anything is, no task is handed out."""
        return tuple(lack for need in self._needs if (lack := need.lack()) is not None)

    @property
    def idle_since(self) -> float:
        """Return when the last attempt ended, or the batch began, later by the pauses of needs since."""
        return self._went_on_at + self.paused_s() - self._paused_before_s

    def paused_s(self) -> float:
        """Return for how long, in all, needs have paused running episodes."""
        return sum(need.paused_s() for need in self._needs)

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self._change.next()

    async def next_change(self, seconds: float | None) -> None:
        """Return at the next change, or after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._change.next()
        except TimeoutError:
            pass

    async def next_turn(self) -> Turn:
        """Wait until a task may be handed out, and take it: the one place where turns are taken."""
        while self.lacks or (turn := self.queue.take()) is None:
            await self._change.next()
        return turn

    def settle(self, turn: Turn, result: EpisodeResult, now: float) -> None:
        """Record how an episode ended."""
        self.queue.settle(turn, result)
        self._went_on_at, self._paused_before_s = now, self.paused_s()
        self.changed()

    def release(self, turn: Turn) -> None:
        """Take back a turn; one that was not settled waits again."""
        self.queue.release(turn)
        self.changed()

    def give_up(self, turn: Turn, result: EpisodeResult) -> None:
        """Decide a waiting task: it will not run."""
        self.queue.give_up(turn, result)
        self.never_ran.append((turn, result))
        self.changed()
