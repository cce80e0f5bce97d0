"""Find icons by a detector and by edges together. Each finds icons that the other misses.

Edges give exact boxes, but know icons only by their outlines, and find none where a text was read. The detector knows
what icons look like. It adds icons that edges miss, and tells letters from glyphs that were read as letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import CERTAIN, SHORT, doubtful_glyphs, is_reading_of, overlap
from manyhands.actors.perception.backends import IconFinder
from manyhands.actors.perception.icons.boxes import SAME, distinct, iou, is_text, within, without_groups
from manyhands.protocol.base import Input
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

SAME_PLACE = 0.3
"""From this intersection over union on, a finding of edges and one of the detector are the same icon."""
TOUCHING = 0.3
"""Two findings may mean the same icon if they share this part of the smaller box."""
BESIDE = 0.2
"""Two boxes that share at least this part of the smaller one overlap, and are not beside each other."""


_Relation: TypeAlias = Callable[[Element, Element], bool]


class CombinedIconSettings(Input):
    """Hold probabilities of the detector, chosen on screens that were rendered for this (docs/training.md)."""

    keeps: float = Field(default=0.05, gt=0, lt=1)
    """A finding of edges is dropped if the detector's probability is lower."""
    adds: float = Field(default=0.25, gt=0, lt=1)
    """From this probability on, the detector adds an icon where edges found none."""
    few: float = Field(default=0.5, gt=0, lt=1)
    """From this probability on, the detector's icon replaces a few characters that were read in its place."""
    any: float = Field(default=0.7, gt=0, lt=1)
    """From this probability on, the detector's icon stays beside a longer text that was read in its place, and replaces
    smaller boxes of edges within it."""
    limit: int = Field(default=60, ge=1, le=1000)
    """The most icons of a screen, whichever engine found them. The surest stay."""

    @property
    def least(self) -> float:
        """Return the least probability that any rule uses."""
        return min(self.keeps, self.adds, self.few, self.any)


class Detector(Protocol):
    """Finds icons in a picture alone. Synchronous; one instance belongs to one thread at a time."""

    def detect(self, rgb: Rgb) -> list[Element]:
        """Find icons, the surest first, one for each place."""


class CombinedIconFinder:
    """Implements IconFinder."""

    def __init__(self, detector: Detector, edges: IconFinder, settings: CombinedIconSettings) -> None:
        self._detector, self._edges, self._settings = detector, edges, settings

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        """Find icons that are not among ``texts``.

        An icon has the detector's confidence if the detector found it too.
        """
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        detections = self._detector.detect(rgb)
        likely = self._likely(detections, self._without(texts, detections, _is_on), size)
        certain = [icon for icon in likely if icon.confidence >= self._settings.any]
        outlined = self._edges.find(rgb, self._without(texts, detections, is_reading_of))
        icons = [
            _rated(icon, detections)
            for icon in outlined
            if any(_touch(icon, one) for one in detections) and not any(_is_part(icon, whole) for whole in certain)
        ]
        for icon in likely:
            if all(_beside(icon, other) for other in icons):
                icons.append(icon)
        return sorted(icons, key=lambda icon: -icon.confidence)[: self._settings.limit]

    def _without(self, texts: Sequence[Element], detections: Sequence[Element], gives_way: _Relation) -> list[Element]:
        """Return ``texts`` without those that give way to a sufficiently sure icon."""
        sure = [icon for icon in detections if icon.confidence >= self._settings.few]
        return [text for text in texts if not any(gives_way(text, icon) for icon in sure)]

    def _likely(self, detections: Sequence[Element], texts: Sequence[Element], size: Size) -> list[Element]:
        doubtful = doubtful_glyphs(texts, size)
        text_boxes = [text.box for text in texts if text not in doubtful]
        firm = [text.box for text in texts if len(text.content) <= SHORT and text.confidence >= CERTAIN]

        def is_free(icon: Element) -> bool:
            return not is_text(icon.box, firm if icon.confidence >= self._settings.any else text_boxes)

        likely = [icon for icon in detections if icon.confidence >= self._settings.adds and is_free(icon)]
        return distinct(without_groups(likely), [], size, self._settings.limit)


def _rated(icon: Element, detections: Sequence[Element]) -> Element:
    same = [other.confidence for other in detections if iou(icon.box, other.box) >= SAME_PLACE]
    return icon.model_copy(update={"confidence": max(same)}) if same else icon


def _touch(one: Element, other: Element) -> bool:
    return overlap(one.box, other.box) >= TOUCHING * min(one.box.area, other.box.area)


def _is_part(icon: Element, whole: Element) -> bool:
    """Return whether edges found only a part of the detector's icon: a glyph of a tile, a stroke of a glyph."""
    apart = iou(icon.box, whole.box) < SAME and not _beside(icon, whole)
    return apart and icon.box.area < whole.box.area


def _is_on(text: Element, icon: Element) -> bool:
    """Return whether ``text`` is a reading of the icon, or a few letters on it, such as initials on an app's tile."""
    return is_reading_of(text, icon) or (len(text.content) <= SHORT and within(text.box, icon.box))


def _beside(one: Element, other: Element) -> bool:
    return overlap(one.box, other.box) < BESIDE * min(one.box.area, other.box.area)
