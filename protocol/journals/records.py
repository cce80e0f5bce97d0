"""Define the records of an episode's journal: append-only, and enough to resume, replay, score and draw the episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, JsonValue, ValidationError

from manyhands.protocol.base import Ending, Message, VerifiedBy
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.phones import AppCrash, PhoneDescription, Receipt
from manyhands.protocol.policy import ConsentQuestion, Verdict
from manyhands.protocol.roles.lessons import LessonTaken, Scope
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection
from manyhands.protocol.screens.actions import AtomicAction
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.tasks.side_effects import StateChange
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest

M = TypeVar("M", bound=Message)

StageName = str
"""The name of a stage in a profile's step (``actors.profiles``). Settling is part of ``capture``, with its own time."""

Interval = tuple[float, float]
"""A beginning and an end, in Unix seconds."""


class Span(Message):
    """Hold when a stage ran, in Unix seconds. ``queue_ms`` is the part that was spent waiting in queues."""

    start: float
    end: float
    queue_ms: float = Field(default=0, ge=0)
    away: tuple[Interval, ...] = ()
    """When the stage waited because no server of its model answered, or took requests. No figure counts this time."""
    is_busy: bool = False
    """Whether servers only refused requests in ``away``, as too busy or paused."""

    @property
    def ms(self) -> float:
        """Return the milliseconds of work: the span without queues and ``away``."""
        away_s = sum(end - start for start, end in self.away)
        return max(0.0, (self.end - self.start - away_s) * 1000 - self.queue_ms)

    @property
    def met_outage(self) -> bool:
        """Return whether the stage waited because no server of its model answered."""
        return bool(self.away) and not self.is_busy


class EpisodeStarted(Message):
    kind: Literal["episode_started"] = "episode_started"
    at: float
    run: str
    episode: str
    attempt: int = Field(ge=1)
    """The number of the attempt at the task, counted over all phones."""
    task: TaskSpec
    serial: str
    epoch: int
    profile: str
    schedule: str
    stages: tuple[StageName, ...] = ()
    """The stages of the profile's step, in the order of the serial schedule; empty without a phone."""
    memory: LongTermMemory
    settings: dict[str, Any] = Field(default_factory=dict)
    batch: str = ""
    """The run's batch that the task belongs to."""
    place: int = 0
    """The task's index in its batch."""
    restarts: int = 0
    """How often this attempt was begun anew, for reasons outside the task."""

    @property
    def on_a_phone(self) -> bool:
        """Return whether a phone was given the task; an episode without one records that the task was given up."""
        return self.serial != ""

    @property
    def recency(self) -> tuple[int, int, float]:
        """Return the key that orders the episodes of one task.

        The state of the task is that of its last episode on a phone. The times of the ends do not order them, because a
        host that was frozen may write the end of an older episode late.
        """
        return self.attempt, self.restarts, self.at


class PhonePrepared(Message):
    """Record that the phone was put into its starting state, with the receipts of all that was sent for it."""

    kind: Literal["phone_prepared"] = "phone_prepared"
    at: float
    receipts: tuple[Receipt, ...]
    phone: PhoneDescription | None = None
    """What the phone told of itself then; None if it told nothing."""
    crashes: tuple[str, ...] | None = None
    """The ids of earlier crashes of the app under test; None if nobody looks for crashes."""


class StageRecord(Message):
    """Record the result of one stage in one step."""

    step: int
    span: Span
    stage: StageName
    calls: tuple[ModelCall, ...] = ()
    assumed: tuple[StageName, ...] = ()
    """Stages that this one did not wait for: it began on assumptions about their results."""


class ScreenCaptured(StageRecord):
    kind: Literal["captured"] = "captured"
    stage: StageName = "capture"
    screenshot: Screenshot


class Perceived(StageRecord):
    kind: Literal["perceived"] = "perceived"
    stage: StageName = "perceive"
    screen: Screen


class Planned(StageRecord):
    kind: Literal["planned"] = "planned"
    stage: StageName = "plan"
    plan: Plan


