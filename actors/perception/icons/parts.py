"""Find icons whose parts stand apart: three dots, three bars, the bars of a pause, the four corners of a frame.

Edges closer than a joint belong together. The parts of these icons are farther apart than the letters of a word. So the
icons are known by the arrangement of their parts: similar, in line or at the corners of a square, at equal distances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

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
