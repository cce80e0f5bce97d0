"""Read the keys of a pad of digits: of a dialler, a calculator or a lock screen.

A single sign has no neighbours from which a reader could tell what it is: a times sign looks like a cross that closes,
a zero like a ring, and a point is not seen at all. The places of the digits 1 to 9 show where the other keys are. Each
of them is read between two digits of the pad, as ``8×5``, and counts as a key if it is read as a sign that pads have.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import contains, overlap
from manyhands.actors.perception.text.engines import Recognizer
from manyhands.actors.perception.text.ink import INK_CONTRAST
from manyhands.actors.perception.text.normalization import plain_forms
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

Place: TypeAlias = tuple[int, int]
"""Column and row of a key, counted from the first digit of the first row."""
Grey: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PadLayout:
    """Hold what the keys of a kind of pad say.

    ``digits``: 1 to 9, by rows. ``rows``: which may have keys, counted from the first row of digits. ``zeros``: where a
    zero may be; elsewhere a clock or a ring is read as one. ``signs``: what other keys say, if it is one character.
    """

    digits: tuple[str, str, str]
    rows: range
    zeros: tuple[Place, ...]
    signs: frozenset[str]

    def may_say(self, place: Place | None) -> frozenset[str]:
        """Return the characters that the key at ``place`` may have. There are none for no place."""
        if place is None:
            return frozenset()
        column, row = place
        if 0 <= row < 3 and 0 <= column < 3:
            return frozenset(self.digits[row][column])
        return self.signs | {"0"} if place in self.zeros else self.signs


TELEPHONE = PadLayout(("123", "456", "789"), range(4), ((1, 3),), frozenset("*#+-,."))
CALCULATOR = PadLayout(("789", "456", "123"), range(-1, 4), ((0, 3), (1, 3)), frozenset("+-−×÷=.,%()/*C"))
LEAST_DIGITS = 7
"""So many of the nine digits must be in their places."""
MOST_DIGITS = 60
"""On a screen with more single digits (a table, a puzzle) no pad is looked for: the work grows with their cube."""
PAIRS = (("1", "9"), ("3", "7"), ("2", "4"), ("6", "8"))
"""Digits that differ in row and column in every layout. One pair is there even if two digits are not."""
OFF_CENTRE = 0.2
"""How far the middle of a sign may be from the middle of its key, in distances from key to key."""
COLUMNS = range(4)
"""The columns that may have keys, counted from the first column of digits."""
WITNESSES = "85963247"
"""The digits between which other keys are read, the clearest first."""
LEAST_CONFIDENCE = 0.6
"""The least confidence with which a key is read between its digits."""


@dataclass(frozen=True, slots=True)
class KeyPad:
    """Hold where the keys of a pad are, in pixels of the picture.

    ``left``, ``top``: the middle of the first digit of the first row. ``across``, ``down``: from key to key. ``side``:
    of the square in which a key's sign lies. ``keys``: the texts that are its keys.
    """

    layout: PadLayout
    left: float
    top: float
    across: float
    down: float
    side: int
    keys: tuple[Element, ...] = ()

    def square(self, x: int, y: int) -> Box:
        """Return the square of a key's sign around a pixel. It may reach beyond the picture."""
        half = self.side // 2
        return Box(x1=x - half, y1=y - half, x2=x + half, y2=y + half)

    def cells(self) -> dict[Place, Box]:
        """Return the squares of all keys that a pad may have."""
        return {
            (column, row): self.square(round(self.left + column * self.across), round(self.top + row * self.down))
            for row in self.layout.rows
            for column in COLUMNS
        }

    def place_of(self, text: Element) -> Place | None:
        """Return the place of the key that ``text`` may be the sign of. Return None between keys and off the pad."""
        x, y = text.centre
        column, row = (x - self.left) / self.across, (y - self.top) / self.down
        place = round(column), round(row)
        is_off = max(abs(column - place[0]), abs(row - place[1])) > OFF_CENTRE
        return None if is_off or place[0] not in COLUMNS or place[1] not in self.layout.rows else place

    def without_keys(self, icons: Sequence[Element]) -> list[Element]:
        """Return ``icons`` without those that are a key: its sign, or the shape on which the sign stands."""
        area = self.across * self.down
        return [
            icon
            for icon in icons
            if icon.box.area > area or not any(contains(icon.box, key.centre) for key in self.keys)
        ]


