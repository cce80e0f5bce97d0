"""Find what a file names on the screens and in the texts of an episode, so that no export holds it.

Where a text stands on a picture is known from what perception read there. On a screen that was not read it may stand
anywhere.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, model_validator

from manyhands.actors.mllm import parse
from manyhands.protocol.base import Input
from manyhands.protocol.errors import ReplyUnusable, StoreError
from manyhands.protocol.journals.records import (
    ActionDecided,
    ActionSent,
    EpisodeUnpaused,
    Perceived,
    Record,
    Restored,
    ScreenCaptured,
    StatementJudged,
)
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.screens.actions import WRITTEN, OpenApp, RunShortcut, Type
from manyhands.protocol.screens.crops import parse_content_id
from manyhands.protocol.screens.element_rows import is_listed
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.utilities.yaml_document import find_problems, read_yaml
from manyhands.rollouts.redacted_texts import SHORT, FoldedText, RedactedTexts, fold
from manyhands.rollouts.rows import ChatMessage, EpisodeFacts, ShownPicture, TrainingRow

_GRAM = 3
"""Texts that share no run of so many characters are not alike."""
_LEAST, _ALIKE, _PART = 6, 0.7, 12
"""A reading is like a text of at least ``_LEAST`` characters if it has ``_ALIKE`` of the text, or if so much of the
reading is in the text, and that is half of the text or ``_PART`` characters: the lines of a long text, or misread."""


class ScreenTexts:
    """Find texts among the elements of screens."""

    def __init__(self, texts: Iterable[str], more: ScreenTexts | None = None) -> None:
        """``more``: further texts, which others may hold, too."""
        self.texts = tuple(texts)
        self._more = more
        self.has_texts: bool = bool(self.texts) or (more is not None and more.has_texts)

    @cached_property
    def exact(self) -> RedactedTexts:
        """Return the texts as they are found in other texts."""
        return RedactedTexts(self.texts, None if self._more is None else self._more.exact)

    @cached_property
    def _by_gram(self) -> Mapping[str, Collection[str]]:
        by_gram: defaultdict[str, set[str]] = defaultdict(set)
        for words in (one for text in self.texts for one in fold(text) if len(one) >= _LEAST):
            for gram in _grams(words):
                by_gram[gram].add(words)
        return by_gram

    def find(self, elements: Sequence[Element]) -> list[Element]:
        """Return the parts of elements that hold a text, or resemble it or a line of it."""
        # A long text goes on in the next element.
        offsets, joined = [], ""
        for element in elements:
            offsets.append(len(joined))
            joined += f"{element.content}\n"
        spans = self.exact.spans(joined, has_places=False)
        found: list[Element] = []
        for element, offset in zip(elements, offsets, strict=True):
            length = len(element.content)
            parts = [(max(start - offset, 0), min(end - offset, length)) for start, end in spans]
            parts = [(start, end) for start, end in parts if start < end]
            if parts:
                found += [element.part(start, end) for start, end in parts]
            elif self._resemble(FoldedText(element.content).text):
                found.append(element)
        return found

    def _resemble(self, reading: str) -> bool:
        """Return whether one of the texts is like a folded reading."""
        counts = Counter[str]()
        for gram in _grams(reading):
            counts.update(self._by_gram.get(gram, ()))
        # A run of n shared characters has at least n / 3 grams.
        alike = (words for words, count in counts.items() if count * _GRAM >= _least_shared(len(reading), len(words)))
        return any(_are_alike(reading, words) for words in alike) or (
            self._more is not None and self._more._resemble(reading)
        )


@lru_cache(maxsize=65536)
def _least_shared(reading: int, words: int) -> float:
    """Return how many characters, in runs of ``_GRAM`` or more, a reading shares with words that it is like.

    Both are lengths.
    """
    return min(_ALIKE * words, max(_ALIKE * reading, min(_PART, words / 2)))


def _are_alike(reading: str, words: str) -> bool:
    """Return whether a reading is like words. What shares too few grams is not compared: that takes much longer."""
    least = _least_shared(len(reading), len(words))
    ends = [at + _GRAM for at, gram in enumerate(_grams(reading)) if gram in words]
    if sum(min(_GRAM, end - before) for before, end in pairwise((0, *ends))) < least:
        return False
    blocks = SequenceMatcher(None, reading, words, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= _GRAM) >= least


def _grams(text: str) -> list[str]:
    return [text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)]


Thousandth = Annotated[int, Field(ge=0, le=1000)]
_NUMBER = re.compile(r"\d[\d.,:/ -]+\d")
"""A number of three signs or more, such as an amount."""
_VOCABULARY = frozenset(one for name in WRITTEN for one in (*fold(name), *fold(name.replace("_", " "))))
"""The names of actions. They are no texts of a screen, even where a screen shows such a word."""


class Region(Input):
    """Name a part of the screens of an app."""

    app: str = ""
    """Its package, or its name under its icon; empty for every app."""
    box: tuple[Thousandth, Thousandth, Thousandth, Thousandth]
    """Left, top, right and bottom in thousandths of the screen."""

    @model_validator(mode="after")
    def _is_not_empty(self) -> Region:
        if self.box[0] >= self.box[2] or self.box[1] >= self.box[3]:
            raise ValueError("a box is left, top, right, bottom, in thousandths of the screen")
        return self

    def box_on(self, size: Size) -> Box:
        """Return the box in pixels of a screen, rounded outwards."""
        left, top, right, bottom = self.box
        return Box(
            x1=left * size.width // 1000,
            y1=top * size.height // 1000,
            x2=-(-right * size.width // 1000),
            y2=-(-bottom * size.height // 1000),
        )


class Redactions(Input):
    """Say what no export may hold."""

    typed: bool = True
    """Whether that is each text that the agent or a person typed, or a person answered."""
    texts: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    regions: tuple[Region, ...] = ()
    apps: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Packages, or names under icons, of apps of whose screens nothing is shown."""

    @model_validator(mode="after")
    def _can_be_found(self) -> Redactions:
        for text in self.texts:
            if not _has_signs(text):
                raise ValueError(f"the text {text!r} has no letter or digit")
        return self


