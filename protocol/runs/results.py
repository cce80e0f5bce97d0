"""Define the orders and results of episodes, and what carrying out a batch returns."""

from __future__ import annotations

from html import escape
from typing import Self

from pydantic import Field, JsonValue

from manyhands.protocol.base import Ending, Message, VerifiedBy
from manyhands.protocol.journals.effective_records import is_open
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted, Recalled
from manyhands.protocol.messages import ModelSession
from manyhands.protocol.phones import Lease
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.tasks.side_effects import StateChange
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest

MOST_RESUMES = 3
"""The most times that an episode is resumed in place without finishing a step: its task may cause the interruptions."""


class EpisodeOrder(Message):
    """Order one attempt at one task on one phone."""

    run: str
    episode: str
    attempt: int = Field(ge=1)
    task: TaskSpec
    lease: Lease
    memory: LongTermMemory
    recalled: Recalled | None = None
    """The calls that chose this memory, if there were any."""
    settings: EpisodeSettings
    batch: str = ""
    place: int = 0
    """The task's index in its batch."""
    restarts: int = 0
    """How often this attempt was begun anew, for reasons outside the task."""
    resume: str | None = None
    """Why the episode is resumed in place, if it has a journal already; None for a new episode."""
    run_cut_off: bool = False
    """Whether the whole run had stopped, not this episode alone."""
    session: ModelSession | None = None
    """The episode's own way to its model; None if it asks the model's servers as all do."""


def is_done(ending: Ending, verified: bool | None, has_check: bool, answered: bool = True) -> bool:
    """Return whether a task with this result is done. A task whose check could not be evaluated is not.

    ``answered``: whether the task has the answer that it asks for, if it asks for one.
    """
    return answered and (verified is True or (not has_check and ending is Ending.FINISHED))


def has_failed(ending: Ending, verified: bool | None, has_check: bool, failure: str, answered: bool = True) -> bool:
    """Return whether an attempt with this result did not pass because of the task itself. A retry may follow then.

    A check that could not be evaluated, and an ending that a resumed run takes up again, tell nothing about the task.
    ``failure``: the code of the stage that failed last.
    """
    is_failure = verified is False or not has_check or not answered
    return is_failure and not is_done(ending, verified, has_check, answered) and not is_open(ending, failure)


_BROKEN = frozenset(
    {
        *(Ending.MODEL_FAILED, Ending.PERCEPTION_FAILED, Ending.INTERNAL_ERROR),
        *(Ending.APP_CRASHED, Ending.SETUP_REFUSED),
    }
)
"""Endings by a defect of servers, of the app under test, or of ours. They teach a model nothing."""


def fault_of(ending: Ending, failure: str, server_away: bool) -> str | None:
    """Return why an ending says nothing about the agent, so that it has no reward; None if it does.

    ``failure``: the code of the stage that failed last. ``server_away``: whether a stage waited because no server of
    its model answered.
    """
    if ending in _BROKEN or is_open(ending, failure):
        return ending.value
    if ending is Ending.TIME_LIMIT and server_away:
        return "time_limit while a server was away"
    return None


class EpisodeResult(Message):
    episode: str
    task: str
    serial: str
    attempt: int
    ending: Ending
    reason: str
    steps: int
    verified: bool | None
    verified_by: VerifiedBy | None = None
    """Whose word decided the check; None if nobody's did."""
    rubrics: dict[str, bool]
    unmet: tuple[UnmetTest, ...] = ()
    """The tests of the check that did not hold."""
    unexpected_changes: tuple[StateChange, ...] | None = None
    """What the task changed beyond what it may change; None if nobody can say."""
    answer: str | None = None
    answer_data: JsonValue = None
    """The answer as data, if the task asks for one."""
    answered: bool = True
    """Whether the answer fits what the task asks for; True also for a task that asks for none."""
    afresh: bool = False
    """Whether the episode cannot be resumed in place: the next episode of its task begins with a reset."""
    in_vain: int = 0
    """How often the episode was resumed in place since it last finished a step."""
    failure: str = ""
    """The code of the stage that failed last."""
    server_away: bool = False
    """Whether a stage waited because no server of its model answered."""
    started_at: float
    ended_at: float
    has_check: bool = False

    @property
    def is_done(self) -> bool:
        """Return whether the task is done, by the same rule as ``TaskRow.is_done``."""
        return is_done(self.ending, self.verified, self.has_check, self.answered)

    @property
    def has_failed(self) -> bool:
        """Return whether the attempt did not pass because of the task itself."""
        return has_failed(self.ending, self.verified, self.has_check, self.failure, self.answered)

    @property
    def fault(self) -> str | None:
        """Return why the ending says nothing about the agent; None if it does."""
        return fault_of(self.ending, self.failure, self.server_away)

    @classmethod
    def of(
        cls,
        ended: EpisodeEnded,
        *,
        episode: str,
        task: TaskSpec,
        serial: str,
        attempt: int,
        in_vain: int,
        failure: str,
        started_at: float,
    ) -> Self:
        """Return the result of an episode from its end."""
        return cls(
            episode=episode,
            task=task.id,
            has_check=task.check is not None,
            serial=serial,
            attempt=attempt,
            ending=ended.ending,
            reason=ended.explanation,
            steps=ended.steps,
            verified=ended.verified,
            verified_by=ended.verified_by,
            rubrics=ended.rubrics,
            unmet=ended.unmet,
            unexpected_changes=ended.unexpected_changes,
            answer=ended.answer,
            answer_data=ended.answer_data,
            answered=ended.answered,
            afresh=ended.afresh,
            in_vain=in_vain,
            failure=failure,
            server_away=ended.server_away,
            started_at=started_at,
            ended_at=ended.at,
        )


class EpisodeIndex(Message):
    """Hold the state of an episode, as its journal tells it."""

    started: EpisodeStarted
    epoch: int
    """The newest epoch under which the journal was written."""
    ended: EpisodeEnded | None
    """The episode's end; None also if the episode was resumed after it."""
    steps: int
    """How many steps the episode has finished."""
    in_vain: int
    """How often the episode alone was interrupted and resumed since its last finished step."""
    taught: bool = False
    """Whether the journal says what the episode taught (``Learned``)."""
    session_ended: bool = False
    """Whether the journal says that the episode's session has ended (``ModelSessionEnded``)."""
    failure: str = ""
    """The code of the stage that failed last."""


_COLUMNS = ("task", "check", "ending", "steps", "phone", "reason")


class BatchResult(tuple[EpisodeResult, ...]):
    """Hold the deciding result of each task, in the order of the tasks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return a table for notebooks: a row for each task."""
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, self))}</tbody></table>"


def _row(result: EpisodeResult) -> str:
    checked = {True: "holds", False: "does not hold", None: "not checked"}[result.verified]
    if result.verified_by == "judge":
        checked = f"{checked}, says a judge"
    unmet = [test for test in map(str, result.unmet) if test not in result.reason]
    reason = "; ".join(filter(None, [result.reason, *unmet]))
    cells = (result.task, checked, result.ending.value, str(result.steps), result.serial, reason)
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
