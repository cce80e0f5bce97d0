"""``manyhands memory show``: one tip or shortcut, whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.memory.opening import File, Id, opened
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.protocol.lessons import KnownShortcut, KnownTip, UseCount
from manyhands.protocol.wording import counted

EXAMPLE = "Example: manyhands memory show fleet.memory tip-00000003-000-1a2b."


def command(file: File, id: Id, as_json: options.AsJson = False) -> None:
    """Show what a tip or a shortcut says, where it comes from, how its uses went, and what it said before."""
    with opened(file) as contents:
        found, uses = contents.one(id), contents.uses(id)
        before = [one for one in contents.versions(id) if one.version < found.version]
    if as_json:
        said = {"uses": [use.model_dump(mode="json") for use in uses], "before": [_as_json(one) for one in before]}
        say_json({**_as_json(found), **said})
        return
    console = text_console()
    for one in (found, *reversed(before)):
        for name, value in _rows(one, [use for use in uses if use.version == one.version]):
            if value:
                console.print(f"{name}: {value}", markup=False, soft_wrap=True)


def _as_json(one: KnownTip | KnownShortcut) -> Mapping[str, Any]:
    return one.model_dump(mode="json")


def _rows(one: KnownTip | KnownShortcut, uses: Sequence[UseCount]) -> Iterator[tuple[str, str]]:
    """Yield what there is to tell of one version, each with its name."""
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
        yield use.outcome, f"{counted(use.count, 'use')}{where and f' ({where})'}"
    yield "put aside", one.put_aside
    for number, step in enumerate(one.shortcut.steps, start=1):
        yield f"step {number}", " ".join((step.name, json.dumps(step.arguments_map, ensure_ascii=False)))
