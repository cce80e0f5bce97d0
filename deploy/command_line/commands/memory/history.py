"""``manyhands memory history``: what has changed in a memory, and why."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, opened, read_scope, unknown_scopes
from manyhands.deploy.command_line.output import say_json, table, text_console

EXAMPLE = "Example: manyhands memory history fleet.memory --scope task:shopping."


def command(
    file: File,
    id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Of a tip or a shortcut.", show_default=False)
    ] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="Only this scope.", show_default="all")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what was added, changed, merged, removed, refused and put aside, the oldest first."""
    asked = None if scope is None else read_scope(scope)
    with opened(file) as contents:
        if id is not None and not contents.history(id=id):
            contents.one(id)  # says that there is none
        events, scopes = contents.history(asked, id), contents.scopes()
    if as_json:
        say_json([event.model_dump(mode="json") for event in events])
        return
    rows = [
        (
            str(event.version),
            f"{datetime.fromtimestamp(event.at):%Y-%m-%d %H:%M:%S}",
            event.scope,
            event.kind.replace("_", " "),
            event.id,
            event.text,
            event.source.episode,
        )
        for event in events
    ]
    console = text_console()
    console.print(table(None, ("version", "when", "scope", "what", "id", "says", "by"), rows))
    for line in unknown_scopes(() if asked is None or events else (asked,), scopes):
        console.print(line, markup=False, soft_wrap=True)
