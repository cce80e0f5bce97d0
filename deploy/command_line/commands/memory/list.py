"""``manyhands memory list``: the tips and shortcuts of a memory."""

from __future__ import annotations

from typing import Any

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, Scopes, opened, read_scope, unknown_scopes
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.protocol.lessons import MemorySnapshot
from manyhands.protocol.wording import counted

EXAMPLE = "Example: manyhands memory list fleet.memory --scope fleet. Initial tips and shortcuts are not listed."


def command(file: File, scope: Scopes = None, as_json: options.AsJson = False) -> None:
    """List what scopes know, also what is put aside."""
    asked = [read_scope(one) for one in scope or ()]
    with opened(file) as contents:
        whole, scopes = contents.everything(), contents.scopes()
    found = whole.model_copy(
        update={
            "tips": tuple(one for one in whole.tips if not one.initial and (not asked or one.scope in asked)),
            "shortcuts": tuple(one for one in whole.shortcuts if not one.initial and (not asked or one.scope in asked)),
        }
    )
    if as_json:
        say_json(found.model_dump(mode="json"))
        return
    console = text_console()
    console.print(_table(found))
    for line in unknown_scopes(asked, scopes):
        console.print(line, markup=False, soft_wrap=True)
    console.print(
        f"version {found.version}: {counted(len(found.tips), 'tip')}, {counted(len(found.shortcuts), 'shortcut')}"
    )


def _table(found: MemorySnapshot) -> Any:
    tips = [(one.id, one.scope, str(one.version), one.text, "") for one in found.tips]
    shortcuts = [
        (one.id, one.scope, str(one.version), one.shortcut.description or one.shortcut.name, one.put_aside)
        for one in found.shortcuts
    ]
    return table(None, ("id", "scope", "version", "says", "put aside"), [*tips, *shortcuts])
