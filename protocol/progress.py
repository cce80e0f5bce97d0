"""Where a run stands while it goes on: for people, Prometheus and a dispatcher that takes over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Self

from pydantic import Field

from manyhands.protocol.base import Ending, Message
from manyhands.protocol.runs import EpisodeResult


class EpisodeProgress(Message):
    """Report where a running episode stands, for the live display."""

    episode: str
    task: str
    serial: str
    step: int
    doing: str
    """The subgoal or the stage, one short line."""
    epoch: int = 0
    """That of the lease on its phone."""


class RunWait(Message):
    """Name something that a run waits for."""

    what: str
    """A few words, the same for as long as it is waited for: ``phone 10.0.0.7:5555``, ``the model``."""
    since: float
    """Unix seconds."""
    reason: str


class RunHold(Message):
    """Name what people hold by ``manyhands control``: a phone, a task or, without either, the whole run.

    What runs goes on to its end.
    """

    since: float
    """Unix seconds."""
    phone: str = ""
    task: str = ""
    drained: bool = False
    """It is given up where it waits, instead of waiting for ``go``."""

    @property
    def what(self) -> str:
        """Return its name: ``the run``, ``phone p1``, ``task t1``."""
        return f"phone {self.phone}" if self.phone else f"task {self.task}" if self.task else "the run"


class TasksDone(Message):
    """Sum up the tasks that have ended: as long for thousands as for one."""

    tasks: int = 0
    endings: dict[Ending, int] = Field(default_factory=dict)
    verified: int = 0
    """Their check holds."""
    not_verified: int = 0
    """It does not."""
    unchecked: int = 0
    """They have none, or nobody could ask it."""
    steps: int = 0

    @classmethod
    def of(cls, results: Collection[EpisodeResult]) -> Self:
        """Sum up results."""
        verdicts = Counter(result.verified for result in results)
        return cls(
            tasks=len(results),
            endings=dict(Counter(result.ending for result in results)),
            verified=verdicts[True],
            not_verified=verdicts[False],
            unchecked=verdicts[None],
            steps=sum(result.steps for result in results),
        )

    def __add__(self, other: TasksDone) -> TasksDone:
        """Return both together."""
        return TasksDone(
            tasks=self.tasks + other.tasks,
            endings=dict(Counter(self.endings) + Counter(other.endings)),
            verified=self.verified + other.verified,
            not_verified=self.not_verified + other.not_verified,
            unchecked=self.unchecked + other.unchecked,
            steps=self.steps + other.steps,
        )


LATEST = 64
"""Of so many tasks progress tells how each ended; it is asked for twice a second."""


def latest(results: Iterable[EpisodeResult]) -> tuple[EpisodeResult, ...]:
    """Return the last results to come, the newest last."""
    return tuple(sorted(results, key=lambda result: result.ended_at)[-LATEST:])


class RunProgress(Message):
    """Report where a run stands."""

    total: int
    waiting: int
    running: tuple[EpisodeProgress, ...]
    done: TasksDone
    latest: tuple[EpisodeResult, ...]
    """How the last tasks ended, the newest last; `LATEST` at most."""
    held_up: tuple[RunWait, ...] = ()
    """What is missing without which no task is handed out; tasks that run go on."""
    away: tuple[RunWait, ...] = ()
    """Phones that cannot be used now; each is tried again and again."""
    holds: tuple[RunHold, ...] = ()
    """What people have paused or drained."""
    phones: int = 0
    """How many the run has."""
