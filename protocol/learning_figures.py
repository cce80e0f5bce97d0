"""What a run learned, and what became of what it knew, in figures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.usage import Percentiles, RoleUsage

Known = Literal["initial", "learned"]
"""Where a shortcut comes from: known from the start, or from the fleet's memory."""
Asker = Literal["steps", "verifier", "retriever", "learners"]
"""Whose calls they are: those of the steps, or of who works beside them."""


class UseCounts(Message):
    """Count the uses of shortcuts that operators decided for, by what became of them."""

    worked: int = 0
    refused: int = 0
    """Its precondition did not hold; nothing was sent."""
    surprised: int = 0
    """The phone did something else than was meant, and the rest was not sent."""
    failed: int = 0
    """It was carried out, and led to outcome B or C."""
    put_aside: int = 0
    """It had been put aside meanwhile; nothing was sent."""
    untold: int = 0
    """That says nothing of the shortcut: wrong arguments, an interruption, an end before the verdict."""

    @property
    def total(self) -> int:
        return self.worked + self.misused + self.untold

    @property
    def misused(self) -> int:
        """Return the uses that did not do what was meant."""
        return self.refused + self.surprised + self.failed + self.put_aside


class TaughtCounts(Message):
    """Count tips, or shortcuts, by what lessons did with them."""

    added: int = 0
    changed: int = 0
    """Worded anew, or given another version."""
    removed: int = 0
    refused: int = 0


class EpisodeLearning(Message):
    """Say in numbers what an episode knew, used and taught."""

    episode: str
    task: str
    scenario: str | None
    """The task's ``memory_scope``."""
    place: int | None
    """The task's place in its scenario, from 1; None without a scenario."""
    tips: int
    """That it was told, initial ones among them."""
    new_tips: int
    """Those of them that are not initial."""
    shortcuts: int
    new_shortcuts: int
    left_out: int
    """Tips and shortcuts that its scopes knew beside."""
    used: dict[Known, UseCounts]
    taught_tips: TaughtCounts
    taught_shortcuts: TaughtCounts
    lesson: Literal["taught", "failed", "none"]
    """``none``: nobody was asked, for its phone, its lease, its host or the run was lost."""
    problem: str = ""
    """Why a lesson failed, or was not taken whole."""


class LearningFigures(Message):
    """Sum up what a run learned."""

    lessons: int
    """Taken by the memory."""
    failed: int
    """Of which nothing was taken: no learner answered, or there was nothing to learn from."""
    tips: TaughtCounts
    shortcuts: TaughtCounts
    used: dict[Known, UseCounts]
    put_aside: tuple[str, ...]
    """Shortcuts, ``ID@VERSION``, that a use of this run had put aside."""
    model: dict[Asker, RoleUsage]
    lesson_ms: Percentiles | None
    """How long learning took after an episode; no phone was held meanwhile."""
    by_episode: tuple[EpisodeLearning, ...] = Field(default=())
    """In the order in which they started."""
