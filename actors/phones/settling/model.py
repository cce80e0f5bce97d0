"""Learn how long screens keep still before a late change, by app and kind of action.

A pause before a late change looks like the end, so only earlier visits can reveal the late change. The model does not
learn one quiet time for each action. It learns what followed each stillness after the action. For example, the first
stillness after opening the shop (a blank page) lasts 700 ms and then the page comes; the second stillness is the end.
So the capture waits while a change is still to come. Once the change has come, it waits no longer than usual.

A stillness is identified by how many pauses the action had before it, and by how much of the screen had changed since
the action: nothing, a part, most of it. This distinguishes a tap that toggles a switch from a tap that loads a page.

The model also learns how long the screen moves before each stillness. A look at a time at which the screen has never
been at rest is useless, and costs the phone a picture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from cachetools import LRUCache

Extent = Literal["nothing", "part", "most"]
MOST = 0.3
"""A change of at least this share of the tiles is most of the screen."""

VISITS = 8
"""How many outcomes are kept of each stillness. A pause that occurred in none of these visits is forgotten."""
ELSEWHERE = 24
"""How many outcomes are kept of each kind of action over all apps."""
WORTH = 0.2
"""The capture waits for a pause to end if at least this share of the visits had the pause. The share is low because an
unfinished screen costs a step."""
WORTH_ELSEWHERE = 0.5
"""The same share for an action in an app that was never seen. It is a share of the outcomes in other apps."""
FEW_ELSEWHERE = 3
"""The least number of outcomes in other apps that count as evidence."""
MARGIN = 1.5
"""If two pauses vary by 20 % around the same length, the longer one is at most this many times as long."""
PRECISE_S = 0.2
"""A pause whose length is known this precisely counts more than a pause seen by a late look. A single slight pause from
late looks proves nothing."""
LONGEST_S = 2.5
"""A longer pause is not learned: few limits would let anyone wait for it."""
SURE_AFTER = 4
"""This many outcomes make a stillness known. After that, late looks at such a stillness are taken only occasionally."""
LOOK_AGAIN = 8
KEYS = 512
"""How many stillnesses are remembered. The least recently used is forgotten first."""


@dataclass(frozen=True, slots=True)
class ActionKind:
    """Name a kind of action to which a screen responds. ``app``: the package in front or opened; None if not known."""

    app: str | None
    kind: str


@dataclass(frozen=True, slots=True)
class Stillness:
    """Describe a screen that keeps still after an action.

    ``pauses``: how many pauses followed the action before this stillness.
    """

    pauses: int
    extent: Extent


@dataclass(frozen=True, slots=True)
class ScreenPause:
    """Describe a stillness that a change ended after ``low`` to ``high`` seconds; looks cannot tell the
    moment more precisely.

    ``slight``: the change was not most of the screen. A page that loads changes most of it. A clock's minute, a badge
    or a banner changes little, and such changes come by themselves.
    """

    low: float
    high: float
    slight: bool = False

    @property
    def precise(self) -> bool:
        return self.high - self.low <= PRECISE_S


StillnessEnd = ScreenPause | None
"""None: the stillness was the end."""


@dataclass(frozen=True, slots=True)
class ExpectedChange:
    """Hold how long a capture must wait for an expected change, in seconds of stillness.

    Both numbers are 0 if no change is expected.

    ``sure``: enough outcomes of this very stillness are known. Otherwise the expectation comes from few outcomes, from
    other stillnesses of the action, or from other apps. Then it can only make a wait longer: what happened on other
    screens does not show that this screen has finished changing.
    """

    earliest: float
    latest: float
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Motion:
    """Hold how long the screen moves before a stillness begins, in seconds since the action or the last pause.

    Before ``earliest`` the screen was never at rest; after ``latest`` it always was.
    """

    earliest: float
    latest: float


def extent(share: float) -> Extent:
    """Return how much of a screen changed since the action, by the share of its tiles."""
    return "most" if share >= MOST else "part" if share > 0 else "nothing"


@dataclass(slots=True)
class _OutcomeHistory:
    outcomes: deque[StillnessEnd]
    since_look: int = 0

    def pauses(self) -> list[ScreenPause]:
        return [outcome for outcome in self.outcomes if outcome is not None]

    def expected(self, worth: float, of_all: Callable[[list[float]], float]) -> ExpectedChange:
        """Return what to wait for. ``of_all`` computes the time from the lengths of the pauses."""
        pauses = self.pauses()
        chance = len(pauses) == 1 and pauses[0].slight and not pauses[0].precise
        if not pauses or chance or len(pauses) < worth * len(self.outcomes):
            return ExpectedChange(0.0, 0.0)
        pauses = [pause for pause in pauses if pause.precise] or pauses
        earliest = min(pause.low for pause in pauses) / MARGIN
        return ExpectedChange(earliest, of_all([pause.high for pause in pauses]) * MARGIN)


class SettlingModel:
    """Remember what all phones of a gateway have shown, up to a limit. The least recently used is forgotten."""

    def __init__(self, keys: int = KEYS) -> None:
        self._exact: LRUCache[tuple[ActionKind, Stillness], _OutcomeHistory] = LRUCache(keys)
        self._anywhere: LRUCache[tuple[str, Stillness], _OutcomeHistory] = LRUCache(keys)
        self._moved: LRUCache[tuple[ActionKind, int], deque[float]] = LRUCache(keys)

    @property
    def stillness_count(self) -> int:
        """Return how many stillnesses are known."""
        return len(self._exact)

    def expected(self, action: ActionKind, stillness: Stillness) -> ExpectedChange | None:
        """Return what change may still come; None if nothing is known."""
        exact = self._exact.get((action, stillness))
        if exact is not None:
            return replace(exact.expected(WORTH, max), sure=len(exact.outcomes) >= SURE_AFTER)
        otherwise = self._of_any_extent(action, stillness.pauses)
        if otherwise is not None:
            return replace(otherwise.expected(WORTH, max), sure=False)
        elsewhere = self._anywhere.get((action.kind, stillness))
        if elsewhere is None or len(elsewhere.outcomes) < FEW_ELSEWHERE:
            return None
        return replace(elsewhere.expected(WORTH_ELSEWHERE, median), sure=False)

    def learn(self, action: ActionKind, stillness: Stillness, outcome: StillnessEnd) -> None:
        """Record that a stillness ended in a change, or was the end."""
        if outcome is not None and outcome.high > LONGEST_S:
            return
        exact = self._exact.setdefault((action, stillness), _OutcomeHistory(deque(maxlen=VISITS)))
        exact.outcomes.append(outcome)
        elsewhere = _OutcomeHistory(deque(maxlen=ELSEWHERE))
        self._anywhere.setdefault((action.kind, stillness), elsewhere).outcomes.append(outcome)

    def motion(self, action: ActionKind, pauses: int) -> Motion | None:
        """Return how long the screen moves after this many pauses; None until enough visits have shown it."""
        moved = self._moved.get((action, pauses))
        if moved is None or len(moved) < SURE_AFTER:
            return None
        return Motion(min(moved) / MARGIN, max(moved) * MARGIN)

    def learn_moved(self, action: ActionKind, pauses: int, seconds: float) -> None:
        """Record that the screen moved for ``seconds`` after this many pauses, and was at rest in the next look."""
        self._moved.setdefault((action, pauses), deque(maxlen=VISITS)).append(seconds)

    def wants_look(self, action: ActionKind, stillness: Stillness) -> bool:
        """Return whether to take late looks at a screen after its screenshot, to check that it was final.

        The call counts as a visit.
        """
        memory = self._exact.get((action, stillness))
        if memory is None or len(memory.outcomes) < SURE_AFTER:
            return True
        memory.since_look = (memory.since_look + 1) % LOOK_AGAIN
        return memory.since_look == 0

    def _of_any_extent(self, action: ActionKind, pauses: int) -> _OutcomeHistory | None:
        """Return the outcomes of this action after this many pauses, however much had changed."""
        memories = [self._exact.get((action, Stillness(pauses, each))) for each in ("nothing", "part", "most")]
        outcomes = [outcome for memory in memories if memory is not None for outcome in memory.outcomes]
        return _OutcomeHistory(deque(outcomes)) if outcomes else None
