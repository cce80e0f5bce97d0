"""Labelled screens: a JSON file beside its pictures. docs/perception.md ("Scoring") describes the format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationError

from manyhands.evaluation.perception.boxes import Rect
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, explain


def _upright(box: Rect) -> Rect:
    if box.x2 < box.x1 or box.y2 < box.y1:
        raise ValueError(f"box corners are out of order: {list(box)}")
    return box


LabelBox = Annotated[Rect, AfterValidator(_upright)]
"""In JSON: [x1, y1, x2, y2] in pixels of the picture."""


class LabelledWord(Message):
    text: str
    box: LabelBox


class LabelledText(Message):
    """Hold one visual line."""

    text: str
    box: LabelBox
    minor: bool = False
    """Left out of the main figures: clocks, badges, single keys, texts inside pictures."""
    alt: tuple[str, ...] = ()
    """Other readings that are right too."""
    words: tuple[LabelledWord, ...] = ()
    """Where they are known; only pages whose browser was asked have them."""

    @property
    def readings(self) -> tuple[str, ...]:
        """Return all readings that are right."""
        return (self.text, *self.alt)


class LabelledIcon(Message):
    """Hold one icon; ``name`` is a short free description, best word first."""

    name: str
    box: LabelBox
    minor: bool = False
    alt: tuple[str, ...] = ()
    """Other names that are right too."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.alt)


class LabelledScreen(Message):
    """Hold all that can be read on one picture. Other keys (sources, licences) are ignored."""

    file: str = Field(min_length=1)
    """Relative to the folder of the label file."""
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    texts: tuple[LabelledText, ...] = ()
    icons: tuple[LabelledIcon, ...] = ()
    ignore: tuple[LabelBox, ...] = ()
    """Where an icon that is found is neither right nor wrong."""
    kind: str = ""
    """Kind of page, by which figures are told apart; empty where there are none."""


class _LabelFile(Message):
    images: tuple[LabelledScreen, ...] = Field(min_length=1)


def read_labels(path: Path) -> tuple[LabelledScreen, ...]:
    """Read the screens of a label file. Blocks. Raises BadInput with the file and every mistake in it."""
    try:
        screens = _LabelFile.model_validate_json(path.read_bytes()).images
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except ValidationError as error:
        raise BadInput(f"{path}: no labels: {explain(error, _LabelFile)}") from error
    names = [screen.file for screen in screens]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"{path}: {twice} is labelled twice")
    return screens
