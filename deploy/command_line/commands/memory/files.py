"""``manyhands memory export`` and ``import``: exchange tips and shortcuts as files of Mobile-Agent-E's code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from manyhands.actors.memory import read_shortcuts, read_tips, write_shortcuts, write_tips
from manyhands.actors.memory.shortcuts import as_pixels, has_places
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.lessons import (
    File,
    Scopes,
    ScreenSize,
    check_scopes,
    opened,
    read_scope,
    read_size,
)
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.lessons import LearnedFrom
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import count_noun

EXPORT_FILES_EXAMPLE = (
    "Example: manyhands memory export fleet.memory --scope fleet --tips tips.txt --shortcuts shortcuts.json. A run "
    "takes them by --tips and --shortcuts. What is put aside is left out."
)


def export_files(
    file: File,
    scope: Scopes = None,
    tips: Annotated[Path | None, typer.Option(help="The file for tips.", show_default=False)] = None,
    shortcuts: Annotated[Path | None, typer.Option(help="The file for shortcuts.", show_default=False)] = None,
    size: ScreenSize = None,
    as_json: options.AsJson = False,
) -> None:
    """Write what scopes know to files, in the order of the scopes. Of shortcuts with one name, write only the first."""
    if tips is None and shortcuts is None:
        raise BadInput("nothing to write: name a file by --tips, --shortcuts or both")
    scopes = list(dict.fromkeys(read_scope(one) for one in scope or ()))
    targets = {name: path for name, path in (("--tips", tips), ("--shortcuts", shortcuts)) if path is not None}
    check_targets(file, targets)
    with opened(file) as contents:
        check_scopes(scopes, contents.scopes())
        contents_of_scopes = contents.known(scopes or contents.scopes())
    own_shortcuts = [one for one in contents_of_scopes.shortcuts if not one.initial]
    screen = read_size(size)
    fits = [
        one for one in own_shortcuts if not has_places(one.shortcut) or (screen and one.learned_from.size == screen)
    ]
    with_places = [one.shortcut.name for one in own_shortcuts if one not in fits]
    tip_texts = list(dict.fromkeys(one.text for one in contents_of_scopes.tips if not one.initial))
    routines = [one.shortcut if screen is None else as_pixels(one.shortcut, screen) for one in fits]
    texts = {"--tips": write_tips(tip_texts), "--shortcuts": write_shortcuts(routines)}
    for name, path in targets.items():
        replace_file(name, path, texts[name])
    if as_json:
        say_json({"tips": len(tip_texts), "shortcuts": len(routines), "left_out": with_places})
        return
    console = text_console()
    of_tips, of_shortcuts = (
        count_noun(len(tip_texts) if tips else 0, "tip"),
        count_noun(len(routines) if shortcuts else 0, "shortcut"),
    )
    console.print(f"{of_tips}, {of_shortcuts} written", markup=False)
    if shortcuts is not None and with_places:
        console.print(f"left out, for they tap places of a screen (--size): {', '.join(with_places)}", markup=False)


def check_targets(memory: Path, targets: Mapping[str, Path]) -> None:
    """Raise BadInput for a file that belongs to the memory, is named twice, or cannot be written at its place."""
    reserved = {Path(f"{memory}{ending}").resolve(): "the memory itself" for ending in secure_files.COMPANIONS}
    for name, path in targets.items():
        if str(path) == "-":
            raise BadInput(f"{name} -: name a file")
        if path.is_dir() or not path.parent.is_dir():
            raise BadInput(f"{name} {path}: {'is a folder' if path.is_dir() else 'its folder is not there'}")
        if path.resolve() in reserved:
            raise BadInput(f"{name} {path}: is {reserved[path.resolve()]}; name another file")
        reserved[path.resolve()] = f"the file of {name}, too"


def replace_file(name: str, path: Path, text: str) -> None:
    """Write a file that only its owner can read. Write all of it or nothing. Raises BadInput that names the option."""
    try:
        secure_files.replace_text(path, text)
    except OSError as error:
        raise BadInput(f"{name} {path}: {error.strerror or error}") from error


IMPORT_FILES_EXAMPLE = (
    "Example: manyhands memory import fleet.memory --tips tips.txt --scope app:Shop. Files that are wrong anywhere are "
    "not taken at all (exit code 2). Exit code 1: something in them was refused; the history says why."
)


def import_files(
    file: File,
    scope: Annotated[str, typer.Option("--scope", help="Who is to know them.")] = "fleet",
    tips: Annotated[
        Path | None,
        typer.Option(help="A text file with a tip on each line, with or without its number.", show_default=False),
    ] = None,
    shortcuts: Annotated[Path | None, typer.Option(help="A file of shortcuts.", show_default=False)] = None,
    size: ScreenSize = None,
    as_json: options.AsJson = False,
) -> None:
    """Add tips and shortcuts to a memory, which is made if it does not exist. What it knows already is skipped."""
    if tips is None and shortcuts is None:
        raise BadInput("nothing to take in: name a file by --tips, --shortcuts or both")
    memory_scope = read_scope(scope)
    tip_texts = () if tips is None else read_tips(tips)
    if tips is not None and not tip_texts:
        raise BadInput(f"{tips}: holds no tips")
    screen = read_size(size)
    routines = () if shortcuts is None else read_shortcuts(shortcuts, screen)
    with opened(file, make=True) as contents:
        changes = contents.add(memory_scope, tip_texts, routines, LearnedFrom(episode="", size=screen))
    if as_json:
        say_json(changes.model_dump(mode="json"))
    else:
        console = text_console()
        if changes.added or changes.changed or changes.refused:
            console.print(f"{len(changes.added)} added, {len(changes.changed)} changed", markup=False)
        else:
            console.print(f"nothing new: {file} knows all of it already", markup=False, soft_wrap=True)
        for refusal in changes.refused:
            console.print(f"refused: {refusal.what}: {refusal.reason}", markup=False, soft_wrap=True)
    if changes.refused:
        raise SystemExit(EXIT_FAILED)


SUBCOMMANDS = {
    "export": Subcommand(export_files, EXPORT_FILES_EXAMPLE),
    "import": Subcommand(import_files, IMPORT_FILES_EXAMPLE),
}
