"""The state of a batch while it runs: its queue, its phones' health, and its missing requirements."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from manyhands.actors.dispatch.lessons import Lessons
from manyhands.actors.dispatch.missing_requirements import (
    ChangeSignal,
    MissingRequirement,
    ReaderRequirement,
    Requirement,
)
from manyhands.actors.dispatch.phone_health import FleetHealth
from manyhands.actors.dispatch.run_control import RunControl
from manyhands.actors.dispatch.start_rule import StartRule
from manyhands.actors.dispatch.task_queue import Attempt, CountedAs, PendingLesson, TaskQueue
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.progress import EpisodeProgress, TasksDone
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec

ENOUGH = "enough episodes of its group have ended"


class Batch:
    """Holds tasks, phones and running episodes of one call of ``run``. Belongs to one event loop."""

    def __init__(
        self,
        name: str,
        queue: TaskQueue,
        health: FleetHealth,
        control: RunControl,
        start_rule: StartRule,
        lessons: Lessons,
        requirements: Sequence[Requirement],
        now: float,
        is_open_ended: bool = False,
    ) -> None:
        """``start_rule``: a new one. ``is_open_ended``: more tasks may come until people drain the run."""
        self.name = name
        self.is_open_ended = is_open_ended
        self.control = control
        self.queue = queue
        self.health = health
        self.lessons = lessons
        self.running: dict[str, EpisodeProgress] = {}
        """The episodes that run, by id."""
        self.decided = list(queue.results)
        """The results that decided tasks, in the order of their decisions."""
        self.done = TasksDone.of(self.decided)
        self.calls: dict[asyncio.Task[None], str] = {}
        """The attempts that run, each with the id of its task. An attempt may still end while the next one begins."""
        self.never_ran: list[tuple[Attempt, EpisodeResult]] = []
        """Attempts that were given up, whose end no host has journalled."""
        self.lost: list[tuple[Attempt, EpisodeResult]] = []
        """Attempts that ran and decided their task, although a host may not have journalled their end."""
        self._requirements = tuple(requirements)
        self._start_rule = start_rule
        for result in self.decided:
            start_rule.note(result)
        self._change = ChangeSignal()
        self._handed_out = ChangeSignal()
        self._went_on_at, self._held_up_before_s = now, self._held_up_s()
        """The time at which the last attempt ended, or at which the batch began."""

    @property
    def over(self) -> bool:
        """Return whether every task is decided, all lessons of tasks are learned, and no task may still come."""
        may_come = self.is_open_ended and self.control.state.drained.run is None
        return self.queue.decided and self.queue.all_taught and not may_come

    def changed(self) -> None:
        """Wake everyone who waits for a change."""
        self._change.notify()
        self._handed_out.notify()

    @property
    def missing(self) -> tuple[MissingRequirement, ...]:
        """Return the requirements that are missing now. While there are any, no task is assigned."""
        return tuple(missing for requirement in self._requirements if (missing := requirement.missing()) is not None)

    @property
    def idle_since(self) -> float:
        """Return when the last attempt ended, or the batch began.

        A pause by a requirement since then moves this time later.
        """
        return self._went_on_at + self._held_up_s() - self._held_up_before_s

    def paused_s(self) -> float:
        """Return how many seconds in total requirements have paused running episodes.

        A pause by people, or by a reader, does not count: under it running episodes continue to their end.
        """
        pausing = (
            one for one in self._requirements if one is not self.control and not isinstance(one, ReaderRequirement)
        )
        return sum(requirement.paused_s() for requirement in pausing)

    def _held_up_s(self) -> float:
        """Return for how many seconds in total requirements have kept everything from running."""
        return sum(requirement.paused_s() for requirement in self._requirements)

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

    async def next_attempt(self, serial: str) -> Attempt:
        """Wait until this phone may have a task, and take it. This is the only place where attempts are taken.

        An interrupted episode of this phone is taken even while requirements are missing, because it waits for them by
        itself.
        """
        while not self._may_begin(serial) or (attempt := self._take(serial)) is None:
            await self._change.next()
        self._handed_out.notify()
        return attempt

    async def next_hand_out(self) -> None:
        """Return when an attempt has been taken, or at the next change."""
        await self._handed_out.next()

    def _take(self, serial: str) -> Attempt | None:
        return self.queue.take(serial, lambda task: self._may_start(task, serial))

    def _may_start(self, task: TaskSpec, serial: str) -> bool:
        is_needed = task.id not in self.queue.surplus and self._start_rule.allows(task.id)
        return is_needed and self.control.allows_task(task, serial)

    def refusal(self, task: str) -> tuple[Ending, str] | None:
        """Return the ending and the reason with which a waiting task is given up; None if it may go on waiting.

        ``task``: its id.
        """
        if task in self.queue.surplus:
            return Ending.CANCELLED, ENOUGH
        stop_reason = self._start_rule.stop_reason
        return self.control.refusal(task) or (None if stop_reason is None else (Ending.CANCELLED, stop_reason))

    def cancelled(self, task: str) -> str | None:
        """Return why a running task is to end; None if it may go on."""
        if task in self.queue.surplus:
            return ENOUGH
        return self.control.reason_of(task) if task in self.control.state.cancelled else None

    def _may_begin(self, serial: str) -> bool:
        return self.queue.has_interrupted(serial) or (not self.missing and self.control.allows_phone(serial))

    def settle(self, attempt: Attempt, result: EpisodeResult, counts: CountedAs, now: float) -> bool:
        """Record how an episode ended (``TaskQueue.settle``); return whether it has a lesson to teach."""
        teaches = self.lessons.are_taught_by(result)
        decided = self.queue.settle(attempt, result, counts, teaches=teaches)
        if decided:
            self._note_decision(result)
        if decided and result.ending in (Ending.INTERNAL_ERROR, Ending.HOST_LOST, Ending.NO_MODEL):
            self.lost.append((attempt, result))
        self._went_on_at, self._held_up_before_s = now, self._held_up_s()
        self.changed()
        return teaches and decided

    def add_lesson(self, attempt: Attempt, lesson_due: PendingLesson) -> None:
        """Queue the lesson of a settled episode whose phone has been given back."""
        self.lessons.add(attempt.index, attempt.task, lesson_due)

    def release(self, attempt: Attempt) -> None:
        """Put a taken attempt back. If it was not settled, it waits again."""
        self.queue.release(attempt)
        self.changed()

    def give_up(self, attempt: Attempt, result: EpisodeResult) -> None:
        """Decide a waiting task: it will not run."""
        self.queue.give_up(attempt, result)
        self._note_decision(result)
        self.never_ran.append((attempt, result))
        self.changed()

    def _note_decision(self, result: EpisodeResult) -> None:
        self.decided.append(result)
        self.done += TasksDone.of((result,))
        self._start_rule.note(result)
