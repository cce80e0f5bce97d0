"""How much a YAML file may hold: bytes, depth, and the values that its aliases stand for.

A few lines of aliases of aliases stand for millions of values, and whoever validates a document meets each of them. So
a document is measured before anything is made of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.reader import Reader
from yaml.scanner import Scanner

MOST_BYTES = 16 * 1024 * 1024
MOST_DEPTH = 100
MOST_BY_ALIASES = 100_000
"""Values that aliases may stand for in a small document; in a larger one ten times as many as are written there."""
MOST_DIGITS = 400
"""YAML has numbers by sixties, which take a time that grows with the square of their length."""
_TEXT_PER_VALUE = 100
"""So many characters count as one more value, because aliases repeat texts too."""
_TOO_DEEP = f"is nested more than {MOST_DEPTH} deep, which is the limit"
_NUMBERS = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})


class LimitPassed(yaml.MarkedYAMLError):
    """Signal a document that holds more than it may; its mark is where."""

    def __init__(self, said: str, mark: yaml.Mark) -> None:
        """Say what is over the limit, and where."""
        super().__init__(problem=said, problem_mark=mark)
        self.said = said
        self.line = mark.line + 1


@dataclass(frozen=True, slots=True)
class _Size:
    values: int
    """With everything that aliases within stand for."""
    depth: int


@dataclass(slots=True)
class _Measure:
    """Measure each node once: an alias is another place of the same node, and always behind it."""

    sizes: dict[int, _Size | None] = field(default_factory=dict)
    """By the node's id; None while it is measured."""
    written: int = 0
    """Values without those that aliases stand for."""
    aliases: list[tuple[_Size, yaml.Node]] = field(default_factory=list)
    """What is repeated."""

    def size(self, node: yaml.Node) -> _Size:
        if id(node) in self.sizes:
            known = self.sizes[id(node)]
            if known is None:
                raise LimitPassed(
                    "an alias stands for what it is a part of, so the document has no end", node.start_mark
                )
            self.aliases.append((known, node))
            return known
        self.sizes[id(node)] = None
        own = 1 + (len(node.value) // _TEXT_PER_VALUE if isinstance(node, yaml.ScalarNode) else 0)
        self.written += own
        inner = [self.size(child) for child in _children(node)]
        measured = _Size(own + sum(size.values for size in inner), 1 + max((size.depth for size in inner), default=0))
        if measured.depth > MOST_DEPTH:
            raise LimitPassed(_TOO_DEEP, node.start_mark)
        if isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS and len(node.value) > MOST_DIGITS:
            said = f"a number of {len(node.value)} digits; {MOST_DIGITS} is the limit. Put a text in quotes"
            raise LimitPassed(said, node.start_mark)
        self.sizes[id(node)] = measured
        return measured


class _BoundedScanner(Reader, Scanner):
    """Count brackets while they are read: looking ahead over thousands of open ones takes seconds."""

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:
        """Refuse a bracket that is too deep."""
        if self.flow_level >= MOST_DEPTH:
            raise LimitPassed(_TOO_DEEP, self.get_mark())
        super().fetch_flow_collection_start(TokenClass)


def bounded(loader: type[yaml.SafeLoader]) -> type[yaml.SafeLoader]:
    """Return the loader with a limit on brackets within brackets."""
    return type(loader.__name__, (_BoundedScanner, loader), {})


def check_limits(root: yaml.Node) -> None:
    """Raise LimitPassed for a document that is too deep, holds too long a number, or too much by its aliases."""
    measure = _Measure()
    by_aliases = measure.size(root).values - measure.written
    most = max(MOST_BY_ALIASES, 10 * measure.written)
    if by_aliases > most:
        largest = max(measure.aliases, key=lambda found: found[0].values)[1]
        said = (
            f"aliases of this stand for too much: the file holds {measure.written:,} values as it is written, and its "
            f"aliases stand for {by_aliases:,} more, over the limit of {most:,}. Write the values out, or fewer aliases"
        )
        raise LimitPassed(said, largest.start_mark)


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
