"""Run the command ``manyhands``."""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer

from manyhands.deploy.command_line.lazy import command_group, modules_in
from manyhands.deploy.command_line.output import log_to_terminal

GROUPS = {
    "Runs": ("demo", "init", "run", "resume", "control", "suite", "memory"),
    "Service": (
        "serve",
        "login",
        "console",
        "submit",
        "status",
        "watch",
        "cancel",
        "pause",
        "unpause",
        "priority",
        "retry",
        "episode",
        "schedules",
        "set-aside",
        "release",
        "reserve",
        "label",
        "attach",
        "detach",
        "tokens",
        "mcp",
    ),
    "Phones": ("phones", "doctor", "broker", "gateway"),
    "Results": ("report", "results", "diff", "audit", "traces"),
    "Models and screens": ("mllm", "prompt-stats", "replay", "parse", "perceive"),
    "Stand-ins and benchmarks": ("simulate", "rehearse", "bench"),
}
"""The commands by groups, in the order of the help."""

_PACKAGE = "manyhands.deploy.command_line.commands"
_MODULES = {
    "bench": "manyhands.deploy.benchmarks",
    **dict.fromkeys(("status", "watch"), f"{_PACKAGE}.batch_views"),
    **dict.fromkeys(("set-aside", "release", "reserve", "label", "attach", "detach"), f"{_PACKAGE}.phone_changes"),
    **dict.fromkeys(("cancel", "pause", "unpause", "priority", "retry"), f"{_PACKAGE}.batch_changes"),
}
"""The modules of commands that have no module of their own name in the package."""

app = command_group(
    {**modules_in(_PACKAGE, (name for names in GROUPS.values() for name in names)), **_MODULES},
    help="Carries out batches of plain-language goals on fleets of Android phones, with open weights only.",
    add_completion=True,
    panels={name: group for group, names in GROUPS.items() for name in names},
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
