"""From scenes to frames: paints what changed, counts versions, shows transitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from simulator.ui.canvas import Canvas, Pixels
from simulator.ui.fonts import FontBook
from simulator.ui.geometry import Box
from simulator.ui.scene import Mark, damage, paint

TRANSITION_S = 0.25
Move = Literal["forward", "backward", "rise", "fall"]


@dataclass(slots=True)
class _Transition:
    move: Move
    started: float


class Compositor:
    """Holds one buffer of the screen, and two more while a transition runs."""

    def __init__(self, width: int, height: int, fonts: FontBook) -> None:
        self._area = Box(0, 0, width, height)
        self._fonts = fonts
        self._canvas = Canvas(np.zeros((height, width, 3), np.uint8))
        self._marks: Sequence[Mark] = ()
        self._transition: _Transition | None = None
        self._before: Pixels | None = None
        self._mixed: Pixels | None = None
        self._shown: Pixels = self._canvas.pixels
        self._step = 0.0
        self.version = 0

    def begin(self, move: Move, now: float) -> None:
        """What is drawn from now on comes in with a transition from what was shown last."""
        if self.version:
            self._transition, self._before = _Transition(move, now), None
            self._step = -1.0

    def frame(self, marks: Sequence[Mark], now: float) -> Pixels:
        """The pixels of the screen at ``now``; ``version`` tells whether they differ from the last ones."""
        moving = self._transition
        if moving and now >= moving.started + TRANSITION_S:
            moving = self._transition = self._before = self._mixed = None
        if moving and self._before is None:
            self._before = self._shown.copy()
        changed = self._repaint(marks)
        if moving is None or self._before is None:
            if changed or self._shown is not self._canvas.pixels:
                self.version += 1
            self._shown = self._canvas.pixels
            return self._shown
        progress = (now - moving.started) / TRANSITION_S
        if changed or progress != self._step:
            self._shown = self._between(self._before, moving.move, progress)
            self._step = progress
            self.version += 1
        return self._shown

    def _repaint(self, marks: Sequence[Mark]) -> bool:
        area = damage(self._marks, marks).cut(self._area) if self.version else self._area
        self._marks = marks
        if area.empty:
            return False
        paint(marks, self._canvas, self._fonts, area)
        return True

    def _between(self, before: Pixels, move: Move, progress: float) -> Pixels:
        """The new screen slides in over the old one and becomes opaque."""
        eased = 1 - (1 - progress) ** 2
        _, _, width, height = self._area
        left = {"forward": 1, "backward": -1}.get(move, 0) * round((1 - eased) * width * 0.3)
        top = {"rise": 1, "fall": -1}.get(move, 0) * round((1 - eased) * height * 0.12)
        new = Box(left, top, width, height).cut(self._area)
        if self._mixed is None:
            self._mixed = np.empty_like(before)
        result = self._mixed
        np.copyto(result, before)
        source = self._canvas.pixels[new.y - top : new.bottom - top, new.x - left : new.right - left]
        under = result[new.y : new.bottom, new.x : new.right]
        cv2.addWeighted(source, eased, under, 1 - eased, 0, dst=under)
        return result
