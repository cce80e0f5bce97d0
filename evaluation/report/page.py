"""Write a run as one self-contained HTML page: every step with its screenshot, what was seen, done and judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from manyhands.evaluation.episode_view import EpisodeView, view_episodes
from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.learning.charts import charts_of
from manyhands.evaluation.learning.lesson_view import lessons_of
from manyhands.evaluation.markup import embed_pictures, page_templates
from manyhands.evaluation.run_folder import RunFolder, read_faults
from manyhands.protocol import secure_files
from manyhands.protocol.run_summary import RunSummary, TaskRow


def write_report(folder: Path, summary: RunSummary) -> Path:
    """Write ``report.html`` into the run folder and return its path. Raises BadInput for any other folder."""
    run = RunFolder(folder)
    stories = view_episodes(run)
    tasks = attempted(run.asked, episodes_of(scan.records for scan in run.journals.values()))
    ids = {shot.content_id for story in stories for shot in story.screenshots}
    ids |= {story.ended.check_screen for story in stories if story.ended is not None and story.ended.check_screen}
    page = (
        page_templates("manyhands.evaluation")
        .get_template("report.html.jinja")
        .render(
            summary=summary,
            stories=stories,
            never_began=never_began(summary, run, stories),
            faults=read_faults(folder),
            charts=charts_of(tasks),
            lessons={one.started.episode: lessons_of(one) for task in tasks for one in task.attempts},
            began=min((story.started.at for story in stories), default=0.0),
            pictures=embed_pictures(run, sorted(ids)),
        )
    )
    path = folder / "report.html"
    secure_files.write_text(path, page)
    return path


def never_began(summary: RunSummary, run: RunFolder, stories: Sequence[EpisodeView]) -> list[tuple[TaskRow, str]]:
    """Return the tasks without a journal, each with its goal, in the order of the run."""
    goals = {task["id"]: task.get("goal", "") for task in run.asked.get("tasks") or ()}
    shown = Counter(story.started.task.id for story in stories if not story.started.serial)
    found = []
    for row in summary.by_task:
        if row.attempts:
            continue
        if shown[row.id]:
            shown[row.id] -= 1
        else:
            found.append((row, goals.get(row.id, "")))
    return found
