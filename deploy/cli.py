"""The command ``manyhands``."""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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
    "simulate",
    "rehearse",
)


class Commands(TyperGroup):
    """Commands that are imported when they are asked for: most need libraries that others can do without."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command by its name; None for an unknown one."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"deploy.commands.{cmd_name.replace('-', '_')}")
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(cmd_name, epilog=module.EXAMPLE)(module.command)
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=Commands,
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
