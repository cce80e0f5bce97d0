"""Ask a model where a drawn cross is. The answers show whether it sees pictures, and its space of coordinates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from manyhands.actors.frames import RED, ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.dialects import DIALECTS
from manyhands.protocol.base import Reply
from manyhands.protocol.geometry import Size

PICTURE = Size(width=720, height=1600)
PLACES = ((0.22, 0.18), (0.71, 0.55), (0.35, 0.84))
"""The places of the crosses, as shares of width and height."""
ENOUGH = 2
"""How many crosses a model must find. A small model may miss one."""
TOLERANCE = 0.05
"""How far off an answer may be, as a share of each side. A model that sees the cross errs far less."""
_GROUND = 224
_ARM, _STROKE = 40, 12
_NUMBERS = re.compile(r'"x"\s*:\s*(-?\d{1,6})(?![\d.]).*?"y"\s*:\s*(-?\d{1,6})(?![\d.])', re.DOTALL)

Point = tuple[int, int]


class CrossReply(Reply):
    """Hold where a model sees the cross, in the model's space of coordinates."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class CrossJudgement:
    """Hold whether the answers are right, and what they show."""

    right: bool
    found: str
    dialect: str | None = None
    """The other dialect that the answers fit; None if there is none."""


def draw_cross(place: tuple[float, float]) -> ModelImage:
    """Return a picture with one red cross."""
    pixels = np.full((PICTURE.height, PICTURE.width, 3), _GROUND, np.uint8)
    x, y = _pixel(place)
    cv2.line(pixels, (x - _ARM, y), (x + _ARM, y), RED, _STROKE)
    cv2.line(pixels, (x, y - _ARM), (x, y + _ARM), RED, _STROKE)
    return ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))


def cross_prompt(place: tuple[float, float], dialect: Dialect) -> Prompt:
    """Return the question for one cross."""
    question = (
        f"The picture shows one red cross on a grey ground. Where is its centre? {dialect.explanation} "
        'Answer with JSON alone: {"x": ..., "y": ...}'
    )
    return Prompt(system="You look at pictures and tell places.", content=(draw_cross(place), question))


def read_point(text: str) -> Point | None:
    """Return the first point in an answer; None if it holds none. Other text around the point does not matter."""
    found = _NUMBERS.search(text)
    return None if found is None else (int(found[1]), int(found[2]))


def judge_crosses(points: Sequence[Point | None], dialect: Dialect) -> CrossJudgement:
    """Judge the answers about the crosses at PLACES, in this order. The questions asked for the dialect's space."""
    hits = _hits(points, dialect)
    if hits >= ENOUGH:
        return CrossJudgement(True, f"{hits} of {len(PLACES)} drawn crosses were found in the space of {dialect.name}")
    others = {name: _hits(points, other) for name, other in _others(dialect).items()}
    best = max(others, key=lambda name: others[name], default=None)
    answers = ", ".join("no point" if point is None else f"({point[0]}, {point[1]})" for point in points)
    if best is not None and others[best] >= ENOUGH:
        found = f"the answers {answers} do not fit {dialect.name}; they are in the space of {best}"
        return CrossJudgement(False, found, best)
    expected = ", ".join(f"({x}, {y})" for x, y in (_expected(place, dialect) for place in PLACES))
    return CrossJudgement(False, f"crosses at {expected} were seen at {answers}")


def _hits(points: Sequence[Point | None], dialect: Dialect) -> int:
    extent = dialect.extent(PICTURE)
    return sum(
        point is not None
        and abs(point[0] / extent.width - place[0]) <= TOLERANCE
        and abs(point[1] / extent.height - place[1]) <= TOLERANCE
        for point, place in zip(points, PLACES, strict=True)
    )


def _others(dialect: Dialect) -> Mapping[str, Dialect]:
    """Return dialects whose space differs from that of ``dialect``, one for each such space."""
    spaces: dict[Size, str] = {}
    for name, other in DIALECTS.items():
        capped = other if other.full is not None else other.capped(min(dialect.max_pixels, other.max_pixels))
        if capped.extent(PICTURE) != dialect.extent(PICTURE):
            spaces.setdefault(capped.extent(PICTURE), name)
    return {name: DIALECTS[name] for name in spaces.values()}


def _expected(place: tuple[float, float], dialect: Dialect) -> Point:
    extent = dialect.extent(PICTURE)
    return round(place[0] * extent.width), round(place[1] * extent.height)


def _pixel(place: tuple[float, float]) -> Point:
    return round(place[0] * PICTURE.width), round(place[1] * PICTURE.height)
