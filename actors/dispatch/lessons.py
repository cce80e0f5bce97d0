"""What the episodes of a batch teach once they have ended, while their phones do the next tasks.

The next task of a scope waits for the lesson of the one before it, which ends by a deadline; nothing else waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.calls import answered
from manyhands.actors.dispatch.queue import Owed, TaskQueue
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.seams import Learning
from manyhands.protocol.base import OUTSIDE_ENDINGS
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.learning import LearnOrder
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.tasks import TaskSpec

logger = logging.getLogger(__name__)


def teaches(result: EpisodeResult) -> bool:
    """Return whether an episode that decided its task has something to teach.

    One that did no step has not, and one that ended for a reason outside of its task says little of that; a run that is
    resumed takes it up again.
    """
    return result.steps > 0 and result.ending not in OUTSIDE_ENDINGS


@dataclass(frozen=True, slots=True)
class _Lesson:
    index: int
    task: TaskSpec
    owed: Owed


class Lessons:
    """Has episodes teach, some at a time. Belongs to one batch."""

    def __init__(self, learning: Learning | None, queue: TaskQueue, settings: DispatchSettings, clock: Clock) -> None:
        """``learning``: None where nobody learns."""
        self._learning = learning
        self._queue = queue
        self._settings = settings
        self._clock = clock
        self._waiting: asyncio.Queue[_Lesson] = asyncio.Queue()

    def are_taught_by(self, result: EpisodeResult) -> bool:
        """Return whether an episode that has ended so is to teach, if that decides its task."""
        return self._learning is not None and teaches(result)

    def owe(self, index: int, task: TaskSpec, owed: Owed) -> None:
        """Have an episode teach as soon as somebody is free; its phone has been given back."""
        self._waiting.put_nowait(_Lesson(index, task, owed))

    async def teach(self, changed: Callable[[], None]) -> None:
        """Have what is owed be taught, until this is cancelled; ``changed`` is called after each lesson."""
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
                self._queue.taught(lesson.index)
                changed()

    async def _teach(self, learning: Learning, lesson: _Lesson) -> None:
        """Have one episode teach; whatever fails costs this lesson alone."""
        settings, episode = self._settings, lesson.owed.episode
        order = LearnOrder(
            run=settings.run,
            episode=episode,
            epoch=lesson.owed.epoch,
            task=lesson.task,
            settings=settings.episode,
            future=tuple(task.goal for task in self._queue.behind(lesson.task)),
            deadline=self._clock.now() + settings.lesson_s,
        )
        try:
            taught = await answered(learning.learn(order), settings.lesson_s, f"what {episode} teaches")
        except ManyhandsError as error:
            logger.warning("%s taught nothing: %s", episode, error)
        except Exception:  # a defect that one lesson meets must not end the batch
            logger.exception("%s taught nothing by a defect", episode)
        else:
            if taught.problem:
                logger.warning("%s: %s", episode, taught.problem)
