"""Read JSON objects and Python literals from a text. Nothing is evaluated.

Python's JSON parser goes first. If it refuses a text, one lenient pass accepts what models write instead: Python
literals, a trailing comma, full-width punctuation, a missing last brace. This pass corrects nothing inside strings.
Depth and tries are limited, so that no text costs more than a few passes over it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_DEEPEST = 8
_MOST_STRICT, _MOST_LENIENT = 200, 20
"""How many opening braces are tried with the strict parser, and how many with the lenient one."""
_BRACE = re.compile("[{｛]")
_OBJECT = re.compile(r"[{｛](?:\s*[\"'“＂}｝]|[ \t]*[A-Za-z_]+[ \t]*[:：])")
"""A brace that begins an object. Other braces are prose: ``the {x} icon``."""


class NotAValue(ValueError):
    """Signal that the text holds no value at this place."""


class DuplicateKey(NotAValue):
    """Signal an object that has a key twice."""


class TextSpan(NamedTuple):
    """Hold the place of something in a text, including its tags."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JsonObject:
    """Hold an object of a text: its value and its place.

    ``mended``: only the lenient pass could read the object. ``whole``: the object has its last brace.
    """

    value: dict[str, Any]
    start: int
    end: int
    mended: bool
    whole: bool = True

    @property
    def span(self) -> TextSpan:
        """Return the place of the object."""
        return TextSpan(self.start, self.end)


def is_object(text: str) -> bool:
    """Return whether all of ``text`` is one JSON object. A key may occur twice in it."""
    try:
        return isinstance(_plain.decode(text), dict)
    except (ValueError, RecursionError):
        return False


def read_object(text: str, start: int) -> JsonObject:
    """Return the object that begins at ``start``. Raises NotAValue."""
    try:
        value, end = _strict.raw_decode(text, start)
    except DuplicateKey:
        raise
    except (ValueError, RecursionError):
        reader = Reader(text, start)
        value = reader.value()
        return JsonObject(_object(value), start, reader.position, mended=True, whole=reader.whole)
    return JsonObject(_object(value), start, end, mended=False)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotAValue("no object")
    return value


def find_objects(text: str) -> list[JsonObject]:
    """Return the objects in ``text``, in order, without those inside another readable object.

    Leave out objects that have a key twice. Stop at an object that is too deeply nested.
    """
    objects: list[JsonObject] = []
    strict, lenient = _MOST_STRICT, _MOST_LENIENT
    brace = _BRACE.search(text)
    while brace and strict:
        strict -= 1
        start, end = brace.start(), brace.end()
        try:
            value, end = _strict.raw_decode(text, start)
            objects.append(JsonObject(value, start, end, mended=False))
        except DuplicateKey:
            end = _end(text, start) or end
        except RecursionError:
            break
        except ValueError:
            if lenient:
                lenient -= 1
                reader = Reader(text, start)
                try:
                    value = reader.value()
                    objects.append(JsonObject(value, start, reader.position, mended=True, whole=reader.whole))
                    end = reader.position
                except NotAValue:
                    pass
        brace = _BRACE.search(text, end)
    return objects


def _end(text: str, start: int) -> int | None:
    try:
        return _plain.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def read_literal(text: str) -> Any:
    """Return the value that all of ``text`` is. Raises NotAValue."""
    reader = Reader(text.strip())
    value = reader.value()
    if reader.position < len(reader.text):
        raise NotAValue("text after the value")
    return value


def find_first_brace(text: str) -> int | None:
    """Return the place of the first brace that begins an object, plain or full-width.

    Without one, return the first brace.
    """
    brace = _OBJECT.search(text) or _BRACE.search(text)
    return brace.start() if brace else None


def has_broken_object(text: str, objects: Sequence[JsonObject], end: int) -> bool:
    """Return whether an object that could not be read begins before ``end``. Such an object is not in ``objects``."""
    position = 0
    for one in (*(one for one in objects if one.start < end), None):
        opening = _OBJECT.search(text, position, one.start if one else end)
        if opening is not None:
            return True
        position = one.end if one else end
    return False


# ---------------------------------------------------------------------------- strict
def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise DuplicateKey(f"the key {key!r} stands twice in the same object")
        read[key] = value
    return read


def _fraction(text: str) -> float:
    if "e" in text or "E" in text:
        raise NotAValue("numbers are written without exponents")
    return float(text)


_strict = json.JSONDecoder(object_pairs_hook=_no_twice, parse_float=_fraction)
_plain = json.JSONDecoder()

