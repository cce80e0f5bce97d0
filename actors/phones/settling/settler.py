"""Decide when a screen is at rest: no change outside restless regions for a quiet time.

The quiet time depends on what such an action did before in such an app (:mod:`.model`). While a late change is still to
come, the screen is waited for; otherwise the settings' quiet time is enough. The times of looks also depend on what is
known. No look is taken at a time at which the screen has always moved, nor in the middle of a well-known pause.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from manyhands.actors.clock import Clock
from manyhands.actors.phones.settling.changes import (
    RestlessTiles,
    Thumbnail,
    Tiles,
    changed_tiles,
    negligible,
    same_place,
)
from manyhands.actors.phones.settling.model import (
    MOST,
    ExpectedChange,
    Motion,
    ScreenPause,
    Stillness,
    StillnessEnd,
    extent,
)
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.screens.screen import Settling

T = TypeVar("T")

UNCHANGED_FACTOR = 3.0
"""How many times longer the screen must keep still after an unknown action if it looks as before: the action's effect
may not have begun."""
LOOKS_PER_QUIET = 3
"""How many looks begin within a quiet time while the screen changes or is about to."""
AT_LEAST = 0.9
"""If the beginnings of two looks differ by a whole quiet time, their completions must differ by this share of it."""
EARLY_S = 0.002
"""How much earlier than requested a clock may wake the caller."""
IDLE_S = 0.1
"""The interval of looks in a stillness that is longer than usual, unless its end is due."""

Expects = Callable[[Stillness], ExpectedChange | None]
Moves = Callable[[int], Motion | None]
"""Returns how long the screen moves, by the pauses that the action had so far."""


@dataclass(frozen=True, slots=True)
class PrecedingAction:
    """Describe an action that the screen may still respond to. ``at``: when it was sent, in the clock's seconds."""

    at: float
    before: Thumbnail | None
    """The screen before the action."""
    expects: Expects | None = None
    """Returns what is known of such actions; None if nothing was learned."""
    moves: Moves | None = None
    """Returns how long the screen moves after such actions; None if nothing was learned."""
    is_secure: bool = False
    """Whether the screen forbids pictures, so that it is black before and after the action."""


