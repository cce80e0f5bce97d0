"""Define two runs beside each other, as the pages of ``manyhands diff --html`` show them."""

from __future__ import annotations

from manyhands.protocol.reports.run_report import TaskVerdict
from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.instants import Instant


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