def find_pad(texts: Sequence[Element]) -> KeyPad | None:
    """Return the pad that the digits among ``texts`` form, with its other keys. Return None if they form none."""
    digits = [text for text in texts if len(text.content) == 1 and text.content in "123456789"]
    if len({text.content for text in digits}) < LEAST_DIGITS or len(digits) > MOST_DIGITS:
        return None
    by_content = {digit: [text for text in digits if text.content == digit] for digit in "123456789"}
    pairs = [pair for one, other in PAIRS for pair in itertools.product(by_content[one], by_content[other])]
    pads = [pad for layout in (TELEPHONE, CALCULATOR) for pair in pairs if (pad := _fit_pad(layout, *pair)) is not None]
    fitting = [replace(pad, keys=_in_place(pad, digits)) for pad in pads]
    best = max(fitting, key=lambda pad: len(pad.keys), default=None)
    if best is None or len(best.keys) < LEAST_DIGITS:
        return None
    keys = _in_place(best, [text for text in texts if text in best.keys or text.confidence >= LEAST_CONFIDENCE])
    return replace(best, keys=keys, side=int(statistics.median(key.box.height for key in best.keys)))


def read_keys(rgb: Rgb, pad: KeyPad, texts: Sequence[Element], recognizer: Recognizer) -> list[Element]:
    """Return the keys of ``pad`` that are not among its keys yet, as they are read between digits.

    ``texts``: all that were read off the picture, uint8 (height, width, 3). A key that has several characters is left
    as it was read.
    """
    digits = {key.content: key for key in pad.keys}
    before, after = [digits[digit] for digit in WITNESSES if digit in digits][:2]
    first, last = (_ink(rgb, pad.square(*digit.centre)) for digit in (before, after))
    occupied = {pad.place_of(text) for text in (*pad.keys, *(text for text in texts if len(text.content) > 1))}
    signs = [
        (place, cell, sign)
        for place, cell in pad.cells().items()
        if place not in occupied and (sign := _ink(rgb, cell)) is not None
    ]
    if first is None or last is None or not signs:
        return []
    readings = recognizer.recognize([_as_line(first, sign, last) for _, _, sign in signs])
    keys = []
    for (place, cell, sign), reading in zip(signs, readings, strict=True):
        content = plain_forms(reading.text).replace(" ", "")
        key = content.removeprefix(before.content).removesuffix(after.content)
        if len(content) == len(key) + 2 and key in pad.layout.may_say(place) and reading.confidence >= LEAST_CONFIDENCE:
            keys.append(Element(kind="text", box=_surroundings(sign, cell), content=key, confidence=reading.confidence))
    return keys


def _fit_pad(layout: PadLayout, one: Element, other: Element) -> KeyPad | None:
    """Return the pad on which two digits of different rows and columns are in their places, if there is one."""
    places = {digit: (column, row) for row, line in enumerate(layout.digits) for column, digit in enumerate(line)}
    (column, row), (other_column, other_row) = places[one.content], places[other.content]
    (x, y), (other_x, other_y) = one.centre, other.centre
    across, down = (x - other_x) / (column - other_column), (y - other_y) / (row - other_row)
    side = min(one.box.height, other.box.height)
    if min(across, down) < side:
        return None
    return KeyPad(layout, x - column * across, y - row * down, across, down, side)


def _in_place(pad: KeyPad, texts: Sequence[Element]) -> tuple[Element, ...]:
    """Return the texts that are keys of ``pad``."""
    return tuple(text for text in texts if text.content in pad.layout.may_say(pad.place_of(text)))


def _ink(rgb: Rgb, cell: Box) -> Grey | None:
    """Return what is in ``cell`` as black on white, whatever its colours, uint8 (height, width).

    Return None if the cell is plain or reaches beyond the picture.
    """
    if overlap(cell, Box(x1=0, y1=0, x2=rgb.shape[1], y2=rgb.shape[0])) < cell.area:
        return None
    grey = cv2.cvtColor(rgb[cell.y1 : cell.y2, cell.x1 : cell.x2], cv2.COLOR_RGB2GRAY).astype(np.int16)
    edge = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    apart = np.abs(grey - int(np.median(edge)))
    most = int(apart.max())
    return None if most <= INK_CONTRAST else np.asarray(255 - apart * 255 // most, np.uint8)


def _as_line(*signs: Grey) -> Rgb:
    return np.repeat(np.concatenate(signs, axis=1)[:, :, None], 3, axis=2)


def _surroundings(sign: Grey, cell: Box) -> Box:
    """Return the box of the ink in ``cell``, on the picture."""
    rows, columns = np.nonzero(sign < 255 - INK_CONTRAST)
    return Box(
        x1=cell.x1 + int(columns.min()),
        y1=cell.y1 + int(rows.min()),
        x2=cell.x1 + int(columns.max()) + 1,
        y2=cell.y1 + int(rows.max()) + 1,
    )
