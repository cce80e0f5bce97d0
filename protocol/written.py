"""What people write in YAML files: its content, on which line each part stands, and all that is wrong with it.

A file is read once and judged whole: its author gets every mistake, each with its place, and not the
first one only. A key that stands twice in one mapping is a mistake, for one of the two would be lost without a word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import yaml
from pydantic import BaseModel, Tag, ValidationError

from manyhands.protocol.errors import BadFile, BadInput

_LISTS = frozenset({"tuple_type", "list_type", "set_type", "frozen_set_type"})
"""Kinds of pydantic's errors where a document should have a list."""

Loc = tuple[str | int, ...]
"""Keys and indices from a document's root to a part of it."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """Hold a mistake in the part of a document at ``loc``."""

    loc: Loc
    said: str
    line: int | None = None
    """Where ``loc`` does not give it."""


@dataclass(frozen=True, slots=True)
class Written:
    """Hold the content of a document. Without a ``root`` it was not read from a text, and no line is known."""

    data: Any
    where: str
    """Its file's name, for messages."""
    root: yaml.Node | None = None
    repeated: tuple[Mistake, ...] = ()
    """Keys that stand twice."""

    def line(self, loc: Loc) -> int | None:
        """Return the line, from 1, of what is at ``loc``, or of what is nearest above it."""
        node, found = self.root, None
        for part in loc:
            entry = _entry(node, part)
            if entry is None:
                break
            found, node = entry
        return None if found is None else found.start_mark.line + 1

    def refuse(self, mistakes: Sequence[Mistake]) -> None:
        """Raise BadFile if there is any mistake, with all of them in the order of their lines."""
        told = {(mistake.line or self.line(mistake.loc), mistake.said): None for mistake in (*self.repeated, *mistakes)}
        in_order = sorted(told, key=lambda mistake: (mistake[0] is None, mistake[0]))
        if in_order:
            raise BadFile(self.where, tuple(f"line {line}: {said}" if line else said for line, said in in_order))


def read_yaml(path: Path, loader: type[yaml.SafeLoader] = yaml.SafeLoader) -> Written:
    """Read a file. Raises BadInput where it cannot be read or is no YAML; ``refuse`` reports a key that stands twice.

    Its content is judged by the caller, who passes all mistakes to ``Written.refuse``.
    """
    try:
        return parse_yaml(path.read_text(encoding="utf-8"), str(path), loader)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not YAML: {error}") from error


