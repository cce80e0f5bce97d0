"""A page to read: its kind, its design and its markup, by part, seed and number; and its labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from training.reading.designs import Design, Part
from training.reading.kinds import KINDS
from training.reading.words import Words

CHINESE = 0.4
"""Share of pages in Chinese."""


@dataclass(frozen=True, slots=True)
class Page:
    """Hold a page as it is to be rendered."""

    kind: str
    language: str
    design: Design
    body: str

    @property
    def document(self) -> str:
        """Return the page as HTML, which asks for nothing."""
        head = f'<meta charset="utf-8"><style>{self.design.style}</style>'
        return f'<!doctype html><html lang="{self.language}"><head>{head}</head><body>{self.body}</body></html>'

    def labels(self, file: str, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the labels of its picture in the scorer's form, of what ``collect.js`` found in CSS pixels.

        Words, groups and the order of the document stand beside.
        """
        design = self.design
        return {
            "file": file,
            "kind": self.kind,
            "language": self.language,
            "width": round(design.width * design.density),
            "height": round(design.height * design.density),
            "texts": [
                {
                    **line,
                    "box": self._pixels(line["box"]),
                    "words": [{"text": word["text"], "box": self._pixels(word["box"])} for word in line["words"]],
                }
                for line in lines
            ],
        }

    def _pixels(self, box: Sequence[float]) -> list[int]:
        return [round(side * self.design.density) for side in box]


def page(part: Part, seed: int, number: int) -> Page:
    """Return a page; the same part, seed and number give the same one. All kinds come in turns."""
    random = Random(f"{part} {seed} {number}")
    kind = list(KINDS)[number % len(KINDS)]
    language = "zh" if random.random() < CHINESE else "en"
    design = Design.draw(random, part)
    return Page(kind, language, design, KINDS[kind](Words(random, language), random))
