"""Find signs among letters: icons that a reader takes for characters, alone or at an end of a text.

Recognition gives letters for whatever it is shown, with high confidence: a person becomes an 8, a pause 00, an arrow 7.
Signs differ from letters by their looks: a small network over crops tells them apart. Its weights lie beside this
module and are made by ``training/signs``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import CERTAIN, FEW, is_row_of_keys, rows
from manyhands.actors.perception.onnx import CropClassifier
from manyhands.actors.perception.text.engines import RecognizedText
from manyhands.actors.perception.text.ink import Glyph, Ink
from manyhands.actors.perception.text.normalization import TextSegment, east_asian, ends_ellipsis
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

WEIGHTS = Path(__file__).parent / "weights" / "signs.onnx"
MADE_BY = "make train-signs"
SIGN = "sign"
LARGEST = 1.6
"""The greatest width of a sign beside a text, in heights of the line's ink."""
LEAST, LEAST_OTHER = 0.67, 0.25
"""The least longer side and the least other side of a sign. A smaller shape is a dot, a dash or an angle bracket."""
MOST_GLYPHS = 3
"""The most glyphs of a sign: three dots have three, a word has more."""
BLANK, CLOSE_BLANK = 0.28, 0.15
"""The blank between a sign and its text, in heights of the ink: the usual blank is about a space; the second number is
the least blank that is examined."""
TRIED = 3
"""How many blanks at either end of a text may be the end of a sign. A sign may contain blanks itself."""


class SignSettings(Input):
    on: bool = True
    """If false, everything that is read as letters counts as text."""
    weights: Path | None = None
    """An ONNX file made by ``training/signs``. The default is the one that is shipped."""
    alone: float = Field(default=0.7, gt=0, lt=1)
    """A reading of a few characters is a sign from this probability on."""
    beside: float = Field(default=0.85, gt=0, lt=1)
    """A glyph that a blank separates from a text is a sign from this probability on."""
    close: float = Field(default=0.97, gt=0, lt=1)
    """The same, for a blank that is narrower than a space."""
    read: float = Field(default=0.8, gt=0, le=1)
    """An end that looks like a sign counts as letters if the mean confidence of its characters is at least this."""
    threads: int = Field(default=1, ge=1, le=64)


class SignJudge:
    """Tell signs from letters. Synchronous; belongs to one thread at a time."""

    def __init__(self, settings: SignSettings) -> None:
        """Open the weights. Raises PerceptionError without onnxruntime or a file, or for weights that are not ours."""
        weights = settings.weights or WEIGHTS
        self._classifier = CropClassifier(weights, settings.threads, MADE_BY)
        if SIGN not in self._classifier.names:
            raise PerceptionError(f"{weights} does not tell signs from letters; use a file that `{MADE_BY}` made")
        self._sign = self._classifier.names.index(SIGN)

    def signs(self, rgb: Rgb, boxes: Sequence[Box]) -> NDArray[np.float32]:
        """Return for each box of a uint8 picture (height, width, 3) the probability that it is a sign."""
        return self._classifier.probabilities(rgb, boxes)[:, self._sign]


def sign_judge(settings: SignSettings) -> SignJudge | None:
    """Make the judge. Return None if it is off. Raises the errors of ``SignJudge``."""
    return SignJudge(settings) if settings.on else None


def without_signs(
    rgb: Rgb, pieces: Sequence[TextSegment], judge: SignJudge, settings: SignSettings
) -> list[TextSegment | None]:
    """Return ``pieces`` in order, without apparent signs at their ends. A piece that is all signs becomes None.

    A blank separates a sign from its text, and the sign has a sign's size.
    """
    ends = [end for number, piece in enumerate(pieces) for end in _ends(piece, number)]
    probabilities = judge.signs(rgb, [_box(pieces[end.piece], end) for end in ends])
    surest: dict[tuple[int, bool], tuple[float, SignCandidate]] = {}
    for end, probability in zip(ends, probabilities.tolist(), strict=True):
        least = settings.beside if _is_wide(pieces[end.piece].ink, end.blank) else settings.close
        if probability >= max(least, surest.get((end.piece, end.before), (0.0, end))[0]):
            surest[end.piece, end.before] = probability, end
    return [
        _bare(piece, [surest[number, before][1] for before in (True, False) if (number, before) in surest])
        for number, piece in enumerate(pieces)
    ]


