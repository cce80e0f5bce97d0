"""Group commands, and import each only when it is called, because commands need different libraries.

A command's module imports at its top only what the help needs, because a help should take no second. The functions of
the module import the rest.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import typer
from pydantic import ValidationError

from manyhands.deploy.command_line.help import (
    HELP_ALL,
    PlainCommand,
    PlainGroup,
    find_summary,
    offers_short_help,
    with_help_all,
)
from manyhands.deploy.command_line.output import EXIT_FAILED, fail, failing_with_a_line
from manyhands.protocol.errors import BadInput, BadUsage
from manyhands.protocol.utilities.validation_words import describe_error, nearest, suggest


class Subcommand(NamedTuple):
    """Declare one of several commands in a module: its function for typer, and the last line of its help."""

    function: Callable[..., None]
    example: str


def modules_in(package: str, names: Iterable[str]) -> dict[str, str]:
    """Return the module name of each command in a package."""
    return {name: f"{package}.{name.replace('-', '_')}" for name in names}


def command_group(
    modules: Mapping[str, str],
    help: str,
    epilog: str | None = None,
    add_completion: bool = False,
    panels: Mapping[str, str] = MappingProxyType({}),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> typer.Typer:
    """Make a group of commands; ``modules`` gives the module of each command.

    A command's module has ``command``, a function for typer, and ``EXAMPLE``, the last line of the command's help. A
    module of several commands has ``SUBCOMMANDS`` (name to Subcommand) instead, and a module of a group has ``app``. A
    command whose libraries are missing is listed in the help; a call of it fails, and the error names the libraries.
    ``panels`` gives the heading in the help under which a command is listed. ``aliases`` gives the names of commands by
    former ones, which the help does not list.
    """
    app = typer.Typer(
        cls=_group_of(modules, panels, aliases),
        help=help,
        epilog=epilog,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=add_completion,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_without_options)
    return app


def _without_options() -> None:
    """Do nothing. Typer refuses an app without a command or callback."""


def _group_of(modules: Mapping[str, str], panels: Mapping[str, str], aliases: Mapping[str, str]) -> type[PlainGroup]:
    class Group(PlainGroup):
        _is_listing = False
        """Whether commands are looked up for their first lines alone."""

        def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
            """Run the command line. Report usage errors in our words, and as JSON with ``--json``."""
            words = sys.argv[1:] if args is None else list(args)
            try:
                code = super().main(words, *rest, **{**extra, "standalone_mode": False})
            except UsageError as error:
                _fail_usage(error, words)
            except typer.Abort:
                from typer import rich_utils  # it takes long to import, and hardly ever serves

                rich_utils.rich_abort_error()
                raise SystemExit(EXIT_FAILED) from None
            raise SystemExit(code if isinstance(code, int) else 0)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return the command that the arguments name. For an unknown one, the error names the nearest."""
            try:
                return super().resolve_command(ctx, args)
            except UsageError as error:
                _name_nearest(error, args[0], modules)
                raise

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """Write the help, with a line for each command. No command's module is imported for this."""
            self._is_listing = True
            try:
                super().format_help(ctx, formatter)
            finally:
                self._is_listing = False

        def shell_complete(self, ctx: Any, incomplete: str) -> Any:
            """Return the completions of a word. No command's module is imported for this."""
            self._is_listing = True
            try:
                return super().shell_complete(ctx, incomplete)
            finally:
                self._is_listing = False

        def list_commands(self, ctx: Any) -> list[str]:
            """Return the names in their order."""
            return list(modules)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """Return the command by its name; None for an unknown one."""
            cmd_name = aliases.get(cmd_name, cmd_name)
            if cmd_name not in modules:
                return None
            command = self._make_command(cmd_name)
            command.rich_help_panel = panels.get(cmd_name)
            return command

        def _make_command(self, cmd_name: str) -> Any:
            if self._is_listing and (summary := find_summary(modules[cmd_name], cmd_name)) is not None:
                return _named(cmd_name, summary)
            try:
                module = importlib.import_module(modules[cmd_name])
            except ModuleNotFoundError as error:
                return _unavailable(cmd_name, _describe_missing(cmd_name, error))
            if hasattr(module, "app"):
                group = typer.main.get_command(module.app)
                group.name = cmd_name
                return group
            alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            function, example = (
                module.SUBCOMMANDS[cmd_name] if hasattr(module, "SUBCOMMANDS") else (module.command, module.EXAMPLE)
            )
            guarded = _printing_errors(cmd_name, function)
            is_long = offers_short_help(function)
            alone.command(cmd_name, cls=PlainCommand, epilog=example)(with_help_all(guarded) if is_long else guarded)
            command: Any = typer.main.get_command(alone)
            command.rare = {*getattr(function, "rare_options", ()), HELP_ALL, "help"} if is_long else ()
            return command

    return Group


