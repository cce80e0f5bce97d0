"""``manyhands memory forget``: have a tip or a shortcut be known no more."""

from __future__ import annotations

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, Id, opened
from manyhands.deploy.command_line.output import say_json, text_console

EXAMPLE = "Example: manyhands memory forget fleet.memory tip-00000003-000-1a2b. Its history stays."


def command(file: File, id: Id, as_json: options.AsJson = False) -> None:
    """Have a tip or a shortcut be told to no task any more."""
    with opened(file) as contents:
        contents.forget(id)
    if as_json:
        say_json({"forgotten": id})
    else:
        text_console().print(f"forgotten: {id}", markup=False)
