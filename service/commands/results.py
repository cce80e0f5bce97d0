"""``manyhands results``: what came of each task of a run, as a table or as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console, text_of, write_output
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.repeats import count_repeats, groups_of
from manyhands.service.commands import options as service_options

if TYPE_CHECKING:
    from manyhands.evaluation.results import TaskResult

EXAMPLE = (
    "Example: manyhands results runs/20260102-101500_demo --format csv --out results.csv. "
    "For a CI system: --format junit. As a page: --format html --out results.html. All phones of a 'matrix', side by "
    "side: --format matrix --out matrix.html. Of a service: manyhands results b17 --server "
    "http://127.0.0.1:8008."
)


class ResultsFormat(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    JUNIT = "junit"
    HTML = "html"
    MATRIX = "matrix"


@options.reads_runs
def command(
    run: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="A run folder; with --server, a batch such as b17.", show_default=False),
    ],
    batch: Annotated[
        str | None, typer.Option("--batch", help="Only this batch of the run, such as batch-1.", show_default=False)
    ] = None,
    format: Annotated[ResultsFormat, typer.Option("--format", help="What is written.")] = ResultsFormat.TABLE,
    out: Annotated[Path | None, typer.Option("--out", help="A file, in place of standard output.")] = None,
    server: service_options.NamedServer = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Print a row for each task: how it ended, what its check did not find, its answer, what it took."""
    from manyhands.evaluation.results import results_of, select_batch

    form = ResultsFormat.JSON if as_json else format
    if server is not None:
        if batch is not None:
            raise BadInput("--batch is for a run folder; with --server, the batch is the argument")
        if form is ResultsFormat.MATRIX:
            raise BadInput("--format matrix is for a run folder; the tasks of a service have no 'matrix'")
        carry_out(lambda: _print_of_service(str(run), form, out, server, ca), as_json)
    folder = RunFolder(run)
    results = results_of(folder) if batch is None else select_batch(results_of(folder), batch)
    if form is ResultsFormat.TABLE and out is None:
        _print_table(results, text_console())
        return
    if form is ResultsFormat.JSON and out is None:
        say_json([result.model_dump(mode="json") for result in results])
        return
    write_output(_format_results(results, form, folder, out), out)


async def _print_of_service(
    batch: str, output_format: ResultsFormat, out: Path | None, server: str, ca: Path | None
) -> int:
    """Print the results of a batch of a service. The service itself writes all forms but the table."""
    async with service_options.open_client(server, ca) as client:
        if output_format is ResultsFormat.TABLE:
            results = await client.results(batch)
            if out is None:
                _print_table(results, text_console())
                return 0
            text = text_of(lambda console: _print_table(results, console))
        else:
            form: Any = output_format.value  # all words but table and matrix are forms of the service
            text = await client.results_text(batch, form)
    write_output(text, out)
    return 0


def _format_results(results: Sequence[TaskResult], form: ResultsFormat, run: RunFolder, out: Path | None) -> str:
    from manyhands.evaluation.formats.matrix import to_matrix_page
    from manyhands.evaluation.formats.results import run_to_junit, to_html
    from manyhands.evaluation.results import to_csv, to_json_lines

    if form is ResultsFormat.TABLE:
        return text_of(lambda console: _print_table(results, console))
    if form is ResultsFormat.CSV:
        return to_csv(results)
    if form is ResultsFormat.JSONL:
        return to_json_lines(results)
    if form is ResultsFormat.JUNIT:
        return run_to_junit(run, results) + "\n"
    if form is ResultsFormat.MATRIX:
        return to_matrix_page(results, run, out)
    if form is ResultsFormat.HTML:
        return to_html(results, run, out)
    return json.dumps([result.model_dump(mode="json") for result in results], ensure_ascii=False, indent=2) + "\n"


def _print_table(results: Sequence[TaskResult], console: Console) -> None:
    columns = (
        "task", "verdict", "ended", "steps", "seconds", "tokens", "attempts", "phone", "episode", "why, or the answer",
    )  # fmt: skip
    console.print(table(None, columns, (_cells(result) for result in results)))
    for group in groups_of(results):
        console.print(f"{group.task}: {group}", soft_wrap=True)
    for one in count_repeats(results):
        console.print(f"{one.task}: {one}", soft_wrap=True)


def _cells(result: TaskResult) -> tuple[str, ...]:
    changes = (f"unexpected change: {change}" for change in result.unexpected_changes or ())
    why = "; ".join((*map(str, result.unmet), *changes)) or ("" if result.passes else result.reason)
    return (
        result.id,
        result.shown_verdict,
        result.finished.value,
        str(result.steps),
        f"{result.seconds:.0f}",
        str(result.input_tokens + result.output_tokens),
        str(result.attempts),
        result.phone or "-",
        result.episode or "-",
        why or (result.answer or ""),
    )
