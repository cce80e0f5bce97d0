"""Read YAML files that people write: the content, the line of each part, and all that is wrong.

A file is read once and checked as a whole, so that its author gets all mistakes with their places at once. A key that
stands twice in a mapping is a mistake: one of the two would be lost silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import yaml
from pydantic import BaseModel, Tag, ValidationError

from manyhands.protocol.errors import BadFile, BadInput
from manyhands.protocol.utilities.validation_words import describe_error, near_names, nearest, suggest
from manyhands.protocol.utilities.yaml_limits import MOST_BYTES, MOST_WRITTEN, BoundedLoader, LimitPassed, check_limits

MOST_PROBLEMS = 200
"""The most mistakes of one validation that are told."""
Loc = tuple[str | int, ...]
"""The keys and indices that lead from a document's root to a part of it."""


@dataclass(frozen=True, slots=True)
class YamlProblem:
    """Hold a mistake in the part of a document at ``loc``."""

    loc: Loc
    said: str
    line: int | None = None
    """The line, if ``loc`` does not lead to it."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """Hold the content of a document. Without a ``root``, it was not read from a text, and no line is known."""

    data: Any
    where: str
    """The file's name, for messages."""
    root: yaml.Node | None = None
    repeated: tuple[YamlProblem, ...] = ()
    """Keys that stand twice in a mapping."""

    def find_line(self, loc: Loc) -> int | None:
        """Return the line, from 1, of the part at ``loc``, or of the nearest part above if it is missing."""
        node, nearest_node = self.root, None
        for part in loc:
            entry = _entry(node, part)
            if entry is None:
                break
            nearest_node, node = entry
        return None if nearest_node is None else nearest_node.start_mark.line + 1

    def refuse(self, mistakes: Sequence[YamlProblem]) -> None:
        """Raise BadFile with all mistakes in the order of their lines, if there are any."""
        problems = {
            (mistake.line or self.find_line(mistake.loc), mistake.said): None for mistake in (*self.repeated, *mistakes)
        }
        in_order = sorted(problems, key=lambda mistake: (mistake[0] is None, mistake[0]))
        if in_order:
            raise BadFile(
                self.where, tuple(f"line {line}: {problem}" if line else problem for line, problem in in_order)
            )


def read_yaml(path: Path, loader: type[BoundedLoader] = BoundedLoader) -> YamlDocument:
    """Read a file. Raises BadInput if it cannot be read or is no YAML, BadFile if it passes a limit.

    The caller checks the content and passes the mistakes to ``YamlDocument.refuse``, which adds keys that stand twice.
    """
    try:
        with path.open("rb") as file:  # a device tells no size
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            limit = f"the limit of {MOST_BYTES // 1024**2} MiB for a YAML file"
            raise BadInput(f"{path}: is over {limit}; spread it over several files")
        return parse_yaml(content.decode("utf-8"), str(path), loader)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not YAML: {error}") from error


