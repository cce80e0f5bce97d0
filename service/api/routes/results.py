"""Send the results of a batch as rows: CSV, JSON, JUnit for CI systems, or a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from manyhands.evaluation.formats.results import to_html, to_junit
from manyhands.evaluation.results import FailedTry, TaskResult, results_of_tasks, to_csv, to_json_lines
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.service.batches import TaskPhase, TaskStatus
from manyhands.service.api.authentication import Reader
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.text_types import BatchId
from manyhands.service.database.batches.batch_queries import TaskFilter

router = APIRouter(tags=["results"])


class ResultForm(StrEnum):
    """List the forms of results."""

    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    JUNIT = "junit"
    HTML = "html"


_TYPES = {
    ResultForm.CSV: "text/csv",
    ResultForm.JSON: "application/json",
    ResultForm.JSONL: "application/jsonl",
    ResultForm.JUNIT: "application/xml",
    ResultForm.HTML: "text/html",
}
_PAGE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts"
)
"""Lets the page sort its rows. The sandbox keeps its scripts from this service and its tokens."""
_TEXT = {"schema": {"type": "string", "description": "One row for each task that has ended."}}
_ROWS = {
    "schema": {
        "type": "array",
        "items": {"type": "object"},
        "description": "One object for each task that has ended, with the fields of `manyhands results --json`.",
    }
}
_ANSWERS = {
    200: {
        "description": "The results so far.",
        "content": {media_type: _ROWS if form is ResultForm.JSON else _TEXT for form, media_type in _TYPES.items()},
    },
    **MISSING,
}


@router.get("/batches/{batch}/results", responses=_ANSWERS, response_class=Response)
async def show_results(
    _: Reader,
    context: Context,
    request: Request,
    batch: BatchId,
    format: Annotated[ResultForm, Query(description="The form of the results.")] = ResultForm.JSON,
) -> Response:
    """Send a row for each task of a batch that has ended: how it ended, what its check found, its answer, its cost.

    The rows are those of `manyhands results`. In JUnit's form, the suite has the batch's name, cases have the ids that
    the tasks were submitted with, and the last screens are addresses at this service, which want a token.
    """
    name = (await context.parts.batches.batch(batch)).name or "manyhands"
    ended = await _ended_tasks(context, batch)

    def write(runs: Sequence[RunFolder]) -> str:
        results, run = _rows(runs, ended, batch)
        if format is ResultForm.JUNIT:
            cases = _test_cases(results, ended, batch)
            return to_junit(cases, name, lambda result: _screen_address(str(request.base_url), result)) + "\n"
        return _format(results, format, run)

    text = await context.files.read_results(write)
    headers = {"Content-Disposition": f'inline; filename="{batch}.{_suffix(format)}"'}
    if format is ResultForm.HTML:
        headers["Content-Security-Policy"] = _PAGE_POLICY
    return Response(text, media_type=_TYPES[format], headers=headers)


async def _ended_tasks(context: RouteContext, batch: str) -> list[TaskStatus]:
    statuses: list[TaskStatus] = []
    cursor: str | None = None
    while True:
        page = await context.parts.batches.tasks(TaskFilter(batch=batch, phase=TaskPhase.ENDED), cursor, 1000)
        statuses += page.items
        cursor = page.next_cursor
        if cursor is None:
            return statuses


def _rows(runs: Sequence[RunFolder], ended: Sequence[TaskStatus], batch: str) -> tuple[Sequence[TaskResult], RunFolder]:
    """Return the results, and the run folder of the newest. Each task is in one of the run folders."""
    if not runs:
        raise RequestRefused(ProblemKind.BUSY, "the fleet has no run folder yet", headers={"Retry-After": "5"})
    rows: dict[str, TaskResult] = {}
    shown_run = runs[0]
    for run in runs:
        missing = [{"id": task.id, "goal": task.goal} for task in ended if task.id not in rows]
        results = [row for row in results_of_tasks(run, missing, batch) if row.episode] if missing else []
        rows |= {row.id: row for row in results}
        shown_run = run if results else shown_run
    # Of a task that no phone has had, the database tells how it ended.
    without = [{"id": task.id, "goal": task.goal} for task in ended if task.id not in rows]
    ends = {task.id: _known_end(task) for task in ended}
    rows |= {row.id: row.model_copy(update=ends[row.id]) for row in results_of_tasks(shown_run, without, batch)}
    return [rows[task.id] for task in ended], shown_run


def _test_cases(results: Sequence[TaskResult], ended: Sequence[TaskStatus], batch: str) -> Sequence[TaskResult]:
    """Return results under the ids that clients submitted. A later try stands for the task that it repeats."""
    cases: dict[str, TaskResult] = {}
    firsts: dict[str, str] = {}
    """The task that each later try repeats, by way of others or not."""
    for task, result in zip(ended, results, strict=True):
        first = firsts[task.id] = firsts.get(task.retry_of or "", task.id)
        before = cases.pop(first, None)
        id = task.id.removeprefix(f"{batch}.") if before is None else before.id
        tries = () if before is None else (*before.failed_tries, _failed_try(before))
        cases[first] = result.model_copy(update={"id": id, "failed_tries": (*tries, *result.failed_tries)})
    return list(cases.values())


def _failed_try(result: TaskResult) -> FailedTry:
    return FailedTry(episode=result.episode or "", finished=result.finished, reason=result.reason, unmet=result.unmet)


def _screen_address(service: str, result: TaskResult) -> str | None:
    if result.last_screen is None:
        return None
    return f"{service}api/v1/episodes/{quote(result.episode or '', safe='')}/screens/{Path(result.last_screen).stem}"


def _known_end(task: TaskStatus) -> dict[str, object]:
    verdict = "cancelled" if task.ending is Ending.CANCELLED else "failed"
    return {"finished": task.ending, "reason": task.reason or "", "verdict": verdict}


def _format(results: Sequence[TaskResult], form: ResultForm, run: RunFolder) -> str:
    match form:
        case ResultForm.CSV:
            return to_csv(results)
        case ResultForm.JSONL:
            return to_json_lines(results)
        case ResultForm.HTML:
            return to_html(results, run)
    return json.dumps([result.model_dump(mode="json") for result in results], ensure_ascii=False) + "\n"


def _suffix(form: ResultForm) -> str:
    return {ResultForm.JUNIT: "xml"}.get(form, form.value)