class Settler:
    """Decide, look by look, whether a screen has come to rest. Times are seconds of any clock.

    ``restless``: tiles that changed by themselves at the last screenshot. Looks may continue after the screen was found
    at rest, to check that no change follows.
    """

    def __init__(
        self, spec: SettleSpec, started_at: float, acted: PrecedingAction | None = None, restless: Tiles | None = None
    ) -> None:
        self._quiet = spec.quiet_ms / 1000
        self._started_at = started_at
        self._ends_at = started_at + spec.limit_ms / 1000
        self._acted = acted
        self._known_restless = restless
        self._looks: _StillnessTracker | None = None
        self._frames = 0
        self._last_at = started_at
        self._settled = False
        self._learned = False
        self.pauses: list[tuple[Stillness, ScreenPause]] = []
        """The pauses so far, each ended by a change."""
        self._ended_at: list[Tiles] = []
        """The tiles of the changes that ended these pauses."""
        self.moved: dict[int, float] = {}
        """For each number of pauses: how long after the action, or after the last pause, the screen was last seen to
        move."""
        self._moves_since = acted.at if acted else started_at
        self.next_at = max(started_at, min(self._moves_since + self._moving().earliest, self._ends_at))
        """When the next look is worth beginning."""

    def offer(self, asked_at: float, at: float, frame: Thumbnail) -> bool:
        """Record a look that began at ``asked_at`` and ended at ``at``; return True if no more looks are needed."""
        self._frames += 1
        self._last_at = at
        if self._looks is None or self._looks.shape != frame.shape:
            self._looks = self._first(asked_at, at, frame)
        still, rested = self.stillness, self._looks.still_for >= self._quiet * AT_LEAST
        moving_at = self._looks.last_asked
        pause = self._looks.compare(asked_at, at, frame)
        if pause is not None and rested:
            self.pauses.append((still, pause))
            self._ended_at.append(self._looks.changed)
            self._moves_since = moving_at = asked_at
        if pause is not None:
            self.moved[len(self.pauses)] = max(0.0, moving_at - self._moves_since)
        quiet = self._needed()
        since_asked, since = self._looks.still_since
        self._settled = asked_at - since_asked >= quiet - EARLY_S and at - since >= quiet * AT_LEAST
        self.next_at = min(self._next(asked_at, since_asked, quiet), self._ends_at)
        return self._settled or at >= self._ends_at

    def may_end(self, asked_at: float) -> bool:
        """Return whether a look that begins at ``asked_at`` could be the last one."""
        if asked_at >= self._ends_at:
            return True
        return self._looks is not None and asked_at - self._looks.still_since[0] >= self._needed() - EARLY_S

    @property
    def stillness(self) -> Stillness:
        """Return which stillness after the action the screen is in now."""
        return Stillness(len(self.pauses), extent(self._looks.share if self._looks else 0.0))

    def outcomes(self) -> list[tuple[Stillness, StillnessEnd]]:
        """Return how the stillnesses so far ended.

        If the screen did not come to rest, the wait for every change after the first was in vain. The wait for the
        first was in vain too if the same place changed again: a clock changes repeatedly, a page does not.
        """
        if self._settled or len(self.pauses) < 2:
            return list(self.pauses)
        (still, pause), *others = self.pauses
        first, *later = self._ended_at
        ticks = any(same_place(first, each) for each in later)
        return [(still, None if ticks else pause), *((each, None) for each, _ in others)]

    @property
    def changed(self) -> Tiles | None:
        """Return where the last change was."""
        return self._looks.changed if self._looks else None

    @property
    def still_s(self) -> float:
        """Return how long the screen had kept still at the last look."""
        return self._last_at - self._looks.still_since[1] if self._looks else 0.0

    @property
    def restless(self) -> Tiles | None:
        """Return the tiles that change by themselves now."""
        return self._looks.restless if self._looks else None

    def report(self) -> Settling:
        """Return a report of the settling so far. At least one frame must have been offered."""
        restless = self.restless
        return Settling(
            ms=(self._last_at - self._started_at) * 1000,
            frames=self._frames,
            settled=self._settled,
            quiet_ms=self._needed() * 1000,
            learned=self._learned,
            pauses=len(self.pauses),
            masked=float(restless.mean()) if restless is not None else 0.0,
        )

    def _first(self, asked_at: float, at: float, frame: Thumbnail) -> _StillnessTracker:
        before = self._acted.before if self._acted else None
        if self._acted is None or before is None or before.shape != frame.shape:
            return _StillnessTracker(frame, None, (asked_at, at), self._known_restless)
        # Until a look shows otherwise, the screen is the same as when the action was sent.
        return _StillnessTracker(before, before, (self._acted.at, self._acted.at), self._known_restless)

    def _expected(self) -> ExpectedChange | None:
        return self._acted.expects(self.stillness) if self._acted and self._acted.expects else None

    def _needed(self) -> float:
        """Return for how long the screen must keep still now."""
        expected = self._expected()
        unchanged = self._looks is not None and self._looks.before is not None and self.stillness.extent == "nothing"
        is_secure = self._acted is not None and self._acted.is_secure
        least = self._quiet * (
            UNCHANGED_FACTOR if unchanged and not is_secure and not (expected and expected.sure) else 1.0
        )
        self._learned = self._learned or expected is not None
        return max(least, expected.latest) if expected else least

    def _moving(self) -> Motion:
        """Return how long the screen moves before it keeps still. If that is not known, no look is skipped."""
        motion = self._acted.moves(len(self.pauses)) if self._acted and self._acted.moves else None
        return motion or Motion(0.0, float("inf"))

    def _next(self, asked_at: float, since: float, quiet: float) -> float:
        """Return when to look again at a screen that has kept still since ``since``."""
        moving = self._moving()
        often, usual, end = asked_at + self._quiet / LOOKS_PER_QUIET, since + self._quiet, since + quiet
        if asked_at >= end:
            return often
        # There were two equal looks, or one at a time by which the screen has always come to rest. So the next look is
        # for the end.
        still = asked_at > since or asked_at >= self._moves_since + moving.latest
        if not still:
            often = max(often, self._moves_since + moving.earliest)
        if quiet <= self._quiet:
            return end if still else min(often, end)
        expected = self._expected()
        pause = expected if expected is not None and expected.latest > self._quiet else None
        due, sure = (since + pause.earliest, pause.sure) if pause else (float("inf"), False)
        if asked_at < usual:
            often = usual if still and sure and due >= usual else often
        elif often < due:
            often = due if sure else min(asked_at + IDLE_S, due)
        return min(often, end)


