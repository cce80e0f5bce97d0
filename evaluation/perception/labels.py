"""Read labelled screens from a JSON file beside its pictures, and compare found boxes with labelled ones.

docs/perception.md ("Scoring") describes the format. Labels may lie between pixels, so coordinates are floats.
"""

from __future__ import annotations

from math import hypot
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field, ValidationError

from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, explain
from manyhands.protocol.screens.geometry import Box

SAME_PLACE = 0.5
"""The least intersection over union with which two boxes mark the same thing."""


class Rect(NamedTuple):
    """Hold left, top, right and bottom in pixels of the screenshot."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def area(self) -> float:
        return (self.x2 - self.x1) * (self.y2 - self.y1)

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2

    def has_centre_of(self, other: Rect) -> bool:
        """Return whether a tap on the centre of ``other`` hits this box, edges included."""
        x, y = other.centre
        return self.x1 <= x <= self.x2 and self.y1 <= y <= self.y2


def rect_of(box: Box) -> Rect:
    return Rect(box.x1, box.y1, box.x2, box.y2)


def iou(one: Rect, other: Rect) -> float:
    """Return the intersection over union, from 0 to 1; 0 if the boxes have no area in common."""
    width = min(one.x2, other.x2) - max(one.x1, other.x1)
    height = min(one.y2, other.y2) - max(one.y1, other.y1)
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    return common / (one.area + other.area - common)


def meets(detection: Rect, label: Rect) -> bool:
    """Return whether a found box counts for a label: its centre lies in the label, or both are at the same place."""
    return label.has_centre_of(detection) or iou(detection, label) >= SAME_PLACE


def side_error(detection: Rect, label: Rect) -> float:
    """Return the mean distance between the four sides of both boxes, in pixels."""
    return sum(abs(a - b) for a, b in zip(detection, label, strict=True)) / 4


def centre_error(detection: Rect, label: Rect) -> float:
    """Return how far a tap on the found box's centre is from the label's centre, in pixels."""
    (x, y), (u, v) = detection.centre, label.centre
    return hypot(x - u, y - v)


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
    """Be one visual line of text."""

    text: str
    box: LabelBox
    minor: bool = False
    """Whether the main figures leave it out: clocks, badges, single keys, texts inside pictures."""
    alt: tuple[str, ...] = ()
    """Other readings that are right, too."""
    words: tuple[LabelledWord, ...] = ()
    """The words with their boxes. Only pages whose browser was asked for them have words."""

    @property
    def readings(self) -> tuple[str, ...]:
        """Return all readings that are right."""
        return (self.text, *self.alt)


class LabelledIcon(Message):
    """Be one icon. ``name`` is a short free description, with the best word first."""

    name: str
    box: LabelBox
    minor: bool = False
    alt: tuple[str, ...] = ()
    """Other names that are right, too."""

    @property
    def accepted_names(self) -> tuple[str, ...]:
        return (self.name, *self.alt)


class LabelledScreen(Message):
    """Hold all that can be read on one picture. Other keys of the file (sources, licences) are ignored."""

    file: str = Field(min_length=1)
    """The picture's path, relative to the folder of the label file."""
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    texts: tuple[LabelledText, ...] = ()
    icons: tuple[LabelledIcon, ...] = ()
    ignore: tuple[LabelBox, ...] = ()
    """Regions where a found icon is neither right nor wrong."""
    kind: str = ""
    """The kind of page, by which figures are grouped; empty if there are no kinds."""


class _LabelFile(Message):
    images: tuple[LabelledScreen, ...] = Field(min_length=1)


def read_labels(path: Path) -> tuple[LabelledScreen, ...]:
    """Read the screens of a label file. Blocks. Raises BadInput, which names the file and the first mistake."""
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
