"""``manyhands results``: what came of each task of a run, as a table or as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.evaluation.junit import to_junit
from manyhands.evaluation.results import TaskResult, results_of, to_csv, to_json_lines
from manyhands.evaluation.results_page import to_html
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol import secure_files
from manyhands.protocol.errors import store_error
from manyhands.protocol.repeats import count_repeats

EXAMPLE = (
    "Example: manyhands results runs/20260102-101500_demo --format csv --out results.csv. "
    "For a CI system: --format junit. As a page: --format html --out results.html."
)


class Format(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    JUNIT = "junit"
    HTML = "html"


def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    format: Annotated[Format, typer.Option("--format", help="What is written.")] = Format.TABLE,
    out: Annotated[Path | None, typer.Option("--out", help="A file, in place of standard output.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Print a row for each task: how it ended, what its check did not find, its answer, what it took."""
    folder = RunFolder(run)
    results = results_of(folder)
    chosen = Format.JSON if as_json else format
    if chosen is Format.TABLE and out is None:
        _print_table(results)
        return
    if chosen is Format.JSON and out is None:
        say_json([result.model_dump(mode="json") for result in results])
        return
    text = _format_results(results, chosen, folder, out)
    if out is None:
        typer.echo(text, nl=False)
    else:
        try:
            secure_files.replace_text(out, text)
        except OSError as error:
            raise store_error(error, f"{out} cannot be written") from error
        text_console(stderr=True).print(f"Results: {out}", soft_wrap=True)


def _format_results(results: Sequence[TaskResult], chosen: Format, run: RunFolder, out: Path | None) -> str:
    if chosen is Format.CSV:
        return to_csv(results)
    if chosen is Format.JSONL:
        return to_json_lines(results)
    if chosen is Format.JUNIT:
        return to_junit(results, run.path) + "\n"
    if chosen is Format.HTML:
        return to_html(results, run, out)
    return json.dumps([result.model_dump(mode="json") for result in results], ensure_ascii=False, indent=2) + "\n"


def _print_table(results: Sequence[TaskResult]) -> None:
    columns = (
        "task", "verdict", "ended", "steps", "seconds", "tokens", "attempts", "phone", "episode", "why, or the answer",
    )  # fmt: skip
    console = text_console()
    console.print(table(None, columns, (_cells(result) for result in results)))
    for one in count_repeats(results):
        console.print(f"{one.task}: {one}", soft_wrap=True)


def _cells(result: TaskResult) -> tuple[str, ...]:
    why = "; ".join(map(str, result.unmet)) or ("" if result.passes else result.reason)
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
