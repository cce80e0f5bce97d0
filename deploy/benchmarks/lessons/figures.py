"""Compute what learning adds, from the journals of a run of ``e`` and one of ``e+evo``."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.timing import between_s, percentiles
from manyhands.evaluation.usage import calls_of, usage_by_role
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.usage import Percentiles, RoleUsage

LATER_S = 0.2
"""Seconds by which the time between two episodes of a phone may grow, at p50."""


class RunOfLessons(Message):
    """Hold the figures of one run's journals."""

    profile: str
    episodes: int
    phones: int
    between_s: Percentiles
    """Seconds from the end of an episode to the start of the next one on the same phone, over all phones."""
    between: int
    """The number of these intervals."""
    by_role: Mapping[str, RoleUsage]


class LessonFigures(Message):
    """Hold two runs side by side."""

    without: RunOfLessons
    learning: RunOfLessons
    later_s: float
    """Seconds that phones idle longer between episodes with learning, at p50."""

    @property
    def held(self) -> bool:
        """Return whether learning delays no phone by more than LATER_S."""
        return self.later_s <= LATER_S


def run_of_lessons(run: RunFolder) -> RunOfLessons:
    """Read a run. Raises BadInput if no phone had two episodes."""
    journals = [scan.records for scan in run.journals.values()]
    between = between_s(journals)
    every = [one for gaps in between.values() for one in gaps]
    figures = percentiles(every)
    if figures is None:
        raise BadInput(f"{run.path}: no phone had two episodes, one after another")
    used = usage_by_role([call for records in journals for call in calls_of(records)])
    return RunOfLessons(
        profile=str(run.asked.get("profile", "")),
        episodes=len(journals),
        phones=len(between),
        between_s=figures,
        between=len(every),
        by_role={role: one for role, one in used.items() if one.calls},
    )


def lesson_figures(without: RunFolder, learning: RunFolder) -> LessonFigures:
    """Compare two runs. Raises BadInput."""
    one, other = run_of_lessons(without), run_of_lessons(learning)
    return LessonFigures(without=one, learning=other, later_s=other.between_s.p50 - one.between_s.p50)
