"""Open the file for the commands of ``manyhands memory``, and read scopes and sizes from the command line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from manyhands.actors.memory.memory_service import MemoryContents
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.lessons import Scope
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.validation_words import nearest

_SCOPE: TypeAdapter[str] = TypeAdapter(Scope)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A memory.", show_default=False)]
Id = Annotated[str, typer.Argument(metavar="ID", help="Of a tip or a shortcut.", show_default=False)]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scope", help="fleet, user, task:NAME, app:NAME or run:NAME; may be repeated.", show_default="all"),
]
ScreenSize = Annotated[
    str | None,
    typer.Option("--size", help="WIDTHxHEIGHT of the screen whose places shortcuts may tap.", show_default=False),
]
_SIZE = re.compile(r"([1-9]\d{1,4})x([1-9]\d{1,4})")


@contextmanager
def opened(path: Path, make: bool = False) -> Iterator[MemoryContents]:
    """Open a memory; with ``make``, also make a new one. Raises BadInput."""
    if path.is_dir():
        raise BadInput(f"{path}: is a folder, and no memory")
    if not make and not path.is_file():
        raise BadInput(f"{path}: there is no such file; manyhands memory import makes one")
    contents = MemoryContents(path)
    try:
        yield contents
    finally:
        contents.close()


def read_scope(text: str) -> Scope:
    """Read a scope from the command line. Raises BadInput."""
    try:
        return _SCOPE.validate_python(text)
    except ValidationError as error:
        raise BadInput(f"--scope {text}: a scope is fleet, user, task:NAME, app:NAME or run:NAME") from error


def check_scopes(scopes: Sequence[Scope], existing: Sequence[Scope]) -> None:
    """Raise BadInput for a scope in which the memory holds nothing. The error names the scopes that the memory has.

    ``fleet`` and ``user`` are always accepted: every memory has both, and neither holds a name that may be misspelt.
    """
    for scope in scopes:
        if ":" in scope and scope not in existing:
            near = nearest(difflib.get_close_matches(scope, existing, n=1))
            raise BadInput(
                f"--scope {scope}: the memory has nothing of it; it has {', '.join(existing) or 'nothing yet'}{near}"
            )


def read_size(text: str | None) -> Size | None:
    """Read a size from the command line. Raises BadInput."""
    match = None if text is None else _SIZE.fullmatch(text)
    try:
        if match is not None:
            return Size(width=int(match[1]), height=int(match[2]))
    except ValidationError:
        match = None
    if text is not None:
        raise BadInput(f"--size {text}: write width and height in pixels, e.g. 1080x2400")
    return None
