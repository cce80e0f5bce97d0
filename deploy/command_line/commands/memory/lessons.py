"""``manyhands memory list``, ``show``, ``history``, ``forget`` and ``promote``: show and change lessons of a memory."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from manyhands.actors.memory.memory_service import MemoryContents
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.lessons import KnownShortcut, KnownTip, MemorySnapshot, Scope, UseCount
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.terminal_text import count_noun
from manyhands.protocol.utilities.validation_words import nearest

_SCOPE: TypeAdapter[str] = TypeAdapter(Scope)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A memory.", show_default=False)]
Id = Annotated[str, typer.Argument(metavar="ID", help="Of a tip or a shortcut.", show_default=False)]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scope", help="fleet, user, task:NAME, app:NAME or run:NAME; may be repeated.", show_default="all"),
]
ScreenSize = Annotated[
    str | None,
    typer.Option("--size", help="WIDTHxHEIGHT of the screen whose places shortcuts may tap.", show_default=False),
]
_SIZE = re.compile(r"([1-9]\d{1,4})x([1-9]\d{1,4})")


@contextmanager
def opened(path: Path, make: bool = False) -> Iterator[MemoryContents]:
    """Open a memory; with ``make``, also make a new one. Raises BadInput."""
    if path.is_dir():
        raise BadInput(f"{path}: is a folder, and no memory")
    if not make and not path.is_file():
        raise BadInput(f"{path}: there is no such file; manyhands memory import makes one")
    contents = MemoryContents(path)
    try:
        yield contents
    finally:
        contents.close()


def read_scope(text: str) -> Scope:
    """Read a scope from the command line. Raises BadInput."""
    try:
        return _SCOPE.validate_python(text)
    except ValidationError as error:
        raise BadInput(f"--scope {text}: a scope is fleet, user, task:NAME, app:NAME or run:NAME") from error


def check_scopes(scopes: Sequence[Scope], existing: Sequence[Scope]) -> None:
    """Raise BadInput for a scope in which the memory holds nothing. The error names the scopes that the memory has.

    ``fleet`` and ``user`` are always accepted: every memory has both, and neither holds a name that may be misspelt.
    """
    for scope in scopes:
        if ":" in scope and scope not in existing:
            near = nearest(difflib.get_close_matches(scope, existing, n=1))
            raise BadInput(
                f"--scope {scope}: the memory has nothing of it; it has {', '.join(existing) or 'nothing yet'}{near}"
            )


def read_size(text: str | None) -> Size | None:
    """Read a size from the command line. Raises BadInput."""
    match = None if text is None else _SIZE.fullmatch(text)
    try:
        if match is not None:
            return Size(width=int(match[1]), height=int(match[2]))
    except ValidationError:
        match = None
    if text is not None:
        raise BadInput(f"--size {text}: write width and height in pixels, e.g. 1080x2400")
    return None


LIST_LESSONS_EXAMPLE = (
    "Example: manyhands memory list fleet.memory --scope fleet. Initial tips and shortcuts are not listed."
)


def list_lessons(file: File, scope: Scopes = None, as_json: options.AsJson = False) -> None:
    """List what scopes know, also what is put aside."""
    chosen_scopes = [read_scope(one) for one in scope or ()]
    with opened(file) as contents:
        whole, scopes = contents.everything(), contents.scopes()
    check_scopes(chosen_scopes, scopes)
    snapshot = whole.model_copy(
        update={
            "tips": tuple(
                one for one in whole.tips if not one.initial and (not chosen_scopes or one.scope in chosen_scopes)
            ),
            "shortcuts": tuple(
                one for one in whole.shortcuts if not one.initial and (not chosen_scopes or one.scope in chosen_scopes)
            ),
        }
    )
    if as_json:
        say_json(snapshot.model_dump(mode="json"))
        return
    console = text_console()
    console.print(_table(snapshot))
    console.print(
        f"version {snapshot.version}: {count_noun(len(snapshot.tips), 'tip')}, "
        f"{count_noun(len(snapshot.shortcuts), 'shortcut')}"
    )


def _table(snapshot: MemorySnapshot) -> Any:
    tips = [(one.id, one.scope, str(one.version), one.text, "") for one in snapshot.tips]
    shortcuts = [
        (one.id, one.scope, str(one.version), one.shortcut.description or one.shortcut.name, one.put_aside)
        for one in snapshot.shortcuts
    ]
    return table(None, ("id", "scope", "version", "says", "put aside"), [*tips, *shortcuts])


SHOW_LESSON_EXAMPLE = "Example: manyhands memory show fleet.memory tip-00000003-000-1a2b."


def show_lesson(file: File, id: Id, as_json: options.AsJson = False) -> None:
    """Show what a tip or a shortcut says, where it comes from, how its uses went, and what it said before."""
    with opened(file) as contents:
        lesson, uses = contents.one(id), contents.use_counts(id)
        before = [one for one in contents.wordings(id) if one.version < lesson.version]
    if as_json:
        details = {"uses": [use.model_dump(mode="json") for use in uses], "before": [_as_json(one) for one in before]}
        say_json({**_as_json(lesson), **details})
        return
    console = text_console()
    for one in (lesson, *reversed(before)):
        for name, value in _rows(one, [use for use in uses if use.version == one.version]):
            if value:
                console.print(f"{name}: {value}", markup=False, soft_wrap=True)


def _as_json(one: KnownTip | KnownShortcut) -> Mapping[str, Any]:
    return one.model_dump(mode="json")


def _rows(one: KnownTip | KnownShortcut, uses: Sequence[UseCount]) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each row that shows one version."""
    yield from (("id", one.id), ("scope", one.scope), ("version", str(one.version)))
    yield "taught by", ", ".join(one.taught_by)
    if isinstance(one, KnownTip):
        yield "says", one.text
        return
    source = one.learned_from
    yield "says", one.shortcut.description
    yield "precondition", one.shortcut.precondition
    yield "arguments", ", ".join(one.shortcut.arguments)
    yield "seen on", " ".join(filter(None, (source.serial, source.app, source.app_version)))
    for use in uses:
        where = ", ".join(filter(None, (use.app_version and f"version {use.app_version} of the app", use.size)))
        yield use.outcome, f"{count_noun(use.count, 'use')}{where and f' ({where})'}"
    yield "put aside", one.put_aside
    for number, step in enumerate(one.shortcut.steps, start=1):
        yield f"step {number}", " ".join((step.name, json.dumps(step.arguments_map, ensure_ascii=False)))


SHOW_HISTORY_EXAMPLE = "Example: manyhands memory history fleet.memory --scope task:shopping."


def show_history(
    file: File,
    id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Of a tip or a shortcut.", show_default=False)
    ] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="Only this scope.", show_default="all")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what was added, changed, merged, removed, refused and put aside, the oldest first."""
    memory_scope = None if scope is None else read_scope(scope)
    with opened(file) as contents:
        if id is not None and not contents.history(id=id):
            contents.one(id)  # raises the error for an unknown id
        events, scopes = contents.history(memory_scope, id), contents.scopes()
    check_scopes(() if memory_scope is None or events else (memory_scope,), scopes)
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
    text_console().print(table(None, ("version", "when", "scope", "what", "id", "says", "by"), rows))


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
    "list": Subcommand(list_lessons, LIST_LESSONS_EXAMPLE),
    "show": Subcommand(show_lesson, SHOW_LESSON_EXAMPLE),
    "history": Subcommand(show_history, SHOW_HISTORY_EXAMPLE),
    "forget": Subcommand(forget_lesson, FORGET_LESSON_EXAMPLE),
    "promote": Subcommand(promote_lesson, PROMOTE_LESSON_EXAMPLE),
}
