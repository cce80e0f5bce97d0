"""``manyhands suite miniwob``: write a file of tasks for MiniWoB's pages, which web phones show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
import yaml

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.utilities.terminal_text import count_noun

EXAMPLE = (
    "Example: manyhands suite miniwob tasks.yaml --page click-button --seeds 5, then manyhands run tasks.yaml "
    "--phones web:2 --web miniwob --mllm-url http://127.0.0.1:8000/v1"
)


def command(
    file: Annotated[Path, typer.Argument(help="The file of tasks to write.", show_default=False)],
    page: Annotated[list[str] | None, typer.Option(help="A page; repeatable.", show_default="all")] = None,
    first: Annotated[int, typer.Option(help="The first seed.", min=0)] = 0,
    seeds: Annotated[int, typer.Option(help="How many seeds of each page.", min=1)] = 1,
    as_json: options.AsJson = False,
) -> None:
    """Write tasks for MiniWoB's pages (PyPI miniwob): each goal and each reward is its page's own."""
    from manyhands.simulator.miniwob.pages import PAGES

    try:
        from manyhands.simulator.miniwob.suite import write_suite
    except ModuleNotFoundError as error:
        raise BadInput(f"web phones need {error.name}: pip install 'manyhands[web]'") from error
    suite = write_suite(page or [], range(first, first + seeds))
    left_out = {name: reason for name, reason in PAGES.items() if reason is not None}
    try:
        file.write_text(yaml.safe_dump(suite, sort_keys=False, allow_unicode=True), "utf-8")
    except OSError as error:
        raise store_error(error, f"{file} was not written") from error
    if as_json:
        say_json({"file": str(file), "tasks": len(suite["tasks"]), "left_out": left_out})
        return
    console = text_console()
    console.print(f"{count_noun(len(suite['tasks']), 'task')} in {file}", markup=False)
    if not page:
        for name, reason in left_out.items():
            console.print(f"left out: {name}: {reason}", markup=False)
