"""Drawings that icon sets lack: the controls that phones draw themselves, and letters, which are no icons."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from training.names.classes import OTHER
from training.names.rasters import SIDE, Raster

FONTS = Path(__file__).parents[2] / "simulator" / "phone" / "fonts"
LETTERS = "ABCDEFGHJKLMNPRSTUVWYZabcdefghjkmnpqrstuvwyz234567890&@#中文字我的你好设置手机电话信息日月水火"
"""Without those that look like signs: an x, a ring, a bar."""
WORDS = "OK HD New More Go 5G 12:30 99+ Pay Free Hot 设置 消息 我的 首页 更多".split()  # noqa: SIM905
POINTS = 90
_FINE = 4
"""Drawings are made this much larger, then reduced."""


def controls(random: Generator, count: int) -> Iterator[Raster]:
    """Yield ``count`` drawings of each: rings, squares, triangles, switches, radio buttons, boxes with a tick."""
    for number in range(count):
        for label, draw in (
            ("circle", _ring),
            ("checkbox", _square),
            ("chevron left", _triangle),
            ("radio button on", _radio),
            ("checkbox checked", _ticked),
            ("switch on", functools.partial(_switch, on=True)),
            ("switch off", functools.partial(_switch, on=False)),
        ):
            yield Raster("drawn", f"{label} {number}", label, _reduced(draw(random)))


def letters(random: Generator, count: int) -> Iterator[Raster]:
    """Yield ``count`` letters, characters and short words in the fonts that virtual phones have."""
    fonts = sorted([*FONTS.glob("*.ttf"), *FONTS.glob("*.otf")])
    for number in range(count):
        chosen: Sequence[str] = LETTERS if random.random() < 0.6 else WORDS
        text = chosen[int(random.integers(len(chosen)))]
        path = fonts[int(random.integers(len(fonts)))] if text.isascii() else FONTS / "NotoSansSC-Regular.otf"
        ink = ink_of(text, path)
        if ink is not None:
            yield Raster("letters", f"{text} {number}", OTHER, ink)


def ink_of(text: str, path: Path) -> NDArray[np.uint8] | None:
    """Draw ``text`` in a font, tight to its ink; None if the font leaves none."""
    font = _font(path)
    left, top, right, bottom = font.getbbox(text)
    if right - left < 3 or bottom - top < 3:
        return None
    picture = Image.new("L", (int(right - left) + 2, int(bottom - top) + 2))
    ImageDraw.Draw(picture).text((1 - left, 1 - top), text, fill=255, font=font)
    scale = SIDE / max(picture.size)
    sides = (max(2, round(picture.width * scale)), max(2, round(picture.height * scale)))
    ink = np.asarray(picture.resize(sides, Image.Resampling.BOX), np.uint8)
    return ink if np.count_nonzero(ink > 60) >= 12 else None


@functools.lru_cache(maxsize=512)
def _font(path: Path) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), POINTS)


def _canvas(height: int = SIDE, width: int = SIDE) -> NDArray[np.uint8]:
    return np.zeros((height * _FINE, width * _FINE), np.uint8)


def _reduced(fine: NDArray[np.uint8]) -> NDArray[np.uint8]:
    size = (fine.shape[1] // _FINE, fine.shape[0] // _FINE)
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), np.uint8)


def _ring(random: Generator) -> NDArray[np.uint8]:
    fine = _canvas()
    side = fine.shape[0]
    cv2.circle(fine, (side // 2, side // 2), side // 2 - 2, 255, -1)
    if random.random() < 0.85:
        cv2.circle(fine, (side // 2, side // 2), round(side / 2 * random.uniform(0.7, 0.93)), 0, -1)
    return fine


def _square(random: Generator) -> NDArray[np.uint8]:
    fine = _canvas()
    side = fine.shape[0]
    radius = round(side * random.uniform(0, 0.25))
    _fill(fine, 0, side, radius, 255)
    if random.random() < 0.9:
        edge = round(side * random.uniform(0.04, 0.14))
        _fill(fine, edge, side - edge, max(0, radius - edge), 0)
    return fine


def _fill(fine: NDArray[np.uint8], low: int, high: int, radius: int, value: int) -> None:
    cv2.rectangle(fine, (low + radius, low), (high - radius, high), value, -1)
    cv2.rectangle(fine, (low, low + radius), (high, high - radius), value, -1)
    for x in (low + radius, high - radius):
        for y in (low + radius, high - radius):
            cv2.circle(fine, (x, y), radius, value, -1)


def _triangle(random: Generator) -> NDArray[np.uint8]:
    width = round(SIDE * random.uniform(0.75, 0.95))
    fine = _canvas(SIDE, width)
    height, across = fine.shape
    edge = 0 if random.random() < 0.4 else round(height * random.uniform(0.05, 0.12))
    thick = max(edge, round(height * random.uniform(0.01, 0.1)))
    points = np.array([[thick // 2, height // 2], [across - thick // 2 - 1, thick // 2],
                       [across - thick // 2 - 1, height - thick // 2 - 1]])  # fmt: skip
    if not edge:
        cv2.fillPoly(fine, [points], 255)
    cv2.polylines(fine, [points], True, 255, thick, cv2.LINE_AA)
    return fine


def _radio(random: Generator) -> NDArray[np.uint8]:
    fine = _canvas()
    side = fine.shape[0]
    middle = (side // 2, side // 2)
    cv2.circle(fine, middle, side // 2 - 2, 255, -1)
    cv2.circle(fine, middle, round(side / 2 * random.uniform(0.72, 0.9)), 0, -1)
    cv2.circle(fine, middle, round(side / 2 * random.uniform(0.35, 0.6)), 255, -1)
    return fine


def _ticked(random: Generator) -> NDArray[np.uint8]:
    fine = _canvas()
    side = fine.shape[0]
    radius = round(side * random.uniform(0.05, 0.25))
    _fill(fine, 0, side, radius, 255)
    full = random.random() < 0.7
    if not full:
        edge = round(side * random.uniform(0.06, 0.12))
        _fill(fine, edge, side - edge, max(0, radius - edge), 0)
    tick = (np.array([[0.24, 0.52], [0.43, 0.7], [0.77, 0.32]]) * side).astype(np.int32)
    cv2.polylines(fine, [tick], False, 0 if full else 255, round(side * random.uniform(0.07, 0.13)))
    return fine


def _switch(random: Generator, *, on: bool) -> NDArray[np.uint8]:
    """Draw in RGBA a track with a knob at its right if ``on``, at its left otherwise."""
    height = round(SIDE * random.uniform(0.48, 0.66))
    fine = np.zeros((height * _FINE, SIDE * _FINE, 4), np.uint8)
    tall, wide = fine.shape[:2]
    hue = random.uniform(0, 180)
    hsv = np.array([[[hue, random.uniform(120, 255), random.uniform(120, 255)]]], np.uint8)
    vivid = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)
    grey = random.uniform(60, 235)
    track = [int(value) for value in (vivid[0, 0] if on else (grey, grey, grey))]
    low = 0 if random.random() < 0.6 else round(tall * random.uniform(0.1, 0.25))
    for x in (tall // 2, wide - tall // 2):
        cv2.circle(fine, (x, tall // 2), tall // 2 - low, (*track, 255), -1)
    cv2.rectangle(fine, (tall // 2, low), (wide - tall // 2, tall - low - 1), (*track, 255), -1)
    knob = (255, 255, 255) if random.random() < 0.75 or low == 0 else track
    radius = round(tall / 2 * (random.uniform(0.7, 0.92) if low == 0 else 1))
    cv2.circle(fine, (wide - tall // 2 if on else tall // 2, tall // 2), radius, (*knob, 255), -1)
    return fine
