"""``manyhands memory import``: tips and shortcuts from files of Mobile-Agent-E's code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.actors.memory import read_shortcuts, read_tips
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, ScreenSize, opened, read_scope, read_size
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.lessons import LearnedFrom

EXAMPLE = (
    "Example: manyhands memory import fleet.memory --tips tips.txt --scope app:Shop. Files that are wrong anywhere are "
    "not taken at all (exit code 2). Exit code 1: something in them was refused; the history says why."
)


def command(
    file: File,
    scope: Annotated[str, typer.Option("--scope", help="Who is to know them.")] = "fleet",
    tips: Annotated[Path | None, typer.Option(help="A file of tips.", show_default=False)] = None,
    shortcuts: Annotated[Path | None, typer.Option(help="A file of shortcuts.", show_default=False)] = None,
    size: ScreenSize = None,
    as_json: options.AsJson = False,
) -> None:
    """Take tips and shortcuts into a memory, which is made where there is none; what it knows is not taken again."""
    if tips is None and shortcuts is None:
        raise BadInput("nothing to take in: name a file by --tips, --shortcuts or both")
    asked = read_scope(scope)
    told = () if tips is None else read_tips(tips)
    if tips is not None and not told and shortcuts is None:
        raise BadInput(f"{tips}: holds no tips")
    screen = read_size(size)
    routines = () if shortcuts is None else read_shortcuts(shortcuts, screen)
    with opened(file, make=True) as contents:
        taken = contents.add(asked, told, routines, LearnedFrom(episode="", size=screen))
    if as_json:
        say_json(taken.model_dump(mode="json"))
    else:
        console = text_console()
        console.print(f"{len(taken.added)} added, {len(taken.changed)} changed", markup=False)
        for refusal in taken.refused:
            console.print(f"refused: {refusal.what}: {refusal.reason}", markup=False, soft_wrap=True)
    if taken.refused:
        raise SystemExit(EXIT_FAILED)