class ActionDecided(StageRecord):
    kind: Literal["decided"] = "decided"
    stage: StageName = "decide"
    decision: Decision


class ActionJudged(Message):
    """Record that the policy refuses an action."""

    kind: Literal["action_judged"] = "action_judged"
    at: float
    step: int
    verdict: Verdict


class ActionSent(Message):
    """Record an atomic action before it is sent to the phone. The record is synced to disk before that."""

    kind: Literal["action_sent"] = "action_sent"
    at: float
    step: int
    key: str
    action: AtomicAction
    verdict: Verdict | None = None
    """Why it may be sent; None in journals of before there were verdicts."""
    by: str = ""
    """The person who acted while the episode was taken over; empty for the agent's actions."""
    request: str = ""
    """The key of the person's request; empty for the agent's actions."""


class ActionReceived(Message):
    kind: Literal["action_received"] = "action_received"
    step: int
    receipt: Receipt


Fault = Literal["action", "precondition", "surprise", "lost", "policy"]
"""Why an action failed: the action itself; the precondition of its shortcut, so that nothing was sent; an unexpected
reaction of the phone to one atomic action of a shortcut; an interruption, so that the effect of the rest is unknown;
the policy, or a person who did not allow it."""


class Acted(StageRecord):
    """Record that a step's action is complete. ``problem``: why the action counts as failed.

    ``dropped``: why actions that were to follow at once were not sent; empty if none was dropped.
    """

    kind: Literal["acted"] = "acted"
    stage: StageName = "act"
    problem: str | None = None
    fault: Fault | None = None
    """None without a problem."""
    dropped: str = ""


class Reflected(StageRecord):
    kind: Literal["reflected"] = "reflected"
    stage: StageName = "verify"
    reflection: Reflection


class NotesTaken(StageRecord):
    kind: Literal["noted"] = "noted"
    stage: StageName = "note"
    notes: Notes


class Restored(StageRecord):
    """Record the attempt to return by Back to the page before a step's action. s(step + 1) is the screen after it."""

    kind: Literal["restored"] = "restored"
    stage: StageName = "restore"
    backs: int
    restored: bool
    """Whether the page is shown again, as far as the screens tell."""
    screenshot: Screenshot
    screen: Screen


def read_stage_data(kind: type[M], data: Mapping[str, JsonValue]) -> M | None:
    """Return the data of a ``StageResult`` as a message of this type; None if they are of another type."""
    try:
        return kind.model_validate(data)
    except ValidationError:
        return None


class StageResult(StageRecord):
    """Record the result of a stage that has no record type of its own. The profile declares it (``Stage.leaves``)."""

    kind: Literal["stage_result"] = "stage_result"
    data: dict[str, JsonValue]

    def read(self, kind: type[M]) -> M | None:
        """Return the data as a message of this type; None if they are of another type."""
        return read_stage_data(kind, self.data)


class StageFailed(StageRecord):
    """Record that a stage gave no result.

    If the step can continue without the result, for example without a note, it does.
    """

    kind: Literal["stage_failed"] = "stage_failed"
    code: str
    error: str


class StageDropped(StageRecord):
    """Record that a stage began on assumptions and was dropped. Its result has no effect.

    ``calls`` has no calls that were cancelled: only the server knows their tokens.
    """

    kind: Literal["dropped"] = "dropped"
    wrong: StageName | None
    """The stage whose result was not as assumed; this stage itself if it failed; None if the episode ended before that
    was known.

    If an interruption discarded the stage, this is also None, and ``assumed`` is empty.
    """


class RubricsChecked(Message):
    kind: Literal["rubrics_checked"] = "rubrics_checked"
    at: float
    step: int
    held: tuple[str, ...]
    """Names of the rubrics that hold after this step."""


class CheckPrepared(Message):
    """Record what is opened before the check is asked: once before the phone is touched, and again with the receipt."""

    kind: Literal["check_prepared"] = "check_prepared"
    at: float
    key: str
    opens: str
    """The app's label or the link, as the task names it."""
    verdict: Verdict | None = None
    """Whether it may be opened; None in journals of before checks were judged."""
    receipt: Receipt | None = None


