"""Compute the figures of a run from its journals and run.yaml.

``protocol.runs.run_summary`` defines the times. A step lasts from the first atomic action that is sent for one action
to the first that is sent for the next action. A stage's time excludes its queues. A capture's time excludes settling,
which is counted separately. Overhead is the part of a step that no stage's interval covers, whether the stage ran or
waited in a queue. Time in which a stage waited because no server of its model answered belongs to no step and no stage.
Percentiles of stages cover only work that was done, not results that already existed."""

from __future__ import annotations

import logging
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from manyhands.evaluation.episodes import Attempted, RecordedEpisode, attempted, episodes_of
from manyhands.evaluation.learning import learning_of
from manyhands.evaluation.rewards import Rewards, reward_source
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.timing import away_of, percentiles, steps_of, union_length
from manyhands.evaluation.usage import all_calls_of, usage_by_role, usage_by_server
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput, explain, store_error
from manyhands.protocol.journals.effective_records import interruptions, written_at
from manyhands.protocol.journals.records import (
    ActionReceived,
    Interval,
    Perceived,
    Record,
    Reflected,
    ScreenCaptured,
    StageDropped,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.runs.run_cipher import cipher_of
from manyhands.protocol.runs.run_summary import (
    IconNames,
    Interruptions,
    Percentiles,
    RunSummary,
    Speculation,
    StartUp,
    TaskRow,
)
from manyhands.protocol.tasks.repeats import groups_of
from manyhands.protocol.utilities import secure_files

_log = logging.getLogger(__name__)

SETTLE, CAPTURE = "settle", "capture"
"""Names of stages. The time of settling is part of a capture but is counted separately."""


def summarise(folder: Path, run_yaml: Mapping[str, Any] | None = None) -> RunSummary:
    """Compute the figures of a run folder, write them to ``summary.json``, and return them.

    ``asked``: the content of run.yaml, if the caller wrote that file; people may have edited it since. If the figures
    cannot be written, for example on a full disk, they are returned all the same. Raises BadInput for any other folder.
    """
    run = RunFolder(folder)
    summary = summary_of_run(run, [scan.records for scan in run.journals.values()], run_yaml)
    store_summary(folder, summary)
    return summary


def summary_of_run(
    run: RunFolder, journals: Iterable[Sequence[Record]], run_yaml: Mapping[str, Any] | None = None
) -> RunSummary:
    """Return the figures of a run folder from its journals. Raises BadInput if run.yaml holds something wrong."""
    try:
        return summary_of(run_yaml or run.asked, journals, Rewards.of_run(run))
    except ValidationError as error:
        raise BadInput(f"{run.path / 'run.yaml'}: {explain(error, RunSummary)}") from error


def store_summary(folder: Path, summary: RunSummary) -> None:
    """Write figures to ``summary.json``. If they cannot be written, log a warning."""
    try:
        content = (summary.model_dump_json(indent=2) + "\n").encode()
        secure_files.replace_bytes(folder / "summary.json", cipher_of(folder).encrypt(content))
    except OSError as error:
        _log.warning("%s", store_error(error, f"{folder / 'summary.json'} is not as new as the journals"))


def summary_of(
    run_yaml: Mapping[str, Any], journals: Iterable[Sequence[Record]], rewards: Rewards | None = None
) -> RunSummary:
    """Return the figures of journals, which must be in the order of their episodes' starts. ``asked`` is run.yaml.

    ``rewards``: what episodes earned; None where no function says it.
    """
    rewards = rewards or Rewards(reward_source(run_yaml))
    episodes = episodes_of(journals)
    records = [record for episode in episodes for record in episode.records]
    calls = all_calls_of(records)
    tasks = attempted(run_yaml, episodes)
    rows = tuple(row_of(task, rewards) for task in tasks)
    began = min((episode.started.at for episode in episodes), default=0.0)
    ended = max((episode.last_at for episode in episodes), default=0.0)
    wall_s = ended - began - union_length(_cut_off(run_yaml, records), (began, ended))
    steps = [step for episode in episodes for step in steps_of(episode.records)]
    first = episodes[0].started if episodes else None
    start_up = StartUp.model_validate(run_yaml["start_up"]) if run_yaml.get("start_up") else None
    stages = _stages([episode.started.stages for episode in episodes])
    return RunSummary(
        run_id=run_yaml.get("run_id") or (first.run if first else ""),
        profile=run_yaml.get("profile") or (first.profile if first else ""),
        schedule=run_yaml.get("schedule") or (first.schedule if first else ""),
        phones=len(run_yaml.get("phones") or {episode.started.serial for episode in episodes if episode.on_a_phone}),
        tasks=len(rows),
        finished=dict(Counter(row.finished.value for row in rows)),
        verified=sum(row.is_verified for row in rows),
        judged_done=sum(row.is_judged and row.verified is True for row in rows),
        judged_not_done=sum(row.is_judged and row.verified is False for row in rows),
        false_completes=sum(row.is_false_complete for row in rows),
        unexpected_changes=_changed_too_much(rows),
        steps=sum(episode.steps for episode in episodes),
        wall_s=wall_s,
        episodes_per_hour=sum(map(_succeeded, rows)) * 3600 / wall_s if wall_s > 0 else 0.0,
        start_up_s=None if start_up is None else _start_up_s(start_up, records),
        start_up_models_s=None if start_up is None else start_up.models_s,
        away_s=union_length(away_of(records)),
        step_ms=percentiles([step.ms for step in steps]),
        stage_ms=_by_stage(stages, (time for episode in episodes for time in _stage_times(episode))),
        queue_ms=_by_stage(stages, (time for episode in episodes for time in _queue_times(episode))),
        overhead_ms_per_step=sum(step.overhead_ms for step in steps) / len(steps) if steps else None,
        model=usage_by_role(calls),
        servers=usage_by_server(calls),
        models=run_yaml.get("models") or {},
        actions_sent=len(frozenset[str]().union(*(episode.actions_sent for episode in episodes))),
        person_actions=len(frozenset[str]().union(*(episode.person_actions for episode in episodes))),
        actions_repeated=sum(isinstance(record, ActionReceived) and record.receipt.repeated for record in records),
        outcomes=_outcomes(records),
        checks=_checks(records),
        speculation=speculation_of(records),
        by_task=rows,
        groups=groups_of(rows),
        interruptions=_interruptions(episodes, tasks),
        repeated=run_yaml.get("repeated"),
        learning=learning_of(tasks),
        model_source=run_yaml.get("model_source") or "",
        phones_source=run_yaml.get("phones_source") or "",
        phones_left_out=run_yaml.get("phones_left_out") or {},
        perception_source=run_yaml.get("perception_source") or "",
        icons=_icons(records) if _episode_settings(run_yaml).get("caption_all") else None,
        trees=Counter(one.screen.tree for one in records if isinstance(one, Perceived) and one.screen.tree is not None),
        versions=run_yaml.get("versions") or {},
        settings=run_yaml.get("settings") or {},
    )


def _episode_settings(run_yaml: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of episodes from run.yaml."""
    return (run_yaml.get("settings") or {}).get("episode") or {}


def _icons(records: Iterable[Record]) -> IconNames:
    """Count the icons on screens by what named them. Each screen counts once.

    Names that the phone tells are left out.
    """
    screens = [record.screen for record in records if isinstance(record, Perceived) and not record.screen.cached]
    icons = [one for screen in screens for one in screen.elements if one.kind == "icon"]
    names = [one.content for one in icons if one.source == "vision"]
    named, captioned = sum(map(bool, names)), sum(screen.captioned for screen in screens)
    return IconNames(model=captioned, network=named - captioned, unnamed=len(names) - named)


# ---------------------------------------------------------------------------- tasks
def row_of(task: Attempted, rewards: Rewards) -> TaskRow:
    """Return the result of a task, by the episode that decided it."""
    return _row(task, rewards) if task.attempts else _unstarted(task.asked)


def _row(tried: Attempted, rewards: Rewards) -> TaskRow:
    attempts = tried.attempts
    last = attempts[-1]
    task, ended = last.started.task, last.ended
    unfinished = [episode for episode in attempts if episode.on_a_phone and episode.ended is None]
    ran = (
        unfinished[-1] if unfinished and not last.on_a_phone else last
    )  # given up while it was running: it has no end of its own
    reward, fault = rewards.of(last)
    return TaskRow(
        id=task.id,
        phone=ran.started.serial or None,
        finished=last.ending,
        verified=ended.verified if ended else None,
        verified_by=ended.verified_by if ended else None,
        rubrics=ended.rubrics if ended else {},
        steps=ran.steps,
        human_steps=task.human_count or None,
        attempts=len({episode.started.attempt for episode in attempts if episode.on_a_phone}),
        reason=ended.explanation if ended else "its journal has no end",
        unmet=ended.unmet if ended else (),
        rubrics_unmet=ended.rubrics_unmet if ended else {},
        unexpected_changes=ended.unexpected_changes if ended else None,
        answer=ended.answer if ended else None,
        answer_data=ended.answer_data if ended else None,
        answered=ended.answered if ended else True,
        has_check=task.check is not None,
        retries=len(tried.failed_before),
        repeat_of=task.repeat_of,
        matrix=task.matrix,
        matrix_value=task.matrix_value,
        group=task.group,
        group_enough=task.group_enough,
        reward=reward,
        fault=fault,
    )


def _succeeded(row: TaskRow) -> bool:
    """Return whether a task counts for the rate: its check holds, or the agent finished. A failure may be fast."""
    return row.answered and (row.verified is True or row.finished is Ending.FINISHED)


def _changed_too_much(rows: Sequence[TaskRow]) -> int | None:
    """Count the tasks that changed more than they may change; None if no task's changes are known."""
    known_counts = [row.unexpected_changes for row in rows if row.unexpected_changes is not None]
    return sum(map(bool, known_counts)) if known_counts else None


def _unstarted(task: Mapping[str, Any]) -> TaskRow:
    return TaskRow(
        id=task["id"],
        phone=None,
        finished=Ending.CANCELLED,
        verified=None,
        rubrics={},
        steps=0,
        human_steps=task.get("human_steps") or len(task.get("human_operations") or ()) or None,
        attempts=0,
        reason="the run ended before the task was started",
        has_check=task.get("check") is not None,
        repeat_of=task.get("repeat_of"),
        matrix=task.get("matrix") or "",
        matrix_value=task.get("matrix_value") or "",
        group=task.get("group"),
        group_enough=task.get("group_enough"),
        fault=Ending.CANCELLED.value,
    )


def _interruptions(episodes: Sequence[RecordedEpisode], tasks: Sequence[Attempted]) -> Interruptions | None:
    """Return the interruptions and their costs; None if there were none."""
    causes = Counter(ending.value for episode in episodes for ending in episode.gone_on_from)
    anew = [(before, after) for task in tasks for before, after in pairwise(task.attempts) if after.started.restarts]
    if not causes and not anew:
        return None
    return Interruptions(
        continued=causes.total(),
        causes=dict(causes),
        seconds=sum(union_length(interruptions(episode.records)) for episode in episodes),
        begun_anew=len(anew),
        actions_again=sum(len(before.actions_sent) for before, _ in anew),
    )


# ---------------------------------------------------------------------------- times
def _start_up_s(start_up: StartUp, records: Iterable[Record]) -> float | None:
    """Return the seconds until the first stage of a step began; None if no stage began."""
    began = min((record.span.start for record in records if isinstance(record, StageRecord)), default=None)
    return None if began is None else start_up.opening_s + max(0.0, began - start_up.tasks_at)


def _cut_off(run_yaml: Mapping[str, Any], records: Sequence[Record]) -> list[Interval]:
    """Return when the run was stopped: from the last record before each ``manyhands resume`` to the first after it."""
    moments = sorted(map(written_at, records))
    places = {bisect(moments, again["at"]) for again in run_yaml.get("resumed") or ()}
    return [(moments[place - 1], moments[place]) for place in places if 0 < place < len(moments)]


def _worked(episode: RecordedEpisode) -> Iterable[StageRecord]:
    """Yield the records of stages that did work. Leave out results that already existed."""
    shots: set[tuple[str, float]] = set()
    for record in episode.records:
        if not isinstance(record, StageRecord) or isinstance(record, StageFailed | StageDropped):
            continue
        match record:
            case ScreenCaptured(screenshot=shot):
                is_known = (shot.content_id, shot.taken_at) in shots
                shots.add((shot.content_id, shot.taken_at))
            case Perceived(screen=screen):
                is_known = screen.cached and not screen.timings_ms
            case Reflected(reflection=reflection):
                is_known = reflection.made_by == "check"
            case _:
                is_known = record.span.start == record.span.end
        if not is_known:
            yield record


def _stage_times(episode: RecordedEpisode) -> Iterable[tuple[str, float]]:
    """Yield milliseconds of work. A stage that only waited while another stage read the same pixels did no work."""
    for record in _worked(episode):
        settling = record.screenshot.settling if isinstance(record, ScreenCaptured) else None
        if settling is not None:
            yield SETTLE, settling.ms
            yield record.stage, max(0.0, record.span.ms - settling.ms)
        elif not (isinstance(record, Perceived) and record.screen.cached):
            yield record.stage, record.span.ms


def _queue_times(episode: RecordedEpisode) -> Iterable[tuple[str, float]]:
    for record in _worked(episode):
        yield record.stage, record.span.queue_ms


def _stages(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the names of the stages of all episodes, each once, with ``settle`` after ``capture``."""
    names = dict.fromkeys(name for stages in lists for name in stages)
    return tuple(part for name in names for part in ((name, SETTLE) if name == CAPTURE else (name,)))


def _by_stage(stages: Iterable[str], times: Iterable[tuple[str, float]]) -> dict[str, Percentiles | None]:
    values: dict[str, list[float]] = {stage: [] for stage in stages}
    for stage, ms in times:
        values.setdefault(stage, []).append(ms)
    return {stage: percentiles(times) for stage, times in values.items()}


# ---------------------------------------------------------------------------- verdicts
def _outcomes(records: Iterable[Record]) -> dict[str, int]:
    counts = Counter(record.reflection.outcome for record in records if isinstance(record, Reflected))
    return {outcome.value: counts[outcome] for outcome in Outcome}


def _checks(records: Iterable[Record]) -> dict[str, int]:
    """Count cheap verdicts by rule."""
    verdicts = (record.reflection for record in records if isinstance(record, Reflected))
    return dict(sorted(Counter(verdict.check or "" for verdict in verdicts if verdict.made_by == "check").items()))


# ---------------------------------------------------------------------------- speculation
def speculation_of(records: Iterable[Record]) -> Speculation | None:
    """Count the stages that began on assumptions; return None if none did."""
    kept_results: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for record in records:
        match record:
            case StageDropped() if record.assumed:
                dropped[record.stage] += 1
                wrong[_because(record)] += 1
            case StageRecord() if record.assumed and not isinstance(record, StageFailed):
                kept_results[record.stage] += 1
    speculated = kept_results.total() + dropped.total()
    if not speculated:
        return None
    return Speculation(
        kept=dict(kept_results), dropped=dict(dropped), wrong=dict(wrong), kept_share=kept_results.total() / speculated
    )


def _because(record: StageDropped) -> str:
    if record.wrong is None:
        return "ended"
    return "failed" if record.wrong == record.stage else record.wrong
