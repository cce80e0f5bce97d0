"""Recall what tasks know before they start, and let the episodes of a batch teach after their end.

Recalling happens while a task waits, before a phone is leased for it. Episodes teach while their phones run the next
tasks. The next task of a memory scope waits for the lesson of the task before it. Nothing else waits for a lesson, and
each lesson has a deadline.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.deadlines import await_answer, retry
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.dispatch.task_queue import PendingLesson, TaskQueue
from manyhands.actors.episode.paused_time import FINAL
from manyhands.actors.interfaces import Learning
from manyhands.actors.memory import initial_memory
from manyhands.protocol.errors import CallError, ManyhandsError, StoreError
from manyhands.protocol.journals.effective_records import is_open
from manyhands.protocol.journals.records import Recalled
from manyhands.protocol.roles.learning import LearnOrder, RecallOrder
from manyhands.protocol.roles.memory import LongTermMemory, SeenOn
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec

_MENDED = (StoreError, CallError)
"""Errors that a retry may mend: the run folder may return, and the process of the store or of the memory
may restart."""

FROM_START = "initial-run-"
"""The prefix of the ids of tips and shortcuts from a run's files. The memory records no uses of these."""


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """Hold the memory with which an episode starts.

    If it was chosen by a retriever, hold the record of the choice too.
    """

    memory: LongTermMemory
    record: Recalled | None = None


class MemoryRecall:
    """Recalls memory for tasks. If nothing is learned, all tasks start with the same memory."""

    def __init__(
        self, learning: Learning | None, start: LongTermMemory, settings: DispatchSettings, clock: Clock
    ) -> None:
        """``start``: what all tasks know, even if nothing is learned or the memory does not answer."""
        self._learning = learning
        self._nothing = RecalledMemory(start)
        self._start = start
        self._settings = settings
        self._clock = clock
        self._ahead: dict[str, asyncio.Task[RecalledMemory]] = {}
        """Recalls, running or finished, for episodes that wait for a phone."""

    @property
    def nothing(self) -> RecalledMemory:
        """Return the memory of tasks for which nothing is recalled."""
        return self._nothing

    def ahead(self, task: TaskSpec, episode: str, group: asyncio.TaskGroup) -> None:
        """Begin to recall for a waiting episode, once, so that no phone waits for a retriever."""
        if episode not in self._ahead:
            self._ahead[episode] = group.create_task(self._recall(task, episode))

    async def of(self, task: TaskSpec, episode: str) -> RecalledMemory:
        """Return what a task knows when it starts as this episode, by a deadline.

        If recalling fails, return ``nothing``. If nothing had to be chosen, the memory is read again, because other
        tasks may have taught since the first reading.
        """
        ahead = self._ahead.pop(episode, None)
        recalled_memory = None if ahead is None else await ahead
        if recalled_memory is not None and (recalled_memory.record is not None or recalled_memory is self._nothing):
            return recalled_memory
        return await self._recall(task, episode)

    async def _recall(self, task: TaskSpec, episode: str) -> RecalledMemory:
        if self._learning is None:
            return self.nothing
        settings = self._settings
        order = RecallOrder(
            run=settings.run,
            episode=episode,
            task=task,
            settings=settings.episode,
            deadline=self._clock.now() + settings.recall_s,
        )
        try:
            recall = await await_answer(self._learning.recall(order), settings.recall_s, f"recalling for {episode}")
        except ManyhandsError as error:
            logger.warning("%s knows nothing that was learned: %s", episode, error)
        except Exception:  # a defect that one task meets must not end the batch
            logger.exception("%s knows nothing that was learned, by a defect", episode)
        else:
            memory = with_start(recall.memory, self._start)
            if not recall.calls:
                return RecalledMemory(memory)
            return RecalledMemory(memory, Recalled(at=self._clock.now(), calls=recall.calls, left_out=recall.left_out))
        return self.nothing


