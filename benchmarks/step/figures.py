"""Compute the figures of the same tasks under each schedule, from the run folders alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.summary import summary_of
from manyhands.evaluation.timing import StepTime, percentiles, steps_of
from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import ActionSent, Planned, Record, Reflected, StageDropped, StageRecord
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.runs.run_summary import Percentiles, RunSummary

BASELINE = "serial"
NEW_SUBGOALS = (0.30, 0.40)
"""The least and the greatest share of steps with a new subgoal for which the figures are valid.

With fewer new subgoals, speculation would look too good.
"""


class ScheduleFigures(Message):
    """Hold the figures of one schedule. Times are in milliseconds. Ratios are of medians, unless the name says mean."""

    folder: str
    tasks: int
    verified: int | None
    """How many tasks were verified; None if no task has a check."""
    verified_tasks: tuple[str, ...] = ()
    """The verified tasks, in the order asked for. A task that was verified twice is here twice."""
    steps: int
    """Steps that were timed, from one action sent to the next."""
    p50_ms: float
    p95_ms: float
    mean_ms: float
    ratio_to_serial: float | None = None
    """None if there is no serial run to compare with."""
    mean_ratio_to_serial: float | None = None
    p95_ratio_to_serial: float | None = None
    new_subgoals: float | None
    """Share of steps whose next plan has another subgoal; None if the profile does not plan."""
    disagreed: float
    """Share of steps with outcome B or C."""
    overhead_ms_per_step: float | None
    """Mean time of a step in which no stage ran: its length minus the union of its stages."""
    stage_ms: dict[str, float | None]
    """Median work of each stage, without its time in queues; None without samples."""
    queue_ms: dict[str, float | None]
    """Mean time of each stage in queues; None without samples."""
    calls_per_step: float = 0.0
    """Model calls of a step whose answers were used, in the mean."""
    calls_per_action: float = 0.0
    """The same calls, divided by the actions that were sent: a reply of ``native`` may hold several."""
    action_ms: float = 0.0
    """Mean length of the steps, divided by the actions of a step."""
    model_ms_per_step: float = 0.0
    """Time of these calls, added up, in the mean."""
    uncached_tokens_per_step: float = 0.0
    """Input tokens of these calls that no cache held, in the mean."""
    tokens: int
    """Input and output tokens of answers that were used."""
    kept: int = 0
    """Stages that were asked ahead of time and did not have to be asked again."""
    dropped: int = 0
    dropped_for: dict[str, int] = Field(default_factory=dict)
    """By reason: the stage that ended otherwise, ``failed`` if the asked stage failed, ``ended`` if the episode did."""
    kept_share: float | None = None
    """None if nothing was asked ahead of time."""
    wasted_tokens: int | None = None
    """Tokens that the server processed for answers that nobody used; None if the server does not count."""
    wasted_share: float | None = None
    """Share of all tokens that the server processed."""


@dataclass(frozen=True, slots=True)
class TimedRun:
    """Hold the run folder of one schedule, as it was read."""

    folder: Path
    summary: RunSummary
    journals: tuple[tuple[Record, ...], ...]
    steps: tuple[StepTime, ...]


def read_run(folder: Path) -> TimedRun:
    """Read a run folder. Raises BadInput if it is no run folder, or if no episode in it sent two actions."""
    run = RunFolder(folder)
    journals = tuple(scan.records for scan in run.journals.values())
    steps = tuple(step for records in journals for step in steps_of(records))
    if not steps:
        raise BadInput(f"{folder}: no step was timed, for no episode sent two actions; see its report")
    return TimedRun(folder, summary_of(run.asked, journals), journals, steps)


def schedule_figures(
    runs: Mapping[str, TimedRun], server_tokens: Mapping[str, int | None]
) -> dict[str, ScheduleFigures]:
    """Compute the figures by schedule. ``server_tokens``: tokens that each run's model server counted."""
    base = percentiles([step.ms for step in runs[BASELINE].steps]) if BASELINE in runs else None
    return {schedule: _figures(run, base, server_tokens.get(schedule)) for schedule, run in runs.items()}


