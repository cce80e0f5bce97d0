"""Define the figures of learning: what a run learned, and how it used tips and shortcuts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.runs.usage import Percentiles, RoleUsage

Known = Literal["initial", "learned"]
"""Where a shortcut comes from: known from the start, or learned by the fleet."""
Asker = Literal["steps", "verifier", "retriever", "learners", "judge"]
"""Who made model calls: the steps of episodes, or the roles that work beside them."""


class UseCounts(Message):
    """Count the uses of shortcuts that operators chose, by their outcome."""

    worked: int = 0
    refused: int = 0
    """The precondition did not hold; nothing was sent."""
    surprised: int = 0
    """The phone did something unexpected, so the rest of the shortcut was not sent."""
    failed: int = 0
    """The shortcut was performed, and its verdict was B or C."""
    put_aside: int = 0
    """The shortcut had been quarantined meanwhile; nothing was sent."""
    untold: int = 0
    """The use says nothing about the shortcut: wrong arguments, an interruption, an end before the verdict."""

    @property
    def total(self) -> int:
        return self.worked + self.misused + self.untold

    @property
    def misused(self) -> int:
        """Return the number of uses that did not do what was intended."""
        return self.refused + self.surprised + self.failed + self.put_aside


class TaughtCounts(Message):
    """Count tips or shortcuts by what lessons did to them."""

    added: int = 0
    changed: int = 0
    """A tip with a new text, or a shortcut with a new version."""
    removed: int = 0
    refused: int = 0


class EpisodeLearning(Message):
    """Count what an episode knew, used and taught."""

    episode: str
    task: str
    scenario: str | None
    """The task's ``memory_scope``."""
    place: int | None
    """The task's place in its scenario, from 1; None without a scenario."""
    tips: int
    """How many tips the episode was given, including initial ones."""
    new_tips: int
    """How many of these tips are not initial."""
    shortcuts: int
    new_shortcuts: int
    left_out: int
    """How many tips and shortcuts its scopes hold that the episode was not given."""
    used: dict[Known, UseCounts]
    taught_tips: TaughtCounts
    taught_shortcuts: TaughtCounts
    lesson: Literal["taught", "failed", "none"]
    """``none``: no learner was asked, because the phone, the lease, the host or the run was lost."""
    problem: str = ""
    """Why the lesson failed, or was not stored completely."""


class LearningFigures(Message):
    """Hold the figures of what a run learned."""

    lessons: int
    """How many lessons the memory service stored."""
    failed: int
    """How many lessons stored nothing: no learner answered, or there was nothing to learn from."""
    tips: TaughtCounts
    shortcuts: TaughtCounts
    used: dict[Known, UseCounts]
    put_aside: tuple[str, ...]
    """Shortcuts, as ``ID@VERSION``, that were quarantined after a use in this run."""
    model: dict[Asker, RoleUsage]
    lesson_ms: Percentiles | None
    """How long learning took after an episode. No phone was held during this time."""
    by_episode: tuple[EpisodeLearning, ...] = Field(default=())
    """In the order in which the episodes started."""
