"""Compute figures of learning from the journals of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from manyhands.evaluation.episodes import Attempted, RecordedEpisode
from manyhands.evaluation.learning.shortcut_uses import Use, counted_uses, new_ones, summed_uses, uses_of
from manyhands.evaluation.timing import percentiles
from manyhands.evaluation.usage import calls_by_asker, usage
from manyhands.protocol.journals.records import Learned, Recalled
from manyhands.protocol.roles.lessons import LessonTaken, Refusal
from manyhands.protocol.roles.memory import SHORTCUT_NAME
from manyhands.protocol.runs.learning_figures import EpisodeLearning, LearningFigures, TaughtCounts


def learned_in(episode: RecordedEpisode) -> Learned | None:
    """Return the record of an episode's lesson; None if no learner was asked."""
    return next((record for record in episode.records if isinstance(record, Learned)), None)


def learning_of(tasks: Sequence[Attempted]) -> LearningFigures | None:
    """Return a run's figures of learning; None if no task had a lesson or a recall."""
    attempts = (one for task in tasks for one in task.attempts if one.on_a_phone)
    episodes = sorted(attempts, key=lambda one: (one.started.at, one.started.episode))
    records = [record for episode in episodes for record in episode.records]
    lessons = [record for record in records if isinstance(record, Learned)]
    if not lessons and not any(isinstance(record, Recalled) for record in records):
        return None
    places = places_of(tasks)
    uses = {episode.started.episode: uses_of(episode) for episode in episodes}
    rows = tuple(episode_learning(one, places.get(one.started.episode), uses[one.started.episode]) for one in episodes)
    return LearningFigures(
        lessons=sum(lesson.taken is not None for lesson in lessons),
        failed=sum(lesson.taken is None for lesson in lessons),
        tips=summed(row.taught_tips for row in rows),
        shortcuts=summed(row.taught_shortcuts for row in rows),
        used=summed_uses(row.used for row in rows),
        put_aside=tuple(dict.fromkeys(use.id for used in uses.values() for use in used if use.put_aside)),
        model={asker: usage(calls) for asker, calls in calls_by_asker(records).items()},
        lesson_ms=percentiles([lesson.span.ms for lesson in lessons]),
        by_episode=rows,
    )


def places_of(tasks: Sequence[Attempted]) -> Mapping[str, int]:
    """Return the places of tasks in their scenarios, from 1, by the ids of their episodes.

    ``tasks`` must be in the order of the run, in which the tasks of a scenario follow each other. Tasks without a
    scenario have no place.
    """
    counts: Counter[str] = Counter()
    places: dict[str, int] = {}
    for task in tasks:
        scenario = _scenario(task)
        if scenario is None:
            continue
        counts[scenario] += 1
        places |= dict.fromkeys((one.started.episode for one in task.attempts), counts[scenario])
    return places


def _scenario(task: Attempted) -> str | None:
    if task.attempts:
        return task.attempts[-1].started.task.memory_scope
    return task.asked.get("memory_scope")


def episode_learning(episode: RecordedEpisode, place: int | None, uses: Sequence[Use]) -> EpisodeLearning:
    """Count the tips and shortcuts that an episode was given, used and taught."""
    started, learned = episode.started, learned_in(episode)
    new_tips, new_shortcuts = new_ones(started.memory)
    tips, shortcuts = taught(None if learned is None else learned.taken)
    return EpisodeLearning(
        episode=started.episode,
        task=started.task.id,
        scenario=started.task.memory_scope,
        place=place,
        tips=len(started.memory.tips),
        new_tips=new_tips,
        shortcuts=len(started.memory.shortcuts),
        new_shortcuts=new_shortcuts,
        left_out=sum(record.left_out for record in episode.records if isinstance(record, Recalled)),
        used=counted_uses(uses),
        taught_tips=tips,
        taught_shortcuts=shortcuts,
        lesson="none" if learned is None else "failed" if learned.taken is None else "taught",
        problem="" if learned is None else learned.problem,
    )


# ---------------------------------------------------------------------------- what was taught
def taught(lesson: LessonTaken | None) -> tuple[TaughtCounts, TaughtCounts]:
    """Count what a lesson did to tips, and what it did to shortcuts."""
    if lesson is None:
        return TaughtCounts(), TaughtCounts()
    kinds = {change.id: change.kind for change in lesson.changes}

    def count(kind: str) -> TaughtCounts:
        by_way = {
            way: sum((kinds.get(id) or _kind(id)) == kind for id in ids)
            for way, ids in (("added", lesson.added), ("changed", lesson.changed), ("removed", lesson.removed))
        }
        return TaughtCounts(**by_way, refused=sum(_refused(refusal) == kind for refusal in lesson.refused))

    return count("tip"), count("shortcut")


def _kind(id: str) -> str:
    """Return whether an id names a tip or a shortcut. The memory service begins the ids of tips with ``tip-``."""
    return "tip" if id.startswith("tip-") else "shortcut"


def _refused(refusal: Refusal) -> str:
    """Return whether a tip or a shortcut was refused. In older journals, which lack the kind, the name's form tells."""
    return refusal.kind or ("shortcut" if re.fullmatch(SHORTCUT_NAME, refusal.what) else "tip")


def summed(counts: Iterable[TaughtCounts]) -> TaughtCounts:
    """Return the sums of the counts."""
    all_counts = list(counts)
    return TaughtCounts.model_validate(
        {name: sum(getattr(one, name) for one in all_counts) for name in TaughtCounts.model_fields}
    )
