"""The file that the commands of ``manyhands memory`` are about, and scopes as they are written there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from manyhands.actors.memory.contents import MemoryContents
from manyhands.protocol.errors import BadInput
from manyhands.protocol.lessons import Scope

_SCOPE: TypeAdapter[str] = TypeAdapter(Scope)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A memory.", show_default=False)]
Id = Annotated[str, typer.Argument(metavar="ID", help="Of a tip or a shortcut.", show_default=False)]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scope", help="fleet, user, task:NAME, app:NAME or run:NAME; may be repeated.", show_default="all"),
]


@contextmanager
def opened(path: Path, make: bool = False) -> Iterator[MemoryContents]:
    """Open a memory; ``make``: also where there is none yet. Raises BadInput."""
    if not make and not path.is_file():
        raise BadInput(f"{path}: there is no such file; manyhands memory import makes one")
    contents = MemoryContents(path)
    try:
        yield contents
    finally:
        contents.close()


def read_scope(written: str) -> Scope:
    """Return a scope as it was written. Raises BadInput."""
    try:
        return _SCOPE.validate_python(written)
    except ValidationError as error:
        raise BadInput(f"--scope {written}: a scope is fleet, user, task:NAME, app:NAME or run:NAME") from error
