"""Score a run: compute every metric, once for each source of judgement, from the run folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from manyhands.evaluation.episodes import Attempted, RecordedEpisode, attempted, episodes_of
from manyhands.evaluation.judgements.judgements import Judgements, JudgePair, compare_judges, read_all_judgements
from manyhands.evaluation.learning import places_of
from manyhands.evaluation.metrics.curves import (
    Satisfaction,
    Thirds,
    judged_thirds,
    satisfaction_by_steps,
    thirds_by_verdicts,
)
from manyhands.evaluation.metrics.effort import Costs, costs, learned_uses, satisfaction_by_tips
from manyhands.evaluation.metrics.figure import Contribution, Figure, Missing
from manyhands.evaluation.metrics.outcomes import (
    STATE,
    Case,
    Decisive,
    Source,
    SourceCases,
    cases_of,
    completion,
    decisive,
    done_already,
    join_cases,
    satisfaction,
    sources_of_both,
    state_says,
    success,
)
from manyhands.evaluation.metrics.table import METRICS, Basis
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.suites.instructions import Level
from manyhands.evaluation.suites.reading import parts_of_papers
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.run_summary import Repeated, departures_of

LATER = "2 on"
"""Stands for all places of a scenario but the first. The effect of learning can show at these places."""
NOT_OF: dict[Basis, str] = {
    "state": "the phone's state does not tell: a person or a model judges it (manyhands suite judge)",
    "judge": "nobody judges it: journals and the phone's state tell",
}
"""Why a source has no figure for some metrics."""


class SourceScore(Message):
    """Hold the figures of one source: the phone's state with the journals, or one judge."""

    source: Source
    judge: str | None = None
    """The name of the person or model; None for the phone's state."""
    figures: dict[str, Figure]
    """By the name of the metric."""
    by_level: dict[str, dict[str, Figure]]
    """By level: the figures over the tasks with an instruction of that level."""
    by_part: dict[str, dict[str, dict[str, Figure]]] = Field(default_factory=dict)
    """By set and part of a paper's table (``Instruction.part``): the figures over the tasks of its instructions."""
    by_place: dict[str, dict[str, Figure]] = Field(default_factory=dict)
    """By place in the scenario: the figures over the tasks at that place; also over all places but the first."""
    by_tips: dict[str, float] = Field(default_factory=dict)
    """SS of each task in which no learned shortcut was used, by the task's id."""
    satisfaction: Satisfaction
    thirds: Thirds | None
    """None for the phone's state, which does not judge single actions."""


class WithKnowledge(Message):
    """Hold the figures of two runs together: a run, and one that repeated its failed tasks with hints ("+ Know.")."""

    run: str
    """The earlier run."""
    sources: tuple[SourceScore, ...]
    """One for each source that judged in both runs whether tasks are done."""
    reason: str | None = None
    """Why there is no source."""


class TaskScore(Message):
    """Hold the score of a decided task, by the phone's state."""

    task: str
    episode: str
    ending: Ending
    steps: int
    human_steps: int
    success: bool | None
    completion: float | None
    satisfaction: float | None
    scenario: str | None = None
    place: int | None = None
    """The task's place in its scenario, from 1."""
    calls: int = 0
    """The number of model calls, including those for learning."""
    learned_uses: int = 0
    """How often the task used learned shortcuts."""


class RunScore(Message):
    """Hold all figures of a run."""

    run: str
    """The name of the run folder."""
    profile: str
    departures: str = ""
    """How the profile was changed, to be shown after its name: ``, paper exact``."""
    asked: int
    """How many tasks the run was given."""
    decided: int
    left_out: dict[str, int]
    """Tasks that no figure counts, by ending: the phone, the lease or the host was lost, or the run was cancelled."""
    state: SourceScore
    judges: tuple[SourceScore, ...]
    agreement: tuple[JudgePair, ...]
    """How far each pair of judges agrees, by kind of judgement."""
    verdict_thirds: Thirds
    """Errors in failed episodes by the agent's own verdicts, which nobody checked."""
    costs: Costs
    rubric_origins: dict[str, int] = Field(default_factory=dict)
    """How many rubrics the decided tasks have, by origin; ``task`` for rubrics from a file of tasks."""
    knowledge: WithKnowledge | None = None
    """None for a run that did not repeat another run's failed tasks."""
    tasks: tuple[TaskScore, ...]
    model_source: str
    phones_source: str
    perception_source: str

    @property
    def sources(self) -> tuple[SourceScore, ...]:
        return (self.state, *self.judges)


