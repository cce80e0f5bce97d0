"""The score of a run: every metric, once for each source of judgement, from its folder alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from manyhands.evaluation.episodes import RecordedEpisode, attempted, episodes_of
from manyhands.evaluation.judgements import Judgements, read_all_judgements
from manyhands.evaluation.kappa import JudgePair, compare_judges
from manyhands.evaluation.learning.figures import places_of
from manyhands.evaluation.metrics.case import Case, cases_of, decisive, state_says
from manyhands.evaluation.metrics.curves import (
    Satisfaction,
    Thirds,
    judged_thirds,
    satisfaction_by_steps,
    thirds_by_verdicts,
)
from manyhands.evaluation.metrics.effort import Costs, costs, learned_uses, satisfaction_by_tips
from manyhands.evaluation.metrics.figure import Contribution, Figure, Missing
from manyhands.evaluation.metrics.outcome import completion, satisfaction, success
from manyhands.evaluation.metrics.table import METRICS, Basis
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.suites.instructions import Level
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.runs import Repeated, departures_of

Source = Literal["state", "person", "model"]
STATE: Literal["state"] = "state"
LATER = "2 on"
"""The places of a scenario that follow its first one: what is learned can show there."""
NOT_OF: dict[Basis, str] = {
    "state": "the phone's state does not tell: a person or a model judges it (manyhands suite judge)",
    "judge": "nobody judges it: journals and the phone's state tell",
}
"""Why a source does not give a figure that another one gives."""


class SourceScore(Message):
    """Hold the figures that one source gives: the phone's state with the journals, or one judge."""

    source: Source
    judge: str | None = None
    """The name of the person or model; None for the phone's state."""
    figures: dict[str, Figure]
    """By the metric's name."""
    by_level: dict[str, dict[str, Figure]]
    """The same over the tasks that play an instruction of a level, by the level."""
    by_place: dict[str, dict[str, Figure]] = Field(default_factory=dict)
    """The same over the tasks of a place in their scenarios, by the place, and over all but the first (``LATER``)."""
    by_tips: dict[str, float] = Field(default_factory=dict)
    """SS of each task in which no learned shortcut was used, by its id."""
    satisfaction: Satisfaction
    thirds: Thirds | None
    """None for the phone's state, which judges no single action."""


class WithKnowledge(Message):
    """Hold what the tasks of a run before have come to with a run that repeated what had failed there ("+ Know.")."""

    run: str
    """The run before."""
    SR: Figure
    """By the phone's state."""


class TaskScore(Message):
    """Hold a task that was decided, by the phone's state."""

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
    """In its scenario, from 1."""
    calls: int = 0
    """Those of the model, of learning too."""
    learned_uses: int = 0
    """Uses of learned shortcuts."""


class RunScore(Message):
    """Hold all figures of a run."""

    run: str
    """The folder's name."""
    profile: str
    departures: str = ""
    """How the profile was changed, as it follows its name: ``, paper exact``."""
    asked: int
    """Tasks that were asked for."""
    decided: int
    left_out: dict[str, int]
    """Tasks that count in no figure, by how they ended: a phone, a lease or a host was lost, or the run cancelled."""
    state: SourceScore
    judges: tuple[SourceScore, ...]
    agreement: tuple[JudgePair, ...]
    """How far every two judges agree, by kind of judgement."""
    verdict_thirds: Thirds
    """Where failed episodes went wrong by the agent's own verdicts, which nobody checked."""
    costs: Costs
    rubric_origins: dict[str, int] = Field(default_factory=dict)
    """The rubrics of the decided tasks, by where they come from; ``task`` for those of a file of tasks."""
    knowledge: WithKnowledge | None = None
    """None for a run that did not repeat what failed in another."""
    tasks: tuple[TaskScore, ...]
    model_source: str
    phones_source: str
    perception_source: str

    @property
    def sources(self) -> tuple[SourceScore, ...]:
        return (self.state, *self.judges)


@dataclass(frozen=True)
class RunToScore:
    """Hold what a run's score is made of."""

    name: str
    asked: Mapping[str, Any]
    """The content of run.yaml."""
    episodes: Sequence[RecordedEpisode]
    judged: Sequence[Judgements]


def score_folder(folder: Path) -> RunScore:
    """Return the score of a run folder. Raises BadInput for no run folder or a broken file of judgements."""
    run = RunFolder(folder)
    journals = [scan.records for scan in run.journals.values()]
    return score(RunToScore(folder.resolve().name, run.asked, episodes_of(journals), read_all_judgements(run)))


