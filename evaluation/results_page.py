"""Write the results of a run as one self-contained HTML page: a row for each task, sortable by each column."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args
from urllib.parse import quote

from manyhands.evaluation.markup import embed_pictures, page_templates
from manyhands.evaluation.results import TaskResult, Verdict, answer_columns, answer_fields
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.tasks.repeats import count_repeats


def to_html(results: Sequence[TaskResult], run: RunFolder, written_to: Path | None = None) -> str:
    """Return the page. It shows the last screens of the tasks that did not pass.

    ``written_to``: the page's file. If it is inside the run folder, links to episodes are relative, so that the folder
    can be moved with its page. Elsewhere links hold the run's full path, so that the page alone can be moved.
    """
    not_passed = (result.last_screen for result in results if not result.passes)
    picture_names = {screen: Path(screen).stem for screen in not_passed if screen is not None}
    counts = Counter(result.verdict for result in results)
    return (
        page_templates("manyhands.evaluation")
        .get_template("results.html.jinja")
        .render(
            run=results[0].run if results else run.path.name,
            results=results,
            counts={verdict.replace("_", " "): counts[verdict] for verdict in get_args(Verdict)},
            repeats=count_repeats(results),
            answer_columns=answer_columns(results),
            answers=[answer_fields(result) for result in results],
            screens=picture_names,
            pictures=embed_pictures(run, sorted(picture_names.values())),
            links=[link_to_episode(run, result.episode, written_to) for result in results],
        )
    )


def link_to_episode(run: RunFolder, episode: str | None, written_to: Path | None) -> str | None:
    """Return a link to an episode: to its place in the run's report, or to its folder if there is no report."""
    if episode is None:
        return None
    folder = run.path.resolve()
    if written_to is None or not written_to.resolve().is_relative_to(folder):
        base = folder.as_uri()
    else:
        base = quote(Path(os.path.relpath(folder, written_to.resolve().parent)).as_posix())
    return (
        f"{base}/report.html#/episodes/{quote(episode)}" if _has_report(run) else f"{base}/episodes/{quote(episode)}/"
    )


def _has_report(run: RunFolder) -> bool:
    return (run.path / "report.html").is_file()
