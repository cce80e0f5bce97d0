"""What is known of a batch while it runs, when a task may be handed out, and when those that wait are given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from manyhands.actors.dispatch.health import FleetHealth
from manyhands.actors.dispatch.needs import Change, Lack, Need
from manyhands.actors.dispatch.queue import TaskQueue, Turn
from manyhands.protocol.runs import EpisodeProgress, EpisodeResult
from manyhands.protocol.tasks import TaskSpec


class Batch:
    """Tasks, phones and running episodes of one call of ``run``. Belongs to one event loop."""

    def __init__(self, tasks: Sequence[TaskSpec], health: FleetHealth, needs: Sequence[Need], now: float) -> None:
        self.total = len(tasks)
        self.queue = TaskQueue(tasks)
        self.health = health
        self.running: dict[str, EpisodeProgress] = {}
        """By episode id."""
        self.never_ran: list[tuple[Turn, EpisodeResult]] = []
        """Turns that were given up: no host has journalled their end."""
        self._needs = tuple(needs)
        self._change = Change()
        self._went_on_at, self._paused_before_s = now, self.paused_s()
        """When an attempt ended last, or the batch began."""

    def changed(self) -> None:
        """Something that others may wait for is different now."""
        self._change.tell()

    @property
    def lacks(self) -> tuple[Lack, ...]:
        """What is missing now. While there is any, no task is handed out."""
        return tuple(lack for need in self._needs if (lack := need.lack()) is not None)

    @property
    def idle_since(self) -> float:
        """When an attempt ended last, or the batch began; later by what needs have paused since: they have a patience
        of their own.
        """
        return self._went_on_at + self.paused_s() - self._paused_before_s

    def paused_s(self) -> float:
        """How long, in all, needs kept from going on what runs already."""
        return sum(need.paused_s() for need in self._needs)

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self._change.next()

    async def next_change(self) -> None:
        await self._change.next()

    async def changes_within(self, seconds: float) -> None:
        """Return at the next change, or when so much time has passed."""
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
        """Write down how an episode ended."""
        self.queue.settle(turn, result)
        self._went_on_at, self._paused_before_s = now, self.paused_s()
        self.changed()

    def release(self, turn: Turn) -> None:
        """Take back a turn whose taker is through with it: not settled by then, it waits again."""
        self.queue.release(turn)
        self.changed()

    def give_up(self, turn: Turn, result: EpisodeResult) -> None:
        """Decide a task that waits: it will not run."""
        self.queue.give_up(turn, result)
        self.never_ran.append((turn, result))
        self.changed()
