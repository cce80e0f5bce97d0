"""Report the progress of a run to people, Prometheus and a dispatcher that takes over, and its events to programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Self

from pydantic import Field

from manyhands.protocol.base import Ending, Message
from manyhands.protocol.policy import ConsentQuestion
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.results import EpisodeResult

_WAITING = "waiting for "
ASKS_PERSON = "asks a person: "
"""Begins what an episode does while its agent waits for an answer; the question follows."""


class EpisodeProgress(Message):
    """Report the progress of a running episode, for the live display."""

    episode: str
    task: str
    serial: str
    step: int
    doing: str
    """The subgoal or the stage, in one short line; during a wait what the episode waits for."""
    epoch: int = 0
    """The epoch of the lease on its phone."""
    stages: tuple[str, ...] = ()
    """The stages that run now, the one that has run longest first; empty before the first step."""
    stage_since: float = 0.0
    """When the first of ``stages``, or during a wait the wait, began, in Unix seconds; 0 if nobody knows."""
    subgoal: str = ""
    """What is to be reached next, in the plan's words; empty without a plan."""
    step_since: float | None = None
    """When the step's screenshot was taken, in Unix seconds; None before."""
    screen: str | None = None
    """The content id of the latest screenshot; None before the first."""
    phase: EpisodePhase = EpisodePhase.RUNNING
    """Whether people hold the episode."""
    held_by: str | None = None
    """Who has paused it, has taken it over, or stops it."""
    question: str = ""
    """What its agent asks a person; empty if it does not ask."""
    consent: ConsentQuestion | None = None
    """What the question is about, if it is whether an action may be sent."""
    held_since: float | None = None
    """Since when, in Unix seconds."""
    held_s: float = 0.0
    """For how many seconds in total people have held it in its present process."""

    @property
    def is_waiting(self) -> bool:
        """Return whether the episode waits for the model or for the run folder."""
        return self.doing.startswith(_WAITING)

    @property
    def is_taken_over(self) -> bool:
        """Return whether a person has taken the episode over."""
        return self.phase is EpisodePhase.TAKEN_OVER

    @classmethod
    def wait_for(cls, what: str) -> str:
        """Return the text of ``doing`` for an episode that waits."""
        return f"{_WAITING}{what}"


class RunWait(Message):
    """Name something that a run waits for."""

    what: str
    """What is missing, in a few words that stay the same during the wait: ``phone 10.0.0.7:5555``, ``the model``."""
    since: float
    """Unix seconds."""
    reason: str


class RunHold(Message):
    """Name what people have paused or drained by ``manyhands control``: a phone, a task, or the whole run.

    Running tasks continue to their end.
    """

    since: float
    """Unix seconds."""
    phone: str = ""
    task: str = ""
    drained: bool = False
    """Whether waiting tasks are given up, instead of waiting for ``go``."""

    @property
    def what(self) -> str:
        """Return the name of what is held: ``the run``, ``phone p1``, ``task t1``."""
        return f"phone {self.phone}" if self.phone else f"task {self.task}" if self.task else "the run"


class TasksDone(Message):
    """Sum up the tasks that have ended. The message stays small, however many tasks there are."""

    tasks: int = 0
    endings: dict[Ending, int] = Field(default_factory=dict)
    verified: int = 0
    """Tasks whose check holds by the phone's word."""
    not_verified: int = 0
    """Tasks whose check does not hold by the phone's word."""
    judged_done: int = 0
    """Tasks whose check holds by a judge's word."""
    judged_not_done: int = 0
    """Tasks whose check does not hold by a judge's word."""
    undecided: int = 0
    """Tasks with a check that was not asked, or that nobody could answer."""
    without_check: int = 0
    steps: int = 0
    passed: int | None = None
    """Tasks that are done: their checks hold, or they have none and the agent finished them. None if nobody counts."""

    @classmethod
    def of(cls, results: Collection[EpisodeResult]) -> Self:
        """Sum up results."""
        verdicts = Counter(result.verified for result in results)
        judged = Counter(result.verified for result in results if result.verified_by == "judge")
        without_check = sum(result.verified is None and not result.has_check for result in results)
        return cls(
            tasks=len(results),
            endings=dict(Counter(result.ending for result in results)),
            verified=verdicts[True] - judged[True],
            not_verified=verdicts[False] - judged[False],
            judged_done=judged[True],
            judged_not_done=judged[False],
            undecided=verdicts[None] - without_check,
            without_check=without_check,
            steps=sum(result.steps for result in results),
            passed=sum(result.is_done for result in results),
        )

    def __add__(self, other: TasksDone) -> TasksDone:
        """Return the sums of both."""
        passed = [part.passed if part.tasks else 0 for part in (self, other)]
        return TasksDone(
            tasks=self.tasks + other.tasks,
            endings=dict(Counter(self.endings) + Counter(other.endings)),
            verified=self.verified + other.verified,
            not_verified=self.not_verified + other.not_verified,
            judged_done=self.judged_done + other.judged_done,
            judged_not_done=self.judged_not_done + other.judged_not_done,
            undecided=self.undecided + other.undecided,
            without_check=self.without_check + other.without_check,
            steps=self.steps + other.steps,
            passed=None if None in passed else sum(filter(None, passed)),
        )


