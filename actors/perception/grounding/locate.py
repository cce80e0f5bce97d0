"""Find the elements of a screen that a description means."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.backends import IconMatcher
from manyhands.actors.perception.grounding.interpretation import (
    Interpretation,
    alike,
    colour_share,
    holds,
    interpretations,
    place_at,
    same,
)
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Located, LocateQuery, Match, Screen, Way

SIMILAR = 0.75
"""A text is similar to the words from this share of common letters on: one letter in four may be misread."""
LEAST = 0.25
"""The lowest score of an icon that may be meant."""
NOT_CALLED_SO = 0.4
"""The factor on the score of an icon that has the right place and colour but not the name, if no icon has the name."""
LABEL_BELOW = 1.2
"""A text within so many icon heights below an icon is its label."""


def locate(
    screen: Screen, query: LocateQuery, pixels: Callable[[], Rgb], matcher: IconMatcher | None = None
) -> Located:
    """Return all elements of ``screen`` that ``query`` may mean, the best first.

    ``pixels`` returns uint8 (height, width, 3) in the screen's size. It is called only if a colour is asked for or a
    ``matcher`` is given, which then compares the icons. Raises the errors of ``pixels``, and PerceptionError.
    """
    if query.kind == "text":
        matches = find_texts(screen.elements, query.words)
    elif matcher is not None:
        matches = _alike(screen, query, pixels, matcher)
    else:
        matches = _icons(screen, query, pixels)
    return Located(matches=tuple(sorted(matches, key=lambda match: -match.score)))


def find_texts(elements: Sequence[Element], words: str) -> list[Match]:
    """Return the texts equal to the words.

    If there are none, return texts that contain the words; if there are none of these either, similar texts.
    """
    plain_words = _plain(words)
    texts = [(element, _plain(element.content)) for element in elements if element.kind == "text"]
    equal = [Match(element=element, score=1.0, ways=("exact",)) for element, text in texts if text == plain_words]
    if equal or not plain_words:
        return equal
    holding = [
        Match(element=part, score=len(plain_words) / len(text), ways=("contained",))
        for element, text in texts
        for part in _parts(element, plain_words)
    ]
    if holding:
        return holding
    scored = [(element, SequenceMatcher(None, text, plain_words, autojunk=False).ratio()) for element, text in texts]
    return [Match(element=element, score=score, ways=("similar",)) for element, score in scored if score >= SIMILAR]


def _parts(element: Element, plain_words: str) -> list[Element]:
    """Return the places of the wanted words in a text. Return the whole text if the places of its words are unknown."""
    plain = [_plain(character) for character in element.content]
    origin = [place for place, characters in enumerate(plain) for _ in characters]
    text, parts, start = "".join(plain), [], 0
    while (start := text.find(plain_words, start)) >= 0:
        parts.append(element.part(origin[start], origin[start + len(plain_words) - 1] + 1))
        start += len(plain_words)
    return parts if parts and element.columns else [element] * (plain_words in _plain(element.content))


def _plain(text: str) -> str:
    """Return the text without blanks, in lower case and without full-width forms."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _icons(screen: Screen, query: LocateQuery, pixels: Callable[[], Rgb]) -> list[Match]:
    if query.position is None:
        return _by_description(screen, query.words, pixels)
    place = place_at(query.position)
    matches = []
    for match in _by_description(screen, query.words, pixels) or _all_icons(screen):
        ways = match.ways if "position" in match.ways else (*match.ways, "position")
        score = match.score * place.fit(*_shares(match.element, screen.size))
        if score >= LEAST:
            matches.append(match.model_copy(update={"score": score, "ways": ways}))
    return matches


