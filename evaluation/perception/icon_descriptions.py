"""Compare free descriptions of icons: "gear" and "settings" mean the same, "back" and "forward" do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import yaml

_WORD = re.compile(r"[a-z]+|[0-9]+|[^\W\d_a-z]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_EMPTY = frozenset(
    {"a", "alt", "an", "and", "app", "bold", "broken", "button", "circle", "circled", "down", "duotone", "fill"}
    | {"filled", "for", "glyph", "icon", "in", "large", "left", "line", "linear", "logo", "of", "on", "outline"}
    | {"outlined", "regular", "right", "round", "rounded", "sharp", "sign", "small", "solid", "square", "symbol"}
    | {"the", "thin", "to", "twotone", "up", "with"}
)
"""Words that fit any icon, or say how an icon is drawn. Like numbers, they count only if a name has no other words."""

_NO_PLURAL = frozenset({"news", "lens", "gps", "sms"})

Phrase = tuple[str, ...]


def alike(one: str, other: str) -> bool:
    """Return whether two names share a concept of ``icon_words.yaml``, or a word."""
    return bool(concepts(one) & concepts(other))


def right(description: str, names: Iterable[str]) -> bool:
    """Return whether ``found`` means the same as any of the labelled ``names``."""
    return any(alike(description, name) for name in names)


def concepts(name: str) -> frozenset[str]:
    """Return the meanings in a name: concepts of known phrases, longest first, and other words not in ``_EMPTY``."""
    words, concepts_by_phrase = _words(name), _phrases()
    longest = max(map(len, concepts_by_phrase))
    meanings, unknown, at = set[str](), list[str](), 0
    while at < len(words):
        lengths = range(min(longest, len(words) - at), 0, -1)
        length = next((n for n in lengths if words[at : at + n] in concepts_by_phrase), 0)
        if length:
            meanings.add(concepts_by_phrase[words[at : at + length]])
        else:
            unknown.append(words[at])
        at += length or 1
    telling = [word for word in unknown if word not in _EMPTY and not word.isdigit()]
    if meanings or telling:
        return frozenset([*meanings, *telling])
    # "up" alone means an arrow.
    return frozenset(concepts_by_phrase.get(("arrow", word), word) for word in unknown)


def _words(name: str) -> Phrase:
    """Split a name into singular words in lower case, however they are joined (``arrow_left``, ``arrowLeft``)."""
    split = _WORD.findall(_HUMP.sub(" ", name).casefold())
    return tuple(_singular(word) for word in split)


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss") and word not in _NO_PLURAL
    return word[:-1] if plural else word


@cache
def _phrases() -> Mapping[Phrase, str]:
    """Return the concept of each known phrase. The concept's own name is one of its phrases."""
    concepts_yaml: dict[str, list[str]] = yaml.safe_load(
        files("manyhands.evaluation.perception").joinpath("icon_words.yaml").read_text(encoding="utf-8")
    )
    return {_words(phrase): concept for concept, others in concepts_yaml.items() for phrase in (concept, *others)}
