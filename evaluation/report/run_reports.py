"""Show a run: its tasks, the timeline of its phones, why tasks failed, and what was learned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import Attempted, attempted, episode_of, episodes_of
from manyhands.evaluation.learning.charts import learning_plots
from manyhands.evaluation.report.episodes.episode_digest import EpisodeDigest, digest_episode
from manyhands.evaluation.report.failure_causes import TaskFailure, group_failures
from manyhands.evaluation.report.run_timeline import since, timeline_events
from manyhands.evaluation.results import Verdict, verdict_of
from manyhands.evaluation.run_folder import RunFolder, read_faults
from manyhands.evaluation.summary import summary_of_run
from manyhands.protocol.reports.run_report import (
    EpisodeTrack,
    FailureCause,
    PhoneTrack,
    ReportedTask,
    RunReport,
    TaskVerdict,
    TaughtLesson,
)
from manyhands.protocol.runs.run_summary import RunSummary, TaskRow

_VERDICTS: Mapping[Verdict, TaskVerdict] = {
    "passed": "done",
    "passed_on_retry": "done",
    "judged_done": "done",
    "failed": "failed",
    "judged_not_done": "failed",
    "undecided": "undecided",
    "cancelled": "cancelled",
}


def report_run(run: RunFolder, made_at: float) -> RunReport:
    """Return the report of a run. Raises BadInput and StoreError for a folder that cannot be read."""
    digests = (digest_journal(run, episode) for episode in run.journals)
    return assemble_report(run, [digest for digest in digests if digest is not None], made_at)


def digest_journal(run: RunFolder, episode: str) -> EpisodeDigest | None:
    """Return an episode of a run folder without its texts; None without a journal that has a start."""
    scan = run.journals[episode]
    recorded_episode = episode_of(scan.records)
    return (
        None
        if recorded_episode is None
        else digest_episode(view_episode(recorded_episode), scan.records, keeps_icons(run))
    )


def keeps_icons(run: RunFolder) -> bool:
    """Return whether the figures of a run count the names of icons."""
    return bool(((run.asked.get("settings") or {}).get("episode") or {}).get("caption_all"))


def assemble_report(
    run: RunFolder, digests: Sequence[EpisodeDigest], made_at: float, *, is_trimmed: bool = False
) -> RunReport:
    """Return the report of a run from its episodes. ``made_at``: the time now, in Unix seconds."""
    ordered = sorted(digests, key=lambda digest: (digest.row.started_at, digest.row.id))
    journals = [digest.records for digest in ordered]
    summary = summary_of_run(run, journals)
    episodes = episodes_of(journals)
    began = min((episode.started.at for episode in episodes), default=0.0)
    of_episode = {digest.row.id: digest for digest in ordered}
    tasks = attempted(run.asked, episodes)
    causes = group_failures(list(_failures(tasks, summary, of_episode)))
    task_rows = tuple(_tasks(tasks, summary, of_episode, causes))
    return RunReport(
        run=run.path.resolve().name,
        made_at=made_at,
        started_at=began,
        is_trimmed=is_trimmed,
        summary=summary,
        tasks=task_rows,
        phones=tuple(_phones(task_rows, of_episode, began)),
        events=timeline_events(episodes, run.asked, read_faults(run.path), began),
        causes=causes,
        lessons=tuple(
            TaughtLesson(episode=row.id, task=task.row.id, changes=of_episode[row.id].taught)
            for task in task_rows
            for row in task.episodes
            if of_episode[row.id].taught
        ),
        plots=() if summary.learning is None else learning_plots(tasks),
    )


def task_verdict(row: TaskRow) -> TaskVerdict:
    """Return what became of a task."""
    return _VERDICTS[verdict_of(row)]


def _tasks(
    tasks: Sequence[Attempted],
    summary: RunSummary,
    digests: Mapping[str, EpisodeDigest],
    causes: Iterable[FailureCause],
) -> Iterator[ReportedTask]:
    cause_of = {place: cause.id for cause in causes for place in cause.tasks}
    for task, row in zip(tasks, summary.by_task, strict=True):
        own = [digests[episode.started.episode] for episode in task.attempts]
        spec = task.attempts[-1].started.task if task.attempts else None
        named = spec.apps if spec else tuple(task.asked.get("apps") or ())
        first, last = (task.attempts[0], task.attempts[-1]) if task.attempts else (None, None)
        yield ReportedTask(
            row=row,
            goal=str(task.asked.get("goal") or (spec.goal if spec else "")),
            verdict=task_verdict(row),
            apps=named or tuple(dict.fromkeys(app for digest in own for app in digest.apps)),
            tags=spec.tags if spec else tuple(task.asked.get("tags") or ()),
            duration_s=round(last.last_at - first.started.at, 3) if first and last else 0.0,
            cause=cause_of.get(row.id) if task_verdict(row) == "failed" else None,
            episodes=tuple(digest.row for digest in own),
        )


def _failures(
    tasks: Sequence[Attempted], summary: RunSummary, digests: Mapping[str, EpisodeDigest]
) -> Iterator[TaskFailure]:
    for task, row in zip(tasks, summary.by_task, strict=True):
        if task_verdict(row) != "failed":
            continue
        last = digests[task.attempts[-1].started.episode] if task.attempts else None
        app = last.app if last else ""
        yield TaskFailure(row.id, row.finished, app, _reason(row, last), tuple(_names_of(task, row)))


def _reason(row: TaskRow, last: EpisodeDigest | None) -> str:
    """Return how the task ended, and what was wrong at the step of its last episode that failed first."""
    ended = row.reason or row.finished.value
    if last is None or not last.failure or last.failure.partition(": ")[2] in ended:
        return ended
    return f"{ended}; {last.failure}"


def _names_of(task: Attempted, row: TaskRow) -> Iterator[str]:
    """Yield what names a task, its phones and its episodes."""
    yield row.id
    for episode in task.attempts:
        yield from (episode.started.episode, episode.started.serial)


def _phones(tasks: Iterable[ReportedTask], digests: Mapping[str, EpisodeDigest], began: float) -> Iterator[PhoneTrack]:
    tracks: dict[str, list[EpisodeTrack]] = {}
    for task in tasks:
        for row in task.episodes:
            if row.phone:
                tracks.setdefault(row.phone, []).append(_track(task, digests[row.id], began))
    for phone in sorted(tracks):
        yield PhoneTrack(phone=phone, episodes=tuple(sorted(tracks[phone], key=lambda track: track.start)))


def _track(task: ReportedTask, digest: EpisodeDigest, began: float) -> EpisodeTrack:
    row = digest.row
    marks = tuple(since(began, mark) for mark in digest.marks)
    start = round(row.started_at - began, 3)
    ends = [mark.end for mark in marks] + ([] if row.ended_at is None else [round(row.ended_at - began, 3)])
    return EpisodeTrack(
        episode=row.id,
        task=task.row.id,
        start=start,
        end=max(start, *ends) if ends else start,
        ending=row.ending,
        verdict=task.verdict,
        steps=marks,
    )
