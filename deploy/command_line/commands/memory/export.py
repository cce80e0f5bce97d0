"""``manyhands memory export``: tips and shortcuts as files of Mobile-Agent-E's code."""

from __future__ import annotations

import os
from collections.abc import Mapping
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
from manyhands.protocol.wording import counted

_BESIDE = ("", "-wal", "-shm")
"""What the files of a memory are called behind its name."""
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
    asked = list(dict.fromkeys(read_scope(one) for one in scope or ()))
    targets = {name: path for name, path in (("--tips", tips), ("--shortcuts", shortcuts)) if path is not None}
    check_targets(file, targets)
    with opened(file) as contents:
        known = contents.known(asked or contents.scopes())
    found = [one for one in known.shortcuts if not one.initial]
    screen = read_size(size)
    fits = [one for one in found if not has_places(one.shortcut) or (screen and one.learned_from.size == screen)]
    with_places = [one.shortcut.name for one in found if one not in fits]
    told = list(dict.fromkeys(one.text for one in known.tips if not one.initial))
    routines = [one.shortcut if screen is None else as_pixels(one.shortcut, screen) for one in fits]
    written = {"--tips": write_tips(told), "--shortcuts": write_shortcuts(routines)}
    for name, path in targets.items():
        replace_file(name, path, written[name])
    if as_json:
        say_json({"tips": len(told), "shortcuts": len(routines), "left_out": with_places})
        return
    console = text_console()
    of_tips, of_shortcuts = (
        counted(len(told) if tips else 0, "tip"),
        counted(len(routines) if shortcuts else 0, "shortcut"),
    )
    console.print(f"{of_tips}, {of_shortcuts} written", markup=False)
    if shortcuts is not None and with_places:
        console.print(f"left out, for they tap places of a screen (--size): {', '.join(with_places)}", markup=False)


def check_targets(memory: Path, targets: Mapping[str, Path]) -> None:
    """Raise BadInput for a file that is part of the memory, is named twice, or cannot be where it is to be."""
    kept = {Path(f"{memory}{ending}").resolve(): "the memory itself" for ending in _BESIDE}
    for name, path in targets.items():
        if str(path) == "-":
            raise BadInput(f"{name} -: name a file")
        if path.is_dir() or not path.parent.is_dir():
            raise BadInput(f"{name} {path}: {'is a folder' if path.is_dir() else 'its folder is not there'}")
        if path.resolve() in kept:
            raise BadInput(f"{name} {path}: is {kept[path.resolve()]}; name another file")
        kept[path.resolve()] = f"the file of {name}, too"


def replace_file(name: str, path: Path, text: str) -> None:
    """Write a file whole, or leave what was there. Raises BadInput, which names the option."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise BadInput(f"{name} {path}: {error.strerror or error}") from error
