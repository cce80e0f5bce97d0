"""Collect Android's commands. Every module of this folder holds those of one subject in ``COMMANDS``."""

from __future__ import annotations

import importlib
import pkgutil

from manyhands.simulator.shell.cmd import cmd_command
from manyhands.simulator.shell.command import Command
from manyhands.simulator.shell.commands import dumpsys, notifications


def android_commands() -> dict[str, Command]:
    """Return every command of the phone's shell, by name."""
    table: dict[str, Command] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        table |= importlib.import_module(module.name).COMMANDS
    table["cmd"] = cmd_command(table | dumpsys.SERVICES | notifications.SERVICES)
    return table