@dataclass(frozen=True)
class RunToScore:
    """Hold the data from which a run is scored."""

    name: str
    asked: Mapping[str, Any]
    """The content of run.yaml."""
    episodes: Sequence[RecordedEpisode]
    judged: Sequence[Judgements]
    before: RunToScore | None = None
    """The run whose failed tasks this run repeated; None if there is none, or its folder is gone."""


def score_folder(folder: Path, only: Sequence[str] = ()) -> RunScore:
    """Return the score of a run folder. ``only``: the tasks to score, by their ids or tags; all tasks if it is empty.

    Raises BadInput for any other folder, for a broken file of judgements, and if the run has none of these tasks.
    """
    run = _read(folder)
    tasks = attempted(run.asked, run.episodes)
    if only and not any(_is_among(task, only) for task in tasks):
        task_names = ", ".join(task.base_id for task in tasks)
        raise BadInput(f"{folder}: has no task {' or '.join(only)}; its tasks are {task_names or 'none'}")
    return score(run, only)


def _is_among(task: Attempted, only: Sequence[str]) -> bool:
    """Return whether one of ``only`` is the task's id or a tag of it, such as the id of an instruction."""
    tags = task.attempts[-1].started.task.tags if task.attempts else task.asked.get("tags") or ()
    return not only or not {task.base_id, *tags}.isdisjoint(only)


def _tasks(run: RunToScore, only: Sequence[str]) -> list[Attempted]:
    return [task for task in attempted(run.asked, run.episodes) if _is_among(task, only)]


def _read(folder: Path) -> RunToScore:
    run = RunFolder(folder)
    repeated = run.asked.get("repeated")
    before = None if repeated is None else _folder_before(folder, Repeated.model_validate(repeated))
    return RunToScore(
        folder.resolve().name,
        run.asked,
        episodes_of(scan.records for scan in run.journals.values()),
        read_all_judgements(run),
        None if before is None else _read(before),
    )


def _folder_before(folder: Path, repeated: Repeated) -> Path | None:
    """Return the folder of the run whose failed tasks were repeated: where it was, or beside this run's folder."""
    was = Path(repeated.folder)
    places = (was, folder.resolve().parent / was.name)
    return next((place for place in places if (place / "run.yaml").is_file()), None)


def score(run: RunToScore, only: Sequence[str] = ()) -> RunScore:
    """Return all figures of a run. ``only``: the tasks to score, by their ids or tags; all tasks if it is empty."""
    tasks = _tasks(run, only)
    decisive_episodes = decisive(tasks)
    by_state, *by_judges = _cases(run, decisive_episodes)
    places = places_of(attempted(run.asked, run.episodes))
    return RunScore(
        run=run.name,
        profile=str(run.asked.get("profile") or next((e.started.profile for e in run.episodes), "")),
        departures=departures_of(run.asked.get("settings") or {}),
        asked=len(tasks),
        decided=len(by_state.cases),
        left_out=dict(Counter(ending.value for ending in decisive_episodes.left_out)),
        state=_source_score(by_state, places),
        judges=tuple(_source_score(one, places) for one in by_judges),
        agreement=compare_judges(run.judged),
        verdict_thirds=thirds_by_verdicts(by_state.cases),
        costs=costs(decisive_episodes.episodes.values()),
        rubric_origins=dict(Counter(one.origin or "task" for case in by_state.cases for one in case.task.rubrics)),
        knowledge=_score_with_knowledge(run, only),
        tasks=tuple(_task_score(case, places.get(case.episode.started.episode)) for case in by_state.cases),
        model_source=str(run.asked.get("model_source") or ""),
        phones_source=str(run.asked.get("phones_source") or ""),
        perception_source=str(run.asked.get("perception_source") or ""),
    )


def _cases(run: RunToScore, decisive_episodes: Decisive) -> list[SourceCases]:
    """Return the decided tasks by each source: first by the phone's state, then by each judge."""
    by_state = [Case(episode, state_says(episode)) for episode in decisive_episodes.episodes.values()]
    judged = (
        SourceCases(one.source, one.judge, cases_of(decisive_episodes.episodes, one.episodes)) for one in run.judged
    )
    return [SourceCases(STATE, None, by_state), *judged]


