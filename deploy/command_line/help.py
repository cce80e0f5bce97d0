"""Write the help of commands: what most people need on one screen, and everything with ``--help-all``.

The short help of a command has the command's own options, and the options of settings whose ``Flag`` is common. It
shows options by groups. The group of an option is the panel that the option's declaration names.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperCommand
from typer.models import ArgumentInfo, OptionInfo

MANY = 30
"""A command with more options than this has a short help."""
HELP_ALL = "help_all"
_OTHER = "Other"
_NAMES, _WIDEST = 26, 100
_POINTER = re.compile(r" \(docs/[\w.-]+\)|, docs/[\w.-]+(?=\))")
_WORDS: dict[type, str] = {Path: "PATH", int: "N", float: "X", bool: ""}


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
            typer.Option("--help-all", help="Show all options.", is_eager=True, callback=_show_all),
        ],
    )
    signature = inspect.signature(function)
    parameters = [*signature.parameters.values(), added]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {**function.__annotations__, HELP_ALL: added.annotation}
    return function


def _show_all(context: typer.Context, asked: bool) -> None:
    if asked:
        command: Any = context.command
        command.shows_all = True
        typer.echo(context.get_help(), nl=False)
        raise typer.Exit


def command_with_short_help(function: Callable[..., None], rare: Collection[str]) -> type[TyperCommand]:
    """Return typer's class of commands for a function whose ``--help`` leaves out the parameters in ``rare``."""

    class Command(TyperCommand):
        shows_all = False

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """Write the short help, or typer's own with all options."""
            if self.shows_all:
                super().format_help(ctx, formatter)
            else:
                width = min(shutil.get_terminal_size().columns, _WIDEST)
                formatter.write(f"Usage: {ctx.command_path} {' '.join(self.collect_usage_pieces(ctx))}\n")
                for text, lines in ((self.help, _groups(function, rare, width)), (self.epilog, ())):
                    formatter.write("\n".join([*textwrap.wrap(text or "", width), *lines, ""]))

    return Command


def _groups(function: Callable[..., None], rare: Collection[str], width: int) -> Iterator[str]:
    """Yield the lines of all groups of options, without defaults and bounds."""
    groups: dict[str, list[inspect.Parameter]] = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        declared = _option_of(parameter)
        if parameter.name not in rare and not declared.hidden:
            groups.setdefault(declared.rich_help_panel or _OTHER, []).append(parameter)
    others = groups.pop(_OTHER, [])
    for title, parameters in groups.items():
        yield from _group(title, parameters, width)
    yield from _group(_OTHER, others, width)
    yield from _option_lines("--help-all", "Show all options, with defaults.", width)


def _group(title: str, parameters: Sequence[inspect.Parameter], width: int) -> Iterator[str]:
    yield typer.style(f"{title}:", bold=True)
    for parameter in parameters:
        declared = _option_of(parameter)
        kinds = [kind for kind in (get_args(get_args(parameter.annotation)[0]) or (bool,)) if kind is not NoneType]
        word = next((word for kind, word in _WORDS.items() if kind in kinds), "TEXT")
        if isinstance(declared, ArgumentInfo):
            names = parameter.name.upper()
        else:
            # Within Annotated, typer keeps the first name as the default.
            given = [declared.default, *(declared.param_decls or ())]
            names = " ".join([*(name for name in given if isinstance(name, str)), word]).strip()
        yield from _option_lines(names, declared.help or "", width)


def _option_lines(names: str, help: str, width: int) -> Iterator[str]:
    """Yield the lines of one option, with the first sentence of its help."""
    first = _POINTER.sub("", help).split(". ")[0].rstrip(".") + ("" if help.endswith("?") else ".")
    yield from textwrap.wrap(
        first, width, initial_indent=f"  {names}".ljust(_NAMES) + " ", subsequent_indent=" " * (_NAMES + 1)
    )


def _option_of(parameter: inspect.Parameter) -> OptionInfo | ArgumentInfo:
    """Return the declaration of a command's parameter for typer."""
    found = (item for item in get_args(parameter.annotation) if isinstance(item, OptionInfo | ArgumentInfo))
    return next(found, OptionInfo())


def find_summary(module: str, name: str = "command") -> str | None:
    """Return the help of a command or group from the source of its module, without importing it; None if unknown.

    A module of several commands has a function for each, with the command's ``name``.
    """
    functions = {"command", name.replace("-", "_")}
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        return None
    tree = ast.parse(Path(found.origin).read_bytes())
    for part in tree.body:
        if isinstance(part, ast.FunctionDef) and part.name in functions:
            return ast.get_docstring(part)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call) and _names_app(part.targets):
            texts = [keyword.value for keyword in part.value.keywords if keyword.arg == "help"]
            if texts and isinstance(texts[0], ast.Constant):
                return str(texts[0].value)
    return None


def _names_app(targets: list[ast.expr]) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "app" for target in targets)