# ---------------------------------------------------------------------------- lenient
_BLANK = re.compile("[ \t\r\n\u00a0\u3000\ufeff\u200b\u200c\u200d\u2060]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?(?![0-9A-Za-z_.])")
_WORD = re.compile(r"(?:True|true|False|false|None|null)(?![0-9A-Za-z_])")
_WORDS = {"true": True, "false": False, "none": None, "null": None}
_NARROW = {"：": ":", "，": ",", "｛": "{", "｝": "}", "［": "[", "］": "]", "（": "(", "）": ")"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "＂": "＂"}
_PLAIN_RUN = {close: re.compile(f"[^\\\\{close}]*") for close in _QUOTES.values()}
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_ONLY_JSON = {"/": "/", "b": "\b", "f": "\f"}
_UNICODE = re.compile(r"\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(?!d[89a-f])[0-9a-f]{4})", re.IGNORECASE)
"""An escape of a whole character, by one code or by the two halves of a pair."""
_CLOSERS = {"[": "]", "(": ")"}


class Reader:
    """Read ``text`` once, from ``position`` on. Every method raises NotAValue if the text holds something else."""

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position
        self.whole = True
        """Whether all objects so far had their last brace."""

    def next(self) -> str:
        """Skip blanks and return the next character without taking it. Return an empty text at the end.

        Full-width punctuation is returned as plain.
        """
        blank = _BLANK.match(self.text, self.position)
        self.position = blank.end() if blank else self.position
        char = self.text[self.position : self.position + 1]
        return _NARROW.get(char, char)

    def take(self, char: str) -> bool:
        """Take the next character if it is ``char``. Return whether it was."""
        if self.next() != char:
            return False
        self.position += 1
        return True

    def value(self, depth: int = 0) -> Any:
        """Read an object, list, string, number, truth value or null."""
        if depth > _DEEPEST:
            raise NotAValue("too deep")
        char = self.next()
        if char == "{":
            return self._object(depth)
        if char in _CLOSERS:
            return self._list(depth, _CLOSERS[char])
        if char in _QUOTES:
            return self._string()
        return self._scalar()

    def _object(self, depth: int) -> dict[str, Any]:
        self.position += 1
        read: dict[str, Any] = {}
        while not self.take("}"):
            if self.next() not in _QUOTES:
                raise NotAValue("a key is a string")
            key = self._string()
            if not self.take(":"):
                raise NotAValue("no colon after a key")
            if key in read:
                raise DuplicateKey(f"the key {key!r} stands twice in the same object")
            read[key] = self.value(depth + 1)
            if self.take(",") or self.next() == "}":
                continue
            if depth == 0 and self._ends_whole():
                self.whole = False
                break
            raise NotAValue("no comma after a value")
        return read

    def _ends_whole(self) -> bool:
        """Return whether only the last brace is missing.

        A number at the end of the text does not count: it may be cut off.
        """
        char = self.next()
        symbol = not char.isascii() and not char.isalnum() and char not in _QUOTES
        if char not in ("", "<", "`") and not symbol:
            return False
        return self.text[: self.position].rstrip()[-1:] in ("}", "｝", "]", "］", *_QUOTES.values())

    def _list(self, depth: int, closer: str) -> list[Any]:
        self.position += 1
        read: list[Any] = []
        while not self.take(closer):
            read.append(self.value(depth + 1))
            if not self.take(",") and self.next() != closer:
                raise NotAValue("no comma after a value")
        return read

    def _string(self) -> str:
        close = _QUOTES[self.text[self.position]]
        run = _PLAIN_RUN[close]
        self.position += 1
        read: list[str] = []
        while True:
            plain = run.match(self.text, self.position)
            if plain:
                read.append(plain[0])
                self.position = plain.end()
            if self.position >= len(self.text):
                raise NotAValue("a string does not end")
            if self.text[self.position] == close:
                self.position += 1
                return "".join(read)
            read.append(self._escape(json_like=close != "'"))

    def _escape(self, json_like: bool) -> str:
        char = self.text[self.position + 1 : self.position + 2]
        plain = _ESCAPES.get(char) or (_ONLY_JSON.get(char) if json_like else None)
        if plain is not None:
            self.position += 2
            return plain
        code = _UNICODE.match(self.text, self.position)
        if code is None:
            raise NotAValue("an escape that means nothing")
        self.position = code.end()
        return str(json.loads(f'"{code[0]}"'))

    def _scalar(self) -> bool | int | float | None:
        word = _WORD.match(self.text, self.position)
        if word:
            self.position = word.end()
            return _WORDS[word[0].lower()]
        number = _NUMBER.match(self.text, self.position)
        if number is None:
            raise NotAValue("neither a string nor a number")
        self.position = number.end()
        return float(number[0]) if number[1] else int(number[0])
