"""Find icons whose parts stand apart, and fit boxes to icons at the picture's own resolution.

Three dots, three bars, the bars of a pause, the four corners of a frame: edges closer than a joint belong together. The
parts of these icons are farther apart than the letters of a word. So the icons are known by the arrangement of their
parts: similar, in line or at the corners of a square, at equal distances.

A box is fitted close around the ink, or around the tile below a glyph. A tile, or a round button, is the ground of a
glyph, as far as one colour or a soft gradient reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.protocol.screens.geometry import Box

AROUND = 2
"""The margin around a box that is examined, in pixels."""
EVEN = 10
"""On an even ground, pixels differ from their median by at most so many levels, on each channel."""
INK = 28
"""A pixel differs from its ground from so many levels on."""
LEAST = 0.35
"""At least this share of a box must remain. A smaller rest is only a detail of the icon."""

Places = NDArray[np.float64]
"""Shape (n, 4): x, y, width, height of components, in any unit."""

ALIKE = 0.3
"""The greatest difference between the sides of two parts, as a share of the larger one."""
DOT = (0.003, 0.022)
"""The least and greatest side of a dot, as shares of the screen's width."""
BAR = (0.02, 0.09)
"""The least and greatest length of the longest bar, as shares of the screen's width."""
SHORTEST_BAR = 0.3
"""The least length of the shortest bar, by that of the longest."""
PAUSE = (0.004, 0.08)
"""The least and greatest sides of one of two upright bars, as shares of the screen's width."""
FRAME = (0.035, 0.14)
"""The least and greatest side of a frame of four corners, as shares of the screen's width."""
ALONE = 0.8
"""Within this distance of a frame, as a share of its side, there may be no fifth part that is like the corners.

Five or more like parts are a grid of icons.
"""
MOST = 600
"""At most so many components of one kind are examined, the largest ones, because the number of comparisons grows with
the square.

Screens without known text have up to 510.
"""
SMOOTH = 4
"""Neighbouring pixels of one ground differ by at most so many levels, on each channel."""
SQUARE = 1.15
"""The greatest ratio of a tile's longer side to its shorter one. Keys are higher than wide, buttons wider than high."""
CENTRED = 0.16
"""The greatest distance between the centres of glyph and tile, as a share of the tile's side."""
FILLED = 0.7
"""Ground and glyph fill at least this share of a tile's box: 0.785 for a circle."""


def composed(places: Places, width: float) -> list[tuple[float, float, float, float]]:
    """Return boxes (x1, y1, x2, y2) around components that form one icon.

    ``width``: the screen's width, in the unit of ``places``. Of dots, bars and corners, at most MOST each are examined,
    the largest ones.
    """
    dots = _sized(places, width, DOT)
    dots = _largest(dots[np.abs(dots[:, 2] - dots[:, 3]) <= np.maximum(ALIKE * np.maximum(dots[:, 2], dots[:, 3]), 1)])
    boxes = [_bounding_box(dots[list(line)]) for axis in (0, 1) for line in _lines(dots, axis) if len(line) == 3]
    bars = places[(places[:, 2] >= SHORTEST_BAR * BAR[0] * width) & (places[:, 2] <= BAR[1] * width)]
    bars = _largest(bars[bars[:, 3] <= 0.35 * bars[:, 2]])
    boxes += [_bounding_box(bars[list(stack)]) for stack in _stacks(bars, BAR[0] * width)]
    pauses = _sized(places, width, PAUSE)
    pauses = _largest(pauses[pauses[:, 3] >= 1.8 * pauses[:, 2]])
    boxes += [_bounding_box(pauses[list(pair)]) for pair in _pairs(pauses)]
    corners = _largest(_sized(places, width, (FRAME[0] / 6, FRAME[1] / 2.2)))
    boxes += [_bounding_box(corners[list(frame)]) for frame in _frames(corners, width)]
    return boxes


def _sized(places: Places, width: float, limits: tuple[float, float]) -> Places:
    sides = places[:, 2:]
    fits = (sides.min(axis=1) >= limits[0] * width) & (sides.max(axis=1) <= limits[1] * width)
    return np.asarray(places[fits])


def _largest(places: Places) -> Places:
    """Return the MOST largest of ``places``, in their order."""
    if len(places) <= MOST:
        return places
    smallest_last = np.argsort(-places[:, 2] * places[:, 3], kind="stable")
    return np.asarray(places[np.sort(smallest_last[:MOST])])


