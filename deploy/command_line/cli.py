"""The command ``manyhands``."""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer

from manyhands.deploy.command_line.lazy import group_of

COMMANDS = (
    "demo",
    "run",
    "phones",
    "report",
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

MODULES = {name: f"manyhands.deploy.command_line.commands.{name.replace('-', '_')}" for name in COMMANDS}
MODULES["bench"] = "manyhands.deploy.benchmarks"

app = typer.Typer(
    cls=group_of(MODULES),
    help="Carries out batches of plain-language goals on fleets of Android phones, with open weights only.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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
    app()


if __name__ == "__main__":
    main()
