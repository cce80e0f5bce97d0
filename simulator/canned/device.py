"""Be a phone that shows the next canned page at every input, whatever the input is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manyhands.simulator.canned.frames import Page, stamped
from manyhands.simulator.phone.device import Frame
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.phone.views import DRAWN, ROOT, ViewNode
from manyhands.simulator.phone.virtual_phone import VirtualPhone

_SEED_BITS = 12


class CannedPhone(VirtualPhone):
    """Be a virtual phone that draws nothing. Phones may share ``pages``, which are only read.

    Frames differ from phone to phone and from input to input, even after a reset.
    """

    model = "Manyhands Canned Phone"

    def __init__(self, seed: int, pages: Sequence[Page], density: int) -> None:
        height, width = pages[0].rgb.shape[:2]
        super().__init__(seed, width, height, density)
        self._pages = pages
        self._seed = seed
        self._inputs = 0
        self._since_reset = 0
        self._frame = self._make_frame()

    # ------------------------------------------------------------------ pixels
    def frame(self) -> Frame:
        return self._frame

    def hierarchy(self) -> ViewNode | None:
        area = (0, 0, self.width, self.height)
        return ViewNode(ROOT, area, children=[ViewNode(DRAWN, area)])

    def _next(self) -> None:
        self._inputs += 1
        self._since_reset += 1
        self._frame = self._make_frame()

    def _make_frame(self) -> Frame:
        number = (self._inputs << _SEED_BITS | self._seed % (1 << _SEED_BITS)) & 0xFFFF_FFFF
        return stamped(self._pages[self._since_reset % len(self._pages)], number)

    # ------------------------------------------------------------------ input
    def tap(self, x: int, y: int) -> None:
        self._next()

    def long_press(self, x: int, y: int, ms: int) -> None:
        self._next()

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        self._next()

    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        if code == KEY_CODES["HOME"]:
            self._host.home()
        self._next()

    def input_text(self, text: str) -> None:
        super().input_text(text)
        self._next()

    def ime_commit(self, text: str) -> None:
        self._next()

    def ime_clear(self) -> None:
        self._next()

    def launch(self, component: str) -> None:
        super().launch(component)
        self._next()

    # ------------------------------------------------------------------ the simulator's own door
    def state(self) -> dict[str, Any]:
        """Return the number of ``inputs`` since the last reset. A check may ask for it."""
        return {"canned": True, "inputs": self._since_reset}

    def rest(self) -> dict[str, Any]:
        """Return that the phone is at rest: nothing on it moves."""
        return {"resting": True, "since": self._wall().timestamp()}

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._inputs += 1
        self._since_reset = 0
        self._frame = self._make_frame()