def _lines(dots: Places, axis: int) -> Iterator[tuple[int, ...]]:
    """Yield the longest runs of similar dots at equal distances along ``axis``."""
    centres = dots[:, :2] + dots[:, 2:] / 2
    order = np.lexsort((centres[:, 1 - axis], centres[:, axis]))
    used: set[int] = set()
    for start in order.tolist():
        if start in used:
            continue
        run = [start]
        while (following := _next_dot(dots, centres, run, axis)) is not None:
            run.append(following)
        if len(run) >= 3:
            used.update(run)
            yield tuple(run)


def _next_dot(dots: Places, centres: Places, run: Sequence[int], axis: int) -> int | None:
    last = run[-1]
    side = dots[last, 2:].max()
    along, across = centres[:, axis] - centres[last, axis], np.abs(centres[:, 1 - axis] - centres[last, 1 - axis])
    fits = (along > side) & (along <= 4.2 * side) & (across <= 0.25 * side) & _alike(dots, dots[last])
    if len(run) > 1:
        step = centres[last, axis] - centres[run[-2], axis]
        fits &= np.abs(along - step) <= max(0.2 * step, 1)
    near = np.flatnonzero(fits)
    return int(near[np.argmin(along[near])]) if len(near) else None


def _stacks(bars: Places, longest: float) -> Iterator[tuple[int, ...]]:
    """Yield stacks of three bars at equal distances that begin at one edge or share their middle."""
    order = np.argsort(bars[:, 1], kind="stable").tolist()
    for position, first in enumerate(order):
        stack = [first]
        for following in order[position + 1 :]:
            if _follows(bars, stack, following):
                stack.append(following)
        if len(stack) == 3 and bars[stack, 2].max() >= longest:
            yield tuple(stack)


def _follows(bars: Places, stack: Sequence[int], following: int) -> bool:
    last, bar = bars[stack[-1]], bars[following]
    longest = max(last[2], bar[2])
    slack = max(0.08 * longest, 1)
    left = abs(bar[0] - last[0]) <= slack
    middle = abs(bar[0] + bar[2] / 2 - last[0] - last[2] / 2) <= slack
    step = bar[1] - last[1]
    if not (left or middle) or not last[3] < step <= 0.6 * longest or min(last[2], bar[2]) < SHORTEST_BAR * longest:
        return False
    return len(stack) < 2 or abs(step - (last[1] - bars[stack[-2]][1])) <= max(0.25 * step, 1)


def _pairs(bars: Places) -> Iterator[tuple[int, int]]:
    """Yield pairs of similar upright bars side by side, without a third bar beside them."""
    for first in range(len(bars)):
        x, y, w, h = bars[first]
        level = np.abs(bars[:, 1] - y) <= max(0.06 * h, 1)
        level &= (np.abs(bars[:, 3] - h) <= max(0.06 * h, 1)) & _alike(bars, bars[first])
        gap = bars[:, 0] - x - w
        beside = np.flatnonzero(level & (gap > 0) & (gap <= min(2 * w, 0.6 * h)))
        around = level & (bars[:, 0] > x - 3 * h) & (bars[:, 0] < x + 3 * h)
        if len(beside) == 1 and int(around.sum()) == 2:
            yield first, int(beside[0])


def _frames(corners: Places, width: float) -> Iterator[tuple[int, ...]]:
    """Yield groups of four similar parts at the corners of a square."""
    for first, (x, y, w, h) in enumerate(corners):
        alike = np.flatnonzero(_alike(corners, corners[first]))
        lefts, tops = corners[alike, 0], corners[alike, 1]
        slack = max(0.2 * max(w, h), 1)
        sides = lefts + corners[alike, 2] - x
        least, most = max(FRAME[0] * width, 2.2 * w), min(FRAME[1] * width, 6 * w)
        for right in np.flatnonzero((np.abs(tops - y) <= slack) & (sides >= least) & (sides <= most)):
            side = sides[right]
            under = np.abs(tops - (y + side - h)) <= 0.12 * side + slack
            left_under = alike[under & (np.abs(lefts - x) <= slack)]
            right_under = alike[under & (np.abs(lefts - lefts[right]) <= slack)]
            if len(left_under) and len(right_under) and _alone(corners[alike], x, y, side):
                yield first, int(alike[right]), int(left_under[0]), int(right_under[0])


