"""Count the steps that a backtracking matcher takes, so that tests measure work without a clock.

Python's ``re`` does not tell its steps. So each pattern is matched once more here, by its own parse tree, and each
comparison of a character counts. The spans must be those of ``re``, or the count would mean nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

_constants, _parser = re._constants, re._parser  # type: ignore[attr-defined]  # the tree has no public name
_Then = Callable[[int], int]
"""Continue at a place of the text. Return where the match ends, -1 if nothing matches."""
_NOTHING = -1
_CATEGORIES = {
    _constants.CATEGORY_DIGIT: re.compile(r"\d"),
    _constants.CATEGORY_NOT_DIGIT: re.compile(r"\D"),
    _constants.CATEGORY_SPACE: re.compile(r"\s"),
    _constants.CATEGORY_NOT_SPACE: re.compile(r"\S"),
    _constants.CATEGORY_WORD: re.compile(r"\w"),
    _constants.CATEGORY_NOT_WORD: re.compile(r"\W"),
}


class _Matcher:
    """Match one pattern as ``re`` does: alternatives in order, repeats greedy, back one step at a time."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._tree = list(_parser.parse(pattern.pattern, pattern.flags))
        self._pattern = pattern
        self._fitting: dict[tuple[int, str], bool] = {}
        self._text = ""
        self.steps = 0

    def search(self, text: str, start: int, end: int, *, whole: bool = False, anchored: bool = False) -> None:
        """Count the steps of a search for the first match. ``whole``: it must reach ``end``."""
        self._text = text[:end]
        last: _Then = (lambda place: place if place == len(self._text) else _NOTHING) if whole else lambda place: place
        expected = (self._pattern.fullmatch if whole else self._pattern.match if anchored else self._pattern.search)(
            text, start, end
        )
        for place in range(start, start + 1 if anchored or whole else len(self._text) + 1):
            reached = self._sequence(self._tree, 0, place, last)
            if reached != _NOTHING:
                assert expected, (self._pattern, text)
                assert expected.span() == (place, reached), (self._pattern, text)
                return
        assert expected is None, (self._pattern, text)

    def _sequence(self, items: Sequence[Any], index: int, place: int, then: _Then) -> int:
        if index == len(items):
            return then(place)
        return self._item(items[index], place, lambda reached: self._sequence(items, index + 1, reached, then))

    def _item(self, item: Any, place: int, then: _Then) -> int:
        kind, argument = item
        match str(kind):
            case "SUBPATTERN":
                return self._sequence(list(argument[3]), 0, place, then)
            case "ATOMIC_GROUP":
                reached = self._sequence(list(argument), 0, place, lambda end: end)
                return _NOTHING if reached == _NOTHING else then(reached)
            case "BRANCH":
                ends = (self._sequence(list(one), 0, place, then) for one in argument[1])
                return next((end for end in ends if end != _NOTHING), _NOTHING)
            case "ASSERT" | "ASSERT_NOT":
                direction, inner = argument
                begin = place if direction > 0 else place - inner.getwidth()[0]
                matches = begin >= 0 and self._sequence(list(inner), 0, begin, lambda end: end) != _NOTHING
                return then(place) if matches == (str(kind) == "ASSERT") else _NOTHING
            case "AT":
                self.steps += 1
                return then(place) if self._is_at(str(argument), place) else _NOTHING
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeat(str(kind), argument[0], argument[1], list(argument[2]), place, then)
        return then(place + 1) if self._fits(item, place) else _NOTHING

    def _repeat(self, kind: str, least: int, most: int, items: list[Any], place: int, then: _Then) -> int:
        if kind == "POSSESSIVE_REPEAT":
            count, reached = 0, place
            while count < most and (end := self._sequence(items, 0, reached, lambda at: at)) not in (_NOTHING, reached):
                count, reached = count + 1, end
            return then(reached) if count >= least else _NOTHING
        if len(items) == 1 and str(items[0][0]) in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            return self._repeat_character(kind, least, most, items[0], place, then)

        def again(count: int, at: int) -> int:
            def onward(end: int) -> int:
                return _NOTHING if end == at and count >= least else again(count + 1, end)

            if count < least:
                return self._sequence(items, 0, at, onward)
            if kind == "MIN_REPEAT":
                end = then(at)
                return end if end != _NOTHING or count == most else self._sequence(items, 0, at, onward)
            end = self._sequence(items, 0, at, onward) if count < most else _NOTHING
            return end if end != _NOTHING else then(at)

        return again(0, place)

    def _repeat_character(self, kind: str, least: int, most: int, item: Any, place: int, then: _Then) -> int:
        reached = place
        if kind == "MIN_REPEAT":
            while reached - place < least or (end := then(reached)) == _NOTHING:
                if reached - place >= most or not self._fits(item, reached):
                    return _NOTHING
                reached += 1
            return end
        while reached - place < most and self._fits(item, reached):
            reached += 1
        while reached - place >= least:
            self.steps += 1
            if (end := then(reached)) != _NOTHING:
                return end
            reached -= 1
        return _NOTHING

    def _fits(self, item: Any, place: int) -> bool:
        """Return whether the character at ``place`` is what an item of one character asks for."""
        self.steps += 1
        if place >= len(self._text):
            return False
        key = id(item), self._text[place]
        if key not in self._fitting:
            self._fitting[key] = self._compare(item, self._text[place])
        return self._fitting[key]

    def _compare(self, item: Any, char: str) -> bool:
        kind, argument = item
        cases = {char, char.lower(), char.upper()} if self._pattern.flags & re.IGNORECASE else {char}
        codes = {ord(one) for one in cases if len(one) == 1}
        match str(kind):
            case "LITERAL":
                return argument in codes
            case "NOT_LITERAL":
                return argument not in codes
            case "ANY":
                return char != "\n" or bool(self._pattern.flags & re.DOTALL)
        negated = str(argument[0][0]) == "NEGATE"
        return negated != any(_holds(str(name), one, char, codes) for name, one in argument[negated:])

    def _is_at(self, name: str, place: int) -> bool:
        before, after = self._text[max(0, place - 1) : place], self._text[place : place + 1]
        lines = self._pattern.flags & re.MULTILINE
        match name:
            case "AT_BEGINNING":
                return not before or bool(lines and before == "\n")
            case "AT_BEGINNING_STRING":
                return not before
            case "AT_END":
                return place >= len(self._text) - (after == "\n") or bool(lines and after == "\n")
            case "AT_END_STRING":
                return not after
        is_boundary = (re.match(r"\w", before) is None) != (re.match(r"\w", after) is None)
        return is_boundary == (name == "AT_BOUNDARY")


