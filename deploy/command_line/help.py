"""Write the help of commands: what most people need on one screen, and everything with ``--help-all``.

All helps have one plain style, with options by groups. The group of an option is the panel that the option's
declaration names. The short help of a command has the command's own options, and the options of settings whose
``Flag`` is common.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

MANY = 30
"""A command with more options than this has a short help."""
HELP_ALL = "help_all"
_NAMES, _NARROWEST, _WIDEST = 26, 50, 100
_POINTER = re.compile(r" \(docs/[\w.-]+\)|, docs/[\w.-]+(?=\))")
_TYPE = re.compile(r"<(?:list\[)?(?P<type>[^\]>]+?)(?: range)?\]?>")
_DEFAULT = re.compile(r"default: \((.*)\)(?=[;\]])")
_WORDS = {"str": "TEXT", "path": "PATH", "Path": "PATH", "int": "N", "float": "X"}
"""The words for values in the help, by typer's types."""


def offers_short_help(function: Callable[..., None]) -> bool:
    """Return whether a command has so many options that its help shows only the common ones."""
    return len(inspect.signature(function).parameters) > MANY


def with_help_all(function: Callable[..., None]) -> Callable[..., None]:
    """Add the option ``--help-all`` to a command's function, in place."""
    added = inspect.Parameter(
        HELP_ALL,
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option("--help-all", help="Show all options, with defaults.", is_eager=True, callback=_show_all),
        ],
    )
    signature = inspect.signature(function)
    parameters = [*signature.parameters.values(), added]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {**function.__annotations__, HELP_ALL: added.annotation}
    return function


def _show_all(context: typer.Context, is_wanted: bool) -> None:
    if is_wanted:
        command: Any = context.command
        command.rare = ()
        typer.echo(context.get_help(), nl=False)
        raise typer.Exit


class PlainHelp:
    """Write the help of a command or group in plain lines. A base beside typer's class."""

    rare: Collection[str] = ()
    """The parameters that the help leaves out. Without any, the help is whole: it has defaults and bounds, too."""

    def format_help(self: Any, ctx: Any, formatter: Any) -> None:
        """Write the usage, what the command does, its options by groups, its commands by groups, and its example."""
        pieces = [_usage_name(parameter) for parameter in self.params if _is_argument(parameter)]
        usage = f"{ctx.command_path} [OPTIONS] {' '.join(pieces)} {getattr(self, 'subcommand_metavar', '')}"
        width = max(_NARROWEST, min(shutil.get_terminal_size().columns, _WIDEST))
        lines = [*_wrap(f"Usage: {usage}", width, " " * 7), *_wrap_all(self.help, width)]
        for title, rows in (*_option_rows(self, ctx).items(), *_command_rows(self, ctx).items()):
            lines.append(typer.style(f"{title}:", bold=True))
            for names, text in rows:
                lines.extend(_row_lines(names, text, width))
        if self.rare:
            lines.extend(_wrap_all(f"All options, with defaults: {ctx.command_path} --help-all", width))
        formatter.write("\n".join([*lines, *_wrap_all(self.epilog, width)]))


class PlainCommand(PlainHelp, TyperCommand):
    """Typer's command with our help."""


class PlainGroup(PlainHelp, TyperGroup):
    """Typer's group with our help."""


def _option_rows(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Return names and help of arguments and options by groups."""
    parameters = [parameter for parameter in command.get_params(context) if parameter.name not in command.rare]
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in parameters:
        if record := parameter.get_help_record(context):
            title = parameter.rich_help_panel or ("Arguments" if _is_argument(parameter) else "Options")
            text = _first_sentence(parameter.help or "") if command.rare else _DEFAULT.sub(r"default: \1", record[1])
            groups.setdefault(title, []).append((_row_name(parameter, record[0]), text))
    return groups


def _command_rows(group: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Return names and summaries of a group's commands by groups; nothing for a command."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in getattr(group, "list_commands", lambda _: [])(context):
        command = group.get_command(context, name)
        title = command.rich_help_panel or "Commands"
        groups.setdefault(title, []).append((name, _first_sentence(command.help or "")))
    return groups


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _argument_name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper() + ("..." if argument.nargs != 1 else ""))


def _usage_name(argument: Any) -> str:
    name = _argument_name(argument)
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _row_name(parameter: Any, recorded: str) -> str:
    """Return an option's names and the word for its value: --goal TEXT. An argument has only choices."""
    names = _TYPE.sub(lambda match: _WORDS.get(match["type"], match["type"]), recorded)
    if not _is_argument(parameter):
        return names
    value = names.partition(" ")[2]
    return f"{_argument_name(parameter)} {value if '|' in value else ''}".rstrip()


def _first_sentence(text: str) -> str:
    first = _POINTER.sub("", " ".join(text.split())).split(". ")[0].rstrip(".")
    return first if not first or first.endswith("?") else f"{first}."


def _row_lines(names: str, text: str, width: int) -> list[str]:
    """Return the lines of an option or command. Names that are too long have lines of their own."""
    head, indent = f"  {names}".ljust(_NAMES), " " * (_NAMES + 1)
    if len(head) <= _NAMES:
        return _wrap(text, width, indent, head + " ") or [head.rstrip()]
    choices = [line.replace("| ", "|") for line in _wrap(names.replace("|", "| "), width, "    ", "  ")]
    return [*choices, *_wrap(text, width, indent, indent)]


def _wrap_all(text: str | None, width: int) -> list[str]:
    """Return the lines of a text. Each paragraph begins a line."""
    return [line for paragraph in (text or "").split("\n\n") for line in _wrap(paragraph, width)]


def _wrap(text: str, width: int, indent: str = "", head: str = "") -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=head,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def find_summary(module: str, name: str = "command") -> str | None:
    """Return the help of a command or group from the source of its module, without importing it; None if unknown.

    A module of several commands names the function of each in ``SUBCOMMANDS``.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return None
    body = ast.parse(Path(spec.origin).read_bytes()).body
    function = _functions(body).get(name, "command")
    for part in body:
        if isinstance(part, ast.FunctionDef) and part.name == function:
            return ast.get_docstring(part)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call) and _is_among(part.targets, "app"):
            texts = [keyword.value for keyword in part.value.keywords if keyword.arg == "help"]
            if texts and isinstance(texts[0], ast.Constant):
                return str(texts[0].value)
    return None


def _functions(body: Iterable[ast.stmt]) -> dict[str, str]:
    """Return the functions of the commands in ``SUBCOMMANDS`` by the commands' names, from the source of a module."""
    tables = (part.value for part in body if isinstance(part, ast.Assign) and _is_among(part.targets, "SUBCOMMANDS"))
    return {
        ast.literal_eval(key): ast.unparse(value.args[0])
        for table in tables
        if isinstance(table, ast.Dict)
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(value, ast.Call)
    }


def _is_among(targets: list[ast.expr], name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)
