"""Define episodes and their steps, as a service shows them from the journals of its run folder."""

from __future__ import annotations

from pydantic import Field, JsonValue, computed_field

from manyhands.protocol.base import Ending, Outcome, VerifiedBy
from manyhands.protocol.roles.role import Role
from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.instants import Instant
from manyhands.protocol.tasks.unmet_tests import UnmetTest


class ModelWriting(ServiceAnswer):
    """Show what a model has written so far in a call that is not over."""

    role: Role
    """The role that asked the model."""
    since: Instant
    """When the call was sent, in Unix seconds."""
    text: str
    """The last few thousand characters. The model's server must stream for this to grow before the call is over."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def agent(self) -> str:
        """Return the name of the role's agent for people, such as ``planner``."""
        return self.role.spec.agent


class EpisodeWriting(ServiceAnswer):
    """Show what models are writing now for an episode."""

    calls: tuple[ModelWriting, ...]
    """The calls that are not over and are streamed, the newest at the end."""


class EpisodeStatus(ServiceAnswer):
    """Show an episode: one attempt at a task on one phone."""

    id: str
    """The id of the episode."""
    task: str
    """The id of its task in this service."""
    goal: str
    """What is to be done, in plain language."""
    attempt: int
    """The number of the attempt at the task, from 1."""
    phone: str
    """The serial of the phone; empty if the task was given up before a phone had it."""
    profile: str
    """The agent's profile, such as ``e``."""
    started_at: Instant
    """When it started, in Unix seconds."""
    ended_at: Instant | None = None
    """When it ended, in Unix seconds; None before."""
    ending: Ending | None = None
    """How it ended; None before."""
    reason: str | None = None
    """Why it ended so, in one sentence; None before."""
    steps: int = 0
    """How many steps it has done."""
    verified: bool | None = None
    """Whether the task's check holds; None before its end, without a check, or if nobody could tell."""
    verified_by: VerifiedBy | None = None
    """Whose word decided whether the check holds: the phone's, or that of a model as judge."""
    unmet: tuple[UnmetTest, ...] = ()
    """The tests of the check that did not hold."""
    answer: str | None = None
    """The agent's answer, if the task asks for one."""
    answer_data: JsonValue = None
    """The answer as data, if the task has a schema."""
    resumed: int = 0
    """How often it was interrupted and resumed in place."""
    damaged: int = 0
    """How many places of its journal cannot be read. Each may hide a part of a step."""


class ScreenTouch(ServiceAnswer):
    """Show where an action touched the screen: a tap has one point, a swipe has two."""

    x1: int
    """The column at which the touch began, in pixels of the screenshot."""
    y1: int
    """The row at which the touch began, in pixels of the screenshot."""
    x2: int
    """The column at which the touch ended, in pixels of the screenshot."""
    y2: int
    """The row at which the touch ended, in pixels of the screenshot."""


class EpisodeStep(ServiceAnswer):
    """Show one step of an episode. A part that the step does not have, or does not have yet, is empty or None."""

    step: int
    """The number of the step, from 0."""
    person: str = ""
    """Who acted in this step while the episode was taken over; empty for a step of the agent."""
    screen: str | None = None
    """The content id of the screenshot before the action."""
    width: int | None = None
    """The width of that screenshot in pixels."""
    height: int | None = None
    """The height of that screenshot in pixels."""
    taken_at: Instant | None = None
    """When the screenshot was taken, in Unix seconds."""
    app: str | None = None
    """The app in front, as the phone reports it."""
    texts: tuple[str, ...] = ()
    """The texts and named icons that were read off the screen, in reading order."""
    plan: str = ""
    """The plan for the whole task."""
    subgoal: str = ""
    """What is to be reached next."""
    thought: str = ""
    """Why the action was chosen."""
    action: str = ""
    """The action, in one line."""
    expectation: str = ""
    """What the screen should show after the action."""
    touches: tuple[ScreenTouch, ...] = ()
    """Where the action touched the screen."""
    problem: str | None = None
    """Why the action failed, or why there is none."""
    outcome: Outcome | None = None
    """The verdict on the action: A as expected, B a wrong page, C nothing changed."""
    error: str = ""
    """What was wrong after the action, by the verdict."""
    progress: str = ""
    """What has been done so far, by the verdict."""
    notes: str = ""
    """What was noted for later steps."""
    screen_after: str | None = None
    """The content id of the screenshot right after the action."""
    times_ms: dict[str, float] = Field(default_factory=dict)
    """The milliseconds of work, by stage."""
    model_calls: int = 0
    """How many calls of models the step made."""
    input_tokens: int = 0
    """How many tokens its calls sent."""
    output_tokens: int = 0
    """How many tokens its calls received."""
    failures: tuple[str, ...] = ()
    """The stages that gave no result, each with the reason."""
    resumed: tuple[str, ...] = ()
    """Why the episode was interrupted before this step, once for each resumption."""