def read_redactions(path: Path) -> Redactions:
    """Return what a file names. Raises BadInput with each mistake."""
    document = read_yaml(path)
    try:
        redactions = Redactions.model_validate(document.data or {})
    except ValidationError as error:
        document.refuse(find_problems(error, Redactions))
        raise
    document.refuse(())
    return redactions


def is_readable(reply: str, reply_type: str, form: str) -> bool:
    """Return whether the text of a reply still is one. ``form``: that of the model's dialect."""
    kind = registered_profiles().reply_types.get(reply_type)
    if kind is None:
        return False
    try:
        parse(in_form(kind, form), reply)
    except ReplyUnusable:
        return False
    return True


def typed_texts(records: Iterable[Record]) -> tuple[str, ...]:
    """Return the texts that were typed, or were to be typed, in an episode, and the answers of persons.

    Texts that were typed one after the other stand in one field, so they count together, too. Arguments of shortcuts
    count, but for names of apps.
    """
    texts: dict[str, None] = {}
    arguments: dict[str, None] = {}
    opened = set[str]()
    field = ""
    for record in records:
        match record:
            case ActionSent(action=Type(text=text, clear=clear)):
                field = text if clear else field + text
                texts |= dict.fromkeys((text, field))
            case ActionSent(action=action):
                field = ""
                opened |= {action.app} if isinstance(action, OpenApp) else set()
            case ActionDecided(decision=decision):
                for decided in (decision.action, *decision.then):
                    if isinstance(decided, Type):
                        texts[decided.text] = None
                    elif isinstance(decided, RunShortcut):
                        arguments |= dict.fromkeys(one for one in decided.arguments.values() if isinstance(one, str))
            case EpisodeUnpaused(answer=str(answer)):
                texts[answer] = None
    texts |= {one: None for one in arguments if one not in opened}
    return tuple(filter(_is_text, texts))


def _is_text(text: str) -> bool:
    """Return whether a text says something: more than one letter or digit, or than punctuation."""
    return any(len(one) > 1 or not one.isascii() for one in fold(text)) and _has_signs(text)


def _has_signs(text: str) -> bool:
    return any(one.isalnum() or not one.isascii() for folded in fold(text) for one in folded)


