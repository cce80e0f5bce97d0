"""Define a run as the report's first page shows it, without screens and prompts, and two runs beside each other."""

from __future__ import annotations

from typing import Literal

from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.episode_report import KnownLesson
from manyhands.protocol.runs.run_summary import RunSummary, TaskRow
from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.instants import Instant

TaskVerdict = Literal["done", "failed", "undecided", "cancelled"]
"""What became of a task. ``done``: its check holds, or it was finished without one. ``undecided``: nobody knows."""


class EpisodeRow(ServiceAnswer):
    """Show an episode in a list."""

    id: str
    """The id of the episode."""
    phone: str
    """The serial of its phone; empty if no phone had it."""
    attempt: int
    """The number of the attempt, from 1."""
    started_at: Instant
    """When it started, in Unix seconds."""
    ended_at: Instant | None
    """When it ended, in Unix seconds; None if its journal has no end."""
    ending: Ending | None
    """How it ended; None if its journal has no end."""
    steps: int
    """How many steps it has."""
    failure_step: int | None = None
    """The step at which to begin looking for why it failed; None if it did not fail."""
    last_good_step: int | None = None
    """The last step whose action was as expected; None if there is none."""
    last_screen: str | None = None
    """The content id of its last screen."""


class ReportedTask(ServiceAnswer):
    """Show a task of a run."""

    row: TaskRow
    """How it ended, with its figures."""
    goal: str
    """What is to be done."""
    verdict: TaskVerdict
    """What became of it."""
    apps: tuple[str, ...] = ()
    """The apps that it names, or that were in front."""
    tags: tuple[str, ...] = ()
    """Its tags."""
    duration_s: float = 0
    """Seconds from the start of its first episode to the end of its last one."""
    cause: str | None = None
    """The id of its FailureCause; None if it did not fail."""
    episodes: tuple[EpisodeRow, ...] = ()
    """Its episodes, in the order of their starts."""


class StepMark(ServiceAnswer):
    """Show one step on the timeline of a phone."""

    step: int
    """The number of the step."""
    start: float
    """When its screenshot was taken, in seconds from the start of the run."""
    end: float
    """When the next step began, in seconds from the start of the run."""
    outcome: Outcome | None = None
    """The verdict on its action."""
    stages: tuple[tuple[str, float, float], ...] = ()
    """The stages that were used: name, start and end in seconds from the start of the run."""
    screen: str | None = None
    """The content id of its screenshot."""


class EpisodeTrack(ServiceAnswer):
    """Show an episode on the timeline of its phone."""

    episode: str
    """The id of the episode."""
    task: str
    """The id of its task."""
    start: float
    """When it started, in seconds from the start of the run."""
    end: float
    """When it ended, or when its last record was written, in seconds from the start of the run."""
    ending: Ending | None
    """How it ended."""
    verdict: TaskVerdict
    """What became of its task."""
    steps: tuple[StepMark, ...]
    """Its steps."""


class PhoneTrack(ServiceAnswer):
    """Show a phone on the timeline."""

    phone: str
    """The serial of the phone."""
    episodes: tuple[EpisodeTrack, ...]
    """The episodes on it, in the order of their starts."""


class TimelineEvent(ServiceAnswer):
    """Mark a fault, a resumption, or a time in which a person held an episode, on the timeline."""

    kind: Literal["fault", "resumed", "outage", "paused", "taken_over"]
    """What it is. ``paused`` and ``taken_over``: a person held the episode."""
    at: float
    """When it began, in seconds from the start of the run."""
    end: float | None = None
    """When it ended, in seconds from the start of the run; None if that is unknown, or if it has no length."""
    phone: str = ""
    """The phone that it is about; empty for the whole run."""
    episode: str = ""
    """The episode that it is about, if it is about one."""
    text: str
    """What happened, in one line."""


class FailureCause(ServiceAnswer):
    """Group the tasks that failed for the same cause."""

    id: str
    """The id of the cause within the report."""
    ending: Ending
    """How the tasks ended."""
    app: str
    """The app that was in front at last; empty if unknown."""
    reason: str
    """The reason of the first of them. Those of the others differ in names and numbers only."""
    tasks: tuple[str, ...]
    """The ids of the tasks."""


class TaughtLesson(ServiceAnswer):
    """Show what an episode taught."""

    episode: str
    """The id of the episode."""
    task: str
    """The id of its task."""
    changes: tuple[KnownLesson, ...]
    """What it added, changed and removed."""


class PlotLine(ServiceAnswer):
    """Be one line of a plot."""

    name: str
    """What it is of, such as a scenario."""
    points: tuple[tuple[int, float], ...]
    """Places in the scenario, from 1, each with its value."""


class LearningPlot(ServiceAnswer):
    """Plot a figure over the places of tasks in their scenarios: how tasks taught each other."""

    title: str
    """What is plotted, with its unit."""
    lines: tuple[PlotLine, ...]
    """The lines."""


class RunReport(ServiceAnswer):
    """Show a run."""

    run: str
    """The name of the run folder."""
    made_at: Instant
    """When the report was made, in Unix seconds."""
    started_at: Instant
    """When the first episode started, in Unix seconds; all times of the timeline count from it."""
    is_trimmed: bool = False
    """Whether the report was made without screens."""
    summary: RunSummary
    """The figures of the run."""
    tasks: tuple[ReportedTask, ...]
    """The tasks in the order of the run."""
    phones: tuple[PhoneTrack, ...]
    """The phones in the order of their serials."""
    events: tuple[TimelineEvent, ...] = ()
    """Faults, resumptions, outages, pauses and takeovers in the order of time."""
    causes: tuple[FailureCause, ...] = ()
    """Causes of failures, the most frequent first."""
    lessons: tuple[TaughtLesson, ...] = ()
    """What was learned, in the order of the run."""
    plots: tuple[LearningPlot, ...] = ()
    """How tasks taught each other; empty if no task follows another one in a scenario."""


class TaskSide(ServiceAnswer):
    """Show a task in one of the two runs."""

    verdict: TaskVerdict
    """What became of it."""
    shown: str
    """The verdict and the ending in words, such as ``failed (finished)``."""
    reason: str
    """Why it ended so."""
    episode: str | None
    """The episode that decided it; None if it never began."""
    steps: int
    """How many steps it took."""
    seconds: float
    """How long it took."""


class TaskPair(ServiceAnswer):
    """Show the same task in both runs."""

    task: str
    """The id of the task."""
    goal: str
    """What is to be done."""
    change: str
    """What changed, such as ``newly_failing``, ``slower`` or ``same``."""
    why: str
    """What differs, in one line; empty if nothing does."""
    before: TaskSide | None
    """The task in the earlier run; None if that run lacks it."""
    after: TaskSide | None
    """The task in the later run; None if that run lacks it."""
    other_action: int | None = None
    """The first step at which the actions differ; None if they do not."""
    other_screen: int | None = None
    """The first step at which the pages on the screen differ; None if they do not."""


class DifferenceReport(ServiceAnswer):
    """Show two runs beside each other."""

    made_at: Instant
    """When it was made, in Unix seconds."""
    before: str
    """The name of the earlier run."""
    after: str
    """The name of the later run."""
    pictures_before: str
    """Where ``screens/`` and ``thumbnails/`` of the earlier run are: an address relative to the page, with a slash."""
    pictures_after: str
    """The same for the later run."""
    is_trimmed: bool = False
    """Whether it was made without screens."""
    tasks: tuple[TaskPair, ...]
    """The tasks: those that changed first, in the order of ``manyhands diff``."""
