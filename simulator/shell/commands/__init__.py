"""Android's commands, by concern."""

from __future__ import annotations

from manyhands.simulator.shell.command import Command
from manyhands.simulator.shell.commands import (
    activities,
    builtins,
    content,
    dumpsys,
    files,
    grep,
    input,
    keyboard,
    logcat,
    misc,
    packages,
    screen,
    settings,
    text,
    uiautomator,
)
from manyhands.simulator.shell.commands.cmd import cmd_command

PARTS = (
    activities,
    builtins,
    content,
    dumpsys,
    files,
    grep,
    input,
    keyboard,
    logcat,
    misc,
    packages,
    screen,
    settings,
    text,
    uiautomator,
)


def android_commands() -> dict[str, Command]:
    """Every command of the phone's shell, by name."""
    table = {name: command for part in PARTS for name, command in part.COMMANDS.items()}
    table["cmd"] = cmd_command(table)
    return table
