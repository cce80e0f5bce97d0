"""Read and write tips and shortcuts in the formats of Mobile-Agent-E's code: numbered lines, and JSON by name.

A file with a mistake is refused as a whole. The error names the file, the entry and the field. The memory that every
task starts with is ``initial.yaml`` beside this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError

from manyhands.actors.memory.shortcuts import ShortcutUnusable, as_shares, check_shortcut
from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadFile, BadInput
from manyhands.protocol.roles.memory import (
    ARGUMENT_NAME,
    LONGEST_TEXT,
    LONGEST_TIP,
    MOST_SHORTCUTS,
    MOST_STEPS,
    MOST_TIPS,
    SHORTCUT_NAME,
    LongTermMemory,
    Shortcut,
    ShortcutStep,
)
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.yaml_document import find_problems

_TIP = re.compile(r"\s*\d+\s*[.):]\s*(.*)")
_THEIR_ARGUMENTS = {"app_name": "app"}
"""Arguments of atoms that the authors' code names differently: the authors' name and ours."""


class _Step(Input):
    """Describe an atom of a shortcut as the authors' code writes it. An atom without arguments has ``null``."""

    name: str
    arguments_map: dict[str, str | int | float | bool] | None = None


class _Entry(Input):
    """Describe a shortcut as the authors' code writes it."""

    name: str = Field(pattern=SHORTCUT_NAME)
    arguments: tuple[Annotated[str, Field(pattern=ARGUMENT_NAME)], ...] = ()
    description: str = Field(max_length=LONGEST_TEXT)
    precondition: str = Field(max_length=LONGEST_TEXT)
    atomic_action_sequence: tuple[_Step, ...] = Field(min_length=1, max_length=MOST_STEPS)


# ---------------------------------------------------------------------------- tips
def read_tips(path: Path) -> tuple[str, ...]:
    """Return the tips of a file: one on each line, and either all or none with a number. Raises BadInput."""
    tips, mistakes = [], []
    lines = [(number, line) for number, line in enumerate(_text(path).splitlines(), start=1) if line.strip()]
    numbered = any(_TIP.fullmatch(line) for _, line in lines)
    for number, line in lines:
        match = _TIP.fullmatch(line)
        tip = (match[1] if match else line).strip()
        if numbered and match is None:
            mistakes.append(
                f"line {number}: has no number, as other lines have: write each tip on one line, all as "
                "'0. Close what covers the screen.' or all as 'Close what covers the screen.'"
            )
        elif not tip:
            mistakes.append(f"line {number}: the tip is empty")
        elif len(tip) > LONGEST_TIP:
            mistakes.append(f"line {number}: {len(tip)} characters; a tip may have {LONGEST_TIP}")
        else:
            tips.append(tip)
    if len(tips) > MOST_TIPS:
        mistakes.append(f"{len(tips)} tips; there may be {MOST_TIPS}")
    if mistakes:
        raise BadFile(str(path), tuple(mistakes))
    return tuple(tips)


def write_tips(tips: Iterable[str]) -> str:
    """Return the text of a tips file: one line for each tip, numbered from 0."""
    return "".join(f"{number}. {' '.join(tip.split())}\n" for number, tip in enumerate(tips))


# ---------------------------------------------------------------------------- shortcuts
def read_shortcuts(path: Path, size: Size | None = None) -> tuple[Shortcut, ...]:
    """Return the shortcuts of a file. Raises BadInput.

    ``size``: the screen whose pixels the literal coordinates are; they become shares of it. Without a size, literal
    coordinates are refused.
    """
    mistakes: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        again = (name for number, name in enumerate(names) if name in names[:number])
        mistakes.extend(f"the key {name!r} stands twice in one object" for name in again)
        return dict(pairs)

    try:
        entries = json.loads(_text(path), object_pairs_hook=unique, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise BadFile(str(path), (f"line {error.lineno}: no JSON: {error.msg}",)) from error
    except RecursionError as error:
        raise BadInput(f"{path}: is nested too deeply") from error
    except ValueError as error:  # for example, a number with thousands of digits
        raise BadFile(str(path), (f"no JSON: {error}",)) from error
    if not isinstance(entries, dict):
        raise BadFile(str(path), ("no object that holds shortcuts by their names",))
    if len(entries) > MOST_SHORTCUTS:
        mistakes.append(f"{len(entries)} shortcuts; there may be {MOST_SHORTCUTS}")
    shortcuts = []
    for name, entry in entries.items():
        parsed, wrong = _shortcut(name, entry, size)
        mistakes += [f"{name}: {one}" for one in wrong]
        shortcuts += parsed
    if mistakes:
        raise BadFile(str(path), tuple(mistakes))
    return tuple(shortcuts)


def write_shortcuts(shortcuts: Sequence[Shortcut]) -> str:
    """Return the text of a shortcuts file."""
    theirs = {ours: name for name, ours in _THEIR_ARGUMENTS.items()}
    entries = {
        one.name: {
            "name": one.name,
            "arguments": list(one.arguments),
            "description": one.description,
            "precondition": one.precondition,
            "atomic_action_sequence": [
                {"name": step.name, "arguments_map": _renamed(step.arguments_map, theirs) or None} for step in one.steps
            ],
        }
        for one in shortcuts
    }
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _shortcut(name: str, entry: Any, size: Size | None) -> tuple[list[Shortcut], list[str]]:
    """Return an entry's shortcut, or the mistakes in the entry. The other part of the result is empty."""
    try:
        read = _Entry.model_validate(entry)
        if read.name != name:
            return [], [f"name: it is {read.name!r} within"]
        steps = tuple(
            ShortcutStep(name=step.name, arguments_map=_renamed(step.arguments_map or {}, _THEIR_ARGUMENTS))
            for step in read.atomic_action_sequence
        )
        shortcut = Shortcut(
            name=name,
            arguments=read.arguments,
            description=read.description,
            precondition=read.precondition,
            steps=steps,
        )
        if size is not None:
            shortcut = as_shares(shortcut, size)
        check_shortcut(shortcut, shares=size is not None)
    except ValidationError as error:
        return [], [mistake.said for mistake in find_problems(error, _Entry)]
    except ShortcutUnusable as error:
        return [], [str(error).removeprefix(f"{name}: ").removeprefix(f"{name}, ")]
    return [shortcut], []


def _renamed(mapped: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in mapped.items()}


def _no_number(text: str) -> None:
    """Raise ValueError for ``NaN`` and infinities: Python's parser accepts them, but JSON does not have them."""
    raise ValueError(f"{text} is no number")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: is no text in UTF-8: {error.reason} at byte {error.start}") from error


@cache
def initial_memory() -> LongTermMemory:
    """Return Mobile-Agent-E's four initial tips and its one initial shortcut (section 3.2), in our own words."""
    text = resources.files("manyhands.actors.memory").joinpath("initial.yaml").read_text(encoding="utf-8")
    return LongTermMemory.model_validate(yaml.safe_load(text))
