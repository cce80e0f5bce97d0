"""Android's commands, by concern."""

from __future__ import annotations

from simulator.shell.command import Command
from simulator.shell.commands import (
    activities,
    builtins,
    content,
    dumpsys,
    files,
    grep,
    input,
    keyboard,
    misc,
    packages,
    screen,
    settings,
    text,
)
from simulator.shell.commands.cmd import cmd_command

PARTS = (activities, builtins, content, dumpsys, files, grep, input, keyboard, misc, packages, screen, settings, text)


def android_commands() -> dict[str, Command]:
    """Every command of the phone's shell, by name."""
    parts = (
        activities,
        builtins,
        content,
        dumpsys,
        files,
        grep,
        input,
        keyboard,
        misc,
        packages,
        screen,
        settings,
        text,
    )
    table = {name: command for part in parts for name, command in part.COMMANDS.items()}
    table["cmd"] = cmd_command(table)
    return table