class StatementJudged(Message):
    """Record what a model said of a statement of the task's check, or why it said nothing. It precedes the end."""

    kind: Literal["statement_judged"] = "statement_judged"
    at: float
    span: Span
    statement: str
    verdict: Literal["yes", "no", "cannot tell"] | None
    """None if the judge was not asked or did not answer."""
    reason: str
    """The judge's reason, or why there is no verdict."""
    screens: tuple[Screenshot, ...] = ()
    """The screens that the judge was shown, the newest last."""
    calls: tuple[ModelCall, ...] = ()


class StateRead(Message):
    """Record the states that the task is to leave unchanged, as they were before its first step."""

    kind: Literal["state_read"] = "state_read"
    at: float
    states: dict[str, JsonValue]
    """By the entry of the task's ``unchanged``."""
    unread: tuple[str, ...] = ()
    """The entries that could not be read, each with the reason."""


class Resumed(Message):
    """Record that an interrupted episode is resumed in place. Records of stages after ``step`` are discarded.

    An end before this record no longer counts. Missing receipts of actions were asked for, and written, before this
    record.
    """

    kind: Literal["resumed"] = "resumed"
    at: float
    step: int
    """The last step whose action was begun or completed; -1 if there is none."""
    serial: str
    epoch: int
    """The epoch of the new lease. A holder of the older one can no longer send or write."""
    cause: str
    """Why the episode had stopped, in one line for people."""
    unseen: tuple[int, ...] = ()
    """Steps whose screenshots were lost in the interruption, among those that a later prompt may show."""
    app: str | None = None
    """The app that the phone showed last, if that was seen after the episode's last action. If the episode is
    interrupted again before a capture, the phone must show this app then."""
    run_cut_off: bool = False
    """Whether the whole run had stopped. In that case the resumption is not counted in the episode's ``in_vain``."""


class EpisodePaused(Message):
    """Record that a person paused the episode, or that its agent asks for a person.

    No action is sent before ``EpisodeUnpaused`` or a takeover.
    """

    kind: Literal["paused"] = "paused"
    at: float
    by: str
    reason: str = ""
    """Why; or what the agent asks."""
    step: int | None = None
    """The step that asks for a person; None if a person paused the episode."""
    stage: StageName = "act"
    """The stage that asks. One before the action is done again after an interruption, and asks again."""
    consent: ConsentQuestion | None = None
    """The action that a person must allow; None if the agent itself asks something."""

    @property
    def is_of_action(self) -> bool:
        """Return whether the action of its step asks."""
        return self.step is not None and self.stage == "act"

    def asks_same(self, other: EpisodePaused) -> bool:
        """Return whether another question asks the same. What a consent is about may be on another screenshot."""
        if self.consent is None or other.consent is None:
            return self.consent is other.consent and self.reason == other.reason
        return self.consent.asks_same(other.consent)


class EpisodeUnpaused(Message):
    """Record the end of the pause. It is the one answer to a question of the agent."""

    kind: Literal["unpaused"] = "unpaused"
    at: float
    by: str
    """Who ended it; empty if nobody answered the agent in time."""
    answer: str | None = None
    """The answer to the agent's question; None if a person declined to answer, or nobody came."""
    allows: bool | None = None
    """Whether the person allows the action; None if it was no such question."""


class EpisodeTakenOver(Message):
    """Record that a person took the episode over. It ends a pause. Records of stages after ``last_step`` are discarded.

    Each action of the person is a step of its own, without a decision and without a verdict. An interruption of the
    episode does not end the takeover.
    """

    kind: Literal["taken_over"] = "taken_over"
    at: float
    by: str
    last_step: int
    """The last step whose action was begun or completed; -1 if there is none."""