class _StillnessTracker:
    """Track since when each tile has kept still, and the sample that later ones are compared with."""

    def __init__(
        self, reference: Thumbnail, before: Thumbnail | None, since: tuple[float, float], restless: Tiles | None
    ) -> None:
        self.shape = reference.shape
        self.before = before
        self._reference = self._last = reference
        none = changed_tiles(reference, reference)
        self._since_asked = np.full(none.shape, since[0])
        self._since = np.full(none.shape, since[1])
        self.last_asked, self._last_at = since
        self._tiles = RestlessTiles(none.shape, since[1], restless)
        self.restless = self._tiles.now()
        self.still_since = since
        """When the look began that showed the last change outside restless tiles, and when it was complete."""
        self.share = 1.0 if before is None else 0.0
        """The share of calm tiles that differ from the screen before the action; 1 if that screen is not known."""
        self.changed = none
        """The tiles of the last change outside restless tiles."""

    @property
    def still_for(self) -> float:
        """Return how long nothing has changed outside restless tiles, from one look's beginning to another's."""
        return self.last_asked - self.still_since[0]

    def compare(self, asked_at: float, at: float, frame: Thumbnail) -> ScreenPause | None:
        """Compare another look with the earlier ones.

        Return the change that it showed; None if it showed nothing new.
        """
        self._tiles.saw(at, changed_tiles(self._last, frame))
        self.restless = self._tiles.now()
        calm = ~self.restless
        since_asked, since = self._since_last_change(calm)
        low, high = self.last_asked - since, at - since_asked
        self._last, self.last_asked, self._last_at = frame, asked_at, at
        changed = _changes(self._reference, frame, calm)
        if changed is not None:
            # The look is compared with the one that began the stillness, so that a slow fade is noticed too.
            self._reference, self.changed = frame, changed
            self._since_asked[changed], self._since[changed] = asked_at, at
        self.still_since = self._since_last_change(calm)
        if changed is None:
            return None
        if self.before is not None:
            since_action = _changes(self.before, frame, calm)
            self.share = 0.0 if since_action is None else float(since_action.sum() / calm.sum())
        return ScreenPause(max(0.0, low), max(0.0, high), slight=bool(changed.sum() < MOST * calm.sum()))

    def _since_last_change(self, calm: Tiles) -> tuple[float, float]:
        if not calm.any():  # nothing can be known of a screen that changes everywhere
            return self.last_asked, self._last_at
        return float(self._since_asked[calm].max()), float(self._since[calm].max())


def _changes(one: Thumbnail, other: Thumbnail, calm: Tiles) -> Tiles | None:
    """Return where two looks differ within ``calm`` tiles; None if the difference is negligible."""
    changed = changed_tiles(one, other) & calm
    return None if not changed.any() or negligible(one, other, changed) else changed


@dataclass(frozen=True, slots=True)
class ScreenSample(Generic[T]):
    """One sample of the screen: asked for at ``asked_at``, complete at ``at``, in seconds of the clock."""

    asked_at: float
    at: float
    thumbnail: Thumbnail
    value: T


async def wait_until_settled(
    settler: Settler, look: Callable[[bool], Awaitable[ScreenSample[T]]], clock: Clock
) -> ScreenSample[T]:
    """Sample the screen until it is at rest or the limit has passed, and return the last sample.

    ``look(True)`` requests a look that may be the last one.
    """
    while True:
        pause = settler.next_at - clock.now()
        if pause > 0:
            await clock.sleep(pause)
        sample = await look(settler.may_end(clock.now()))
        if settler.offer(sample.asked_at, sample.at, sample.thumbnail):
            return sample