def _alone(alike: Places, x: float, y: float, side: float) -> bool:
    """Return whether exactly four of ``alike`` are in the square and around it."""
    centres = alike[:, :2] + alike[:, 2:] / 2
    near = (centres >= np.array([x, y]) - ALONE * side) & (centres <= np.array([x, y]) + (1 + ALONE) * side)
    return int(near.all(axis=1).sum()) == 4


def _alike(places: Places, one: NDArray[np.float64]) -> NDArray[np.bool_]:
    larger = np.maximum(places[:, 2:], one[2:])
    apart = np.abs(places[:, 2:] - one[2:])
    return np.asarray((apart <= np.maximum(ALIKE * larger, 1)).all(axis=1))


def _bounding_box(places: Places) -> tuple[float, float, float, float]:
    low, high = places[:, :2].min(axis=0), (places[:, :2] + places[:, 2:]).max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def tight(picture: Rgb, box: Box) -> Box:
    """Return ``box`` without its empty rims.

    On uneven ground return it unchanged; ``picture`` is uint8 (height, width, 3).
    """
    height, width = picture.shape[:2]
    x1, y1 = max(box.x1 - AROUND, 0), max(box.y1 - AROUND, 0)
    x2, y2 = min(box.x2 + AROUND, width), min(box.y2 + AROUND, height)
    part = picture[y1:y2, x1:x2].astype(np.int16)
    if min(part.shape[:2]) < 3:
        return box
    rim = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    ground = np.median(rim, axis=0)
    if np.abs(rim - ground).max() > EVEN:
        return box
    ink = np.abs(part - ground).max(axis=2) >= INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) == 0:
        return box
    shrunk = Box(x1=x1 + int(columns[0]), y1=y1 + int(rows[0]), x2=x1 + int(columns[-1]) + 1, y2=y1 + int(rows[-1]) + 1)
    return shrunk if shrunk.area >= LEAST * box.area else box


SIDE = (0.07, 0.19)
"""The least and greatest side of a tile, as shares of the screen's width."""
ROOM = (1.2, 4.0)
"""The least and greatest ratio of a tile's side to the longer side of its glyph."""

Corners = tuple[float, float, float, float]


def tile_around(picture: Rgb, glyph: Corners) -> Corners | None:
    """Return the corners of the tile around ``glyph`` (x1, y1, x2, y2) in pixels of the whole screen ``picture``."""
    unit = picture.shape[1]
    x1, y1, x2, y2 = glyph
    reach = SIDE[1] * unit
    centre = (x1 + x2) / 2, (y1 + y2) / 2
    left, top = max(int(centre[0] - reach), 0), max(int(centre[1] - reach), 0)
    part = np.ascontiguousarray(picture[top : int(centre[1] + reach) + 1, left : int(centre[0] + reach) + 1])
    inner = (x1 - left, y1 - top, x2 - left, y2 - top)
    for seed in _beside(inner, part.shape):
        corners = _filled(part, seed, inner, unit)
        if corners is not None:
            return corners[0] + left, corners[1] + top, corners[2] + left, corners[3] + top
    return None


def _beside(box: Corners, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the points just outside the middles of the four sides that lie on the picture."""
    x1, y1, x2, y2 = (round(edge) for edge in box)
    x, y = (x1 + x2) // 2, (y1 + y2) // 2
    points = [(x1 - 3, y), (x2 + 3, y), (x, y1 - 3), (x, y2 + 3)]
    return [(x, y) for x, y in points if 0 <= x < shape[1] and 0 <= y < shape[0]]


def _filled(part: Rgb, seed: tuple[int, int], glyph: Corners, unit: int) -> Corners | None:
    mask: NDArray[np.uint8] = np.zeros((part.shape[0] + 2, part.shape[1] + 2), np.uint8)
    flags = 4 | cv2.FLOODFILL_MASK_ONLY | (255 << 8)
    area, _, _, (x, y, width, height) = cv2.floodFill(part, mask, seed, 0, (SMOOTH,) * 3, (SMOOTH,) * 3, flags)
    x1, y1, x2, y2 = glyph
    side, longer = max(width, height), max(x2 - x1, y2 - y1)
    if not SIDE[0] * unit <= side <= SIDE[1] * unit or side > SQUARE * min(width, height):
        return None
    if not ROOM[0] * longer <= side <= ROOM[1] * longer:
        return None
    apart = abs(x + width / 2 - (x1 + x2) / 2), abs(y + height / 2 - (y1 + y2) / 2)
    if max(apart) > CENTRED * side or area + (x2 - x1) * (y2 - y1) < FILLED * width * height:
        return None
    return float(x), float(y), float(x + width), float(y + height)