def parse_yaml(text: str, where: str, loader: type[yaml.SafeLoader] = yaml.SafeLoader) -> Written:
    """Read a text as ``read_yaml`` reads a file."""
    try:
        reading = loader(text)
        root = reading.get_single_node()
        if root is None:
            return Written(None, where)
        repeated = tuple(_repeated(root, (), set()))  # before merged keys are put among a mapping's own
        return Written(reading.construct_document(root), where, root, repeated)
    # PyYAML raises what it happens to meet: for a date that no calendar has, for "!!bool maybe", "!!timestamp today".
    except (yaml.YAMLError, ValueError, LookupError, AttributeError) as error:
        raise BadInput(f"{where}: not YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise BadInput(f"{where}: is nested too deeply") from error


class Mistaken(ValueError):
    """Report several mistakes that a validator found; their places are within what it validated."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        """Keep them for ``mistakes_in``."""
        super().__init__("; ".join(mistake.said for mistake in mistakes))
        self.mistakes = tuple(mistakes)


def mistakes_in(error: ValidationError, model: type[BaseModel]) -> list[Mistake]:
    """Return all that a model found wrong; for an unknown key with the nearest known one."""
    found: list[Mistake] = []
    followed: list[Mistake] = []
    """Mistakes that may follow from another one: a misspelt key is missing, a list lacks an invalid item."""
    meant: set[Loc] = set()
    """Known keys that are near to misspelt ones."""
    for item in error.errors():
        loc, known = _followed(item["loc"], model)
        name = ".".join(map(str, loc)) or "the value"
        if item["type"] == "extra_forbidden":
            near = difflib.get_close_matches(str(loc[-1]), known - {str(loc[-1])}, n=1)
            meant.update((*loc[:-1], key) for key in near)
            found.append(Mistake(loc, f"unknown key {name!r}" + nearest(near)))
        elif isinstance(cause := item.get("ctx", {}).get("error"), Mistaken):
            found += [Mistake((*loc, *inner.loc), f"{name}: {inner.said}") for inner in cause.mistakes]
        elif item["type"] in ("missing", "too_short"):
            followed.append(Mistake(loc, f"{name}: {item['msg']}"))
        else:
            found.append(Mistake(loc, f"{name}: {_said(item['type'], item['msg'])}"))
    inside = {mistake.loc[:length] for mistake in found for length in range(len(mistake.loc))}
    return [*found, *(mistake for mistake in followed if mistake.loc not in meant | inside)]


def _said(kind: str, words: str) -> str:
    """Return pydantic's message in the words of YAML, which has lists only."""
    return "Input should be a list" if kind in _LISTS else words.removeprefix("Value error, ")


def unknown_keys(given: dict[Any, Any], known: Sequence[str], at: Loc = ()) -> list[Mistake]:
    """Return a mistake for each key of a mapping that is none of ``known``."""
    return [
        Mistake((*at, key), f"unknown key {str(key)!r}" + nearest(difflib.get_close_matches(str(key), known, n=1)))
        for key in given
        if key not in known
    ]


def nearest(near: Sequence[str]) -> str:
    """Return the question that follows an unknown name, if a known one is near it."""
    return f"; did you mean {near[0]!r}?" if near else ""


# ---------------------------------------------------------------------------- nodes
def _entry(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node of an entry's name and the entry itself; a mapping's own key wins over a merged one."""
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value == str(part):
                return key, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


def _repeated(node: yaml.Node, at: Loc, seen: set[int]) -> Iterator[Mistake]:
    if id(node) in seen:  # an alias
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _repeated(item, (*at, index), seen)
    if isinstance(node, yaml.MappingNode):
        first: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                name, line = (key.tag, key.value), key.start_mark.line + 1
                if name in first:
                    said = f"the key {key.value!r} stands here again: it is on line {first[name]} already"
                    yield Mistake((*at, key.value), said, line)
                first.setdefault(name, line)
                yield from _repeated(value, (*at, key.value), seen)


# ---------------------------------------------------------------------------- models
def _followed(loc: Loc, model: type[BaseModel]) -> tuple[Loc, set[str]]:
    """Return ``loc`` without the names of a union's members, which no document holds; and the keys known at its end.

    pydantic names the member after the field that holds the union.
    """
    at: list[tuple[str, type[BaseModel]]] = [("", model)]
    path: list[str | int] = []
    for number, part in enumerate(loc):
        last = number == len(loc) - 1
        if len(at) > 1 and isinstance(part, str):
            at = [option for option in at if option[0] == part] or at
        else:
            path.append(part)
            if isinstance(part, str) and not last:
                fields = [
                    field for _, each in at for name, field in each.model_fields.items() if part in (name, field.alias)
                ]
                at = [option for field in fields for option in _options(field.annotation)] or at
    return tuple(path), {field.alias or name for _, each in at for name, field in each.model_fields.items()}


def _options(annotation: Any) -> list[tuple[str, type[BaseModel]]]:
    """Return the models that a value may be, each with the name that pydantic gives it in a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [(annotation.__name__, annotation)]
    found = [option for argument in get_args(annotation) for option in _options(argument)]
    if get_origin(annotation) is Annotated:
        tags = [metadata.tag for metadata in annotation.__metadata__ if isinstance(metadata, Tag)]
        return [(tags[0], option) for _, option in found] if tags else found
    return found
