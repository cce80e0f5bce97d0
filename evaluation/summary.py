"""The figures of a run, made from its journals and run.yaml alone.

Times are those of ``protocol.runs.RunSummary``: a step lasts from the first atom sent for one action to the
first atom sent for the next; a stage's time excludes its queues; settling is counted apart from the capture
around it; overhead is a step less the union of the intervals in which any stage ran or waited in a queue. The time in
which no server of a model answered and a stage waited for one belongs to no step and no stage.
Percentiles of stages are those of work that was done, not of results that were there already.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from manyhands.evaluation.intervals import away_of, percentiles, union_length
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.usage import calls_of, usage_by_role, usage_by_server
from manyhands.protocol import private
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.records import (
    STAGES_OF_E,
    Acted,
    ActionReceived,
    ActionSent,
    Captured,
    Dropped,
    EpisodeEnded,
    EpisodeStarted,
    Perceived,
    Record,
    Reflected,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.runs import Percentiles, RunSummary, Speculation, TaskRow

SETTLE, CAPTURE = "settle", "capture"
"""The time that a capture waits for the screen to come to rest is counted apart from the rest of it."""


def summarise(folder: Path) -> RunSummary:
    """Return the figures of a run folder, also written to its ``summary.json``. Raises BadInput for no run folder."""
    run = RunFolder(folder)
    summary = summary_of(run.asked, [scan.records for scan in run.journals.values()])
    private.write_text(folder / "summary.json", summary.model_dump_json(indent=2) + "\n")
    return summary


@dataclass(frozen=True)
class Episode:
    """Hold a journal that begins with what was started. Without an end, the process that ran it died."""

    started: EpisodeStarted
    ended: EpisodeEnded | None
    records: Sequence[Record]

    @property
    def on_a_phone(self) -> bool:
        """Return whether any phone had the task before it was given up."""
        return self.started.serial != ""

    @property
    def steps(self) -> int:
        return self.ended.steps if self.ended else sum(isinstance(record, Acted) for record in self.records)

    @property
    def last_at(self) -> float:
        """Return when its last record ends, in Unix seconds."""
        ends = [record.span.end for record in self.records if isinstance(record, StageRecord)]
        return max(self.started.at, *ends, self.ended.at if self.ended else self.started.at)


def summary_of(asked: Mapping[str, Any], journals: Iterable[Sequence[Record]]) -> RunSummary:
    """Return the figures of journals, in the order in which their episodes started; ``asked`` is run.yaml."""
    episodes = [episode for records in journals if (episode := _episode(records)) is not None]
    records = [record for episode in episodes for record in episode.records]
    calls = calls_of(records)
    rows = _rows(asked.get("tasks") or (), episodes)
    began = min((episode.started.at for episode in episodes), default=0.0)
    wall_s = max((episode.last_at for episode in episodes), default=0.0) - began
    steps = [step for episode in episodes for step in _steps(episode)]
    refused = {r.receipt.key for r in records if isinstance(r, ActionReceived) and r.receipt.status == "refused"}
    first = episodes[0].started if episodes else None
    stages = _stages([episode.started.stages for episode in episodes] or [STAGES_OF_E])
    return RunSummary(
        run_id=asked.get("run_id") or (first.run if first else ""),
        profile=asked.get("profile") or (first.profile if first else ""),
        schedule=asked.get("schedule") or (first.schedule if first else ""),
        phones=len(asked.get("phones") or {episode.started.serial for episode in episodes if episode.on_a_phone}),
        tasks=len(rows),
        finished=dict(Counter(row.finished.value for row in rows)),
        verified=sum(row.verified is True for row in rows),
        steps=sum(episode.steps for episode in episodes),
        wall_s=wall_s,
        episodes_per_hour=sum(map(_succeeded, rows)) * 3600 / wall_s if wall_s > 0 else 0.0,
        away_s=union_length(away_of(records)),
        step_ms=percentiles([step.ms for step in steps]),
        stage_ms=_by_stage(stages, (time for episode in episodes for time in _stage_times(episode))),
        queue_ms=_by_stage(stages, (time for episode in episodes for time in _queue_times(episode))),
        overhead_ms_per_step=sum(step.overhead_ms for step in steps) / len(steps) if steps else None,
        model=usage_by_role(calls),
        servers=usage_by_server(calls),
        models=asked.get("models") or {},
        actions_sent=len({record.key for record in records if isinstance(record, ActionSent)} - refused),
        actions_repeated=sum(isinstance(record, ActionReceived) and record.receipt.repeated for record in records),
        outcomes=_outcomes(records),
        checks=_checks(records),
        speculation=speculation_of(records),
        by_task=rows,
        model_source=asked.get("model_source") or "",
        phones_source=asked.get("phones_source") or "",
        phones_left_out=asked.get("phones_left_out") or {},
        perception_source=asked.get("perception_source") or "",
        versions=asked.get("versions") or {},
        settings=asked.get("settings") or {},
    )


def _episode(records: Sequence[Record]) -> Episode | None:
    started = next((record for record in records if isinstance(record, EpisodeStarted)), None)
    ended = next((record for record in records if isinstance(record, EpisodeEnded)), None)
    return None if started is None else Episode(started, ended, records)


# ---------------------------------------------------------------------------- tasks
def _rows(asked: Sequence[Mapping[str, Any]], episodes: Sequence[Episode]) -> tuple[TaskRow, ...]:
    """Return a row per task asked for, in that order. A task that was asked for twice has two rows."""
    attempts: dict[str, list[list[Episode]]] = defaultdict(list)
    for episode in episodes:
        of_task = attempts[episode.started.task.id]
        if episode.started.attempt == 1 or not of_task:
            of_task.append([])
        of_task[-1].append(episode)
    rows = []
    for task in asked:
        of_task = attempts.get(task["id"], [])
        rows.append(_row(of_task.pop(0)) if of_task else _unstarted(task))
    return (*rows, *(_row(group) for of_task in attempts.values() for group in of_task))


def _row(attempts: Sequence[Episode]) -> TaskRow:
    last = attempts[-1]
    task, ended = last.started.task, last.ended
    return TaskRow(
        id=task.id,
        phone=last.started.serial or None,
        finished=ended.ending if ended else Ending.HOST_LOST,
        verified=ended.verified if ended else None,
        rubrics=ended.rubrics if ended else {},
        steps=last.steps,
        human_steps=len(task.human_operations),
        attempts=sum(episode.on_a_phone for episode in attempts),
        reason=ended.reason if ended else "its journal has no end",
        answer=ended.answer if ended else None,
    )


def _succeeded(row: TaskRow) -> bool:
    """Return whether a task counts in a rate: its check holds, or the agent was done with it. Failing is fast."""
    return row.verified is True or row.finished is Ending.FINISHED


def _unstarted(task: Mapping[str, Any]) -> TaskRow:
    return TaskRow(
        id=task["id"],
        phone=None,
        finished=Ending.CANCELLED,
        verified=None,
        rubrics={},
        steps=0,
        human_steps=len(task.get("human_operations") or ()),
        attempts=0,
        reason="the run ended before the task was started",
    )


# ---------------------------------------------------------------------------- times
@dataclass(frozen=True)
class _Step:
    ms: float
    overhead_ms: float


def _steps(episode: Episode) -> list[_Step]:
    """Measure from the first atom of one action sent to the first atom of the next one sent."""
    sent: dict[int, float] = {}
    for record in episode.records:
        if isinstance(record, ActionSent):
            sent.setdefault(record.step, record.at)
    spans = [(one.span.start, one.span.end) for one in episode.records if isinstance(one, StageRecord)]
    away = away_of(episode.records)

    def step(start: float, end: float) -> _Step:
        whole = end - start
        uncovered = whole - union_length(spans, (start, end))
        return _Step((whole - union_length(away, (start, end))) * 1000, uncovered * 1000)

    return [step(start, end) for start, end in pairwise(sorted(sent.values()))]


def _worked(episode: Episode) -> Iterable[StageRecord]:
    """Yield what each stage found, unless it was there already: nothing was done and nothing waited for."""
    shots: set[tuple[str, float]] = set()
    for record in episode.records:
        if not isinstance(record, StageRecord) or isinstance(record, StageFailed | Dropped):
            continue
        match record:
            case Captured(screenshot=shot):
                known = (shot.content_id, shot.taken_at) in shots
                shots.add((shot.content_id, shot.taken_at))
            case Perceived(screen=screen):
                known = screen.cached and not screen.timings_ms
            case Reflected(reflection=reflection):
                known = reflection.made_by == "check"
            case _:
                known = record.span.start == record.span.end
        if not known:
            yield record


def _stage_times(episode: Episode) -> Iterable[tuple[str, float]]:
    """Yield milliseconds of work. A stage that only waited for another's reading of the same pixels did none."""
    for record in _worked(episode):
        settling = record.screenshot.settling if isinstance(record, Captured) else None
        if settling is not None:
            yield SETTLE, settling.ms
            yield record.stage, max(0.0, record.span.ms - settling.ms)
        elif not (isinstance(record, Perceived) and record.screen.cached):
            yield record.stage, record.span.ms


