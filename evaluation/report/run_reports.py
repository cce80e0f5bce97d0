"""Show a run: its tasks, the timeline of its phones, why tasks failed, and what was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import Attempted, RecordedEpisode, attempted, episode_of, episodes_of
from manyhands.evaluation.learning import Fate, places_of, uses_of
from manyhands.evaluation.metrics.figure import Missing, mean
from manyhands.evaluation.metrics.outcomes import Case, satisfaction, state_says
from manyhands.evaluation.report.episode_digest import EpisodeDigest, digest_episode
from manyhands.evaluation.report.failures import TaskFailure, group_failures
from manyhands.evaluation.report.run_timeline import since, timeline_events
from manyhands.evaluation.results import Verdict, verdict_of
from manyhands.evaluation.run_folder import RunFolder, read_faults
from manyhands.evaluation.summary import summary_of_run
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.run_report import (
    EpisodeTrack,
    FailureCause,
    LearningPlot,
    PhoneTrack,
    PlotLine,
    ReportedTask,
    RunReport,
    TaskVerdict,
    TaughtLesson,
)
from manyhands.protocol.runs.run_summary import RunSummary, TaskRow

MOST_LINES = 6
"""The most scenarios that get a line each. With more scenarios, their mean is drawn."""
REST = "tasks without a scenario"
FATES: tuple[Fate, ...] = ("worked", "refused", "surprised", "failed", "put_aside", "untold")
"""The outcomes of uses, in the order of their lines."""


Groups = Mapping[str, Mapping[int, RecordedEpisode]]
"""By scenario and place: the last episode of the task there that ran on a phone."""
_Value = Callable[[RecordedEpisode], float | None]


def learning_plots(tasks: Sequence[Attempted]) -> tuple[LearningPlot, ...]:
    """Return the plots of a run; none if no task follows another one in a scenario."""
    groups = _groups(tasks)
    last = max((place for group in groups.values() for place in group), default=0)
    if last < 2:
        return ()
    measures = (
        ("Satisfaction score, %", _satisfaction),
        ("Steps", lambda episode: float(episode.steps)),
        ("Model calls, of learning too", lambda episode: float(len(calls_of(episode.records)))),
        ("Tips known at the start", lambda episode: float(len(episode.started.memory.tips))),
        ("Shortcuts known at the start", lambda episode: float(len(episode.started.memory.shortcuts))),
    )
    plots = [LearningPlot(title=title, lines=_lines(groups, value)) for title, value in measures]
    return tuple(plot for plot in (*plots, _use_plot(groups)) if plot.lines)


def _groups(tasks: Sequence[Attempted]) -> Groups:
    places, rest = places_of(tasks), []
    groups: dict[str, dict[int, RecordedEpisode]] = {}
    for task in tasks:
        on_phones = [one for one in task.attempts if one.on_a_phone]
        if not on_phones:
            continue
        episode = on_phones[-1]
        place = places.get(episode.started.episode)
        if place is None:
            rest.append(episode)
        else:
            groups.setdefault(str(episode.started.task.memory_scope), {})[place] = episode
    rest.sort(key=lambda episode: episode.started.at)
    return {**groups, **({REST: dict(enumerate(rest, start=1))} if rest else {})}


def _satisfaction(episode: RecordedEpisode) -> float | None:
    part = satisfaction(Case(episode, state_says(episode)))
    return None if isinstance(part, Missing) else 100 * part.amount / part.of


def _lines(groups: Groups, value: _Value) -> tuple[PlotLine, ...]:
    by_name = {
        name: {place: figure for place, episode in group.items() if (figure := value(episode)) is not None}
        for name, group in groups.items()
    }
    if len(by_name) > MOST_LINES:
        places = sorted({place for values in by_name.values() for place in values})
        by_name = {
            f"mean of {len(by_name)} scenarios": {
                place: mean([values[place] for values in by_name.values() if place in values]) for place in places
            }
        }
    return tuple(
        PlotLine(name=name, points=tuple(sorted(values.items()))) for name, values in by_name.items() if values
    )


def _use_plot(groups: Groups) -> LearningPlot:
    """Return the plot of the uses of shortcuts at each place, over all scenarios, by outcome."""
    counts: dict[int, Counter[Fate]] = {}
    for group in groups.values():
        for place, episode in group.items():
            counts.setdefault(place, Counter()).update(use.fate for use in uses_of(episode))
    lines = (
        PlotLine(
            name=fate.replace("_", " "), points=tuple((place, float(counts[place][fate])) for place in sorted(counts))
        )
        for fate in FATES
        if any(at_place[fate] for at_place in counts.values())
    )
    return LearningPlot(title="Uses of shortcuts", lines=tuple(lines))


_VERDICTS: Mapping[Verdict, TaskVerdict] = {
    "passed": "done",
    "passed_on_retry": "done",
    "judged_done": "done",
    "failed": "failed",
    "judged_not_done": "failed",
    "undecided": "undecided",
    "cancelled": "cancelled",
}


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
