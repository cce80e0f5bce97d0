"""Render text with the package's own fonts: widths, line breaks and alpha masks, all cached.

One :class:`FontBook` serves all phones of a process. Its caches are bounded. Characters that the fonts lack (emoji,
rare scripts) are drawn as boxes of a fixed width.
"""

from __future__ import annotations

import unicodedata
from collections import OrderedDict
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

FONT_FOLDER = Path(__file__).parents[1] / "fonts"
LATIN, LATIN_BOLD, WIDE = "Roboto-Regular.ttf", "Roboto-Medium.ttf", "NotoSansSC-Regular.otf"

Mask = NDArray[np.uint8]

# The box of a line, in multiples of the text size: the ascent above the baseline, and the whole height.
ASCENT, LINE = 0.98, 1.26
# No line on a phone has more characters than this. The limit bounds the cost of a mask.
MAX_RUN = 400


@cache
def coverage(name: str) -> frozenset[str]:
    """Return the characters that a font file can draw, from the list that was made with it."""
    return frozenset((FONT_FOLDER / name).with_suffix(".chars.txt").read_text(encoding="utf-8"))


def _invisible(character: str) -> bool:
    return unicodedata.category(character) in {"Cf", "Mn", "Me", "Cc"}


class FontBook:
    """Measure and render single lines of text. ``budget`` bounds the bytes of cached masks."""

    def __init__(self, budget: int = 12_000_000) -> None:
        self._budget = budget
        self._held = 0
        self._masks: OrderedDict[tuple[str, int, bool], Mask] = OrderedDict()
        self._font = lru_cache(maxsize=64)(self._load)
        self._runs = lru_cache(maxsize=4096)(self._split)
        self._advance = lru_cache(maxsize=16384)(self._measure)
        self._lines = lru_cache(maxsize=4096)(self._break)

    # ------------------------------------------------------------------ measures
    def width(self, text: str, size: int, bold: bool = False) -> int:
        """Return the width of a line in pixels. ``size`` is the text size in pixels."""
        return self._advance(text[:MAX_RUN], size, bold)

    @staticmethod
    def line_height(size: int) -> int:
        return round(size * LINE)

    def wrap(self, text: str, size: int, bold: bool, width: int, most: int | None = None) -> tuple[str, ...]:
        """Return lines of at most ``width`` pixels. If ``most`` lines are not enough, the last ends in an ellipsis."""
        return self._lines(text, size, bold, max(width, size), most)

    # ------------------------------------------------------------------ pixels
    def mask(self, text: str, size: int, bold: bool = False) -> Mask:
        """Return the alpha mask: uint8 of shape (line height, width). It is shared, so do not write to it."""
        key = (text, size, bold)
        found = self._masks.get(key)
        if found is not None:
            self._masks.move_to_end(key)
            return found
        mask = self._render(text, size, bold)
        self._masks[key] = mask
        self._held += mask.nbytes
        while self._held > self._budget and len(self._masks) > 1:
            self._held -= self._masks.popitem(last=False)[1].nbytes
        return mask

    # ------------------------------------------------------------------ inner
    @staticmethod
    def _load(name: str, size: int) -> ImageFont.FreeTypeFont:
        return ImageFont.truetype(str(FONT_FOLDER / name), size, layout_engine=ImageFont.Layout.BASIC)

    @staticmethod
    def _split(text: str, bold: bool) -> tuple[tuple[str | None, str], ...]:
        """Return runs of (font file, text). None stands for characters that are drawn as boxes."""
        runs: list[tuple[str | None, str]] = []
        latin = LATIN_BOLD if bold else LATIN
        for character in unicodedata.normalize("NFC", text[:MAX_RUN]):
            if character in "\t\n":
                character = " "
            if character in coverage(latin):
                name: str | None = latin
            elif character in coverage(WIDE):
                name = WIDE
            elif _invisible(character):
                continue
            else:
                name = None
            if runs and runs[-1][0] == name:
                runs[-1] = (name, runs[-1][1] + character)
            else:
                runs.append((name, character))
        return tuple(runs)

    def _run_width(self, name: str | None, text: str, size: int) -> float:
        return self._font(name, size).getlength(text) if name else 0.9 * size * len(text)

    def _measure(self, text: str, size: int, bold: bool) -> int:
        return int(np.ceil(sum(self._run_width(name, run, size) for name, run in self._runs(text, bold))))

    def _render(self, text: str, size: int, bold: bool) -> Mask:
        image = Image.new("L", (max(1, self.width(text, size, bold)), self.line_height(size)))
        draw = ImageDraw.Draw(image)
        x, base = 0.0, round(size * ASCENT)
        for name, run in self._runs(text, bold):
            step = self._run_width(name, run, size)
            if name is None:
                self._draw_boxes(draw, x, base, size, len(run))
            else:
                # The Chinese font has one weight only, so a thin outline in the same ink makes it bolder.
                stroke = size * 0.022 if bold and name == WIDE else 0
                draw.text((x, base), run, fill=255, font=self._font(name, size), anchor="ls", stroke_width=stroke)
            x += step
        return np.asarray(image)

    @staticmethod
    def _draw_boxes(draw: ImageDraw.ImageDraw, x: float, base: int, size: int, count: int) -> None:
        for index in range(count):
            left = x + 0.9 * size * index + 0.1 * size
            draw.rectangle((left, base - 0.7 * size, left + 0.7 * size, base), outline=255, width=max(1, size // 14))

    def _break(self, text: str, size: int, bold: bool, width: int, most: int | None) -> tuple[str, ...]:
        lines: list[str] = []
        for line in (line for paragraph in text.split("\n") for line in self._fill(paragraph, size, bold, width)):
            if len(lines) == most:
                lines[-1] = self._ellipsis(lines[-1], size, bold, width)
                break
            lines.append(line)
        return tuple(lines)

    def _fill(self, paragraph: str, size: int, bold: bool, width: int) -> Iterator[str]:
        line = ""
        for piece in _pieces(paragraph):
            if self.width(line + piece.rstrip(), size, bold) <= width:
                line += piece
                continue
            if line:
                yield line.rstrip()
            line = piece.lstrip()
            while self.width(line, size, bold) > width and len(line) > 1:
                cut = self._longest(line, size, bold, width)
                yield line[:cut]
                line = line[cut:]
        yield line.rstrip()

    def _longest(self, text: str, size: int, bold: bool, width: int) -> int:
        low, high = 1, min(len(text), MAX_RUN)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.width(text[:middle], size, bold) <= width else (low, middle - 1)
        return low

    def _ellipsis(self, line: str, size: int, bold: bool, width: int) -> str:
        while line and self.width(line + "…", size, bold) > width:
            line = line[:-1]
        return line.rstrip() + "…"


def _pieces(paragraph: str) -> Iterator[str]:
    """Yield the pieces between which a line may be broken: at spaces, and around Chinese characters."""
    start, closed = 0, True
    for at, character in enumerate(paragraph):
        wide = "\u2e80" <= character <= "\uffef"
        tail = character in "，。！？；：、）》」』”’…,.!?;:)"
        if at > start and not tail and character != " " and (closed or wide):
            yield paragraph[start:at]
            start = at
        closed = wide or character == " "
    if paragraph:
        yield paragraph[start:]


@cache
def shared_fonts() -> FontBook:
    """Return the one FontBook of the process. Phones share its masks."""
    return FontBook()
