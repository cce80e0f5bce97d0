"""Turn scenes into frames: paint what changed, animate transitions, raise ``version`` whenever pixels change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from manyhands.simulator.phone.ui.canvas import Canvas, Pixels
from manyhands.simulator.phone.ui.course import QUICK, Course
from manyhands.simulator.phone.ui.fonts import FontBook
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.scene import Mark, damage, paint

Move = Literal["forward", "backward", "rise", "fall", "fade"]


@dataclass(slots=True)
class _Transition:
    move: Move
    started: float
    course: Course

    @property
    def ends(self) -> float:
        return self.started + self.course.seconds


class Compositor:
    """Hold one buffer of the screen, and two more during a transition."""

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
        self.changed_until = 0.0
        """When the last transition ended or will end. If this transition shows nothing new, the time when it began."""

    def begin(self, move: Move, now: float, course: Course = QUICK) -> None:
        """Begin a transition: what is drawn from now on comes in over what was shown last."""
        if self.version:
            self._transition, self._before = _Transition(move, now, course), None
            self._step = -1.0
        self.changed_until = now

    def frame(self, marks: Sequence[Mark], now: float) -> Pixels:
        """Return the pixels of the screen at ``now``. Whenever the pixels change, ``version`` changes, too."""
        moving = self._transition
        first = self._shown.copy() if moving and self._before is None else None
        changed = self._repaint(marks)
        if moving and first is not None:
            self._before = first
            if np.array_equal(first, self._canvas.pixels):
                moving = self._transition = self._before = self._mixed = None
            else:
                self.changed_until = moving.ends
        if moving and now >= moving.ends:
            moving = self._transition = self._before = self._mixed = None
        if moving is None or self._before is None:
            if changed or self._shown is not self._canvas.pixels:
                self.version += 1
            self._shown = self._canvas.pixels
            return self._shown
        progress = moving.course.share(now - moving.started)
        if changed or progress != self._step:
            self._shown = self._between(self._before, moving, progress)
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

    def _between(self, before: Pixels, moving: _Transition, progress: float) -> Pixels:
        """Return the frame in the middle of a transition.

        The new screen slides in over the old one, or an empty page slides in and then the new screen appears.
        """
        if self._mixed is None:
            self._mixed = np.empty_like(before)
        if not moving.course.empty:
            return self._slide(before, self._canvas.pixels, moving.move, progress)
        page = np.empty_like(before)
        page[:] = self._canvas.pixels[self._area.h // 2, 0]
        if progress <= 0.5:
            return self._slide(before, page, moving.move, 2 * progress)
        return self._slide(page, self._canvas.pixels, "fade", 2 * progress - 1)

    def _slide(self, before: Pixels, after: Pixels, move: Move, share: float) -> Pixels:
        assert self._mixed is not None, "there is a buffer while a transition runs"
        _, _, width, height = self._area
        left = {"forward": 1, "backward": -1}.get(move, 0) * round((1 - share) * width * 0.3)
        top = {"rise": 1, "fall": -1}.get(move, 0) * round((1 - share) * height * 0.12)
        new = Box(left, top, width, height).cut(self._area)
        result = self._mixed
        np.copyto(result, before)
        source = after[new.y - top : new.bottom - top, new.x - left : new.right - left]
        under = result[new.y : new.bottom, new.x : new.right]
        cv2.addWeighted(source, share, under, 1 - share, 0, dst=under)
        return result
