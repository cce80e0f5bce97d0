"""Collect Android's commands. Every module of this folder holds those of one subject in ``COMMANDS``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping

from manyhands.simulator.shell.cmd import cmd_command
from manyhands.simulator.shell.command import Command
from manyhands.simulator.shell.commands import dumpsys, notifications

Changed = Callable[[Mapping[str, Command]], Mapping[str, Command]]
"""Return a table of commands with some of them changed."""


def android_commands(changed: Changed = dict) -> dict[str, Command]:
    """Return every command of the phone's shell, by name. ``cmd`` runs commands as ``changed`` returns them, too."""
    table: dict[str, Command] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        table |= importlib.import_module(module.name).COMMANDS
    services = dumpsys.SERVICES | notifications.SERVICES
    of_cmd = changed(table | services)
    of_shell = {name: command for name, command in of_cmd.items() if name not in services}
    return {"cmd": cmd_command(of_cmd)} | of_shell