def _figures(run: TimedRun, base: Percentiles | None, server_tokens: int | None) -> ScheduleFigures:
    took = percentiles([step.ms for step in run.steps])
    assert took is not None
    summary = run.summary
    ahead = summary.speculation
    used, calls = used_tokens(run.journals), used_calls(run.journals)
    actions = sum(isinstance(record, ActionSent) and not record.by for journal in run.journals for record in journal)
    return ScheduleFigures(
        folder=str(run.folder),
        tasks=summary.tasks,
        verified=None if all(row.verified is None for row in summary.by_task) else summary.verified,
        verified_tasks=tuple(row.id for row in summary.by_task if row.is_verified),
        steps=len(run.steps),
        p50_ms=took.p50,
        p95_ms=took.p95,
        mean_ms=took.mean,
        ratio_to_serial=_ratio(took.p50, base.p50) if base else None,
        mean_ratio_to_serial=_ratio(took.mean, base.mean) if base else None,
        p95_ratio_to_serial=_ratio(took.p95, base.p95) if base else None,
        new_subgoals=_share(run.steps, _new_subgoal) if _plans(run.steps) else None,
        disagreed=_share(run.steps, _disagreed),
        overhead_ms_per_step=summary.overhead_ms_per_step,
        stage_ms={
            stage: percentiles_of_stage.p50 if percentiles_of_stage else None
            for stage, percentiles_of_stage in summary.stage_ms.items()
        },
        queue_ms={
            stage: percentiles_of_stage.mean if percentiles_of_stage else None
            for stage, percentiles_of_stage in summary.queue_ms.items()
        },
        calls_per_step=len(calls) / run.summary.steps,
        calls_per_action=len(calls) / actions,
        action_ms=took.mean * summary.steps / actions,
        model_ms_per_step=sum(call.latency_ms for call in calls) / run.summary.steps,
        uncached_tokens_per_step=sum(one.usage.input_tokens - one.usage.cached_tokens for one in calls)
        / run.summary.steps,
        tokens=used,
        kept=sum(ahead.kept.values()) if ahead else 0,
        dropped=sum(ahead.dropped.values()) if ahead else 0,
        dropped_for=ahead.wrong if ahead else {},
        kept_share=ahead.kept_share if ahead else None,
        wasted_tokens=None if server_tokens is None else server_tokens - used,
        wasted_share=(server_tokens - used) / server_tokens if server_tokens else None,
    )


def _ratio(value: float, to: float) -> float:
    return value / to if to else float("inf")


def _share(steps: Sequence[StepTime], holds: Callable[[StageRecord], bool]) -> float:
    """Return the share of steps in which ``holds`` is true for a record."""
    return sum(any(map(holds, step.records)) for step in steps) / len(steps)


def _new_subgoal(record: StageRecord) -> bool:
    return isinstance(record, Planned) and record.plan.change != "keep"


def _disagreed(record: StageRecord) -> bool:
    return isinstance(record, Reflected) and record.reflection.outcome is not Outcome.A


def _plans(steps: Sequence[StepTime]) -> bool:
    """Return whether the planner is asked in most steps, so that speculation can fail by a new subgoal."""
    return 2 * sum(any(isinstance(record, Planned) for record in step.records) for step in steps) > len(steps)


def used_tokens(journals: Sequence[Sequence[Record]]) -> int:
    """Count the tokens of the calls in the journals, without those of dropped stages."""
    return sum(call.usage.input_tokens + call.usage.output_tokens for call in used_calls(journals))


def used_calls(journals: Sequence[Sequence[Record]]) -> list[ModelCall]:
    """Return the calls in the journals, without those of dropped stages."""
    records = (record for journal in journals for record in journal)
    used = (record for record in records if isinstance(record, StageRecord) and not isinstance(record, StageDropped))
    return [call for record in used for call in record.calls]


def ratios_beside(figures: Mapping[str, ScheduleFigures]) -> dict[str, dict[str, float]]:
    """Return how the profile compares with others beside it, by the name of the other, under the same schedule."""
    ratios = {}
    for name, other in figures.items():
        own = figures.get(name.rpartition(" ")[2])
        if " " in name and own is not None:
            ratios[name] = {
                "step": _ratio(own.p50_ms, other.p50_ms),
                "mean_step": _ratio(own.mean_ms, other.mean_ms),
                "model": _ratio(own.model_ms_per_step, other.model_ms_per_step),
            }
    return ratios


def outside(figures: Mapping[str, ScheduleFigures], low: float, high: float) -> list[str]:
    """Return a line for each schedule whose share of steps with a new subgoal is outside the bounds."""
    return [
        f"{schedule}: {one.new_subgoals:.0%} of the steps have a new subgoal, which is not within {low:.0%} to "
        f"{high:.0%}: these figures are not comparable; choose other tasks (--task)"
        for schedule, one in figures.items()
        if one.new_subgoals is not None and not low <= one.new_subgoals <= high
    ]


def verified_by_some(figures: Mapping[str, ScheduleFigures]) -> dict[str, dict[str, int]] | None:
    """Return the verifications by schedule of each task on which schedules differ; None if nothing can be compared."""
    if len(figures) < 2 or all(one.verified is None for one in figures.values()):
        return None
    tasks = dict.fromkeys(task for one in figures.values() for task in one.verified_tasks)
    counts = {task: {name: one.verified_tasks.count(task) for name, one in figures.items()} for task in tasks}
    return {task: by_schedule for task, by_schedule in counts.items() if len(set(by_schedule.values())) > 1}