def score(run: RunToScore) -> RunScore:
    """Return all figures of a run."""
    tasks = attempted(run.asked, run.episodes)
    found = decisive(tasks)
    by_state = [Case(episode, state_says(episode)) for episode in found.episodes.values()]
    places = places_of(tasks)
    by_phone = _source_score(STATE, None, by_state, places)
    return RunScore(
        run=run.name,
        profile=str(run.asked.get("profile") or next((e.started.profile for e in run.episodes), "")),
        departures=departures_of(run.asked.get("settings") or {}),
        asked=len(tasks),
        decided=len(by_state),
        left_out=dict(Counter(ending.value for ending in found.left_out)),
        state=by_phone,
        judges=tuple(
            _source_score(one.source, one.judge, cases_of(found.episodes, one.episodes), places) for one in run.judged
        ),
        agreement=compare_judges(run.judged),
        verdict_thirds=thirds_by_verdicts(by_state),
        costs=costs(found.episodes.values()),
        rubric_origins=dict(Counter(one.origin or "task" for case in by_state for one in case.task.rubrics)),
        knowledge=_score_with_knowledge(run.asked.get("repeated"), by_phone, len(tasks)),
        tasks=tuple(_task_score(case, places.get(case.episode.started.episode)) for case in by_state),
        model_source=str(run.asked.get("model_source") or ""),
        phones_source=str(run.asked.get("phones_source") or ""),
        perception_source=str(run.asked.get("perception_source") or ""),
    )


def _source_score(source: Source, judge: str | None, cases: Sequence[Case], places: Mapping[str, int]) -> SourceScore:
    basis: Basis = "state" if source == STATE else "judge"
    levels = {level.value: [case for case in cases if level in case.task.tags] for level in Level}
    return SourceScore(
        source=source,
        judge=judge,
        figures=_figures(cases, basis),
        by_level={level: _figures(those, basis) for level, those in levels.items() if those},
        by_place={place: _figures(those, basis) for place, those in _by_place(cases, places).items()},
        by_tips=_by_tips(cases),
        satisfaction=satisfaction_by_steps(cases),
        thirds=None if source == STATE else judged_thirds(cases),
    )


def _by_place(cases: Sequence[Case], places: Mapping[str, int]) -> Mapping[str, list[Case]]:
    """Return the tasks of each place, the first place's first, and then those of all later ones together."""
    found: dict[int, list[Case]] = defaultdict(list)
    for case in cases:
        place = places.get(case.episode.started.episode)
        if place is not None:
            found[place].append(case)
    by_place = {str(place): found[place] for place in sorted(found)}
    later = [case for place in sorted(found) if place > 1 for case in found[place]]
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


def _score_with_knowledge(
    repeated: Mapping[str, Any] | None, by_phone: SourceScore, asked: int
) -> WithKnowledge | None:
    if repeated is None:
        return None
    before = Repeated.model_validate(repeated)
    return WithKnowledge(run=before.run, SR=with_run_before(before, by_phone.figures["SR"], asked))


def with_run_before(before: Repeated, again: Figure, asked: int) -> Figure:
    """Return SR over the tasks of both runs: those done at first or ``again``, by the phone's state, by all.

    Tasks that the second run was ``asked`` for and did not decide leave the denominator, and so do those of which
    the phone did not tell.
    """
    if again.value is None:
        return again.model_copy(update={"tasks": before.tasks})
    done, known = before.verified + again.amount, before.tasks - before.unknown - (asked - again.covers)
    return Figure(value=done / known, covers=known, tasks=before.tasks, amount=done, of=known)


def _task_score(case: Case, place: int | None) -> TaskScore:
    done, completed, satisfied = (part(case) for part in (success, completion, satisfaction))
    return TaskScore(
        task=case.task.id,
        episode=case.episode.started.episode,
        ending=case.episode.ending,
        steps=case.episode.steps,
        human_steps=case.task.human_count,
        success=None if isinstance(done, Missing) else bool(done.amount),
        completion=None if isinstance(completed, Missing) else completed.amount / completed.of,
        satisfaction=None if isinstance(satisfied, Missing) else satisfied.amount / satisfied.of,
        scenario=case.task.memory_scope,
        place=place,
        calls=len(calls_of(case.episode.records)),
        learned_uses=learned_uses(case),
    )