LATEST = 64
"""How many of the last results a progress report holds. Reports are requested twice a second, so they must
stay small."""


def latest(results: Iterable[EpisodeResult]) -> tuple[EpisodeResult, ...]:
    """Return the results that ended last, at most ``LATEST``, the newest last."""
    return tuple(sorted(results, key=lambda result: result.ended_at)[-LATEST:])


class RunProgress(Message):
    """Report the progress of a run."""

    total: int
    waiting: int
    running: tuple[EpisodeProgress, ...]
    done: TasksDone
    latest: tuple[EpisodeResult, ...]
    """The results of the last tasks, the newest last; at most ``LATEST``."""
    held_up: tuple[RunWait, ...] = ()
    """Missing requirements, without which no task is started. Running tasks continue."""
    away: tuple[RunWait, ...] = ()
    """Phones that cannot be used at the moment. The run tries each of them again and again."""
    holds: tuple[RunHold, ...] = ()
    """What people have paused or drained."""
    phones: int = 0
    """How many phones the run has."""
    losses: dict[str, int] = Field(default_factory=dict)
    """How often a phone was lost in a row, by serial; phones that were not lost are left out."""


class Decisions(Message):
    """Hold results that decided tasks, in the order of their decisions."""

    dispatcher: str = ""
    """The id of the dispatcher that numbers the results; empty if none has answered yet."""
    after: int = 0
    """How many results there are up to the last one here: what to ask for next."""
    results: tuple[EpisodeResult, ...] = ()


class TaskBegan(Message):
    """Tell that an attempt at a task began on a phone."""

    task: str
    episode: str
    serial: str


class StepBegan(Message):
    """Tell that an episode came to another step."""

    task: str
    episode: str
    serial: str
    step: int
    """Counted from 0."""
    doing: str
    """The subgoal or the stage, in one short line."""


class TaskEnded(Message):
    """Tell that a task ended."""

    result: EpisodeResult


class WaitBegan(Message):
    """Tell that the run waits for something, such as a phone that is away or the model."""

    wait: RunWait


class WaitEnded(Message):
    """Tell that the run no longer waits for something."""

    wait: RunWait


RunEvent = TaskBegan | StepBegan | TaskEnded | WaitBegan | WaitEnded


class RunChanges:
    """Find what happened between one report of a run's progress and the next."""

    def __init__(self) -> None:
        self._steps: dict[str, int] = {}
        """The last step of each episode that was seen running."""
        self._ended: set[str] = set()
        self._waits: dict[str, RunWait] = {}

    def since_last(self, now: RunProgress) -> Iterator[RunEvent]:
        """Yield what happened since the last report.

        Everything that the first report shows counts as having happened at that moment.
        """
        waits = {wait.what: wait for wait in (*now.held_up, *now.away)}
        for what, wait in self._waits.items():
            if what not in waits:
                yield WaitEnded(wait=wait)
        for what, wait in waits.items():
            if what not in self._waits:
                yield WaitBegan(wait=wait)
        self._waits = waits
        for one in now.running:
            place = {"task": one.task, "episode": one.episode, "serial": one.serial}
            if one.episode not in self._steps:
                yield TaskBegan(**place)
            if self._steps.get(one.episode) != one.step:
                yield StepBegan(**place, step=one.step, doing=one.doing)
            self._steps[one.episode] = one.step
        for result in now.latest:
            if result.episode not in self._ended:
                self._ended.add(result.episode)
                if result.episode not in self._steps:  # the episode was shorter than the time between two reports
                    yield TaskBegan(task=result.task, episode=result.episode, serial=result.serial)
                self._steps.pop(result.episode, None)
                yield TaskEnded(result=result)
