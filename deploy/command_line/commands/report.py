"""``manyhands report``: write the report of a run, or the film or the failure of one of its episodes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import counting_bar
from manyhands.deploy.command_line.output import say_json, text_console, write_output
from manyhands.protocol.errors import BadInput, BadUsage

if TYPE_CHECKING:
    from manyhands.evaluation.episode_view import EpisodePage
    from manyhands.evaluation.report.report_folder import ReportOptions, WrittenReport
    from manyhands.evaluation.run_folder import RunFolder


EXAMPLE = (
    "Example: manyhands report runs/20260102-101500_demo. A copy to send or to host: --out report_of_demo. "
    "As one file: --one-file demo.html. Without screens: --trim. A film of an episode: --gif film.gif --episode "
    "hello_note. A failure for an issue tracker: --markdown --episode hello_note."
)


@options.reads_runs
def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write a report with copies of the screens into this new folder.", show_default=False
        ),
    ] = None,
    one_file: Annotated[
        Path | None,
        typer.Option("--one-file", help="Write the whole report into this HTML file.", show_default=False),
    ] = None,
    trim: Annotated[bool, typer.Option("--trim", help="Leave the screens out.")] = False,
    gif: Annotated[
        Path | None,
        typer.Option("--gif", help="Write an episode's film to this GIF, instead of a report.", show_default=False),
    ] = None,
    mp4: Annotated[
        Path | None,
        typer.Option("--mp4", help="The same as an MP4; this needs ffmpeg.", show_default=False),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print an episode's failure as Markdown, instead of a report.")
    ] = False,
    episode: Annotated[
        str | None,
        typer.Option(
            "--episode",
            help="For --gif, --mp4, --markdown: the id of an episode or of its task. Without it, the only episode that "
            "failed.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write report.html: tasks, the timeline of all phones, why tasks failed, and each episode as a film."""
    if gif is not None or mp4 is not None or markdown:
        if out is not None or one_file is not None or trim:
            raise BadUsage("--gif, --mp4 and --markdown are about one episode: leave --out, --one-file and --trim away")
        _write_episode(run, episode, gif, mp4, markdown, as_json)
        return
    if episode is not None:
        raise BadUsage("--episode needs --gif, --mp4 or --markdown")
    if out is not None and one_file is not None:
        raise BadUsage("--out writes a folder and --one-file a file: name one of them")
    report_files = _write_report(run, out, one_file, trim)
    if as_json:
        say_json({"report": str(report_files.page), "bytes": report_files.bytes})
    else:
        text_console().print(report_files.page.resolve().as_uri(), soft_wrap=True, markup=False)


def _write_report(run: Path, out: Path | None, one_file: Path | None, trim: bool) -> WrittenReport:
    from manyhands.evaluation.report.report_folder import copy_report, write_one_file, write_report

    with report_options(trim) as report_settings:
        if one_file is not None:
            return write_one_file(run, one_file, report_settings)
        return write_report(run, report_settings) if out is None else copy_report(run, out, report_settings)


def _write_episode(
    folder: Path, id: str | None, gif: Path | None, mp4: Path | None, markdown: bool, as_json: bool
) -> None:
    from manyhands.evaluation.report.failures import failure_note
    from manyhands.evaluation.report.film import draw_frames, write_gif, write_mp4
    from manyhands.evaluation.run_folder import RunFolder

    run = RunFolder(folder)
    view = choose_episode(run, id)
    details: dict[str, Any] = {"episode": view.started.episode}
    for name, path, write in (("gif", gif, write_gif), ("mp4", mp4, write_mp4)):
        if path is not None:
            write(draw_frames(run, view), path)
            details[name] = str(path)
            if not as_json:
                text_console(stderr=markdown).print(str(path), soft_wrap=True)
    if markdown and not as_json:
        write_output(failure_note(run, view), None)
    elif as_json:
        say_json(details | ({"markdown": failure_note(run, view)} if markdown else {}))


MOST_WORKERS = 8


@contextlib.contextmanager
def report_options(trim: bool) -> Iterator[ReportOptions]:
    """Yield options with which several processes write a report, and a bar shows how many episodes are written."""
    from manyhands.evaluation.report.report_folder import ReportOptions

    with counting_bar("episodes", text_console(stderr=True), transient=True) as bar:
        row = bar.add_task("episodes", total=None)

        def show(count: int, total: int) -> None:
            bar.update(row, total=total, completed=count)

        yield ReportOptions(trim=trim, workers=_count_workers(), on_progress=show)


def _count_workers() -> int:
    """Return how many processes write a report: one for each processor that this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_WORKERS, usable)


_MOST_NAMED = 10


def choose_episode(run: RunFolder, id: str | None) -> EpisodePage:
    """Return an episode by its id, or by the id of its task. Without an id, return the only one that failed.

    If no episode failed, the only episode is returned. Raises BadInput if there is none, or if there are several.
    """
    from manyhands.evaluation.episode_view import view_episode
    from manyhands.evaluation.episodes import attempted, episode_of, episodes_of
    from manyhands.evaluation.report.failures import has_episode_failed

    views = {
        episode: view_episode(recorded_episode, len(scan.damage))
        for episode, scan in run.journals.items()
        if (recorded_episode := episode_of(scan.records)) is not None
    }
    if id is not None:
        of_task = [episode for episode, view in views.items() if view.started.task.id == id]
        if id in views or of_task:
            return views[id if id in views else of_task[-1]]
        raise BadInput(f"--episode {id}: {run.path} has no such episode or task; there are {_list_ids(list(views))}")
    tasks = attempted(run.asked, episodes_of(scan.records for scan in run.journals.values()))
    last = [task.attempts[-1].started.episode for task in tasks if task.attempts]
    failed = [episode for episode in last if has_episode_failed(views[episode])]
    candidates = failed or last
    if len(candidates) == 1:
        return views[candidates[0]]
    if not candidates:
        raise BadInput(f"{run.path}: the run has no episode yet")
    raise BadInput(f"name one with --episode: {'these failed: ' if failed else ''}{_list_ids(candidates)}")


def _list_ids(ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"{', '.join(ids[:_MOST_NAMED]) or 'none'}{more}"
