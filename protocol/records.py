"""What an episode's journal holds: append-only, enough to resume, replay, score and draw it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, Field, JsonValue, ValidationError

from manyhands.protocol.actions import AtomicAction
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.lessons import LessonTaken, Scope
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.phones import Receipt
from manyhands.protocol.predicates import UnmetTest
from manyhands.protocol.requests import Decision, Notes, Plan, Reflection
from manyhands.protocol.screens import Screen, Screenshot
from manyhands.protocol.tasks import TaskSpec

M = TypeVar("M", bound=Message)

StageName = str
"""A stage of a profile's step (``actors.profiles``). Settling happens inside ``capture`` and is reported apart."""
STAGES_OF_E: tuple[StageName, ...] = ("capture", "perceive", "plan", "decide", "act", "verify", "note")
"""The stages of journals that do not list theirs."""

Interval = tuple[float, float]
"""A beginning and an end, in Unix seconds."""


class Span(Message):
    """Hold when a stage ran, in Unix seconds; ``queue_ms`` of it was spent waiting in queues."""

    start: float
    end: float
    queue_ms: float = Field(default=0, ge=0)
    away: tuple[Interval, ...] = ()
    """When the stage waited because no server of its model answered. No time of ours: no figure counts it."""

    @property
    def ms(self) -> float:
        """Return milliseconds of work: the span less its queues, and less the time in which no server answered."""
        away_s = sum(end - start for start, end in self.away)
        return max(0.0, (self.end - self.start - away_s) * 1000 - self.queue_ms)


class EpisodeStarted(Message):
    kind: Literal["episode_started"] = "episode_started"
    at: float
    run: str
    episode: str
    attempt: int = Field(ge=1)
    """Counts the tries at one task, over phones."""
    task: TaskSpec
    serial: str
    epoch: int
    profile: str
    schedule: str
    stages: tuple[StageName, ...] = STAGES_OF_E
    """The stages of the profile's step, in the order of the serial loop."""
    memory: LongTermMemory
    settings: dict[str, Any] = Field(default_factory=dict)
    batch: str = ""
    """Which of the run's batches the task belongs to; empty in journals of before batches had names."""
    place: int = 0
    """The task's index in its batch."""
    restarts: int = 0
    """How often this attempt had to be begun anew, for reasons outside of the task."""

    @property
    def on_a_phone(self) -> bool:
        """Return whether any phone had the task before it was given up."""
        return self.serial != ""

    @property
    def recency(self) -> tuple[int, int, float]:
        """Return what the episodes of one task are ordered by: the last one that was on a phone tells where it stands.

        When they ended tells nothing: a host that was frozen may write the end of an older one late.
        """
        return self.attempt, self.restarts, self.at


class PhonePrepared(Message):
    """Record that the phone was put into its starting state, with the receipts of what was sent for that."""

    kind: Literal["phone_prepared"] = "phone_prepared"
    at: float
    receipts: tuple[Receipt, ...]


class StageRecord(Message):
    """Record what became of a stage of one step."""

    step: int
    span: Span
    stage: StageName
    calls: tuple[ModelCall, ...] = ()
    assumed: tuple[StageName, ...] = Field(default=(), validation_alias=AliasChoices("assumed", "supposed"))
    """Stages that this one did not wait for: it began on assumptions about how they would end."""


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


class ActionSent(Message):
    """Record an atom before the phone is touched; written and synced before."""

    kind: Literal["action_sent"] = "action_sent"
    at: float
    step: int
    key: str
    action: AtomicAction


class ActionReceived(Message):
    kind: Literal["action_received"] = "action_received"
    step: int
    receipt: Receipt


Fault = Literal["action", "precondition", "surprise", "lost"]
"""What a failed action failed by: itself; the precondition of its shortcut, so that nothing was sent; what the phone
did with one of its atoms; an interruption, so that nobody knows what the rest would have done."""


class Acted(StageRecord):
    """Record that all atoms of a step's action were dealt with. ``problem``: why the action counts as failed."""

    kind: Literal["acted"] = "acted"
    stage: StageName = "act"
    problem: str | None = None
    fault: Fault | None = None
    """None without a problem, and in journals of before there were faults."""


class Reflected(StageRecord):
    kind: Literal["reflected"] = "reflected"
    stage: StageName = "verify"
    reflection: Reflection


class NotesTaken(StageRecord):
    kind: Literal["noted"] = "noted"
    stage: StageName = "note"
    notes: Notes


