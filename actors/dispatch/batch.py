"""What is known of a batch while it runs, and waiting for it to change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from actors.dispatch.health import FleetHealth
from actors.dispatch.queue import TaskQueue, Turn
from protocol.runs import EpisodeProgress, EpisodeResult
from protocol.tasks import TaskSpec


class Batch:
    """Tasks, phones and running episodes of one call of ``run``. Belongs to one event loop."""

    def __init__(self, tasks: Sequence[TaskSpec], health: FleetHealth) -> None:
        self.total = len(tasks)
        self.queue = TaskQueue(tasks)
        self.health = health
        self.running: dict[str, EpisodeProgress] = {}
        """By episode id."""
        self.never_ran: list[tuple[Turn, EpisodeResult]] = []
        """Turns that were given up: no host has journalled their end."""
        self._change = asyncio.Event()

    def changed(self) -> None:
        """Something that others may wait for is different now."""
        self._change.set()
        self._change = asyncio.Event()

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self._change.wait()

    async def next_turn(self) -> Turn:
        """Waits until a task can run."""
        while (turn := self.queue.take()) is None:
            await self._change.wait()
        return turn

    def settle(self, turn: Turn, result: EpisodeResult) -> None:
        self.queue.settle(turn, result)
        self.changed()

    def release(self, turn: Turn) -> None:
        """The taker of a turn is through with it: not settled by then, it goes back."""
        self.queue.release(turn)
        self.changed()

    def give_up(self, turn: Turn, result: EpisodeResult) -> None:
        self.queue.give_up(turn, result)
        self.never_ran.append((turn, result))
        self.changed()
