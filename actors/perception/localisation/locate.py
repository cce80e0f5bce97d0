"""Which elements of a screen are meant by words."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from actors.frames import Rgb
from actors.perception.localisation.colours import has_colour
from actors.perception.localisation.places import split_place
from actors.perception.localisation.words import alike, meant_name, split_colour
from protocol.geometry import Size
from protocol.locating import Found, Located, LocateQuery, Way
from protocol.screens import Element, Screen

SIMILAR = 0.75
"""Share of common letters from which a text is like the words: one in four may be misread."""
LEAST = 0.25
"""Score of an icon that may be meant, at least."""
LABEL_BELOW = 1.2
"""Heights of an icon within which the text under it is its label."""


def locate(screen: Screen, query: LocateQuery, pixels: Callable[[], Rgb]) -> Located:
    """All elements of ``screen`` that ``query`` may mean, the best first.

    ``pixels``: called only where a colour is asked for; uint8 (height, width, 3) in the screen's size. Raises what
    ``pixels`` raises.
    """
    if query.kind == "text":
        found = _texts(screen.elements, query.words)
    else:
        found = _icons(screen, query.words, pixels)
    return Located(matches=tuple(sorted(found, key=lambda match: -match.score)))


def _texts(elements: Sequence[Element], words: str) -> list[Found]:
    """Those equal to the words; where there are none those that hold them; where there are none those like them."""
    wanted = _plain(words)
    texts = [(element, _plain(element.content)) for element in elements if element.kind == "text"]
    equal = [Found(element=element, score=1.0, ways=("exact",)) for element, text in texts if text == wanted]
    if equal or not wanted:
        return equal
    holding = [
        Found(element=element, score=len(wanted) / len(text), ways=("contained",))
        for element, text in texts
        if wanted in text
    ]
    if holding:
        return holding
    scored = [(element, SequenceMatcher(None, text, wanted, autojunk=False).ratio()) for element, text in texts]
    return [Found(element=element, score=score, ways=("similar",)) for element, score in scored if score >= SIMILAR]


def _plain(text: str) -> str:
    """Without blanks, case and forms of letters: full width is half width."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _icons(screen: Screen, words: str, pixels: Callable[[], Rgb]) -> list[Found]:
    place, rest = split_place(words)
    colour, rest = split_colour(rest)
    name = meant_name(rest)
    icons = [element for element in screen.elements if element.kind == "icon"]
    texts = [element for element in screen.elements if element.kind == "text"]
    called = {icon: by for icon in icons if name and (by := _called(icon, name, texts))[0] > 0}
    if not called and place is None and colour is None:
        return []
    meant = list(called) or icons  # where no name fits, colour and place decide, and the ways say so
    rgb = pixels() if colour is not None and meant else None
    found = []
    for icon in meant:
        parts: list[tuple[float, Way]] = [called[icon]] if icon in called else []
        if colour is not None and rgb is not None:
            parts.append((has_colour(rgb, icon.box, colour), "colour"))
        if place is not None:
            parts.append((place.fit(*_shares(icon, screen.size)), "position"))
        score = math.prod(share for share, _ in parts)
        if score >= LEAST:
            found.append(Found(element=icon, score=score, ways=tuple(way for _, way in parts)))
    return found


def _called(icon: Element, name: str, texts: Sequence[Element]) -> tuple[float, Way]:
    """How far an icon is called so: by its own name, or by the text right under it."""
    own = alike(icon.content, name)
    label = max((alike(text.content, name) for text in texts if _is_under(text, icon)), default=0.0)
    return (own, "name") if own >= label else (label, "label")


def _is_under(text: Element, icon: Element) -> bool:
    below = text.box.y1 - icon.box.y2
    tall = icon.box.y2 - icon.box.y1
    return icon.box.x1 <= text.centre[0] < icon.box.x2 and -0.2 * tall <= below <= LABEL_BELOW * tall


def _shares(icon: Element, size: Size) -> tuple[float, float]:
    x, y = icon.centre
    return x / size.width, y / size.height
