"""The state of a batch while it runs: its queue, its phones' health, and what it lacks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from manyhands.actors.dispatch.control import Steering
from manyhands.actors.dispatch.health import FleetHealth
from manyhands.actors.dispatch.lessons import Lessons
from manyhands.actors.dispatch.needs import Change, Lack, Need
from manyhands.actors.dispatch.queue import Counts, Owed, TaskQueue, Turn
from manyhands.protocol.progress import EpisodeProgress
from manyhands.protocol.runs import EpisodeResult


class Batch:
    """Holds tasks, phones and running episodes of one call of ``run``. Belongs to one event loop."""

    def __init__(
        self,
        name: str,
        queue: TaskQueue,
        health: FleetHealth,
        steering: Steering,
        lessons: Lessons,
        needs: Sequence[Need],
        now: float,
    ) -> None:
        self.name = name
        self.steering = steering
        self.queue = queue
        self.health = health
        self.lessons = lessons
        self.running: dict[str, EpisodeProgress] = {}
        """The episodes that run, by id."""
        self.never_ran: list[tuple[Turn, EpisodeResult]] = []
        """Turns that were given up, whose end no host has journalled."""
        self._needs = tuple(needs)
        self._change = Change()
        self._handed_out = Change()
        self._went_on_at, self._held_up_before_s = now, self._held_up_s()
        """When the last attempt ended, or the batch began."""

    @property
    def over(self) -> bool:
        """Return whether every task is decided, and what they taught is learned."""
        return self.queue.decided and self.queue.all_taught

    def changed(self) -> None:
        """Wake all who wait for a change."""
        self._change.notify()
        self._handed_out.notify()

    @property
    def lacks(self) -> tuple[Lack, ...]:
        """Return what is missing now. While anything is, no task is handed out."""
        return tuple(lack for need in self._needs if (lack := need.lack()) is not None)

    @property
    def idle_since(self) -> float:
        """Return when the last attempt ended, or the batch began, later by the pauses of needs since."""
        return self._went_on_at + self._held_up_s() - self._held_up_before_s

    def paused_s(self) -> float:
        """Return for how long, in all, needs have paused running episodes. What people pause goes on to its end."""
        return sum(need.paused_s() for need in self._needs if need is not self.steering)

    def _held_up_s(self) -> float:
        """Return for how long, in all, needs have kept anything from running."""
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

    async def next_turn(self, serial: str) -> Turn:
        """Wait until this phone may have a task, and take it: the one place where turns are taken.

        What was left on the phone is taken whatever is missing: it may run, and waits by itself for what it needs.
        """
        while not self._may_begin(serial) or (turn := self.queue.take(serial, self.steering.allows_task)) is None:
            await self._change.next()
        self._handed_out.notify()
        return turn

    async def next_hand_out(self) -> None:
        """Return when a turn has been taken, or at the next change."""
        await self._handed_out.next()

    def _may_begin(self, serial: str) -> bool:
        return self.queue.has_left(serial) or (not self.lacks and self.steering.allows_phone(serial))

    def settle(self, turn: Turn, result: EpisodeResult, counts: Counts, now: float) -> bool:
        """Record how an episode ended (``TaskQueue.settle``); return whether it has a lesson to teach."""
        teaches = self.lessons.are_taught_by(result)
        decided = self.queue.settle(turn, result, counts, owes=teaches)
        self._went_on_at, self._held_up_before_s = now, self._held_up_s()
        self.changed()
        return teaches and decided

    def owe(self, turn: Turn, owed: Owed) -> None:
        """Have an episode that was settled teach, now that its phone has been given back."""
        self.lessons.owe(turn.index, turn.task, owed)

    def release(self, turn: Turn) -> None:
        """Take back a turn; one that was not settled waits again."""
        self.queue.release(turn)
        self.changed()

    def give_up(self, turn: Turn, result: EpisodeResult) -> None:
        """Decide a waiting task: it will not run."""
        self.queue.give_up(turn, result)
        self.never_ran.append((turn, result))
        self.changed()
