"""Follow screenshots after their capture: whether they were final, and whether a page was shown before.

Without the check while models think, a change after the screenshot would never be recognised as late. The next look
follows the next action, and then nobody knows which action caused which change. So two more looks are taken after an
action of a kind that is not yet well known, and only occasionally after a known one. A place that keeps changing, such
as a clock, is no late change.

An action or a capture ends the check at once. If that happens before the second look, nothing is learned, with one
exception: the capture had waited in vain for a change. Without this exception, an app whose steps are quicker than
these looks would wait for a change for ever that came only once. A frame is taken only if no screenshot waits for the
same resources.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from manyhands.actors.clock import Clock
from manyhands.actors.phones.settling.changes import (
    CARET_DP,
    MOST_MASKED,
    NOISE_LEVEL,
    Thumbnail,
    Tiles,
    changed_tiles,
    dp,
    grown,
    same_place,
)
from manyhands.actors.phones.settling.model import MARGIN, ActionKind, SettlingModel
from manyhands.actors.phones.settling.settler import ScreenSample, Settler
from manyhands.protocol.errors import PhoneError

LOOKS_AT_S = (0.5, 1.5, 2.5)
"""The times of the looks after the screenshot. The last look is only needed if an earlier one saw a change: a half-done
change has ended by then, and what changes again at the same place is a clock or the like."""

PAGES_KEPT = 8
"""How many pages are kept. A cycle of four steps has four."""


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    thumbnail: Thumbnail
    restless: Tiles | None
    caret: int | None


class RecentPages:
    """Give each page an id: the content id of the screenshot that first showed it.

    Only the small grey pictures of the last pages are kept, so that a phone costs about a megabyte.
    """

    def __init__(self) -> None:
        self._pages: OrderedDict[str, _Page] = OrderedDict()

    def identify(self, content_id: str, thumbnail: Thumbnail, restless: Tiles | None, caret: int | None) -> str:
        """Return the id of the page that a screenshot shows. ``restless`` and ``caret``: as in ``likeness``."""
        now = _Page(thumbnail, restless, caret)
        recent = reversed(self._pages.items())
        page_id = next(
            (recent_id for recent_id, page in recent if recent_id == content_id or _same(page, now)), content_id
        )
        self._pages[page_id] = now
        self._pages.move_to_end(page_id)
        if len(self._pages) > PAGES_KEPT:
            self._pages.popitem(last=False)
        return page_id


def _same(before: _Page, after: _Page) -> bool:
    if before.thumbnail.shape != after.thumbnail.shape:
        return False
    changed = changed_tiles(before.thumbnail, after.thumbnail)
    if before.restless is not None and after.restless is not None:
        masked = grown(before.restless) & grown(after.restless)
        if masked.mean() > MOST_MASKED:
            return False
        changed &= ~masked
    return not changed.any() or (before.caret is not None and before.caret == after.caret and _is_caret(before, after))


def _is_caret(before: _Page, after: _Page) -> bool:
    """Return whether the whole difference has a caret's size. A drawn shape may touch a pixel more on each side."""
    differs = (cv2.absdiff(before.thumbnail, after.thumbnail) > NOISE_LEVEL).astype(np.uint8)
    _, _, width, height = cv2.boundingRect(differs)
    scale = dp(before.thumbnail.shape)
    widest, low, high = (size * scale for size in CARET_DP)
    return bool(width <= max(1, round(widest)) + 2 and low - 2 <= height <= high + 2 and height >= width)


class PostCaptureCheck:
    """Check one phone, one screenshot at a time. ``free`` returns whether a look would delay nobody."""

    def __init__(
        self,
        look: Callable[[], Awaitable[ScreenSample[Any]]],
        free: Callable[[], bool],
        model: SettlingModel,
        clock: Clock,
    ) -> None:
        self._look = look
        self._free = free
        self._model = model
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def learn(self, settler: Settler, action: ActionKind) -> None:
        """Learn the observed pauses.

        Learn whether the screen had come to its end, by looking again or because it kept still for long enough.
        ``settler`` has found the screen at rest after ``action``, or given up. ``end`` must follow.
        """
        rest = settler.stillness
        for stillness, outcome in settler.outcomes():
            self._model.learn(action, stillness, outcome)
        for pauses, seconds in settler.moved.items():
            if pauses < rest.pauses or settler.report().settled:  # otherwise it may have continued to move
                self._model.learn_moved(action, pauses, seconds)
        expected = self._model.expected(action, rest)
        if not settler.report().settled:
            if expected is not None and 0 < expected.latest <= settler.still_s * MARGIN:
                # The screen kept still for as long as any known pause. The time limit came, but no change.
                self._model.learn(action, rest, None)
            return
        if self._model.wants_look(action, rest):
            self._task = asyncio.create_task(self._watch(settler, action))
            return
        if expected is not None and 0 < expected.latest <= settler.still_s:
            self._model.learn(action, rest, None)

    async def end(self) -> None:
        """Return once no look is running any more."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()

    async def _watch(self, settler: Settler, action: ActionKind) -> None:
        count, still = len(settler.pauses), settler.stillness
        expected = self._model.expected(action, still)
        waited = expected is not None and expected.latest > 0
        changes: list[Tiles | None] = []
        try:
            await self._look_on(settler, changes)
        finally:
            late = settler.pauses[count:]
            if len(changes) >= 2 or (waited and not late):
                self._model.learn(action, still, late[0][1] if late and not _ticks(changes) else None)

    async def _look_on(self, settler: Settler, changes: list[Tiles | None]) -> None:
        """Look several times, and append where each look saw a change, if it did."""
        taken_at = self._clock.now()
        for after in LOOKS_AT_S:
            if len(changes) == 2 and all(each is None for each in changes):
                return
            await self._clock.sleep(max(0.0, taken_at + after - self._clock.now()))
            if not self._free():
                return
            try:
                look = await self._look()
            except PhoneError:
                return  # the next call to the phone gets the error
            settler.offer(look.asked_at, look.at, look.thumbnail)
            changes.append(settler.changed if settler.still_s == 0 else None)


def _ticks(changes: list[Tiles | None]) -> bool:
    """Return whether the last look and an earlier one saw a change at one place.

    Such changes are ticks, as of a clock; most other changes are late.
    """
    *earlier, last = changes
    if last is None or len(changes) < len(LOOKS_AT_S):
        return False
    return any(each is not None and same_place(last, each) for each in earlier)
