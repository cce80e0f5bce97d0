"""Which name an icon of an icon set gets: the patterns of classes.yaml over the sets' own names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

OTHER = "other"
"""The class of pictures that have no name."""
CLASSES = Path(__file__).parent / "classes.yaml"


@dataclass(frozen=True)
class Classes:
    """Hold ``patterns`` by class, in the order of the file; see classes.yaml for what the others are."""

    patterns: dict[str, tuple[str, ...]]
    style_before: frozenset[str]
    style_after: frozenset[str]
    frames: frozenset[str]
    common: frozenset[str]
    left_out: dict[str, tuple[str, ...]]

    @classmethod
    def load(cls, path: Path = CLASSES) -> Classes:
        """Read the classes. Raises OSError; ValueError for a pattern that is no regular expression."""
        read = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # words like `on` stay words
        try:
            return cls(
                patterns={name: tuple(text.split()) for name, text in read["classes"].items()},
                style_before=frozenset(read["style_before"].split()),
                style_after=frozenset(read["style_after"].split()),
                frames=frozenset(read["frames"].split()),
                common=frozenset(read["common"].split()),
                left_out={name: tuple(text.split()) for name, text in read["except"].items()},
            ).checked()
        except (KeyError, AttributeError) as error:
            raise ValueError(f"{path}: a part is missing or no text ({error})") from error

    def checked(self) -> Classes:
        for name, patterns in (*self.patterns.items(), *self.left_out.items()):
            for pattern in patterns:
                try:
                    re.compile(pattern)
                except re.error as error:
                    raise ValueError(f"class {name!r}: {pattern!r} is no regular expression: {error}") from error
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names, ``other`` last."""
        return (*self.patterns, OTHER)

    def plain(self, name: str) -> tuple[str, ...]:
        """Return the words of an icon's name, lower-cased, without those of style at both ends; one stays at least.

        ``arrow-left-24-regular`` is arrow, left; ``round-arrow_back`` is arrow, back; ``outline`` stays.
        """
        words = [word for word in re.split(r"[^a-z0-9%]+", name.lower()) if word]
        while len(words) > 1 and (words[-1] in self.style_after or words[-1].isdigit()):
            words.pop()
        while len(words) > 1 and words[0] in self.style_before:
            words.pop(0)
        return tuple(words)

    def of(self, icon_set: str, name: str) -> str | None:
        """Return the class of an icon by its set's name for it; None if it is too like a class to be called other."""
        if any(re.fullmatch(pattern, name.lower()) for pattern in self.left_out.get(icon_set, ())):
            return None
        words = self.plain(name)
        found = self._class_of("-".join(words)) or self._class_of(name.lower())
        if found is None and len(words) > 1 and words[-1] in self.frames:
            found = self._class_of("-".join(self.plain("-".join(words[:-1]))))
        if found is not None:
            return found
        return None if set(words) & self._telling else OTHER

    def _class_of(self, name: str) -> str | None:
        return next((found for found, pattern in self._compiled if pattern.fullmatch(name)), None)

    @cached_property
    def _compiled(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((name, re.compile("|".join(patterns))) for name, patterns in self.patterns.items())

    @cached_property
    def _telling(self) -> frozenset[str]:
        """Return the words of the patterns that are not common to unlike icons."""
        words = {
            word
            for patterns in self.patterns.values()
            for pattern in patterns
            for word in re.findall(r"[a-z]+", pattern)
        }
        return frozenset(word for word in words if len(word) > 1) - self.common
