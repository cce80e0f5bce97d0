"""What the tasks of a batch know from the start: recalled while they wait, before a phone is leased for them."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.calls import answered
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.seams import Learning
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.learning import RecallOrder
from manyhands.protocol.memory import LongTermMemory, SeenOn
from manyhands.protocol.records import Recalled
from manyhands.protocol.tasks import TaskSpec

FROM_START = "initial-run-"
"""What the ids begin with of what a run's files tell: a memory takes in no uses of what is there from the start."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    """What an episode is to know, and how that was chosen, if it was."""

    memory: LongTermMemory
    recalled: Recalled | None = None


class Recalls:
    """Says what tasks know from the start; without anybody who learns, all know the same."""

    def __init__(
        self, learning: Learning | None, start: LongTermMemory, settings: DispatchSettings, clock: Clock
    ) -> None:
        """``start``: what all tasks know, also where nobody learns, or nobody answers."""
        self._learning = learning
        self._nothing = Told(start)
        self._start = start
        self._settings = settings
        self._clock = clock
        self._ahead: dict[str, asyncio.Task[Told]] = {}
        """What is being recalled, or was, for episodes that wait for a phone."""

    @property
    def nothing(self) -> Told:
        """Return what tasks know to which nothing is recalled."""
        return self._nothing

    def ahead(self, task: TaskSpec, episode: str, group: asyncio.TaskGroup) -> None:
        """Begin to recall for an episode that waits for a phone, once, so that no phone waits for a retriever."""
        if episode not in self._ahead:
            self._ahead[episode] = group.create_task(self._recall(task, episode))

    async def of(self, task: TaskSpec, episode: str) -> Told:
        """Return what a task is to know that will run as this episode; by a deadline, whatever fails.

        What nobody had to choose is read anew: others may have taught meanwhile.
        """
        ahead = self._ahead.pop(episode, None)
        told = None if ahead is None else await ahead
        if told is not None and (told.recalled is not None or told is self._nothing):
            return told
        return await self._recall(task, episode)

    async def _recall(self, task: TaskSpec, episode: str) -> Told:
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
            recall = await answered(self._learning.recall(order), settings.recall_s, f"recalling for {episode}")
        except ManyhandsError as error:
            logger.warning("%s knows nothing that was learned: %s", episode, error)
        except Exception:  # a defect that one task meets must not end the batch
            logger.exception("%s knows nothing that was learned, by a defect", episode)
        else:
            memory = with_start(recall.memory, self._start)
            if not recall.calls:
                return Told(memory)
            return Told(memory, Recalled(at=self._clock.now(), calls=recall.calls, left_out=recall.left_out))
        return self.nothing


def with_start(memory: LongTermMemory, start: LongTermMemory) -> LongTermMemory:
    """Return what was recalled with what all tasks of the run know beside, such as from its files.

    Nothing is learned of how that is used: its ids are those of what is there from the start.
    """
    names = {one.name for one in memory.shortcuts}
    tips = tuple(tip for tip in start.tips if tip not in memory.tips)
    shortcuts = tuple(one for one in start.shortcuts if one.name not in names)
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