class EpisodeHandedBack(Message):
    """Record that the agent goes on from a fresh capture. Records of stages after ``last_step`` are discarded."""

    kind: Literal["handed_back"] = "handed_back"
    at: float
    by: str
    """Who ended the takeover; empty if it ended by itself."""
    reason: str = ""
    """Why it ended by itself."""
    last_step: int
    """The last step whose action was begun or completed, by the agent or by the person; -1 if there is none."""


class Recalled(Message):
    """Record the model calls that chose the episode's tips and shortcuts. It follows ``EpisodeStarted``.

    Without such calls, there is no such record.
    """

    kind: Literal["recalled"] = "recalled"
    at: float
    calls: tuple[ModelCall, ...]
    left_out: int = 0
    """How many tips and shortcuts its scopes hold that the episode was not given."""


class ModelSessionEnded(Message):
    """Record that a trainer's gateway was told the episode's reward. It follows the end; the episode ends for good."""

    kind: Literal["model_session_ended"] = "model_session_ended"
    at: float
    reward: float | None
    """None if the session was discarded: a fault ended the episode, or nothing says what it earned."""


class Learned(Message):
    """Record what an episode taught. It follows the end, and is the last record of an episode."""

    kind: Literal["learned"] = "learned"
    at: float
    span: Span
    scope: Scope
    taken: LessonTaken | None
    """None if nothing was learned."""
    calls: tuple[ModelCall, ...] = ()
    problem: str = ""


class EpisodeEnded(Message):
    kind: Literal["episode_ended"] = "episode_ended"
    at: float
    ending: Ending
    reason: str
    steps: int
    verified: bool | None
    """Whether the task's check holds; None without a check or if it could not be evaluated."""
    verified_by: VerifiedBy | None = None
    """Whose word decided the check; None if nobody's did."""
    rubrics: dict[str, bool]
    """Whether each rubric ever held."""
    unmet: tuple[UnmetTest, ...] = ()
    """The tests of the check that did not hold or could not be answered; empty if it held."""
    rubrics_unmet: dict[str, tuple[UnmetTest, ...]] = Field(default_factory=dict)
    """For each rubric that never held, the tests that did not hold at the end."""
    check_screen: str | None = None
    """The content id of the screen that the check looked at, if the check captured a screen of its own."""
    unexpected_changes: tuple[StateChange, ...] | None = None
    """What the task changed beyond what it may change; None if it names nothing that is to stay unchanged, or if that
    could not be read."""
    answer: str | None = None
    answer_data: JsonValue = None
    """The answer as data that fit the task's ``answer``; None also if there is no such answer, or the data are null."""
    answered: bool = True
    """Whether the answer fits what the task asks for; True also for a task that asks for none."""
    afresh: bool = False
    """Whether the episode cannot be resumed in place: the next episode of its task begins with a reset."""
    server_away: bool = False
    """Whether a stage waited because no server of its model answered."""
    crash: AppCrash | None = None
    """The crash of the app under test that ended the episode."""

    @property
    def explanation(self) -> str:
        """Return why the task ended so: the unmet tests of its check if the agent called it finished, else ``reason``.

        What the agent said of a task that it did not do is no reason.
        """
        if self.ending is not Ending.FINISHED or self.verified is True or (self.verified is None and not self.unmet):
            return self.reason
        problem = "its check could not be decided" if self.verified is None else "its check does not hold"
        return ": ".join(filter(None, (problem, "; ".join(map(str, self.unmet)))))


Record = Annotated[
    EpisodeStarted
    | PhonePrepared
    | ScreenCaptured
    | Perceived
    | Planned
    | ActionDecided
    | ActionJudged
    | ActionSent
    | ActionReceived
    | Acted
    | Reflected
    | NotesTaken
    | Restored
    | StageResult
    | StageFailed
    | StageDropped
    | RubricsChecked
    | CheckPrepared
    | StatementJudged
    | StateRead
    | Resumed
    | EpisodePaused
    | EpisodeUnpaused
    | EpisodeTakenOver
    | EpisodeHandedBack
    | Recalled
    | EpisodeEnded
    | ModelSessionEnded
    | Learned,
    Field(discriminator="kind"),
]
