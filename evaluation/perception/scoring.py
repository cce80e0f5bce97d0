"""Compare what was read on one screen with its labels: what was found, what was missed, and errors of boxes.

docs/perception.md ("Scoring") says what counts as a hit, and what precision leaves out. Descriptions of icons are free
texts: "gear" and "settings" mean the same, "back" and "forward" do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from manyhands.evaluation.perception.labels import (
    SAME_PLACE,
    LabelledIcon,
    LabelledScreen,
    LabelledText,
    Rect,
    centre_error,
    iou,
    meets,
    rect_of,
    side_error,
)
from manyhands.evaluation.perception.lines import SIMILAR, best_similarity, plain
from manyhands.protocol.base import Message
from manyhands.protocol.screens.screen import Element

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


BoxInts = tuple[int, int, int, int]


class Tally(Message):
    """Count what was found on one screen or many. ``all_`` counts include the minor labels."""

    texts: int = 0
    exact: int = 0
    similar: int = 0
    contained: int = 0
    """Labels with a similar text, or within a longer text that was found over them (merged lines)."""
    all_texts: int = 0
    all_exact: int = 0
    all_similar: int = 0
    all_contained: int = 0
    text_right: int = 0
    """Found texts that are similar to a label at their place."""
    text_wrong: int = 0
    text_unlabelled: int = 0
    """Found texts at places without a labelled text: neither right nor wrong."""
    icons: int = 0
    hit: int = 0
    hit_iou: int = 0
    """With an intersection over union of at least 0.5."""
    all_icons: int = 0
    all_hit: int = 0
    all_hit_iou: int = 0
    icon_right: int = 0
    """Found icons that hit a labelled icon."""
    icon_right_iou: int = 0
    icon_repeated: int = 0
    """Right icons that hit no label beyond those that earlier icons had hit."""
    icon_on_text: int = 0
    icon_ignored: int = 0
    icon_false: int = 0
    """Found icons that hit no labelled icon, no text and no region to ignore."""
    named: int = 0
    """Labelled icons for which the best found icon has a name."""
    named_right: int = 0

    def plus(self, other: Tally) -> Tally:
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in Tally.model_fields})


class BoxError(Message):
    """Hold how far a found box that fits its label is off, in pixels."""

    kind: str
    side_px: float
    """The mean over the four sides."""
    centre_px: float


class MissedText(Message):
    """Hold a label, not a minor one, whose exact text was not found."""

    text: str
    box: tuple[float, ...]
    found: tuple[str, ...]
    """The texts that were read at its place."""


class MissedIcon(Message):
    name: str
    box: tuple[float, ...]


class WrongName(Message):
    name: str
    found: str


class ScreenScore(Message):
    """Hold the score of one screen."""

    file: str
    tally: Tally
    boxes: tuple[BoxError, ...] = ()
    missed_texts: tuple[MissedText, ...] = ()
    wrong_texts: tuple[str, ...] = ()
    missed_icons: tuple[MissedIcon, ...] = ()
    false_icons: tuple[BoxInts, ...] = ()
    wrong_names: tuple[WrongName, ...] = ()


@dataclass(frozen=True, slots=True)
class _Detection:
    element: Element
    rect: Rect
    plain: str
    """Empty for an icon."""


def score_screen(label: LabelledScreen, elements: Sequence[Element]) -> ScreenScore:
    """Score ``elements``, which were read off the picture that ``label`` describes."""
    texts = [_Detection(each, rect_of(each.box), plain(each.content)) for each in elements if each.kind == "text"]
    icons = [_Detection(each, rect_of(each.box), "") for each in elements if each.kind == "icon"]
    text_counts, missed_texts, text_boxes = _texts_found(label.texts, texts)
    wrong_counts, wrong_texts = _texts_right(label.texts, texts)
    icon_counts, missed_icons, wrong_names, icon_boxes = _icons_found(label.icons, icons)
    false_counts, false_icons = _icons_right(label, icons)
    return ScreenScore(
        file=label.file,
        tally=Tally(**text_counts, **wrong_counts, **icon_counts, **false_counts),
        boxes=(*text_boxes, *icon_boxes),
        missed_texts=tuple(missed_texts),
        wrong_texts=tuple(wrong_texts),
        missed_icons=tuple(missed_icons),
        false_icons=tuple(false_icons),
        wrong_names=tuple(wrong_names),
    )


Counts = dict[str, int]


def _texts_found(
    labels: Sequence[LabelledText], texts: Sequence[_Detection]
) -> tuple[Counts, list[MissedText], list[BoxError]]:
    counts = dict.fromkeys(("texts", "exact", "similar", "contained"), 0)
    counts |= {f"all_{name}": 0 for name in counts}
    missed, boxes = list[MissedText](), list[BoxError]()
    for label in labels:
        readings = [plain(reading) for reading in label.readings]
        there = [text for text in texts if meets(text.rect, label.box)]
        over = [text for text in texts if text.rect.has_centre_of(label.box)]
        alike = {id(text): best_similarity(readings, text.plain) for text in there}
        best = max(there, key=lambda text: (alike[id(text)], iou(text.rect, label.box)), default=None)
        similarity = 0.0 if best is None else alike[id(best)]
        is_contained = any(reading and reading in text.plain for reading in readings for text in over)
        got = {
            "texts": 1,
            "exact": similarity == 1,
            "similar": similarity >= SIMILAR,
            "contained": similarity >= SIMILAR or is_contained,
        }
        for name, value in got.items():
            counts[f"all_{name}"] += value
            counts[name] += value and not label.minor
        if best is not None and similarity >= SIMILAR:
            boxes.append(_box_error(best, label.box))
        if similarity < 1 and not label.minor:
            near = [text for text in texts if text in there or text in over]
            read = tuple(text.element.content for text in near)
            missed.append(MissedText(text=label.text, box=tuple(label.box), found=read))
    return counts, missed, boxes


def _texts_right(labels: Sequence[LabelledText], texts: Sequence[_Detection]) -> tuple[Counts, list[str]]:
    counts = dict.fromkeys(("text_right", "text_wrong", "text_unlabelled"), 0)
    wrong = []
    for text in texts:
        near = [label for label in labels if meets(text.rect, label.box) or text.rect.has_centre_of(label.box)]
        readings = [plain(reading) for label in near for reading in label.readings]
        if not near:
            counts["text_unlabelled"] += 1
        elif best_similarity(readings, text.plain) >= SIMILAR:
            counts["text_right"] += 1
        else:
            counts["text_wrong"] += 1
            wrong.append(text.element.content)
    return counts, wrong


def _icons_found(
    labels: Sequence[LabelledIcon], icons: Sequence[_Detection]
) -> tuple[Counts, list[MissedIcon], list[WrongName], list[BoxError]]:
    counts = dict.fromkeys(
        ("icons", "hit", "hit_iou", "all_icons", "all_hit", "all_hit_iou", "named", "named_right"), 0
    )
    missed, wrong, boxes = list[MissedIcon](), list[WrongName](), list[BoxError]()
    for label in labels:
        there = [icon for icon in icons if meets(icon.rect, label.box)]
        best = max(there, key=lambda icon: iou(icon.rect, label.box), default=None)
        same_place = best is not None and iou(best.rect, label.box) >= SAME_PLACE
        for name, value in (("icons", 1), ("hit", best is not None), ("hit_iou", same_place)):
            counts[f"all_{name}"] += value
            counts[name] += value and not label.minor
        if best is None:
            if not label.minor:
                missed.append(MissedIcon(name=label.name, box=tuple(label.box)))
            continue
        boxes.append(_box_error(best, label.box))
        name = best.element.content
        if name and not label.minor:
            counts["named"] += 1
            if right(name, label.accepted_names):
                counts["named_right"] += 1
            else:
                wrong.append(WrongName(name=label.name, found=name))
    return counts, missed, wrong, boxes


def _icons_right(label: LabelledScreen, icons: Sequence[_Detection]) -> tuple[Counts, list[BoxInts]]:
    names = ("icon_right", "icon_right_iou", "icon_repeated", "icon_on_text", "icon_ignored", "icon_false")
    counts = dict.fromkeys(names, 0)
    matched: set[int] = set()
    false: list[BoxInts] = []
    for detection in icons:
        met = {number for number, icon in enumerate(label.icons) if meets(detection.rect, icon.box)}
        if met:
            counts["icon_right"] += 1
            counts["icon_right_iou"] += any(iou(detection.rect, icon.box) >= SAME_PLACE for icon in label.icons)
            counts["icon_repeated"] += met <= matched
            matched |= met
        elif any(meets(detection.rect, text.box) for text in label.texts):
            counts["icon_on_text"] += 1
        elif any(meets(detection.rect, region) for region in label.ignore):
            counts["icon_ignored"] += 1
        else:
            counts["icon_false"] += 1
            box = detection.element.box
            false.append((box.x1, box.y1, box.x2, box.y2))
    return counts, false


def _box_error(detection: _Detection, label: Rect) -> BoxError:
    return BoxError(
        kind=detection.element.kind,
        side_px=side_error(detection.rect, label),
        centre_px=centre_error(detection.rect, label),
    )
