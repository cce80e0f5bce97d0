"""``manyhands memory forget`` and ``promote``: hide a tip or a shortcut from all tasks, or show it to more tasks."""

from __future__ import annotations

from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, Id, opened, read_scope
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import say_json, text_console

FORGET_LESSON_EXAMPLE = "Example: manyhands memory forget fleet.memory tip-00000003-000-1a2b. Its history stays."


def forget_lesson(file: File, id: Id, as_json: options.AsJson = False) -> None:
    """Stop telling tasks a tip or a shortcut."""
    with opened(file) as contents:
        contents.forget(id)
    if as_json:
        say_json({"forgotten": id})
    else:
        text_console().print(f"forgotten: {id}", markup=False)


PROMOTE_LESSON_EXAMPLE = "Example: manyhands memory promote fleet.memory Find_In_Shop-1a2b3c4d --scope app:Shop."


def promote_lesson(
    file: File,
    id: Id,
    scope: Annotated[str, typer.Option("--scope", help="Who is to know it as well.")] = "fleet",
    as_json: options.AsJson = False,
) -> None:
    """Make a tip or a shortcut known to another scope, too; it stays where it is."""
    memory_scope = read_scope(scope)
    with opened(file) as contents:
        promoted = contents.promote(id, memory_scope)
    if as_json:
        say_json({"id": promoted, "scope": memory_scope})
    else:
        text_console().print(f"{memory_scope} knows it as {promoted}", markup=False)


SUBCOMMANDS = {
    "forget": Subcommand(forget_lesson, FORGET_LESSON_EXAMPLE),
    "promote": Subcommand(promote_lesson, PROMOTE_LESSON_EXAMPLE),
}
