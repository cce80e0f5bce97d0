"""Compute the figures of systems: mean and spread over their runs, separately for each source of judgement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from pydantic import Field

from manyhands.evaluation.comparison.systems import System
from manyhands.evaluation.metrics.curves import Satisfaction, Thirds
from manyhands.evaluation.metrics.effort import Costs
from manyhands.evaluation.metrics.figure import Figure, mean, spread
from manyhands.evaluation.metrics.outcomes import Source
from manyhands.evaluation.metrics.score import LATER, RunScore, SourceScore
from manyhands.evaluation.metrics.table import METRICS
from manyhands.evaluation.suites.reading import parts_of_papers
from manyhands.protocol.base import Message


class MeanValue(Message):
    """Hold a figure of a system: mean and spread over its runs."""

    mean: float | None
    spread: float | None
    """The sample standard deviation over runs; None for fewer than two."""
    values: tuple[float, ...]
    """The values of the runs that have the figure."""
    covers: int
    """How many tasks, over all runs, the values are based on."""
    tasks: int
    """How many tasks the runs decided."""
    reason: str | None
    """Why there is no value."""


class Judged(Message):
    """Hold the figures of a system's runs by one source of judgement."""

    source: Source
    judge: str | None
    figures: dict[str, MeanValue]
    by_level: dict[str, dict[str, MeanValue]]
    by_part: dict[str, dict[str, dict[str, MeanValue]]] = Field(default_factory=dict)
    """By set and part of a paper's table, such as ``Gmail, simple``."""
    by_place: dict[str, dict[str, MeanValue]] = Field(default_factory=dict)
    """By the place of tasks in their scenarios; also over all places but the first (``LATER``)."""
    by_tips: MeanValue | None = None
    """SS over the tasks in which no compared run used a learned shortcut (Mobile-Agent-E, table 6)."""
    satisfaction: tuple[Satisfaction, ...]
    """One for each run."""
    thirds: Thirds | None
    """Sums over the runs. None for the phone's state, which does not judge single actions."""


class KnowledgeScore(Message):
    """Hold the rows "+ Know." of a system: its runs together with the earlier runs whose failed tasks they repeated."""

    runs: tuple[str, ...]
    """The earlier runs."""
    judged: tuple[Judged, ...]
    reason: str | None = None
    """Why nobody's figures are there."""


class SystemScore(Message):
    """Hold a system's figures over its runs."""

    name: str
    runs: tuple[str, ...]
    asked: int
    decided: int
    """``asked`` and ``decided`` are sums over the runs."""
    left_out: dict[str, int]
    judged: tuple[Judged, ...]
    costs: dict[str, MeanValue]
    """By the name of a field of ``Costs``."""
    knowledge: KnowledgeScore | None = None
    verdict_thirds: Thirds | None
    """By the agent's own verdicts: sums over the runs."""
    model_source: tuple[str, ...]
    phones_source: tuple[str, ...]
    perception_source: tuple[str, ...]


class SystemComparison(Message):
    systems: tuple[SystemScore, ...]


def compare(systems: Iterable[System]) -> SystemComparison:
    """Return the systems' figures."""
    all_systems = list(systems)
    tips_alone = _without_learned_shortcuts([run for system in all_systems for run in system.runs])
    return SystemComparison(systems=tuple(_system(system, tips_alone) for system in all_systems))


def stand_ins(comparison: SystemComparison) -> tuple[str, ...]:
    """Return what the runs used as model, phones and perception, one line each. These texts name stand-ins."""
    lines: dict[str, list[str]] = defaultdict(list)
    for system in comparison.systems:
        sources_by_kind = {
            "model": system.model_source,
            "phones": system.phones_source,
            "perception": system.perception_source,
        }
        for what, sources in sources_by_kind.items():
            for source in sources:
                lines[f"{what}: {source}"].append(system.name)
    everyone = len(comparison.systems)
    return tuple(line if len(names) == everyone else f"{', '.join(names)}: {line}" for line, names in lines.items())


def _without_learned_shortcuts(runs: Sequence[RunScore]) -> Set[str] | None:
    """Return the tasks in which no run used a learned shortcut; None if no task of any run used one."""
    used = {task.task for run in runs for task in run.tasks if task.learned_uses}
    return {task.task for run in runs for task in run.tasks} - used if used else None


def _system(system: System, tips_alone: Set[str] | None) -> SystemScore:
    runs = system.runs
    left_out: dict[str, int] = {}
    for run in runs:
        for ending, count in run.left_out.items():
            left_out[ending] = left_out.get(ending, 0) + count
    return SystemScore(
        name=system.name,
        runs=tuple(run.run for run in runs),
        asked=sum(run.asked for run in runs),
        decided=sum(run.decided for run in runs),
        left_out=left_out,
        judged=_by_source([score for run in runs for score in run.sources], tips_alone),
        costs={name: _cost(runs, name) for name in Costs.model_fields if name != "steps"},
        knowledge=_score_with_knowledge(runs),
        verdict_thirds=_sum([run.verdict_thirds for run in runs]),
        model_source=_distinct(runs, lambda run: run.model_source),
        phones_source=_distinct(runs, lambda run: run.phones_source),
        perception_source=_distinct(runs, lambda run: run.perception_source),
    )


