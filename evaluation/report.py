"""One self-contained HTML page of a run: every step with its screenshot, what was seen, done and judged."""

from __future__ import annotations

import base64
import io
import logging
import struct
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image

from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.faults import read_faults
from manyhands.evaluation.learning.charts import charts_of
from manyhands.evaluation.learning.told import lessons_of
from manyhands.evaluation.pages import page_templates
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.stories import EpisodeStory, tell_all
from manyhands.protocol import private
from manyhands.protocol.runs import RunSummary, TaskRow

PICTURE_WIDTH = 360
JPEG_QUALITY = 70
_DAMAGED_PNG = (OSError, ValueError, SyntaxError, EOFError, struct.error, zlib.error, Image.DecompressionBombError)
"""Errors of the decoder for bytes that are not a picture."""
_log = logging.getLogger(__name__)


def write_report(folder: Path, summary: RunSummary) -> Path:
    """Write ``report.html`` into the run folder and return its path. Raises BadInput for no run folder."""
    run = RunFolder(folder)
    stories = tell_all(run)
    tasks = attempted(run.asked.get("tasks") or (), episodes_of(scan.records for scan in run.journals.values()))
    ids = {shot.content_id for story in stories for shot in story.screenshots}
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
            pictures=_pictures(run, sorted(ids)),
        )
    )
    path = folder / "report.html"
    private.write_text(path, page)
    return path


def never_began(summary: RunSummary, run: RunFolder, stories: Sequence[EpisodeStory]) -> list[tuple[TaskRow, str]]:
    """Return the tasks that have no journal, each with its goal, in the order in which they were asked for."""
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


def _pictures(run: RunFolder, ids: Sequence[str]) -> Mapping[str, str]:
    """Return small JPEGs as base64 by content id, without screens that were not written or are damaged."""
    pictures = {}
    for content_id in ids:
        png = run.screen_png(content_id)
        if png is None:
            continue
        try:
            jpeg = _small_jpeg(png)
        except _DAMAGED_PNG as error:
            _log.warning("the report of %s lacks screen %s, its PNG is damaged: %s", run.path, content_id, error)
            continue
        pictures[content_id] = base64.b64encode(jpeg).decode()
    return pictures


def _small_jpeg(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as picture:
        small = picture.convert("RGB")
    small.thumbnail((PICTURE_WIDTH, PICTURE_WIDTH * 4))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()