class EpisodeRedaction:
    """Hold what is redacted in one episode. Without ``redactions`` it changes nothing."""

    def __init__(self, redactions: Redactions | None, records: Sequence[Record], finder: ScreenTexts) -> None:
        """``finder``: the texts that the episode may not show: named ones, and what was typed on its phone."""
        self._redactions = redactions
        self._boxes: dict[str, tuple[Box, ...] | None] = {}
        """The boxes to paint by screenshot; None if a text may be anywhere on it."""
        if redactions is None:
            self.texts = RedactedTexts(())
            return
        pieces: set[str] = set()
        screens: dict[str, Screen] = {
            record.screen.content_id: record.screen for record in records if isinstance(record, Perceived | Restored)
        }
        for record in records:
            for shot in _screenshots(record):
                content = shot.content_id
                boxes = self._find(shot, screens.get(content), finder, pieces)
                # The same pixels may have been shown in several apps.
                before = self._boxes.get(content, ())
                together = None if boxes is None or before is None else dict.fromkeys((*before, *boxes))
                self._boxes[content] = None if together is None else tuple(together)
        self.texts = RedactedTexts(pieces, finder.exact)

    def _find(self, shot: Screenshot, screen: Screen | None, finder: ScreenTexts, pieces: set[str]) -> list[Box] | None:
        """Return what is to be painted on a screenshot, and add to ``pieces`` what is read there."""
        assert self._redactions is not None
        elements = screen.elements if screen is not None else ()
        regions = [
            region.box_on(shot.size)
            for region in (*self._redactions.regions, *(Region(app=app, box=WHOLE) for app in self._redactions.apps))
            if not region.app or _is_of(shot, region.app)
        ]
        for element in elements:
            if is_listed(element, shot.size) and any(_overlap(element.box, box) for box in regions):
                pieces |= _said_by(element)
        if not finder.has_texts:
            return regions
        if screen is None:
            whole = Region(box=WHOLE).box_on(shot.size)
            return [whole] if whole in regions else None
        found = finder.find(elements)
        pieces |= {element.content for element in found if any(len(one) >= SHORT for one in fold(element.content))}
        return [*regions, *(_with_margin(element.box) for element in found)]

    @property
    def has_tokens(self) -> bool:
        """Return whether token ids may be told. A tokenizer makes them the texts again, the redacted ones, too."""
        return self._redactions is None

    def picture(self, content: str) -> ShownPicture:
        """Return a picture with the boxes to paint. A screenshot that was not read is painted as a whole."""
        if self._redactions is None:
            return ShownPicture(content)
        boxes = self._boxes.get(parse_content_id(content).source)
        return ShownPicture(content, (EVERYTHING,) if boxes is None else boxes)

    def row(self, row: TrainingRow) -> tuple[TrainingRow, int]:
        """Return a row without its tokens and what is redacted, and at how many places texts were struck.

        Raises StoreError if it shows a screenshot that was not read, on which a text may stand.
        """
        if self._redactions is None:
            return row, 0
        before = self.texts.struck
        redacted = replace(
            row,
            messages=tuple(ChatMessage(turn.role, tuple(self._parts(turn))) for turn in row.messages),
            reply=self.texts.strike(row.reply),
            tools=self.texts.strike_in(row.tools),
            tokens=None,
            facts=row.facts.model_copy(update={"sampling": self.texts.strike_in(row.facts.sampling)}),
        )
        return redacted, self.texts.struck - before

    def _parts(self, turn: ChatMessage) -> Iterator[str | ShownPicture]:
        words: list[str] = []
        for part in (*turn.parts, None):
            if isinstance(part, str):
                words.append(part)
                continue
            together = "".join(words)  # a text may begin in one part and end in the next
            struck = self.texts.strike(together)
            yield from words if struck == together else [struck]
            words.clear()
            if part is not None:
                source = parse_content_id(part.content).source
                if self._boxes.get(source) is None:
                    raise StoreError(f"the screen {source} was not read, so nobody knows where redacted texts stand")
                yield self.picture(part.content)

    def facts(self, facts: EpisodeFacts) -> EpisodeFacts:
        """Return facts without redacted texts."""
        names = ("run", "episode", "task", "group", "goal", "fault", "model_source", "phones_source")
        return facts.model_copy(update={name: self.texts.strike_in(getattr(facts, name)) for name in names})


WHOLE = (0, 0, 1000, 1000)
EVERYTHING = Box(x1=0, y1=0, x2=1 << 15, y2=1 << 15)
"""A box that is larger than any screen."""


def _screenshots(record: Record) -> tuple[Screenshot, ...]:
    if isinstance(record, ScreenCaptured | Restored):
        return (record.screenshot,)
    return record.screens if isinstance(record, StatementJudged) else ()


def _is_of(shot: Screenshot, app: str) -> bool:
    """Return whether a screen is of an app, or may be: the phone did not tell its app."""
    return shot.app is None or app.casefold() in (shot.app.casefold(), shot.app_label.casefold())


def _said_by(element: Element) -> set[str]:
    """Return what an element in a painted region says, as a whole and its numbers."""
    content = element.content
    if element.kind == "icon" and element.source == "vision":  # the name of a drawing
        return set()
    is_number = content.strip().isdecimal() and len(content.strip()) < 3
    pieces = set() if is_number or fold(content) & _VOCABULARY else {content}
    return pieces | {match[0].strip() for match in _NUMBER.finditer(content)}


def _overlap(one: Box, other: Box) -> bool:
    return one.x1 < other.x2 and other.x1 < one.x2 and one.y1 < other.y2 and other.y1 < one.y2


def _with_margin(box: Box) -> Box:
    margin = 2 + box.height // 8
    return Box(x1=max(0, box.x1 - margin), y1=max(0, box.y1 - margin), x2=box.x2 + margin, y2=box.y2 + margin)
