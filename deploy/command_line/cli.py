"""Run the command ``manyhands``."""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer

from manyhands.deploy.command_line.lazy import command_group, modules_in
from manyhands.deploy.command_line.output import log_to_terminal

GROUPS = {
    "Runs": ("demo", "init", "run", "resume", "control", "flow", "suite", "memory"),
    "Service": (
        "serve",
        "login",
        "console",
        "submit",
        "status",
        "watch",
        "cancel",
        "pause",
        "priority",
        "retry",
        "episode",
        "approvals",
        "schedules",
        "set-aside",
        "release",
        "reserve",
        "label",
        "attach",
        "detach",
        "tokens",
        "mcp",
        "environment",
    ),
    "Phones": ("phones", "doctor", "broker", "gateway"),
    "Results": ("report", "results", "diff", "audit", "policy", "traces", "export", "prune"),
    "Models and screens": ("mllm", "prompt-stats", "replay", "parse", "perceive"),
    "Stand-ins and benchmarks": ("simulate", "rehearse", "bench"),
}
"""The commands by groups, in the order of the help."""

_COMMANDS = "manyhands.deploy.command_line.commands"
_SERVICE = "manyhands.service.commands"
_MODULES = {
    **modules_in(_COMMANDS, (name for names in GROUPS.values() for name in names)),
    **modules_in(_SERVICE, (*GROUPS["Service"], "phones", "results", "resume")),
    "bench": "manyhands.benchmarks",
    **dict.fromkeys(("demo", "simulate", "rehearse"), f"{_COMMANDS}.stand_ins"),
    **dict.fromkeys(("init", "doctor"), f"{_COMMANDS}.setup"),
    **dict.fromkeys(("diff", "audit"), f"{_COMMANDS}.comparisons"),
    **dict.fromkeys(("status", "watch"), f"{_SERVICE}.batch_views"),
    **dict.fromkeys(("set-aside", "release", "reserve", "label", "attach", "detach"), f"{_SERVICE}.phone_changes"),
    **dict.fromkeys(("cancel", "pause", "priority", "retry"), f"{_SERVICE}.batch_changes"),
}
"""The module of each command: in the room whose work it starts."""

app = command_group(
    _MODULES,
    help="Carries out batches of plain-language goals on fleets of Android phones, with open weights only.",
    add_completion=True,
    panels={name: group for group, names in GROUPS.items() for name in names},
    aliases={"unpause": "resume"},
)


def _version(is_wanted: bool) -> None:
    if is_wanted:
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
