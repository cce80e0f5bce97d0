"""Define an episode as pages show it: each step with its screens, its stages and its model calls."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, computed_field

from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.screen import ElementSource
from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.episodes import EpisodeStatus, EpisodeStep
from manyhands.protocol.service.instants import Instant
from manyhands.protocol.tasks.side_effects import StateChange


class ReadElement(ServiceAnswer):
    """Show a text or an icon on a screenshot, with its box in pixels of the screenshot."""

    kind: Literal["text", "icon"]
    """What it is."""
    content: str
    """The text as read, or the icon's name; empty for an icon without a name."""
    x1: int
    """The left edge."""
    y1: int
    """The upper edge."""
    x2: int
    """The right edge."""
    y2: int
    """The lower edge."""
    source: ElementSource = "vision"
    """Who told of it. ``vision``: it was read off the pixels. ``accessibility``: the phone's views."""


class StageBar(ServiceAnswer):
    """Show one run of a stage, as a bar in a Gantt chart."""

    stage: str
    """The name of the stage; ``settle`` for the part of ``capture`` that waits until the screen rests."""
    start: Instant
    """When it began, in Unix seconds."""
    end: Instant
    """When it ended, in Unix seconds."""
    queue_ms: float = 0
    """The part that was spent waiting in queues, in milliseconds."""
    away: tuple[tuple[float, float], ...] = ()
    """When it waited because no server of its model answered: begins and ends by the clock of ``start``."""
    became: Literal["used", "dropped", "failed", "discarded"] = "used"
    """What became of its result. ``dropped``: an assumption proved wrong. ``discarded``: by an interruption."""
    assumed: tuple[str, ...] = ()
    """The stages that it did not wait for: it began on assumptions about their results."""
    wrong: str | None = None
    """The stage that did not end as assumed, for a dropped one."""
    error: str = ""
    """Why it failed."""


class CallSummary(ServiceAnswer):
    """Show a model call without its texts, which are in a CallContent."""

    number: int
    """Its number among the calls of its step, from 0."""
    stage: str
    """The stage that made it."""
    role: Role
    """The role that asked."""
    server: str
    """The server's URL, without secrets."""
    model: str = ""
    """The model's name in the request; empty if the request was not recorded."""
    started_at: Instant
    """When it began, in Unix seconds."""
    latency_ms: float
    """How long it took, in milliseconds."""
    queue_ms: float = 0
    """How long it waited in our own queue, in milliseconds."""
    input_tokens: int = 0
    """How many tokens it sent."""
    output_tokens: int = 0
    """How many tokens it received."""
    cached_tokens: int = 0
    """How many of the tokens that it sent the server's cache had."""
    attempts: int = 1
    """How often the request was sent."""
    is_repair: bool = False
    """Whether it asked the model again because its answer was invalid."""
    is_dropped: bool = False
    """Whether its result was not used."""
    error: str | None = None
    """Why it failed."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def agent(self) -> str:
        """Return the name of the role's agent for people, such as ``planner``."""
        return self.role.spec.agent


class CallContent(ServiceAnswer):
    """Show what a model call sent and received."""

    number: int
    """Its number among the calls of its step, from 0."""
    request: dict[str, JsonValue]
    """The JSON body that was sent. ``manyhands:CONTENT_ID`` replaces the data of each picture."""
    reply: str | None
    """The text of the answer; None if there was none."""


class StageFinding(ServiceAnswer):
    """Show what a stage found that only its profile knows, such as why a shortcut may not be used."""

    stage: str
    """The stage."""
    text: str
    """Names and values in words: ``permitted: no; reason: the screen is another``."""
    is_problem: bool = False
    """Whether the stage reports a problem."""


class StepCalls(ServiceAnswer):
    """Hold the contents of the model calls of one step, in the order of the step's ``calls``."""

    step: int
    """The number of the step, from 0."""
    calls: tuple[CallContent, ...]
    """The calls."""


class ReportedStep(EpisodeStep):
    """Show a step with all that its journal tells of it."""

    elements: tuple[ReadElement, ...] = ()
    """What perception read off the screenshot, in reading order."""
    stages: tuple[StageBar, ...] = ()
    """The runs of the step's stages, in the order of their starts."""
    calls: tuple[CallSummary, ...] = ()
    """The model calls of the step, in the order of their starts."""
    judged_by: Literal["", "reflector", "agent", "rule"] = ""
    """Who gave the verdict: a reflector, the agent in its reply of the next step, or a rule; empty if nobody did."""
    rule: str = ""
    """The rule that gave the verdict, such as ``unchanged``; empty if none did."""
    action_kind: str = ""
    """The name of the action: ``Tap``, ``Swipe``, ``Type``, the name of a shortcut."""
    typed_text: str = ""
    """The text that the action typed."""
    by_person: str = ""
    """Who did the action, if a person had taken the episode over; empty if the agent did it."""
    wrong_page: str | None = None
    """The content id of the screen right after the action, if the episode then went back to the page before."""
    went_back: bool | None = None
    """Whether going back led to the page from before the action; None if the episode did not go back."""
    findings: tuple[StageFinding, ...] = ()
    """What stages found that only the profile knows."""
    rubrics_held: tuple[str, ...] = ()
    """The rubrics that held after the step."""


class JudgeVerdict(ServiceAnswer):
    """Show what a model said of a statement of the task's check."""

    statement: str
    """The statement."""
    verdict: str | None
    """``yes``, ``no`` or ``cannot tell``; None if the judge did not answer."""
    reason: str
    """The judge's reason, or why there is no verdict."""
    screens: tuple[str, ...] = ()
    """The content ids of the screens that the judge was shown."""


class KnownLesson(ServiceAnswer):
    """Show a tip or a shortcut that the episode was given, or that it taught."""

    id: str
    """Its id in the memory."""
    kind: Literal["tip", "shortcut"]
    """What it is."""
    text: str
    """The tip, or the shortcut in one or more lines."""
    before: str = ""
    """The text before the lesson, if the lesson changed it."""
    way: Literal["given", "added", "changed", "removed"]
    """Whether the episode was given it, or what its lesson changed."""


class EpisodeReport(ServiceAnswer):
    """Show an episode. While it runs, its steps grow."""

    episode: EpisodeStatus
    """The episode as a whole."""
    batch: str = ""
    """The batch that the task belongs to."""
    apps: tuple[str, ...] = ()
    """The apps that the task names."""
    tags: tuple[str, ...] = ()
    """The tags of the task."""
    schedule: str = ""
    """The schedule of the stages: ``serial``, ``overlap`` or ``speculate``."""
    stage_order: tuple[str, ...] = ()
    """The stages of a step, in the order of the serial schedule."""
    max_steps: int | None = None
    """The task's limit of steps."""
    first_step: int = 0
    """The number of the first step that is included: an answer may leave out earlier ones."""
    steps: tuple[ReportedStep, ...] = ()
    """The steps in order."""
    judged: tuple[JudgeVerdict, ...] = ()
    """What a model said of the check's statements."""
    check_screen: str | None = None
    """The content id of the screen that the check looked at."""
    unexpected_changes: tuple[StateChange, ...] = ()
    """What the task changed beyond what it may change."""
    lessons: tuple[KnownLesson, ...] = ()
    """The tips and shortcuts that the episode was given and taught."""
    lesson_problem: str = ""
    """Why nothing was learned, if learning failed, or what was refused and why."""
    sizes: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """Width and height of each screen in pixels, by content id."""
    has_log: bool = False
    """Whether the phone's logcat was recorded beside the steps."""
