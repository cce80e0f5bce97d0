"""Readings of a description: words for places and colours may be parts of a name (Top News, Red Bull)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from manyhands.actors.perception.grounding.places import Place, place_of, places_in
from manyhands.actors.perception.grounding.words import colour_of, colours_in, meant_name, plain_words

MOST = 4
"""Words for places and colours of which each may be part of the name; where there are more all are, or none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold one reading of a description; ``name`` is empty if it has words for places and colours only."""

    name: str
    place: Place | None
    colour: str | None


def readings(description: str) -> list[Reading]:
    """Return readings, from all words as the name to as many as possible as place and colour."""
    text = plain_words(description)
    places, colours = places_in(text), colours_in(text)
    words = sorted(places + colours, key=re.Match.start)
    counts = range(len(words) + 1) if len(words) <= MOST else (0, len(words))
    found = []
    for count in counts:
        for taken in combinations(words, count):
            place = place_of([part for part in taken if part in places])
            found.append(Reading(_without(text, taken), place, colour_of([part for part in taken if part in colours])))
    return found


def _without(text: str, taken: Sequence[re.Match[str]]) -> str:
    """Return ``text`` without the spans ``taken``, which are in order and do not overlap."""
    rest, at = [], 0
    for part in taken:
        rest.append(text[at : part.start()])
        at = part.end()
    return meant_name(" ".join([*rest, text[at:]]))
