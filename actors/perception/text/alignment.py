"""Where the characters of a text stand: the recogniser's own alignment, for the text as it is told in the end."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np

from manyhands.actors.perception.text.engines import Reading
from manyhands.actors.perception.text.forms import east_asian
from manyhands.protocol.geometry import Box


def columns_of(reading: Reading, content: str, crop: Box) -> tuple[int, ...]:
    """Return the pixel column of each character of ``content``, which was made of what was read in ``crop``.

    Nothing for a single word or character, or where the engine does not say where characters stand. Characters that
    were read otherwise, and blanks, stand evenly between their neighbours.
    """
    read = [character for character in reading.text if not character.isspace()]
    if len(read) != len(reading.places) or not read:
        return ()
    if len(content) < 2 or not (" " in content or east_asian(content)):
        return ()
    told = [place for place, character in enumerate(content) if not character.isspace()]
    known: dict[int, float] = {}
    matcher = SequenceMatcher(None, read, [content[place] for place in told], autojunk=False)
    for match in matcher.get_matching_blocks():
        for step in range(match.size):
            known[told[match.b + step]] = reading.places[match.a + step]
    if not known:
        return ()
    places = np.interp(range(len(content)), sorted(known), [known[place] for place in sorted(known)])
    return tuple(int(crop.x1 + place * crop.width) for place in np.maximum.accumulate(places))