def _queue_times(episode: Episode) -> Iterable[tuple[str, float]]:
    for record in _worked(episode):
        yield record.stage, record.span.queue_ms


def _stages(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the stages of all episodes, each once, with ``settle`` after ``capture``."""
    names = dict.fromkeys(name for stages in lists for name in stages)
    return tuple(part for name in names for part in ((name, SETTLE) if name == CAPTURE else (name,)))


def _by_stage(stages: Iterable[str], times: Iterable[tuple[str, float]]) -> dict[str, Percentiles | None]:
    values: dict[str, list[float]] = {stage: [] for stage in stages}
    for stage, ms in times:
        values.setdefault(stage, []).append(ms)
    return {stage: percentiles(found) for stage, found in values.items()}


# ---------------------------------------------------------------------------- verdicts
def _outcomes(records: Iterable[Record]) -> dict[str, int]:
    counts = Counter(record.reflection.outcome for record in records if isinstance(record, Reflected))
    return {outcome.value: counts[outcome] for outcome in Outcome}


def _checks(records: Iterable[Record]) -> dict[str, int]:
    """Count verdicts made without the model, by rule; by none in journals of before the rules had names."""
    verdicts = (record.reflection for record in records if isinstance(record, Reflected))
    return dict(sorted(Counter(verdict.check or "" for verdict in verdicts if verdict.made_by == "check").items()))


# ---------------------------------------------------------------------------- speculation
def speculation_of(records: Iterable[Record]) -> Speculation | None:
    """Count the stages that began on assumptions; None where none did."""
    kept: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for record in records:
        match record:
            case Dropped():
                dropped[record.stage] += 1
                wrong[_because(record)] += 1
            case StageRecord() if record.assumed and not isinstance(record, StageFailed):
                kept[record.stage] += 1
    asked = kept.total() + dropped.total()
    if not asked:
        return None
    return Speculation(kept=dict(kept), dropped=dict(dropped), wrong=dict(wrong), kept_share=kept.total() / asked)


def _because(record: Dropped) -> str:
    if record.wrong is None:
        return "ended"
    return "failed" if record.wrong == record.stage else record.wrong