def parse_yaml(
    text: str, where: str, loader: type[BoundedLoader] = BoundedLoader, most_values: int = MOST_WRITTEN
) -> YamlDocument:
    """Read a text in the same way as ``read_yaml`` reads a file. ``most_values``: how many values may be written."""
    try:
        reading = loader(text, most_values)
        root = reading.get_single_node()
        if root is None:
            return YamlDocument(None, where)
        check_limits(root)
        repeated = tuple(_repeated(root, (), set()))  # before construct_document mixes merged keys with a mapping's own
        return YamlDocument(reading.construct_document(root), where, root, repeated)
    except LimitPassed as error:
        raise BadFile(where, (f"line {error.line}: {error.said}",)) from error
    # PyYAML raises many types of errors: for an impossible date, for "!!bool maybe", for "!!timestamp today".
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise BadInput(f"{where}: not YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise BadInput(f"{where}: is nested too deeply") from error


class YamlInvalid(ValueError):
    """Signal several mistakes that a validator found. Their places are relative to the value that it validated."""

    def __init__(self, mistakes: Sequence[YamlProblem]) -> None:
        """Store the mistakes for ``find_problems``."""
        super().__init__("; ".join(mistake.said for mistake in mistakes))
        self.mistakes = tuple(mistakes)


def find_problems(error: ValidationError, model: type[BaseModel], at: Loc = ()) -> list[YamlProblem]:
    """Return the mistakes that a model found, at most MOST_PROBLEMS. ``at``: where what was validated stands.

    For an unknown key, name the nearest known one, else the part that has it, else all known ones if they are few.
    """
    problems: list[YamlProblem] = []
    followed: list[YamlProblem] = []
    """Mistakes that may follow from another one: a misspelt key counts as missing, a list lacks an invalid item."""
    likely_keys: set[Loc] = set()
    """Known keys that are similar to misspelt ones."""
    items = error.errors(include_url=False)
    for item in items[:MOST_PROBLEMS]:
        loc, models = _followed(item["loc"], model)
        loc = (*at, *loc)
        name = ".".join(map(str, loc))
        about = f"{name}: " if name else ""
        if item["type"] == "extra_forbidden":
            key = str(loc[-1])
            known_keys = _keys(models)
            near = near_names(key, [other for other in known_keys if other != key])
            likely_keys.update((*loc[:-1], other) for other in near)
            lead = nearest(near) or _inner_place(key, models) or _few(known_keys)
            problems.append(YamlProblem(loc, f"unknown key {name!r}{lead}"))
        elif isinstance(cause := item.get("ctx", {}).get("error"), YamlInvalid):
            problems += [YamlProblem((*loc, *inner.loc), about + inner.said) for inner in cause.mistakes]
        elif item["type"] in ("missing", "too_short"):
            followed.append(YamlProblem(loc, about + describe_error(item)))
        else:
            problems.append(YamlProblem(loc, about + describe_error(item)))
    inside = {mistake.loc[:length] for mistake in problems for length in range(len(mistake.loc))}
    problems += [mistake for mistake in followed if mistake.loc not in likely_keys | inside]
    if len(items) > MOST_PROBLEMS:
        problems.append(YamlProblem(at, f"and {len(items) - MOST_PROBLEMS} more mistakes"))
    return problems


def unknown_keys(mapping: dict[Any, Any], known_keys: Sequence[str], at: Loc = ()) -> list[YamlProblem]:
    """Return a mistake for each key of a mapping that is not in ``known``."""
    return [
        YamlProblem((*at, key), f"unknown key {str(key)!r}" + suggest(str(key), known_keys))
        for key in mapping
        if key not in known_keys
    ]


# ---------------------------------------------------------------------------- nodes
def _entry(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node of an entry's key and that of its value.

    A mapping's own key takes precedence over a merged one.
    """
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value == str(part):
                return key, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


def _repeated(node: yaml.Node, at: Loc, visited: set[int]) -> Iterator[YamlProblem]:
    if id(node) in visited:  # an alias
        return
    visited.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _repeated(item, (*at, index), visited)
    if isinstance(node, yaml.MappingNode):
        first: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                name, line = (key.tag, key.value), key.start_mark.line + 1
                if name in first:
                    problem = f"the key {key.value!r} stands here again: it is on line {first[name]} already"
                    yield YamlProblem((*at, key.value), problem, line)
                first.setdefault(name, line)
                yield from _repeated(value, (*at, key.value), visited)


# ---------------------------------------------------------------------------- models
_MOST_LISTED = 8
"""How many known keys a message lists. Of more, it lists none."""


def _keys(models: Sequence[type[BaseModel]]) -> list[str]:
    """Return the keys that one of some models knows, in the order of their declaration."""
    return list(dict.fromkeys(field.alias or name for each in models for name, field in each.model_fields.items()))


def _few(names: Sequence[str]) -> str:
    return f"; known are {', '.join(names)}" if 0 < len(names) <= _MOST_LISTED else ""


def _inner_place(key: str, models: Sequence[type[BaseModel]]) -> str:
    """Return where to write a key that a part of some models has, or a part of such a part; '' if none has it."""
    parts: dict[tuple[str, ...], list[type[BaseModel]]] = {(): list(models)}
    for _ in range(2):
        parts = {
            (*path, field.alias or name): [inner for _, inner in _options(field.annotation)]
            for path, outer in parts.items()
            for each in outer
            for name, field in each.model_fields.items()
        }
        places = [path for path, inner in parts.items() if key in _keys(inner)]
        if len(places) == 1:
            return (
                f"; write it under {'.'.join(places[0])!r}: {''.join(f'{part}: {{' for part in places[0])}{key}: ..."
                + ("}" * len(places[0]))
            )
        if places:
            names = [".".join(place) for place in places]
            where = f"one of {', '.join(names)}" if len(names) <= _MOST_LISTED else "the key whose value it is about"
            return f"; write it under {where}"
    return ""


def _followed(loc: Loc, model: type[BaseModel]) -> tuple[Loc, list[type[BaseModel]]]:
    """Return ``loc`` without the names of a union's members, and the models of which one is at its end.

    pydantic puts the member's name after the field that holds the union. No document contains that name.
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
    return tuple(path), [each for _, each in at]


def _options(annotation: Any) -> list[tuple[str, type[BaseModel]]]:
    """Return the models that a value may be, each with pydantic's name for it in a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [(annotation.__name__, annotation)]
    options = [option for argument in get_args(annotation) for option in _options(argument)]
    if get_origin(annotation) is Annotated:
        tags = [metadata.tag for metadata in annotation.__metadata__ if isinstance(metadata, Tag)]
        return [(tags[0], option) for _, option in options] if tags else options
    return options