class Restored(StageRecord):
    """Record how the page of before a step's action was sought by Back. What the phone shows since is s(step + 1)."""

    kind: Literal["restored"] = "restored"
    stage: StageName = "restore"
    backs: int
    restored: bool
    """Whether the page of before is shown again, as far as anyone can tell."""
    screenshot: Screenshot
    screen: Screen


def read_stage_data(kind: type[M], data: Mapping[str, JsonValue]) -> M | None:
    """Return the data of a ``StageResult`` as a message of a type; None where they are of another one."""
    try:
        return kind.model_validate(data)
    except ValidationError:
        return None


class StageResult(StageRecord):
    """Record what a stage found for which no other record is made, as its profile declares it (``Stage.leaves``)."""

    kind: Literal["stage_result"] = "stage_result"
    data: dict[str, JsonValue]

    def read(self, kind: type[M]) -> M | None:
        """Return the data as a message of a type; None where they are of another one."""
        return read_stage_data(kind, self.data)


class StageFailed(StageRecord):
    """Record that a stage gave no result. Where the step can go on (a note, a reply that is not a plan) it does."""

    kind: Literal["stage_failed"] = "stage_failed"
    code: str
    error: str


class StageDropped(StageRecord):
    """Record that a stage began on assumptions, of which one proved wrong. Nothing follows from it.

    A call that was cancelled is not among its ``calls``: only the server knows its tokens.
    """

    kind: Literal["dropped"] = "dropped"
    wrong: StageName | None
    """The stage that did not end as assumed; its own name if it failed by itself; None if the episode ended first.

    None, too, with nothing ``assumed``: what an interruption has made void is told in this way.
    """


class RubricsChecked(Message):
    kind: Literal["rubrics_checked"] = "rubrics_checked"
    at: float
    step: int
    held: tuple[str, ...]
    """Names of the rubrics that hold now."""


class Resumed(Message):
    """Record that an interrupted episode goes on in place. What was found for later steps than ``step`` is void.

    An end before it is none any more. What became of an action without a receipt was asked before it.
    """

    kind: Literal["resumed"] = "resumed"
    at: float
    step: int
    """The last step of whose action anything was begun, or which was dealt with; -1 where there is none."""
    serial: str
    epoch: int
    """That of the new lease: whoever had the older one can neither send nor write any more."""
    cause: str
    """Why it had stopped, one line for people."""
    unseen: tuple[int, ...] = ()
    """Steps whose screenshots the interruption has lost, of those that somebody may be shown."""
    app: str | None = None
    """The app that the phone showed last, where that was seen after its last action. Should it be interrupted again
    before the phone is looked at, the phone is to show that then."""
    run_cut_off: bool = False
    """Its whole run had stopped, and goes on: that says nothing against the episode, and does not count as in vain."""


class Recalled(Message):
    """Record which calls chose what the episode knows, right behind its start; none where nobody was asked."""

    kind: Literal["recalled"] = "recalled"
    at: float
    calls: tuple[ModelCall, ...]
    left_out: int = 0
    """Tips and shortcuts that its scopes knew beside."""


class Learned(Message):
    """Record what an episode taught, behind its end. With it nothing of the episode is left to be done."""

    kind: Literal["learned"] = "learned"
    at: float
    span: Span
    scope: Scope
    taken: LessonTaken | None
    """None where nothing was learned."""
    calls: tuple[ModelCall, ...] = ()
    problem: str = ""


class EpisodeEnded(Message):
    kind: Literal["episode_ended"] = "episode_ended"
    at: float
    ending: Ending
    reason: str
    steps: int
    verified: bool | None
    """Whether the task's check holds; None without a check."""
    rubrics: dict[str, bool]
    """Whether each rubric ever held."""
    unmet: tuple[UnmetTest, ...] = ()
    """What of the check did not hold; none where it held or could not be asked."""
    rubrics_unmet: dict[str, tuple[UnmetTest, ...]] = Field(default_factory=dict)
    """What did not hold at the end, of each rubric that never held."""
    answer: str | None = None
    afresh: bool = False
    """The episode cannot be gone on with in place: whoever takes up its task again begins with a reset."""


Record = Annotated[
    EpisodeStarted
    | PhonePrepared
    | ScreenCaptured
    | Perceived
    | Planned
    | ActionDecided
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
    | Resumed
    | Recalled
    | EpisodeEnded
    | Learned,
    Field(discriminator="kind"),
]