def _source_score(one: SourceCases, places: Mapping[str, int]) -> SourceScore:
    cases = one.cases
    basis: Basis = "state" if one.source == STATE else "judge"
    levels = {level.value: [case for case in cases if level in case.task.tags] for level in Level}
    return SourceScore(
        source=one.source,
        judge=one.judge,
        figures=_figures(cases, basis),
        by_level={level: _figures(those, basis) for level, those in levels.items() if those},
        by_part={
            suite: {part: _figures(those, basis) for part, those in parts.items()}
            for suite, parts in _by_part(cases).items()
        },
        by_place={place: _figures(those, basis) for place, those in _by_place(cases, places).items()},
        by_tips=_by_tips(cases),
        satisfaction=satisfaction_by_steps(cases),
        thirds=None if one.source == STATE else judged_thirds(cases),
    )


def _by_part(cases: Sequence[Case]) -> Mapping[str, Mapping[str, list[Case]]]:
    """Return the cases of each set's parts, in the order of the papers. A task's tags have its instructions' ids."""
    by_suite = defaultdict[str, dict[str, dict[str, Case]]](dict)
    for instruction, (suite, part) in parts_of_papers().items():
        for case in cases:
            if instruction in case.task.tags:
                by_suite[suite].setdefault(part, {})[case.episode.started.episode] = case
    return {suite: {part: list(those.values()) for part, those in parts.items()} for suite, parts in by_suite.items()}


def _by_place(cases: Sequence[Case], places: Mapping[str, int]) -> Mapping[str, list[Case]]:
    """Return the cases of each place, in order of places. Then ``LATER`` has the cases of all places but the first."""
    by_order: dict[int, list[Case]] = defaultdict(list)
    for case in cases:
        place = places.get(case.episode.started.episode)
        if place is not None:
            by_order[place].append(case)
    by_place = {str(place): by_order[place] for place in sorted(by_order)}
    later = [case for place in sorted(by_order) if place > 1 for case in by_order[place]]
    return {**by_place, LATER: later} if later else by_place


def _by_tips(cases: Sequence[Case]) -> dict[str, float]:
    parts = {case.task.id: satisfaction_by_tips(case) for case in cases}
    return {task: part.amount / part.of for task, part in parts.items() if isinstance(part, Contribution)}


def _figures(cases: Sequence[Case], basis: Basis) -> dict[str, Figure]:
    return {
        name: metric.of(cases)
        if basis in metric.bases
        else Figure(value=None, reason=NOT_OF[basis], covers=0, tasks=len(cases))
        for name, metric in METRICS.items()
    }


def _score_with_knowledge(run: RunToScore, only: Sequence[str]) -> WithKnowledge | None:
    """Return the figures of a run and the one before it together, by each source that judged both."""
    if run.asked.get("repeated") is None:
        return None
    repeated, before = Repeated.model_validate(run.asked["repeated"]), run.before
    if before is None:
        return WithKnowledge(run=repeated.run, sources=(), reason=f"there is no run folder {repeated.folder} any more")
    tasks_before, tasks_again = _tasks(before, only), _tasks(run, only)
    again, tasks_of_before = {task.base_id for task in tasks_again}, [task.base_id for task in tasks_before]
    both = [_cases(before, decisive(tasks_before)), _cases(run, decisive(tasks_again))]
    scores = []
    for first, second in sources_of_both(*both):
        done_tasks = done_already(first)
        score = _source_score(replace(first, cases=join_cases(first, second, again)), {})
        tasks = sum(task not in again - done_tasks for task in tasks_of_before) + len(again - done_tasks)
        figures = {name: figure.model_copy(update={"tasks": tasks}) for name, figure in score.figures.items()}
        scores.append(score.model_copy(update={"figures": figures}))
    reason = None if scores else f"nobody judged both in {repeated.run} and in this run whether tasks are done"
    return WithKnowledge(run=repeated.run, sources=tuple(scores), reason=reason)


def _task_score(case: Case, place: int | None) -> TaskScore:
    outcome, completed, satisfied = (part(case) for part in (success, completion, satisfaction))
    return TaskScore(
        task=case.task.id,
        episode=case.episode.started.episode,
        ending=case.episode.ending,
        steps=case.episode.steps,
        human_steps=case.task.human_count,
        success=None if isinstance(outcome, Missing) else bool(outcome.amount),
        completion=None if isinstance(completed, Missing) else completed.amount / completed.of,
        satisfaction=None if isinstance(satisfied, Missing) else satisfied.amount / satisfied.of,
        scenario=case.task.memory_scope,
        place=place,
        calls=len(calls_of(case.episode.records)),
        learned_uses=learned_uses(case),
    )
