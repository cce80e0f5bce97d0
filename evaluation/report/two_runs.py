"""Write two runs beside each other as pages: the same task step by step."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

from manyhands.evaluation.comparison.run_difference import WORTH_TELLING, RunDifference, TaskDifference
from manyhands.evaluation.comparison.screen_paths import VisitedScreen
from manyhands.evaluation.report.report_folder import (
    FILES,
    PAGE,
    ReportOptions,
    check_out,
    part_of,
    put_in_place,
    typed_errors,
    write_application,
    write_payloads,
)
from manyhands.evaluation.report.report_page import DIFFERENCE, folder_page, payload_of, script_of
from manyhands.evaluation.report.run_reports import task_verdict
from manyhands.evaluation.results import TaskResult
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.run_report import DifferenceReport, TaskPair, TaskSide
from manyhands.protocol.utilities import secure_files

LEFT, RIGHT = "left", "right"
"""The folders of the two runs' payloads. The names of the payloads begin so, too."""
_POINT = re.compile(r"\((\d+), (\d+)\)")
_NEAR = 40
"""Pixels between two points that are the same place: a model names a button's place a little otherwise each time."""


def write_difference(
    difference: RunDifference, before: RunFolder, after: RunFolder, out: Path, options: ReportOptions
) -> Path:
    """Write the pages of two runs into a folder, and return the page to open.

    The pictures stay in the run folders, and the pages refer to them. Raises BadInput if ``out`` holds anything other
    than a report, and StoreError.
    """
    check_out(out, before, after)
    with typed_errors(out), part_of(out) as part:
        for name, run in ((LEFT, before), (RIGHT, after)):
            secure_files.make_folder(part / FILES / name)
            write_payloads(run, part / FILES / name, options, prefix=f"{name}/")
        report = difference_report(difference, _address(before.path, out), _address(after.path, out), options.trim)
        secure_files.write_bytes(part / FILES / f"{DIFFERENCE}.js", script_of(DIFFERENCE, payload_of(report)))
        write_application(part / FILES)
        secure_files.write_text(part / PAGE, folder_page(DIFFERENCE))
        put_in_place(part, out)
    return out / PAGE


def difference_report(
    difference: RunDifference, pictures_before: str, pictures_after: str, is_trimmed: bool = False
) -> DifferenceReport:
    """Return two runs beside each other. Tasks that changed come first."""
    changed = [task for change in WORTH_TELLING for task in difference.having(change)]
    return DifferenceReport(
        made_at=time.time(),
        before=Path(difference.before).name,
        after=Path(difference.after).name,
        pictures_before=pictures_before,
        pictures_after=pictures_after,
        is_trimmed=is_trimmed,
        tasks=tuple(_pair(task) for task in (*changed, *difference.having("same"))),
    )


def _pair(task: TaskDifference) -> TaskPair:
    newest, both = task.after or task.before, (task.before, task.after)
    paths = [side.screens for side in both if side is not None]
    return TaskPair(
        task=task.task,
        goal=newest.goal if newest else "",
        change=task.change,
        why=task.why,
        before=_side(task.before, task.shown_before),
        after=_side(task.after, task.shown_after),
        other_action=first_other_action(*paths) if len(paths) == len(both) else None,
        other_screen=task.parting.step if task.parting else None,
    )


def _side(result: TaskResult | None, status: str) -> TaskSide | None:
    if result is None:
        return None
    return TaskSide(
        verdict=task_verdict(result),
        shown=status,
        reason=result.reason,
        episode=result.episode,
        steps=result.steps,
        seconds=result.seconds,
    )


def first_other_action(before: Sequence[VisitedScreen], after: Sequence[VisitedScreen]) -> int | None:
    """Return the first step at which the actions differ, by more than a few pixels; None if they do not."""
    for one, other in zip_longest(before, after):
        if one is None or other is None or not _is_same(one.action, other.action):
            return (other or one).step
    return None


def _is_same(action: str, other: str) -> bool:
    if _POINT.sub("", action) != _POINT.sub("", other):
        return False
    points = zip(_POINT.findall(action), _POINT.findall(other), strict=True)
    return all(abs(int(a) - int(b)) <= _NEAR for one, two in points for a, b in zip(one, two, strict=True))


def _address(run: Path, out: Path) -> str:
    """Return the address of a run folder relative to the page."""
    return f"{quote(Path(os.path.relpath(run.resolve(), out.resolve())).as_posix())}/"
