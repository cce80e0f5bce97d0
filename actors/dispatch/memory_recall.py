"""Recall the memory that tasks start with. Recalling happens while a task waits, before a phone is leased for it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.deadlines import await_answer
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.interfaces import Learning
from manyhands.actors.memory import initial_memory
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.journals.records import Recalled
from manyhands.protocol.roles.learning import RecallOrder
from manyhands.protocol.roles.memory import LongTermMemory, SeenOn
from manyhands.protocol.tasks.task import TaskSpec

FROM_START = "initial-run-"
"""The prefix of the ids of tips and shortcuts from a run's files. The memory records no uses of these."""
logger = logging.getLogger(__name__)


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