def with_start(memory: LongTermMemory, start: LongTermMemory) -> LongTermMemory:
    """Return the recalled memory, and in addition what all tasks of the run know, such as the contents of its files.

    Uses of these additions teach nothing: their ids begin with ``FROM_START``.
    """
    names = {one.name for one in memory.shortcuts}
    initial = initial_memory()  # the recalled memory already has its choice of these
    tips = tuple(tip for tip in start.tips if tip not in memory.tips and tip not in initial.tips)
    shortcuts = tuple(one for one in start.shortcuts if one.name not in names and one not in initial.shortcuts)
    if not tips and not shortcuts:
        return memory
    return memory.model_copy(
        update={
            "tips": (*memory.tips, *tips),
            "shortcuts": (*memory.shortcuts, *shortcuts),
            "tip_ids": (*memory.tip_ids, *(f"{FROM_START}{number}" for number, _ in enumerate(tips, start=1))),
            "shortcut_ids": (*memory.shortcut_ids, *(f"{FROM_START}{one.name}@1" for one in shortcuts)),
            "seen_on": (*memory.seen_on, *(SeenOn() for _ in shortcuts)),
        }
    )


logger = logging.getLogger(__name__)


def teaches(result: EpisodeResult) -> bool:
    """Return whether an episode that decided its task has something to teach.

    An episode without a step has nothing to teach. An episode that a resumed run takes up again teaches after its final
    end, because each episode teaches once.
    """
    return result.steps > 0 and not is_open(result.ending, result.failure)


@dataclass(frozen=True, slots=True)
class _Lesson:
    index: int
    task: TaskSpec
    lesson_due: PendingLesson


class Lessons:
    """Lets episodes teach, several at a time. Belongs to one batch."""

    def __init__(self, learning: Learning | None, queue: TaskQueue, settings: DispatchSettings, clock: Clock) -> None:
        """``learning`` is None if nothing is learned."""
        self._learning = learning
        self._queue = queue
        self._settings = settings
        self._clock = clock
        self._waiting: asyncio.Queue[_Lesson] = asyncio.Queue()

    def are_taught_by(self, result: EpisodeResult) -> bool:
        """Return whether an episode with this result must teach, provided that the result decides its task."""
        return self._learning is not None and teaches(result)

    def add(self, index: int, task: TaskSpec, lesson_due: PendingLesson) -> None:
        """Queue the lesson of an episode whose phone has been given back."""
        self._waiting.put_nowait(_Lesson(index, task, lesson_due))

    async def teach(self, changed: Callable[[], None]) -> None:
        """Learn queued lessons until cancelled; call ``changed`` after each."""
        if self._learning is None:
            return
        async with asyncio.TaskGroup() as group:
            for _ in range(self._settings.lessons_at_once):
                group.create_task(self._teach_one_by_one(self._learning, changed))

    async def _teach_one_by_one(self, learning: Learning, changed: Callable[[], None]) -> None:
        while True:
            lesson = await self._waiting.get()
            try:
                await self._teach(learning, lesson)
            finally:
                self._queue.finish_lesson(lesson.index)
                changed()

    async def _teach(self, learning: Learning, lesson: _Lesson) -> None:
        """Ask for the lesson of one episode, by a deadline. If that fails, only this lesson is lost."""
        settings, episode = self._settings, lesson.lesson_due.episode
        what = f"what {episode} teaches"
        order = LearnOrder(
            run=settings.run,
            episode=episode,
            epoch=lesson.lesson_due.epoch,
            task=lesson.task,
            settings=settings.episode,
            future=tuple(task.goal for task in self._queue.queued_after(lesson.task)),
            deadline=self._clock.now() + settings.lesson_s,
        )
        try:
            taught = await retry(
                lambda: await_answer(learning.learn(order), order.deadline - self._clock.now(), what),
                settings.lesson_s,
                what,
                _MENDED,
                final=FINAL,
            )
        except ManyhandsError as error:
            logger.warning("%s taught nothing: %s", episode, error)
        except Exception:  # a defect that one lesson meets must not end the batch
            logger.exception("%s taught nothing by a defect", episode)
        else:
            if taught.problem:
                logger.warning("%s: %s", episode, taught.problem)
