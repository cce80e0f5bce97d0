"""``manyhands memory export``: tips and shortcuts as files of Mobile-Agent-E's code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.actors.memory import write_shortcuts, write_tips
from manyhands.actors.memory.shortcuts import as_pixels, has_places
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import (
    File,
    Scopes,
    ScreenSize,
    opened,
    read_scope,
    read_size,
)
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.protocol.errors import BadInput

EXAMPLE = (
    "Example: manyhands memory export fleet.memory --scope fleet --tips tips.txt --shortcuts shortcuts.json. A run "
    "takes them by --tips and --shortcuts. What is put aside is left out."
)


def command(
    file: File,
    scope: Scopes = None,
    tips: Annotated[Path | None, typer.Option(help="The file for tips.", show_default=False)] = None,
    shortcuts: Annotated[Path | None, typer.Option(help="The file for shortcuts.", show_default=False)] = None,
    size: ScreenSize = None,
    as_json: options.AsJson = False,
) -> None:
    """Write what scopes know to files, the first scope's first; of shortcuts by one name the first."""
    if tips is None and shortcuts is None:
        raise BadInput("nothing to write: name a file by --tips, --shortcuts or both")
    asked = [read_scope(one) for one in scope or ()]
    with opened(file) as contents:
        known = contents.known(asked or contents.scopes())
    found = [one for one in known.shortcuts if not one.initial]
    screen = read_size(size)
    fits = [one for one in found if not has_places(one.shortcut) or (screen and one.learned_from.size == screen)]
    with_places = [one.shortcut.name for one in found if one not in fits]
    told = [one.text for one in known.tips if not one.initial]
    routines = [one.shortcut if screen is None else as_pixels(one.shortcut, screen) for one in fits]
    if tips is not None:
        tips.write_text(write_tips(told), encoding="utf-8")
    if shortcuts is not None:
        shortcuts.write_text(write_shortcuts(routines), encoding="utf-8")
    if as_json:
        say_json({"tips": len(told), "shortcuts": len(routines), "left_out": with_places})
        return
    console = text_console()
    console.print(
        f"{len(told) if tips else 0} tips, {len(routines) if shortcuts else 0} shortcuts written", markup=False
    )
    if shortcuts is not None and with_places:
        console.print(f"left out, for they tap places of a screen (--size): {', '.join(with_places)}", markup=False)
