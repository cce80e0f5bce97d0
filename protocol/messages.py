"""What our actors say to each other. Pixels of the screenshot throughout; images travel beside."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from protocol.actions import Action
from protocol.base import Message, Outcome, Role
from protocol.memory import Shortcut
from protocol.screens import Screen, Screenshot

T = TypeVar("T")


class CallContext(Message):
    """Goes with every call: what it is for and how long it may take."""

    episode: str
    step: int = Field(ge=0)
    deadline: float
    """Unix seconds. Every role enforces it itself, for a caller that was killed cancels nothing."""
    traceparent: str | None = None


# ---------------------------------------------------------------------------- the model, as recorded
class Usage(Message):
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)


class ModelCall(Message):
    """One request to a model server and what came of it: enough to send it again.

    ``request`` is the JSON body as it was sent, with each image's data replaced by
    ``manyhands:<content id>``; the pixels are in the run folder.
    """

    role: Role
    server: str
    request: dict[str, Any]
    reply: str | None
    """The text of the answer; None if none came."""
    error: str | None = None
    usage: Usage = Usage()
    started_at: float
    latency_ms: float = Field(ge=0)
    queue_ms: float = Field(default=0, ge=0)
    """Time in our own admission queue, not in the server."""
    attempts: int = Field(default=1, ge=1)
    repair: bool = False
    """The model was asked again because its answer to the same request could not be used."""


class Answered(Message, Generic[T]):
    """A role's result and the model calls that it took (none for a verdict made without the model)."""

    value: T
    calls: tuple[ModelCall, ...] = ()
    queue_ms: float = Field(default=0, ge=0)


# ---------------------------------------------------------------------------- planner
class Subgoal(Message):
    id: int = Field(ge=1)
    """Counts the subgoals of an episode; models reword, so texts are not compared."""
    text: str


class Plan(Message):
    thought: str
    text: str
    """The overall plan."""
    subgoal: Subgoal
    change: Literal["keep", "next", "replan"]
    """What became of the subgoal before: kept, reached, or given up."""
    status: Literal["continue", "finished", "impossible"]


class PastAction(Message):
    """A step as later prompts show it."""

    step: int
    action: Action | None
    """None where the model's output was no action."""
    expectation: str
    outcome: Outcome
    error: str
    """Why it failed; empty for outcome A."""


class PlanRequest(Message):
    goal: str
    previous: Plan | None
    progress: str
    notes: str
    shortcuts: tuple[Shortcut, ...]
    failures: tuple[PastAction, ...]
    """The last failed actions, only when the planner is asked to help (two in a row)."""
    hints: str
    screenshot: Screenshot


# ---------------------------------------------------------------------------- operator
class DecideRequest(Message):
    goal: str
    plan: Plan
    progress: str
    notes: str
    screenshot: Screenshot
    screen: Screen
    history: tuple[PastAction, ...] = Field(max_length=5)
    tips: tuple[str, ...]
    shortcuts: tuple[Shortcut, ...]
    hints: str


class Decision(Message):
    """An action, or the reason why the model's output is none."""

    thought: str
    action: Action | None
    expectation: str
    """What the screen should show after the action."""
    problem: str | None = None
    """Set if and only if ``action`` is None; the operator sees it in its history next time."""


# ---------------------------------------------------------------------------- reflector, notetaker
class ReflectRequest(Message):
    goal: str
    subgoal: str
    progress: str
    action: Action
    expectation: str
    before: Screenshot
    after: Screenshot
    screen_before: Screen
    screen_after: Screen | None
    """Only where a profile's reflector sees the elements after."""
    shortcuts: tuple[Shortcut, ...] = ()
    """Those that the action may call, so that its coordinates can be shown in the model's space."""


class Reflection(Message):
    outcome: Outcome
    error: str
    progress: str
    made_by: Literal["model", "check"]
    """``check``: a cheap verdict, made without the model."""


class NoteRequest(Message):
    goal: str
    plan: str
    subgoal: str
    progress: str
    notes: str
    screenshot: Screenshot
    screen: Screen


class Notes(Message):
    text: str
    """All that is to be kept, replacing the notes so far."""
