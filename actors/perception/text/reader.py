"""Make the texts of a screen from lines that an engine finds and recognises. All engines share these steps.

Finding and recognising are separate calls, because found lines are cut at wide gaps in between. A detector returns
neighbouring labels, such as a row of app names, as one box.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import reading_order
from manyhands.actors.perception.backends import UnreadPart
from manyhands.actors.perception.text.engines import LineFinder, RecognizedText, Recognizer, columns_of
from manyhands.actors.perception.text.ink import INK_CONTRAST
from manyhands.actors.perception.text.normalization import (
    GapJudge,
    SplitSettings,
    TextSegment,
    pieces_of,
    plain_forms,
    without_carets,
    without_symbols,
)
from manyhands.actors.perception.text.pads import find_pad, read_keys
from manyhands.actors.perception.text.signs import SignJudge, SignSettings, reads_on, sign_judge, weighed, without_signs
from manyhands.protocol.base import Input
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

INK_MARGIN = 0.25
"""The margin of paper around a text's ink, in heights of the ink: the detector leaves this margin on average."""


class LineSettings(Input):
    """Configure how found lines become texts. The defaults were measured (docs/perception.md)."""

    min_confidence: float = Field(default=0.5, ge=0, le=1)
    split: SplitSettings = SplitSettings()
    signs: SignSettings = SignSettings()
    """How icons are distinguished from letters."""


class LineReader:
    """Implements TextReader."""

    def __init__(
        self,
        finder: LineFinder,
        recognizer: Recognizer,
        settings: LineSettings,
        judge: SignJudge | None = None,
        gaps: GapJudge | None = None,
    ) -> None:
        """``judge`` and ``gaps``: made from ``settings`` if not given.

        Raises PerceptionError if the weights that tell signs from letters, or labels from words, cannot be used.
        """
        self._finder = finder
        self._recognizer = recognizer
        self._settings = settings
        self._judge = judge or sign_judge(settings.signs)
        self._gaps = gaps or GapJudge(settings.split)

    def read(self, rgb: Rgb, part: UnreadPart | None = None) -> list[Element]:
        lines = self._finder.lines(rgb, None if part is None else part.open_rows)
        if part is None:
            pieces = pieces_of(rgb, lines, self._gaps)
        else:
            pieces = pieces_of(rgb, part.unread(lines), self._gaps, [text.box for text in part.known])
        texts = []
        for piece, crop, reading in self._read(rgb, [without_carets(piece) for piece in pieces]):
            bare, content = without_symbols(piece, plain_forms(reading.text))
            if content and reading.confidence >= self._settings.min_confidence:
                box, columns = _snapped(rgb, bare), columns_of(reading, content, crop)
                texts.append(
                    Element(kind="text", box=box, content=content, confidence=reading.confidence, columns=columns)
                )
        if self._judge is not None:
            texts = weighed(rgb, texts, self._judge, self._settings.signs)
        return reading_order(self._with_keys(rgb, texts, part))

    def _with_keys(self, rgb: Rgb, texts: list[Element], part: UnreadPart | None) -> list[Element]:
        """Return ``texts`` with the keys of a pad in place of what was read there."""
        every = texts if part is None else [*part.known, *texts]
        pad = find_pad(every)
        if pad is None:
            return texts
        keys = read_keys(rgb, pad, every, self._recognizer)
        if part is not None:
            keys = [key for key in keys if part.unread([key.box])]
        places = {pad.place_of(key) for key in keys}
        return [*(text for text in texts if pad.place_of(text) not in places), *keys]

    def _read(self, rgb: Rgb, pieces: Sequence[TextSegment]) -> list[tuple[TextSegment, Box, RecognizedText]]:
        """Read ``pieces`` without signs at their ends. Return each with the box in which it was read.

        If an apparent sign is read as letters with high confidence, it stays in its text.
        """
        if self._judge is None:
            return self._recognized(rgb, pieces)
        bare = without_signs(rgb, pieces, self._judge, self._settings.signs)
        signed = [(piece, rest) for piece, rest in zip(pieces, bare, strict=True) if rest not in (piece, None)]
        read = self._recognized(rgb, [*(rest for rest in bare if rest is not None), *(piece for piece, _ in signed)])
        wholes = dict(zip((id(rest) for _, rest in signed), read[len(read) - len(signed) :], strict=True))
        texts = []
        for one in read[: len(read) - len(signed)]:
            whole = wholes.get(id(one[0]))
            keeps = whole is not None and reads_on(whole[2], one[2], self._settings.signs)
            texts.append(whole if whole is not None and keeps else one)
        return texts

    def _recognized(self, rgb: Rgb, pieces: Sequence[TextSegment]) -> list[tuple[TextSegment, Box, RecognizedText]]:
        boxes = [_snapped(rgb, piece) for piece in pieces]
        crops = [rgb[box.y1 : box.y2, box.x1 : box.x2] for box in boxes]
        return list(zip(pieces, boxes, self._recognizer.recognize(crops), strict=True)) if boxes else []


def _snapped(rgb: Rgb, piece: TextSegment) -> Box:
    """Return the box of ``piece`` with its sides at fixed distances from its ink, but not over its neighbours.

    A side that cuts ink stays where it is. The detector's sides differ by a pixel or two, depending on the rest of its
    input. With fixed distances, recognition does not see these differences. So it reads the same text in the same way
    everywhere.
    """
    height, width = rgb.shape[:2]
    box = piece.box.model_copy(update={"x2": min(piece.box.x2, width)})
    left_of_it, right_of_it = piece.free_columns
    grey = cv2.cvtColor(rgb[box.y1 : box.y2, box.x1 : box.x2], cv2.COLOR_RGB2GRAY).astype(np.int16)
    paper = int(np.median(np.concatenate([grey[0], grey[-1]])))
    ink = np.abs(grey - paper) > INK_CONTRAST
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) == 0:
        return box
    (top, bottom), (left, right) = (rows[0], rows[-1] + 1), (columns[0], columns[-1] + 1)
    pad = max(2, round(INK_MARGIN * int(bottom - top)))
    return Box(
        x1=max(left_of_it, box.x1 + int(left) - pad) if left > 0 else box.x1,
        y1=max(0, box.y1 + int(top) - pad) if top > 0 else box.y1,
        x2=min(width if right_of_it is None else right_of_it, box.x1 + int(right) + pad)
        if right < grey.shape[1]
        else box.x2,
        y2=min(height, box.y1 + int(bottom) + pad) if bottom < grey.shape[0] else box.y2,
    )