def _holds(name: str, argument: Any, char: str, codes: set[int]) -> bool:
    match name:
        case "LITERAL":
            return argument in codes
        case "RANGE":
            return any(argument[0] <= code <= argument[1] for code in codes)
    return _CATEGORIES[argument].match(char) is not None


class _CountedPattern:
    """Do what a pattern does, and count its steps."""

    def __init__(self, pattern: re.Pattern[str], add: Callable[[int], None]) -> None:
        self._pattern = pattern
        self._matcher = _Matcher(pattern)
        self._add = add

    def _count(self, text: str, start: int, end: int, *, whole: bool = False, anchored: bool = False) -> None:
        self._matcher.steps = 0
        self._matcher.search(text, start, min(end, len(text)), whole=whole, anchored=anchored)
        self._add(self._matcher.steps)

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._count(text, pos, endpos)
        return self._pattern.search(text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._count(text, pos, endpos, anchored=True)
        return self._pattern.match(text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._count(text, pos, endpos, whole=True)
        return self._pattern.fullmatch(text, pos, endpos)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        self._count_all(text)
        return self._pattern.finditer(text)

    def findall(self, text: str) -> list[Any]:
        self._count_all(text)
        return self._pattern.findall(text)

    def sub(self, new: Any, text: str) -> str:
        self._count_all(text)
        return self._pattern.sub(new, text)

    def subn(self, new: Any, text: str) -> tuple[str, int]:
        self._count_all(text)
        return self._pattern.subn(new, text)

    def split(self, text: str) -> list[Any]:
        self._count_all(text)
        return self._pattern.split(text)

    def _count_all(self, text: str) -> None:
        position = 0
        for one in self._pattern.finditer(text):
            self._count(text, max(position, one.start()) if one.end() == one.start() else position, sys.maxsize)
            position = one.end()
        self._count(text, position, sys.maxsize)


class Steps:
    """Hold the number of steps since the last ``take``."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, steps: int) -> None:
        self._count += steps

    def take(self) -> int:
        count, self._count = self._count, 0
        return count


@contextmanager
def counted_steps(modules: Sequence[ModuleType]) -> Iterator[Steps]:
    """Count the steps of all patterns of ``modules``: their constants, and those that their functions compile."""
    steps = Steps()

    def counted(value: Any) -> Any:
        if isinstance(value, re.Pattern):
            return _CountedPattern(value, steps.add)
        if isinstance(value, tuple) and any(isinstance(one, re.Pattern) for one in value):
            return tuple(map(counted, value))
        if isinstance(value, dict) and any(isinstance(one, re.Pattern) for one in value.values()):
            return {key: counted(one) for key, one in value.items()}
        return value

    library = SimpleNamespace(
        **{
            **vars(re),
            "compile": lambda pattern, flags=0: counted(re.compile(pattern, flags)),
            "split": lambda pattern, text: counted(re.compile(pattern)).split(text),
            "sub": lambda pattern, new, text: counted(re.compile(pattern)).sub(new, text),
        }
    )
    caches = [one for module in modules for one in vars(module).values() if hasattr(one, "cache_clear")]
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            for name, value in list(vars(module).items()):
                new = library if value is re else counted(value)
                if new is not value:
                    patch.setattr(module, name, new)
        for cache in caches:
            cache.cache_clear()
        yield steps
    for cache in caches:
        cache.cache_clear()
