"""Groups of commands that are imported when they are called, because their libraries differ."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

import typer
from typer.core import TyperGroup

from manyhands.deploy.command_line.output import fail
from manyhands.protocol.errors import BadInput, ManyhandsError


def group_of(modules: Mapping[str, str]) -> type[TyperGroup]:
    """Make a group of commands, whose modules are given by the commands' names.

    A module has ``command``, a function for typer, and ``EXAMPLE``, the last line of its help; or ``app``, a
    group of its own. A command whose libraries are not installed is listed, and fails with their names.
    """

    class Group(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            """Return the names in their order."""
            return list(modules)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """Return the command by its name; None for an unknown one."""
            if cmd_name not in modules:
                return None
            try:
                module = importlib.import_module(modules[cmd_name])
            except ModuleNotFoundError as error:
                library = (error.name or "").partition(".")[0]
                if not library or importlib.util.find_spec(library) is not None:
                    raise
                return _unavailable(cmd_name, library)
            if hasattr(module, "app"):
                group = typer.main.get_command(module.app)
                group.name = cmd_name
                return group
            alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            alone.command(cmd_name, epilog=module.EXAMPLE)(_failing_with_a_line(module.command))
            return typer.main.get_command(alone)

    return Group


def _failing_with_a_line(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command print its errors on a line, or as JSON, and exit with their code."""

    @functools.wraps(command)
    def run(**values: Any) -> None:
        try:
            command(**values)
        except ManyhandsError as error:
            fail(error, values["as_json"])

    return run


def _unavailable(name: str, library: str) -> Any:
    """Return a command that fails with the name of the missing library."""
    reason = f"{name} needs {library}, which is not installed: pip install 'manyhands[all]'"
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    def command(context: typer.Context) -> None:
        fail(BadInput(reason), "--json" in context.args)

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    alone.command(name, help=reason, context_settings=anything)(command)
    return typer.main.get_command(alone)