def _by_source(scores: Iterable[SourceScore], tips_alone: Set[str] | None) -> tuple[Judged, ...]:
    """Return the figures by each source (the phone's state or one judge) over the runs that it judged."""
    by_source = defaultdict[tuple[Source, str | None], list[SourceScore]](list)
    for score in scores:
        by_source[score.source, score.judge].append(score)
    return tuple(_judged(*source, of_runs, tips_alone) for source, of_runs in by_source.items())


def _judged(source: Source, judge: str | None, scores: Sequence[SourceScore], tips_alone: Set[str] | None) -> Judged:
    levels = dict.fromkeys(level for score in scores for level in score.by_level)
    places = sorted({place for score in scores for place in score.by_place}, key=lambda place: (place == LATER, place))
    return Judged(
        source=source,
        judge=judge,
        figures={name: value_of([score.figures[name] for score in scores]) for name in METRICS},
        by_level={level: _over([score.by_level.get(level) for score in scores]) for level in levels},
        by_part={
            suite: {part: _over([score.by_part.get(suite, {}).get(part) for score in scores]) for part in parts}
            for suite, parts in _parts(scores).items()
        },
        by_place={place: _over([score.by_place.get(place) for score in scores]) for place in places},
        by_tips=None if tips_alone is None else _by_tips(scores, tips_alone),
        satisfaction=tuple(score.satisfaction for score in scores),
        thirds=_sum([score.thirds for score in scores if score.thirds is not None]),
    )


def _parts(scores: Iterable[SourceScore]) -> Mapping[str, Sequence[str]]:
    """Return the parts of each set that any run has tasks of, in the order of the papers."""
    having = {
        place
        for score in scores
        for suite, parts in score.by_part.items()
        for place in ((suite, part) for part in parts)
    }
    parts_by_set = defaultdict[str, dict[str, None]](dict)
    for place in parts_of_papers().values():
        if place in having:
            parts_by_set[place[0]][place[1]] = None
    return {suite: tuple(parts) for suite, parts in parts_by_set.items()}


def _score_with_knowledge(runs: Iterable[RunScore]) -> KnowledgeScore | None:
    joined = [run.knowledge for run in runs if run.knowledge is not None]
    if not joined:
        return None
    return KnowledgeScore(
        runs=tuple(dict.fromkeys(one.run for one in joined)),
        judged=_by_source([score for one in joined for score in one.sources], None),
        reason=next((one.reason for one in joined if one.reason), None),
    )


def _over(by_run: Iterable[Mapping[str, Figure] | None]) -> dict[str, MeanValue]:
    having = [figures for figures in by_run if figures is not None]
    return {name: value_of([figures[name] for figures in having]) for name in METRICS}


def _by_tips(scores: Sequence[SourceScore], tasks: Set[str]) -> MeanValue:
    values_of_runs = [[value for task, value in score.by_tips.items() if task in tasks] for score in scores]
    values = tuple(mean(of_run) for of_run in values_of_runs if of_run)
    reason = None if values else "each task was done with a learned shortcut in one run or another, or not judged"
    return _value(values, sum(map(len, values_of_runs)), len(tasks) * len(scores), reason)


def value_of(figures: Sequence[Figure]) -> MeanValue:
    """Return mean and spread of a figure over runs, or the reason why no run has it."""
    values = tuple(figure.value for figure in figures if figure.value is not None)
    reason = None if values else next((figure.reason for figure in figures if figure.reason), "no run")
    covers, tasks = sum(figure.covers for figure in figures), sum(figure.tasks for figure in figures)
    return _value(values, covers, tasks, reason)


def _value(values: tuple[float, ...], covers: int, tasks: int, reason: str | None) -> MeanValue:
    middle = mean(values) if values else None
    return MeanValue(mean=middle, spread=spread(values), values=values, covers=covers, tasks=tasks, reason=reason)


def _cost(runs: Sequence[RunScore], name: str) -> MeanValue:
    values = tuple(float(value) for run in runs if (value := getattr(run.costs, name)) is not None)
    decided = sum(run.decided for run in runs)
    return _value(values, decided, decided, None if values else "no step, or not recorded")


def _sum(thirds: Sequence[Thirds]) -> Thirds | None:
    """Return the sums of the counts of several runs; None for no runs.

    Runs without counts are left out. If no run has counts, the result has none either, but the reason of the first
    run. If one of the runs counts wrong and ineffective actions together, the sums count both together, too.
    """
    counted = [one for one in thirds if one.reason is None]
    if not counted:
        return thirds[0] if thirds else None
    apart = all(one.ineffective is not None for one in counted)
    return Thirds(
        wrong=_by_third(one.wrong if apart else one.together for one in counted),
        ineffective=_by_third(one.ineffective for one in counted) if apart else None,
        episodes=sum(one.episodes for one in thirds),
    )


def _by_third(counts: Iterable[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    known_counts = [one for one in counts if one is not None]
    return tuple(map(sum, zip(*known_counts, strict=True))) if known_counts else None


def _distinct(runs: Iterable[RunScore], of: Callable[[RunScore], str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source for run in runs if (source := of(run))))