def _alike(screen: Screen, query: LocateQuery, pixels: Callable[[], Rgb], matcher: IconMatcher) -> list[Match]:
    """Return the icons at the asked place, scored by their likeness to the description (section 2.1)."""
    icons = [element for element in screen.elements if element.kind == "icon"]
    ways: tuple[Way, ...] = ("likeness",)
    if query.position is not None:
        place, ways = place_at(query.position), ("likeness", "position")
        icons = [icon for icon in icons if place.fit(*_shares(icon, screen.size)) >= LEAST]
    shares = matcher.likeness(pixels(), [icon.box for icon in icons], query.words) if icons else ()
    pairs = zip(icons, shares, strict=True)
    return [Match(element=icon, score=min(max(float(share), 0.0), 1.0), ways=ways) for icon, share in pairs]


def _all_icons(screen: Screen) -> list[Match]:
    """Return all icons, because only the place can tell which is meant."""
    icons = (element for element in screen.elements if element.kind == "icon")
    return [Match(element=icon, score=NOT_CALLED_SO, ways=()) for icon in icons]


def _by_description(screen: Screen, words: str, pixels: Callable[[], Rgb]) -> list[Match]:
    icons = [element for element in screen.elements if element.kind == "icon"]
    texts = [element for element in screen.elements if element.kind == "text"]
    called = [(icon, _icon_names(icon, texts)) for icon in icons]
    read = interpretations(words)
    last = read[-1]
    # Choose the interpretation that takes the fewest words away from the name and fits some icon's name:
    # 个人中心 names no place. If no interpretation fits, similar names are accepted, and words for regions and
    # colours count only as these.
    tried = [(holds, one) for one in read] + [(alike, one) for one in reversed(read)]
    for fit, reading in tried if last.name else [(same, one) for one in read]:
        candidates = [(icon, by) for icon, names in called if (by := _fit(names, reading.name, fit))[0] > 0]
        if candidates:
            return _placed(screen.size, candidates, reading, pixels)
    if last.place is None and last.colour is None:
        return []
    matches = _placed(screen.size, [(icon, None) for icon in icons], last, pixels)
    if not last.name:
        return matches
    return [match.model_copy(update={"score": match.score * NOT_CALLED_SO}) for match in matches]


def _placed(
    size: Size,
    candidates: Sequence[tuple[Element, tuple[float, Way] | None]],
    reading: Interpretation,
    pixels: Callable[[], Rgb],
) -> list[Match]:
    """Return the icons of ``candidates`` that have the colour and the region. Each comes with the fit of its name."""
    rgb = pixels() if reading.colour is not None and candidates else None
    matches = []
    for icon, by in candidates:
        parts: list[tuple[float, Way]] = [] if by is None else [by]
        if reading.colour is not None and rgb is not None:
            parts.append((colour_share(rgb, icon.box, reading.colour), "colour"))
        if reading.place is not None:
            parts.append((reading.place.fit(*_shares(icon, size)), "position"))
        score = math.prod(share for share, _ in parts)
        if score >= LEAST:
            matches.append(Match(element=icon, score=score, ways=tuple(way for _, way in parts)))
    return matches


def _icon_names(icon: Element, texts: Sequence[Element]) -> list[tuple[str, Way]]:
    """Return the icon's own name and the texts right below it."""
    return [(icon.content, "name"), *((text.content, "label") for text in texts if _is_under(text, icon))]


def _fit(names: Sequence[tuple[str, Way]], name: str, fit: Callable[[str, str], float]) -> tuple[float, Way]:
    """Return how well the best of an icon's names fits, and what kind of name it is.

    If several fit equally well, take the first.
    """
    return max(((fit(called, name), way) for called, way in names), key=lambda fit_and_way: fit_and_way[0])


def _is_under(text: Element, icon: Element) -> bool:
    below = text.box.y1 - icon.box.y2
    tall = icon.box.height
    return icon.box.x1 <= text.centre[0] < icon.box.x2 and -0.2 * tall <= below <= LABEL_BELOW * tall


def _shares(icon: Element, size: Size) -> tuple[float, float]:
    x, y = icon.centre
    return x / size.width, y / size.height
