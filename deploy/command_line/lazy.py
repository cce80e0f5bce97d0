"""Groups of commands that are imported when they are called, because their libraries differ."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import typer
from typer.core import TyperGroup

from manyhands.deploy.command_line.output import fail, failing_with_a_line
from manyhands.protocol.errors import BadInput


def modules_in(package: str, names: Iterable[str]) -> dict[str, str]:
    """Return the module of each command of a package."""
    return {name: f"{package}.{name.replace('-', '_')}" for name in names}


def command_group(modules: Mapping[str, str], help: str, epilog: str | None = None) -> typer.Typer:
    """Make a group of commands, whose modules are given by the commands' names.

    A module has ``command``, a function for typer, and ``EXAMPLE``, the last line of its help; or ``app``, a
    group of its own. A command whose libraries are not installed is listed, and fails with their names.
    """
    app = typer.Typer(
        cls=_group_of(modules),
        help=help,
        epilog=epilog,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_without_options)
    return app


def _without_options() -> None:
    """Exist, for Typer refuses an app without a command or callback."""


def _group_of(modules: Mapping[str, str]) -> type[TyperGroup]:
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
            alone.command(cmd_name, epilog=module.EXAMPLE)(_printing_errors(module.command))
            return typer.main.get_command(alone)

    return Group


def _printing_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command print its errors on a line, or as JSON, and exit with their code."""

    @functools.wraps(command)
    def run(**values: Any) -> None:
        with failing_with_a_line(values.get("as_json", False)):
            command(**values)

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
