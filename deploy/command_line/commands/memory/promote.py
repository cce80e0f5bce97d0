"""``manyhands memory promote``: have more tasks know a tip or a shortcut."""

from __future__ import annotations

from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, Id, opened, read_scope
from manyhands.deploy.command_line.output import say_json, text_console

EXAMPLE = "Example: manyhands memory promote fleet.memory Find_In_Shop-1a2b3c4d --scope app:Shop."


def command(
    file: File,
    id: Id,
    scope: Annotated[str, typer.Option("--scope", help="Who is to know it as well.")] = "fleet",
    as_json: options.AsJson = False,
) -> None:
    """Have another scope know a tip or a shortcut as well; it stays where it is."""
    asked = read_scope(scope)
    with opened(file) as contents:
        promoted = contents.promote(id, asked)
    if as_json:
        say_json({"id": promoted, "scope": asked})
    else:
        text_console().print(f"{asked} knows it as {promoted}", markup=False)