def _printing_errors(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Make a command print its errors on one line, or as JSON, and exit with their code.

    A library that is missing is such an error, too.
    """

    @functools.wraps(command)
    def run(**values: Any) -> None:
        values.pop(HELP_ALL, None)
        as_json = values.get("as_json", False)
        with failing_with_a_line(as_json):
            try:
                command(**values)
            except ModuleNotFoundError as error:
                fail(BadInput(_describe_missing(name, error)), as_json)

    return run


def _named(name: str, summary: str) -> Any:
    """Return a command that is only listed."""
    listed = typer.Typer(add_completion=False)
    listed.command(name, help=summary)(_without_options)
    return typer.main.get_command(listed)


def _describe_missing(name: str, error: ModuleNotFoundError) -> str:
    """Say which library a command lacks. Raises the error again if no library is missing, but a module of ours."""
    library = (error.name or "").partition(".")[0]
    if not library or importlib.util.find_spec(library) is not None:
        raise error
    return f"{name} needs {library}, which is not installed: pip install 'manyhands[all]'"


def _unavailable(name: str, reason: str) -> Any:
    """Return a command that fails with ``reason``, which names the missing library."""
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    def command(context: typer.Context) -> None:
        fail(BadInput(reason), "--json" in context.args)

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    alone.command(name, cls=PlainCommand, help=reason, context_settings=anything)(command)
    return typer.main.get_command(alone)


UsageError: Any = typer.BadParameter.__mro__[1]
"""The parser's class of usage errors, which typer does not export. It is click's, or that of the click within typer."""

_CHOICE = re.compile(r"'(?P<given>[^']*)' is not one of (?P<known>.*?)\.?$")


def _name_nearest(error: Any, name: str, names: Iterable[str]) -> None:
    """Add the nearest known command to the message about an unknown one, if one is near."""
    near = suggest(name, names)
    if near and "did you mean" not in error.message.lower():
        error.message = error.message.rstrip(".") + near


def _fail_usage(error: Any, words: Sequence[str]) -> NoReturn:
    """Print a usage error, as one JSON value if the command line asks for JSON, and exit with its code.

    The error for a group without a command is the group's help.
    """
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.message)
        raise SystemExit(error.exit_code)
    _reword(error)
    if _asks_for_json(words):
        fail(BadUsage(error.format_message()), as_json=True)
    from typer import rich_utils  # it takes long to import, and hardly ever serves

    rich_utils.rich_format_error(error)
    raise SystemExit(error.exit_code)


def _asks_for_json(words: Sequence[str]) -> bool:
    """Return whether a command line has ``--json`` among its options."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _reword(error: Any) -> None:
    """Rewrite a usage error's message in our words, with the nearest option or value."""
    if isinstance(cause := error.__cause__, ValidationError):
        error.message = describe_error(cause.errors()[0])
    if getattr(error, "option_name", None) == "--json":  # a group has no --json; each of its commands has
        error.message, error.possibilities = "No such option here: write --json behind the command.", None
    if near := getattr(error, "possibilities", None):
        error.message, error.possibilities = error.message.rstrip(".") + nearest(near), None
    if match := _CHOICE.search(error.message):
        error.message = error.message.rstrip(".") + suggest(match["given"], re.findall(r"'([^']*)'", match["known"]))
