"""Let the episodes of a batch teach after their end, while their phones run the next tasks.

The next task of a memory scope waits for the lesson of the task before it. Nothing else waits for a lesson, and each
lesson has a deadline.
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
from manyhands.protocol.errors import CallError, ManyhandsError, StoreError
from manyhands.protocol.journals.effective_records import is_open
from manyhands.protocol.roles.learning import LearnOrder
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec

_MENDED = (StoreError, CallError)
"""Errors that a retry may mend: the run folder may return, and the process of the store or of the memory
may restart."""
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
