"""What an episode's journal holds: append-only, enough to resume, replay, score and draw it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from manyhands.protocol.actions import Atom
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.phones import Receipt
from manyhands.protocol.roles import Decision, Notes, Plan, Reflection
from manyhands.protocol.screens import Screen, Screenshot
from manyhands.protocol.tasks import TaskSpec

StageName = Literal["capture", "perceive", "plan", "decide", "act", "verify", "note"]
"""The stages of a step. Settling happens inside ``capture`` and is reported apart."""


Interval = tuple[float, float]
"""A beginning and an end, in Unix seconds."""


class Span(Message):
    """When a stage ran, in Unix seconds; ``queue_ms`` of it was spent waiting in queues."""

    start: float
    end: float
    queue_ms: float = Field(default=0, ge=0)
    away: tuple[Interval, ...] = ()
    """When the stage waited because no server of its model answered. No time of ours: no figure counts it."""

    @property
    def ms(self) -> float:
        """Milliseconds of work: the span less its queues, and less the time in which no server answered."""
        away_s = sum(end - start for start, end in self.away)
        return max(0.0, (self.end - self.start - away_s) * 1000 - self.queue_ms)


class EpisodeStarted(Message):
    kind: Literal["episode_started"] = "episode_started"
    at: float
    run: str
    episode: str
    attempt: int = Field(ge=1)
    """Counts the episodes of one task, over phones."""
    task: TaskSpec
    serial: str
    epoch: int
    profile: str
    schedule: str
    memory: LongTermMemory
    settings: dict[str, Any] = Field(default_factory=dict)


class PhonePrepared(Message):
    """The phone was put into its starting state; ``keys`` of what was sent for that."""

    kind: Literal["phone_prepared"] = "phone_prepared"
    at: float
    receipts: tuple[Receipt, ...]


class Captured(Message):
    kind: Literal["captured"] = "captured"
    step: int
    span: Span
    screenshot: Screenshot


class Perceived(Message):
    kind: Literal["perceived"] = "perceived"
    step: int
    span: Span
    screen: Screen


class Planned(Message):
    kind: Literal["planned"] = "planned"
    step: int
    span: Span
    plan: Plan
    calls: tuple[ModelCall, ...] = ()
    supposed: tuple[StageName, ...] = ()
    """Stages that this one did not wait for: it was asked supposing how they would end, and they did end so."""


class Decided(Message):
    kind: Literal["decided"] = "decided"
    step: int
    span: Span
    decision: Decision
    calls: tuple[ModelCall, ...] = ()
    supposed: tuple[StageName, ...] = ()
    """As in :class:`Planned`."""


class ActionSent(Message):
    """Written and synced before the phone is touched."""

    kind: Literal["action_sent"] = "action_sent"
    at: float
    step: int
    key: str
    action: Atom


class ActionReceived(Message):
    kind: Literal["action_received"] = "action_received"
    step: int
    receipt: Receipt


class Acted(Message):
    """All atoms of a step's action were dealt with. ``problem``: why the action counts as failed."""

    kind: Literal["acted"] = "acted"
    step: int
    span: Span
    problem: str | None = None


class Reflected(Message):
    kind: Literal["reflected"] = "reflected"
    step: int
    span: Span
    reflection: Reflection
    calls: tuple[ModelCall, ...] = ()


class Noted(Message):
    kind: Literal["noted"] = "noted"
    step: int
    span: Span
    notes: Notes
    calls: tuple[ModelCall, ...] = ()


class StageFailed(Message):
    """A stage gave no result. Where the step can go on (a note, a reply that is no plan) it does."""

    kind: Literal["stage_failed"] = "stage_failed"
    step: int
    span: Span
    stage: StageName
    code: str
    error: str
    calls: tuple[ModelCall, ...] = ()


class Dropped(Message):
    """A stage that was asked ahead of time, supposing what proved wrong. Nothing follows from it."""

    kind: Literal["dropped"] = "dropped"
    step: int
    span: Span
    stage: StageName
    supposed: tuple[StageName, ...]
    wrong: StageName | None
    """The stage that did not end as supposed; its own name if it failed by itself; None if the episode ended first."""
    calls: tuple[ModelCall, ...] = ()
    """Those that had ended; a call that was cancelled leaves none, its tokens are known to the server only."""


Asking = Planned | Decided | Reflected | Noted | StageFailed | Dropped
"""Records that carry model calls."""


class RubricsChecked(Message):
    kind: Literal["rubrics_checked"] = "rubrics_checked"
    at: float
    step: int
    held: tuple[str, ...]
    """Names of the rubrics that hold now."""


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
    answer: str | None = None


Record = Annotated[
    EpisodeStarted
    | PhonePrepared
    | Captured
    | Perceived
    | Planned
    | Decided
    | ActionSent
    | ActionReceived
    | Acted
    | Reflected
    | Noted
    | StageFailed
    | Dropped
    | RubricsChecked
    | EpisodeEnded,
    Field(discriminator="kind"),
]
