"""Decide when two strings say the same, and measure whether lines were read as the page shows them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from manyhands.evaluation.perception.labels import LabelledScreen, LabelledText, Rect, rect_of
from manyhands.protocol.base import Message
from manyhands.protocol.screens.screen import Element

SIMILAR = 0.9
"""The least edit similarity of a reading that counts as similar: one wrong character in ten."""

_LOOKS_LIKE = {
    "'": "’‘`´",
    '"': "“”″",
    "·": "･・•‧∙⋅",
    "-": "–—−",
    ",": "、",
    ".": "。",
    "[": "【「",
    "]": "】」",
    "": "›‹",
}
"""Signs and the look-alikes that they replace, after Unicode's NFKC. Chevrons of list rows are removed."""
_PLAIN = str.maketrans({look: plain for plain, looks in _LOOKS_LIKE.items() for look in looks})
_DOTS = re.compile(r"[.·]{2,}")
_UNSEEN = frozenset({"So", "Co", "Cn", "Cc", "Cf"})
"""Unicode categories that are removed: pictographs, unassigned, control and format characters."""


def plain(text: str) -> str:
    """Return a text in a form in which only real differences remain.

    It drops compatibility forms, case, white space, look-alikes, the length of ellipses, and pictographs.
    """
    folded = unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold()
    joined = _DOTS.sub("...", folded)
    return "".join(each for each in joined if not each.isspace() and unicodedata.category(each) not in _UNSEEN)


def similarity(one: str, other: str) -> float:
    """Return 1 - edits / longer length, for two plain strings. Edits are insertions, deletions and replacements."""
    if one == other:
        return 1.0
    return 1 - _edits(one, other) / max(len(one), len(other))


def best_similarity(readings: Iterable[str], text: str) -> float:
    """Return the similarity of ``found`` to the nearest of ``readings``. All must be plain."""
    return max(similarity(reading, text) for reading in readings)


def _edits(one: str, other: str) -> int:
    """Return the Levenshtein distance, computed a row at a time."""
    before = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
        before = row
    return before[-1]


READ = 0.5
"""A word is lost, not merely misread, if each text over the word holds less than this share of its characters."""


class LineTally(Message):
    """Count labels that are not minor, and their words, on one screen or many."""

    labels: int = 0
    merged: int = 0
    """Labels that were merged: one text lies over a word of the label and over a word of another label."""
    cut: int = 0
    """Labels that contain the centres of two or more texts."""
    words: int = 0
    lost: int = 0
    """Words that are lost (``READ``)."""
    lost_to_icons: int = 0
    """Lost words where an icon was found over the centre of the word."""

    def plus(self, other: LineTally) -> LineTally:
        return LineTally(**{name: getattr(self, name) + getattr(other, name) for name in LineTally.model_fields})


def tally_lines(screen: LabelledScreen, elements: Sequence[Element]) -> LineTally:
    """Compare texts with the words of labels. A label without words counts as one word."""
    texts = [(rect_of(each.box), plain(each.content)) for each in elements if each.kind == "text"]
    icons = [rect_of(each.box) for each in elements if each.kind == "icon"]
    over = [_texts_over(label, [rect for rect, _ in texts]) for label in screen.texts]
    total = LineTally()
    for number, label in enumerate(screen.texts):
        if label.minor:
            continue
        others = set[int]().union(*(places for at, places in enumerate(over) if at != number))
        within = [rect for rect, _ in texts if label.box.has_centre_of(rect)]
        lost_boxes = lost_words(_words(label), texts)
        total = total.plus(
            LineTally(
                labels=1,
                merged=bool(over[number] & others),
                cut=len(within) > 1,
                words=len(_words(label)),
                lost=len(lost_boxes),
                lost_to_icons=sum(any(icon.has_centre_of(box) for icon in icons) for box in lost_boxes),
            )
        )
    return total


def _words(label: LabelledText) -> list[tuple[str, Rect]]:
    """Return the words that a comparison can read. A word of pictographs alone, such as a star, is left out."""
    words = [(word.text, word.box) for word in label.words] or [(label.text, label.box)]
    return [(plain(text), box) for text, box in words if plain(text)]


def _texts_over(label: LabelledText, texts: Sequence[Rect]) -> set[int]:
    return {at for at, rect in enumerate(texts) if any(rect.has_centre_of(box) for _, box in _words(label))}


def lost_words(words: Sequence[tuple[str, Rect]], texts: Sequence[tuple[Rect, str]]) -> list[Rect]:
    """Return the boxes of a line's lost words (``READ``). Characters count in the line's order (``_common_places``)."""
    line = "".join(word for word, _ in words)
    held_places = [
        _common_places(line, text) if any(rect.has_centre_of(box) for _, box in words) else set[int]()
        for rect, text in texts
    ]
    lost_boxes, at = list[Rect](), 0
    for word, box in words:
        own = set(range(at, at + len(word)))
        at += len(word)
        read = (
            len(own & places) for (rect, _), places in zip(texts, held_places, strict=True) if rect.has_centre_of(box)
        )
        if max(read, default=0) < READ * len(word):
            lost_boxes.append(box)
    return lost_boxes


def _common_places(line: str, text: str) -> set[int]:
    """Return the indices of those characters of the line that the text also has, in the same order."""
    blocks = SequenceMatcher(None, line, text, autojunk=False).get_matching_blocks()
    return {place for block in blocks for place in range(block.a, block.a + block.size)}
