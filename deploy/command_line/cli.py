"""Run the command ``manyhands``."""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer

from manyhands.deploy.command_line.lazy import command_group, modules_in
from manyhands.deploy.command_line.output import log_to_terminal

COMMANDS = (
    "demo",
    "init",
    "run",
    "resume",
    "control",
    "suite",
    "memory",
    "phones",
    "doctor",
    "broker",
    "gateway",
    "report",
    "results",
    "diff",
    "audit",
    "mllm",
    "prompt-stats",
    "replay",
    "parse",
    "perceive",
    "simulate",
    "rehearse",
    "bench",
)

app = command_group(
    {**modules_in("manyhands.deploy.command_line.commands", COMMANDS), "bench": "manyhands.deploy.benchmarks"},
    help="Carries out batches of plain-language goals on fleets of Android phones, with open weights only.",
    add_completion=True,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(importlib.metadata.version("manyhands"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None: ...


def main() -> None:
    log_to_terminal()
    app()


if __name__ == "__main__":
    main()
