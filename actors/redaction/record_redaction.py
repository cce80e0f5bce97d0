"""Strike texts from the records of an episode while it goes on, and say what of its screens is painted over."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from annotated_types import MaxLen
from pydantic import BaseModel

from manyhands.actors.redaction.boxes import EVERYTHING, find_boxes, screenshots_of
from manyhands.actors.redaction.redacted_texts import RedactedTexts
from manyhands.actors.redaction.redactions import Redactions, typed_texts
from manyhands.actors.redaction.screen_texts import ScreenTexts
from manyhands.protocol.journals.records import (
    ActionDecided,
    ActionSent,
    EpisodeStarted,
    EpisodeUnpaused,
    Perceived,
    Record,
    Restored,
    StateRead,
)
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen, Screenshot

_IDS = frozenset(
    (
        *("run", "episode", "serial", "key", "id", "content_id", "page_id", "alike", "target_digest", "about"),
        *("source", "app", "app_version", "code", "server", "reply_type", "opens", "stage", "assumed", "held"),
        *("rubrics", "name", "scope"),
    )
)
"""Fields of records that name things for programs, or that repeat words of the task."""
_FORM = frozenset(("role", "type", "model", "name"))
"""What a request has in the same way: the kinds of its parts, and the names of functions."""
_PICTURE = re.compile(r"(?:manyhands:)?[0-9a-f]{32}(?:[^\s0-9a-f]\S*)?")
"""The content id of a picture."""
M = TypeVar("M", bound=BaseModel)


class RecordRedaction:
    """Hold what is redacted in one episode, as far as its records tell by now. All methods block.

    Only one thread at a time may call them.
    """

    def __init__(self, redactions: Redactions) -> None:
        self._redactions = redactions
        self._named = self._finder = ScreenTexts(redactions.texts)
        self._inputs: list[Record] = []
        """The records that tell what was typed."""
        self._pieces: set[str] = set()
        """What was read where screens are painted over."""
        self._shots: defaultdict[str, list[Screenshot]] = defaultdict(list)
        self._screens: dict[str, Screen] = {}

    def strike(self, records: Sequence[Record]) -> list[Record]:
        """Return records without the texts, and learn from them. They may come again.

        The first record of an episode stays: a run is resumed by the task in it, which run.yaml has as well.
        """
        for record in records:
            self._learn(record)
        texts = RedactedTexts(self._pieces, self._finder.exact)
        return [record if isinstance(record, EpisodeStarted) else _without(record, texts) for record in records]

    def strike_text(self, text: str) -> str:
        """Return a text without the texts."""
        return RedactedTexts(self._pieces, self._finder.exact).strike(text)

    def has_read(self, content_id: str) -> bool:
        """Return whether perception has read a screen."""
        return content_id in self._screens

    def boxes(self, content_id: str) -> tuple[Box, ...]:
        """Return the boxes to paint on a screenshot: one over all of it if a text may be anywhere."""
        shots, boxes = self._shots[content_id], dict[Box, None]()
        if not shots and (self._finder.has_texts or self._redactions.regions or self._redactions.apps):
            return (EVERYTHING,)
        for shot in shots:  # the same pixels may have been shown in several apps
            parts = find_boxes(self._redactions, shot, self._screens.get(content_id), self._finder, self._pieces)
            if parts is None:
                return (EVERYTHING,)
            boxes |= dict.fromkeys(parts)
        return tuple(boxes)

    def _learn(self, record: Record) -> None:
        is_input = isinstance(record, ActionSent | ActionDecided | EpisodeUnpaused)
        if self._redactions.typed and is_input and not any(record is one for one in self._inputs):
            self._inputs.append(record)
            self._finder = ScreenTexts(typed_texts(self._inputs), self._named)
        for shot in screenshots_of(record):
            if shot not in self._shots[shot.content_id]:
                self._shots[shot.content_id].append(shot)
        if isinstance(record, Perceived | Restored):
            self._screens[record.screen.content_id] = record.screen
            self.boxes(record.screen.content_id)  # which notes what is read where it paints


def _without(
    value: Any, texts: RedactedTexts, skipped: frozenset[str] = frozenset(), *, has_data_keys: bool = False
) -> Any:
    """Return a value without the texts. ``skipped``: the keys whose values stay.

    ``has_data_keys``: keys are texts of a phone. Else programs read values by them, so keys stay.
    """
    if isinstance(value, ModelCall):  # a tokenizer makes token ids the texts again
        request = _without(value.request, texts, _FORM)
        call = value.model_copy(update={"tokens": None, "request": {}})
        return _model_without(call, texts).model_copy(update={"request": request})
    if isinstance(value, Element):  # its columns are those of the text that was read
        element = _model_without(value, texts)
        return element if element.content == value.content else element.model_copy(update={"columns": ()})
    if isinstance(value, StateRead):
        return value.model_copy(update={"states": _without(value.states, texts, has_data_keys=True)})
    if isinstance(value, BaseModel):
        return _model_without(value, texts)
    if isinstance(value, Mapping):
        return {
            texts.strike(key) if has_data_keys else key: (
                one if key in skipped else _without(one, texts, skipped, has_data_keys=has_data_keys)
            )
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_without(one, texts, skipped, has_data_keys=has_data_keys) for one in value)
    return texts.strike(value) if type(value) is str and not _PICTURE.fullmatch(value) else value


def _model_without(value: M, texts: RedactedTexts) -> M:
    update: dict[str, Any] = {}
    for name, most in _free_fields(type(value)):
        field = _without(getattr(value, name), texts)
        update[name] = field[:most] if isinstance(field, str) else field  # what replaces a short text is longer
    return value.model_copy(update=update)


@cache
def _free_fields(kind: type[BaseModel]) -> tuple[tuple[str, int | None], ...]:
    """Return the fields of a model that may hold words of a screen, a model or a person: no ids, no literals.

    Each with the most characters that it may have; None for any number.
    """
    return tuple(
        (name, next((one.max_length for one in field.metadata if isinstance(one, MaxLen)), None))
        for name, field in kind.model_fields.items()
        if name not in _IDS and not _is_literal(field.annotation)
    )


def _is_literal(annotation: Any) -> bool:
    return get_origin(annotation) is Literal or any(map(_is_literal, get_args(annotation)))