def reads_on(whole: RecognizedText, bare: RecognizedText, settings: SignSettings) -> bool:
    """Return whether apparent signs at the ends of ``whole`` were read as surely as letters are.

    Signs are read as letters, too, but with less confidence. ``bare``: the reading without them.
    """
    more = _characters(whole) - _characters(bare)
    sure = whole.confidence * _characters(whole) - bare.confidence * _characters(bare)
    return more > 0 and sure >= settings.read * more


def _characters(reading: RecognizedText) -> int:
    return len(reading.text.replace(" ", ""))


def weighed(rgb: Rgb, texts: Sequence[Element], judge: SignJudge, settings: SignSettings) -> list[Element]:
    """Return ``texts`` in order, with less confidence for short ones that look like a sign.

    Letters in a row of keys keep their confidence. Several Chinese characters that were read with certainty also keep
    theirs.
    """
    by_row = rows(text for text in texts if len(text.content) == 1)
    keys = {id(text) for row in by_row if is_row_of_keys(row) for text in row}
    short_texts = [text for text in texts if len(text.content) <= FEW and id(text) not in keys and not _is_word(text)]
    probabilities = judge.signs(rgb, [text.box for text in short_texts])
    less = {
        id(text): text.model_copy(update={"confidence": min(text.confidence, 1 - float(probability))})
        for text, probability in zip(short_texts, probabilities, strict=True)
        if probability >= settings.alone
    }
    return [less.get(id(text), text) for text in texts]


def _is_word(text: Element) -> bool:
    """Return whether ``text`` is certainly a word in Chinese, Japanese or Korean.

    Readers seldom take signs for several such characters with certainty, but the strokes of such characters sometimes
    look like signs.
    """
    return len(text.content) > 1 and text.confidence >= CERTAIN and all(map(east_asian, text.content))


@dataclass(frozen=True, slots=True)
class SignCandidate:
    """Mark glyphs of a piece before or after one of its blanks, which may be a sign."""

    piece: int
    """The number of the piece."""
    blank: int
    """The number of the glyph before the blank."""
    before: bool

    def glyphs(self, piece: TextSegment) -> Sequence[Glyph]:
        glyphs = piece.ink.glyphs
        return glyphs[piece.first : self.blank + 1] if self.before else glyphs[self.blank + 1 : piece.end]


def _ends(piece: TextSegment, number: int) -> list[SignCandidate]:
    """Return a piece's possible signs, by blanks and sizes. At the end of a text, only wide blanks count."""
    close, wide = (
        [place for place in range(piece.first, piece.end - 1) if piece.ink.blank(place) >= least * piece.ink.rows]
        for least in (CLOSE_BLANK, BLANK)
    )
    ends = [SignCandidate(number, place, True) for place in close[:TRIED]]
    if wide and not ends_ellipsis(piece.ink, piece.end - 1):
        ends += [SignCandidate(number, place, False) for place in wide[-TRIED:]]
    few = (end for end in ends if len(end.glyphs(piece)) <= MOST_GLYPHS)
    return [end for end in few if _may_be_sign(_box(piece, end), piece.ink)]


def _may_be_sign(box: Box, ink: Ink) -> bool:
    width = box.width
    shorter, longer = sorted((width, box.height))
    return longer >= LEAST * ink.rows and shorter >= LEAST_OTHER * ink.rows and width <= LARGEST * ink.rows


def _bare(piece: TextSegment, signs: Sequence[SignCandidate]) -> TextSegment | None:
    """Return ``piece`` without ``signs``. Return None if nothing is left.

    If a single glyph would be left, return the piece unchanged: that glyph may be part of a spaced word.
    """
    if not signs:
        return piece
    first = max((end.blank + 1 for end in signs if end.before), default=piece.first)
    after = min((end.blank + 1 for end in signs if not end.before), default=piece.end)
    if after - first == 1:
        return piece
    return replace(piece, first=first, end=after) if first < after else None


def _is_wide(ink: Ink, blank: int) -> bool:
    return ink.blank(blank) >= BLANK * ink.rows


def _box(piece: TextSegment, end: SignCandidate) -> Box:
    """Return the box of the candidate's ink, on the page."""
    glyphs = end.glyphs(piece)
    return Box(
        x1=piece.line.x1 + glyphs[0].left,
        y1=piece.line.y1 + min(glyph.top for glyph in glyphs),
        x2=piece.line.x1 + glyphs[-1].right,
        y2=piece.line.y1 + max(glyph.bottom for glyph in glyphs),
    )
