"""``manyhands memory show``: one tip or shortcut, whole."""

from __future__ import annotations

import json

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, Id, opened
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.protocol.lessons import KnownTip

EXAMPLE = "Example: manyhands memory show fleet.memory tip-00000003-000-1a2b."


def command(file: File, id: Id, as_json: options.AsJson = False) -> None:
    """Show what a tip or a shortcut says, and where it comes from."""
    with opened(file) as contents:
        found = contents.one(id)
    if as_json:
        say_json(found.model_dump(mode="json"))
        return
    console = text_console()
    rows = {
        "id": found.id,
        "scope": found.scope,
        "version": str(found.version),
        "taught by": ", ".join(found.taught_by),
    }
    if isinstance(found, KnownTip):
        rows["says"] = found.text
    else:
        source = found.learned_from
        rows |= {
            "says": found.shortcut.description,
            "precondition": found.shortcut.precondition,
            "arguments": ", ".join(found.shortcut.arguments),
            "seen on": " ".join(filter(None, (source.serial, source.app, source.app_version))),
            "put aside": found.put_aside,
        }
        rows |= {
            f"step {number}": " ".join((step.name, json.dumps(step.arguments_map, ensure_ascii=False)))
            for number, step in enumerate(found.shortcut.steps, start=1)
        }
    for name, value in rows.items():
        if value:
            console.print(f"{name}: {value}", markup=False, soft_wrap=True)
