"""Report mistakes in a command line, with the nearest word that exists, as JSON if the command line asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import typer
from pydantic import ValidationError

from manyhands.deploy.command_line.output import fail
from manyhands.protocol.errors import BadUsage
from manyhands.protocol.utilities.validation_words import describe_error, nearest, suggest

UsageError: Any = typer.BadParameter.__mro__[1]
"""The parser's class of usage errors, which typer does not export. It is click's, or that of the click within typer."""

_CHOICE = re.compile(r"'(?P<given>[^']*)' is not one of (?P<known>.*?)\.?$")


def name_nearest(error: Any, name: str, known: Iterable[str]) -> None:
    """Add the nearest known command to the message about an unknown one, if one is near."""
    near = suggest(name, known)
    if near and "did you mean" not in error.message.lower():
        error.message = error.message.rstrip(".") + near


def fail_usage(error: Any, words: Sequence[str]) -> NoReturn:
    """Print a usage error, as one JSON value if the command line asks for JSON, and exit with its code.

    The error for a group without a command is the group's help.
    """
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.message)
        raise SystemExit(error.exit_code)
    _reword(error)
    if asks_for_json(words):
        fail(BadUsage(error.format_message()), as_json=True)
    from typer import rich_utils  # it takes long to import, and hardly ever serves

    rich_utils.rich_format_error(error)
    raise SystemExit(error.exit_code)


def asks_for_json(words: Sequence[str]) -> bool:
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
    if found := _CHOICE.search(error.message):
        error.message = error.message.rstrip(".") + suggest(found["given"], re.findall(r"'([^']*)'", found["known"]))
