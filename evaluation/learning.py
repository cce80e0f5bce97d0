"""Compute figures of learning from the journals of a run: what tasks knew and taught, and each use of a shortcut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from manyhands.evaluation.episodes import Attempted, RecordedEpisode
from manyhands.evaluation.timing import percentiles
from manyhands.evaluation.usage import calls_by_asker, usage
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import Acted, Fault, Learned, Recalled, StageResult
from manyhands.protocol.roles.lessons import LessonTaken, Permission, ShortcutUseReport
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.run_summary import EpisodeLearning, Known, LearningFigures, TaughtCounts, UseCounts
from manyhands.protocol.screens.actions import RunShortcut

PERMIT, WATCH = "permit", "watch"
"""The stages before and after a shortcut: the first returns a ``Permission``, the second a ``ShortcutUseReport``."""
INITIAL = "initial-"
"""Begins the ids of tips and shortcuts that every task knows from the start."""
Fate = Literal["worked", "refused", "surprised", "failed", "put_aside", "untold"]
"""The outcome of a use: the name of a field of ``UseCounts``."""
_BY_FAULT: Mapping[Fault | None, Fate] = {"surprise": "surprised", "precondition": "refused"}


@dataclass(frozen=True)
class Use:
    """Hold a step's use of a shortcut."""

    step: int
    name: str
    id: str
    """``ID@VERSION``; empty for a shortcut that the memory does not hold."""
    fate: Fate
    reason: str = ""
    put_aside: str = ""
    """Why the memory service quarantined the shortcut after this use; empty if it did not."""

    @property
    def origin(self) -> Known:
        return "learned" if is_new(self.id) else "initial"


def is_new(id: str) -> bool:
    """Return whether an id belongs to something that the fleet learned."""
    return bool(id) and not id.startswith(INITIAL)


def _new_ones(memory: LongTermMemory) -> tuple[int, int]:
    """Return two counts: the learned tips that an episode was given, and the learned shortcuts that it was given."""
    return sum(map(is_new, memory.tip_ids)), sum(map(is_new, memory.shortcut_ids))


def uses_of(episode: RecordedEpisode) -> list[Use]:
    """Return the uses in order. An outcome comes from the report, else from a refusal, else from ``_judged``."""
    permissions: dict[int, Permission] = {}
    reports: dict[int, ShortcutUseReport] = {}
    acted: dict[int, Acted] = {}
    for record in episode.records:
        match record:
            case StageResult(stage="permit"):
                if (permission := record.read(Permission)) is not None:
                    permissions[record.step] = permission
            case StageResult(stage="watch"):
                if (report := record.read(ShortcutUseReport)) is not None:
                    reports[record.step] = report
            case Acted():
                acted[record.step] = record
    uses = []
    for step, decision in sorted(episode.decisions.items()):
        if not isinstance(decision.action, RunShortcut):
            continue
        name = decision.action.shortcut
        offered = episode.started.memory.offered(name)
        report, permission = reports.get(step), permissions.get(step)
        fate: Fate
        if report is not None:
            fate, reason = report.use.outcome, report.use.reason
        elif permission is not None and not permission.permitted:
            fate, reason = "put_aside" if permission.by == "put_aside" else "refused", permission.reason
        else:
            fate, reason = _judged(episode, step, acted.get(step))
        aside = "" if report is None else report.put_aside
        uses.append(Use(step, name, "" if offered is None else offered.id, fate, reason, aside))
    return uses


def counted_uses(uses: Iterable[Use]) -> dict[Known, UseCounts]:
    """Count uses by the origin of their shortcuts."""
    counts: dict[Known, dict[str, int]] = {"initial": {}, "learned": {}}
    for use in uses:
        of_kind = counts[use.origin]
        of_kind[use.fate] = of_kind.get(use.fate, 0) + 1
    return {origin: UseCounts.model_validate(of_kind) for origin, of_kind in counts.items()}


def _summed_uses(counts: Iterable[Mapping[Known, UseCounts]]) -> dict[Known, UseCounts]:
    """Return the sums of the counts."""
    all_counts = list(counts)
    return {
        origin: UseCounts.model_validate(
            {name: sum(getattr(one[origin], name) for one in all_counts) for name in UseCounts.model_fields}
        )
        for origin in ("initial", "learned")
    }


def _judged(episode: RecordedEpisode, step: int, acted: Acted | None) -> tuple[Fate, str]:
    """Return the outcome of a use without a report, from the action's record and the agent's own verdict."""
    verdict = episode.verdicts.get(step)
    if acted is not None and acted.problem is not None:
        return _BY_FAULT.get(acted.fault, "untold"), acted.problem
    if acted is None or verdict is None or verdict.check == "failed":
        return "untold", ""
    return ("worked", "") if verdict.outcome is Outcome.A else ("failed", verdict.error)


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
    rows = tuple(_episode_learning(one, places.get(one.started.episode), uses[one.started.episode]) for one in episodes)
    return LearningFigures(
        lessons=sum(lesson.taken is not None for lesson in lessons),
        failed=sum(lesson.taken is None for lesson in lessons),
        tips=summed(row.taught_tips for row in rows),
        shortcuts=summed(row.taught_shortcuts for row in rows),
        used=_summed_uses(row.used for row in rows),
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


def _episode_learning(episode: RecordedEpisode, place: int | None, uses: Sequence[Use]) -> EpisodeLearning:
    """Count the tips and shortcuts that an episode was given, used and taught."""
    started, learned = episode.started, learned_in(episode)
    new_tips, new_shortcuts = _new_ones(started.memory)
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
    ways = Counter((change.kind, change.way) for change in lesson.changes)
    refused = Counter(refusal.kind for refusal in lesson.refused)

    def count(kind: Literal["tip", "shortcut"]) -> TaughtCounts:
        return TaughtCounts(
            added=ways[kind, "added"],
            changed=ways[kind, "changed"],
            removed=ways[kind, "removed"],
            refused=refused[kind],
        )

    return count("tip"), count("shortcut")


def summed(counts: Iterable[TaughtCounts]) -> TaughtCounts:
    """Return the sums of the counts."""
    all_counts = list(counts)
    return TaughtCounts.model_validate(
        {name: sum(getattr(one, name) for one in all_counts) for name in TaughtCounts.model_fields}
    )
