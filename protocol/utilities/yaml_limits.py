"""Limit what a YAML file may hold: bytes, depth, and the values that its aliases stand for.

A few lines with aliases of aliases can stand for millions of values, and validation visits each of them. So a document
is measured before its content is constructed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.resolver import Resolver

MOST_BYTES = 16 * 1024 * 1024
MOST_DEPTH = 100
MOST_WRITTEN = 1_000_000
"""The most values that a document holds as it is written, keys included."""
MOST_BY_ALIASES = 100_000
"""The most values that aliases may stand for in a small document. In a larger one: ten times the values written."""
MOST_DIGITS = 400
"""The most digits of a number. YAML has numbers in base 60; their time grows with the square of their length."""
_TEXT_PER_VALUE = 100
"""For every so many characters, a text counts as one more value, because aliases repeat texts too."""
_TOO_DEEP = f"is nested more than {MOST_DEPTH} deep, which is the limit"
_NUMBERS = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})


class LimitPassed(yaml.MarkedYAMLError):
    """Signal a document that is over a limit. The mark says where."""

    def __init__(self, problem: str, mark: yaml.Mark) -> None:
        """Store what is over the limit, and where."""
        super().__init__(problem=problem, problem_mark=mark)
        self.said = problem
        self.line = mark.line + 1


@dataclass(frozen=True, slots=True)
class _Size:
    values: int
    """The number of values, including those that aliases stand for."""
    depth: int


@dataclass(slots=True)
class _Measure:
    """Measure each node once. An alias is another reference to the same node, and always comes after it."""

    sizes: dict[int, _Size | None] = field(default_factory=dict)
    """Sizes by the node's id; None while the node is being measured."""
    written: int = 0
    """The number of values without those that aliases stand for."""
    aliases: list[tuple[_Size, yaml.Node]] = field(default_factory=list)
    """The nodes that aliases repeat, with their sizes."""

    def size(self, node: yaml.Node) -> _Size:
        if id(node) in self.sizes:
            size = self.sizes[id(node)]
            if size is None:
                raise LimitPassed(
                    "an alias stands for what it is a part of, so the document has no end", node.start_mark
                )
            self.aliases.append((size, node))
            return size
        self.sizes[id(node)] = None
        own = 1 + (len(node.value) // _TEXT_PER_VALUE if isinstance(node, yaml.ScalarNode) else 0)
        self.written += own
        inner = [self.size(child) for child in _children(node)]
        measured = _Size(own + sum(size.values for size in inner), 1 + max((size.depth for size in inner), default=0))
        if measured.depth > MOST_DEPTH:
            raise LimitPassed(_TOO_DEEP, node.start_mark)
        if isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS and len(node.value) > MOST_DIGITS:
            problem = f"a number of {len(node.value)} digits; {MOST_DIGITS} is the limit. Put a text in quotes"
            raise LimitPassed(problem, node.start_mark)
        self.sizes[id(node)] = measured
        return measured


class BoundedLoader(Composer, CParser, SafeConstructor, Resolver):
    """Read a text as PyYAML's SafeLoader does, within limits on its depth and on its values, keys included.

    A value takes about a kilobyte until the document's end. libyaml parses: PyYAML's own parser takes seven times as
    long, and holds up all other threads meanwhile.
    """

    def __init__(self, text: str, most_values: int = MOST_WRITTEN) -> None:
        """Read ``text``."""
        CParser.__init__(self, text)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)
        self._most_values = most_values
        self._read = self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Raise LimitPassed for a value that is one too many, or too deep."""
        self._read += 1
        self._depth += 1
        if self._read > self._most_values:
            problem = f"the file has more than {self._most_values:,} values up to here, which is the limit"
            raise LimitPassed(problem, self.peek_event().start_mark)  # type: ignore[union-attr,arg-type]
        if self._depth > MOST_DEPTH:
            raise LimitPassed(_TOO_DEEP, self.peek_event().start_mark)  # type: ignore[union-attr,arg-type]
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def check_limits(root: yaml.Node) -> None:
    """Raise LimitPassed for a document that is too deep, has too long a number, or too many values by aliases."""
    measure = _Measure()
    by_aliases = measure.size(root).values - measure.written
    most = max(MOST_BY_ALIASES, 10 * measure.written)
    if by_aliases > most:
        largest = max(measure.aliases, key=lambda alias: alias[0].values)[1]
        problem = (
            f"aliases of this stand for too much: the file holds {measure.written:,} values as it is written, and its "
            f"aliases stand for {by_aliases:,} more, over the limit of {most:,}. Write the values out, or fewer aliases"
        )
        raise LimitPassed(problem, largest.start_mark)


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
