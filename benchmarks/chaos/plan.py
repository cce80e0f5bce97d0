"""Plan which fault comes when. The seed fixes the plan, so that a failed run can be repeated."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from manyhands.protocol.errors import BadInput

LONGEST_PAUSE_S = 3.0
"""Seconds, about the length of a step, so that a fault can meet any stage."""


class FaultKind(StrEnum):
    """List the faults: what is done to a run, and to what it works with."""

    KILL_ROLE = "kill-role"
    KILL_PERCEPTION = "kill-perception"
    KILL_HOST = "kill-host"
    KILL_DISPATCHER = "kill-dispatcher"
    KILL_STORE = "kill-store"
    KILL_GATEWAY = "kill-gateway"
    KILL_ADB = "kill-adb"
    KILL_MODEL = "kill-model"
    KILL_DRIVER = "kill-driver"
    FREEZE_HOST = "freeze-host"
    FREEZE_GATEWAY = "freeze-gateway"
    FREEZE_DISPATCHER = "freeze-dispatcher"
    FREEZE_STORE = "freeze-store"
    DISK_FULL = "disk-full"
    READ_ONLY_FOLDER = "read-only-folder"
    BROKEN_FOLDER = "broken-folder"
    MOVED_FOLDER = "moved-folder"
    CLOCK_FORWARD = "clock-forward"
    CLOCK_BACK = "clock-back"
    KILL_RAYLET = "kill-raylet"
    KILL_GCS = "kill-gcs"
    HOSTILE_MODEL = "hostile-model"
    PHONE_CUT = "phone-cut"
    DUMB_PHONE = "dumb-phone"
    PAIR = "pair"
    """Two of the other faults at once."""
    KILL_BROKER = "kill-broker"
    FREEZE_BROKER = "freeze-broker"
    CUT_LINK = "cut-link"
    KILL_EDGE = "kill-edge"


BEHIND_A_BROKER = (FaultKind.KILL_BROKER, FaultKind.FREEZE_BROKER, FaultKind.CUT_LINK, FaultKind.KILL_EDGE)
"""Faults that need phones at a site behind a broker. The phones are there only if the user asks for such a fault."""
_HERE = tuple(kind for kind in FaultKind if kind not in BEHIND_A_BROKER)
ALONE = tuple(kind for kind in _HERE if kind is not FaultKind.PAIR)
"""The kinds from which pairs are made if the user asked for fewer than two kinds besides pairs."""
ENDS_THE_DRIVER = frozenset({FaultKind.KILL_DRIVER, FaultKind.KILL_RAYLET, FaultKind.KILL_GCS})
IN_THE_FOLDER = frozenset(
    {FaultKind.DISK_FULL, FaultKind.READ_ONLY_FOLDER, FaultKind.BROKEN_FOLDER, FaultKind.MOVED_FOLDER}
)
"""Faults that make the run folder unusable. While one lasts, a run that ended is not resumed."""
INTERPOSED = frozenset(
    {FaultKind.READ_ONLY_FOLDER, FaultKind.BROKEN_FOLDER, FaultKind.CLOCK_FORWARD, FaultKind.CLOCK_BACK}
)
"""Faults that a library in the run's processes causes."""
EXCLUSIVE: Sequence[frozenset[FaultKind]] = (
    ENDS_THE_DRIVER,
    frozenset({FaultKind.READ_ONLY_FOLDER, FaultKind.BROKEN_FOLDER}),
    frozenset({FaultKind.CLOCK_FORWARD, FaultKind.CLOCK_BACK}),
    frozenset({FaultKind.KILL_MODEL, FaultKind.HOSTILE_MODEL}),
    frozenset({FaultKind.PHONE_CUT, FaultKind.DUMB_PHONE}),
    frozenset({FaultKind.KILL_BROKER, FaultKind.FREEZE_BROKER}),
)
"""Groups of kinds that cannot come at once, because they affect the same thing."""
_GROUPS = {
    "kill": tuple(kind for kind in _HERE if kind.startswith("kill-")),
    "freeze": tuple(kind for kind in _HERE if kind.startswith("freeze-")),
    "folder": tuple(kind for kind in _HERE if kind.endswith("-folder")),
    "clock": (FaultKind.CLOCK_FORWARD, FaultKind.CLOCK_BACK),
    "ray": (FaultKind.KILL_RAYLET, FaultKind.KILL_GCS),
    "broker": (FaultKind.KILL_BROKER, FaultKind.FREEZE_BROKER),
    "link": (FaultKind.CUT_LINK,),
    "gateway": (FaultKind.KILL_EDGE, FaultKind.KILL_GATEWAY, FaultKind.FREEZE_GATEWAY),
}
"""Words that stand for several kinds."""
NO_KIND = "none"


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """Describe the next fault."""

    kind: FaultKind
    pause_s: float
    """Seconds in which the fleet works undisturbed before the fault."""
    pick: float
    """Selects one of several targets (a role, a phone): at least 0 and less than 1."""
    both: tuple[PlannedFault, PlannedFault] | None = None
    """The two faults of a pair."""

    def choose(self, count: int) -> int:
        """Return the index of the selected target among ``count``."""
        return int(self.pick * count)


def plan(kinds: Sequence[FaultKind], seed: int) -> Iterator[PlannedFault]:
    """Yield faults without end: every kind once in random order, then every kind again.

    Pairs consist of the other kinds, each of which takes part equally often.
    """
    draw = random.Random(seed)
    pairs = _pairs(single if len(single := [kind for kind in kinds if kind is not FaultKind.PAIR]) > 1 else ALONE, draw)
    while True:
        for kind in draw.sample(kinds, len(kinds)):
            pause_s, pick = draw.uniform(0, LONGEST_PAUSE_S), draw.random()
            both = next(pairs) if kind is FaultKind.PAIR else None
            yield PlannedFault(kind, pause_s, pick, both)


def _pairs(kinds: Sequence[FaultKind], draw: random.Random) -> Iterator[tuple[PlannedFault, PlannedFault]]:
    """Yield pairs of kinds that can come at once. Raises BadInput if there is no such pair."""
    if not any(_at_once(first, second) for first, second in itertools.combinations(kinds, 2)):
        raise BadInput(f"no two of {', '.join(kinds)} can come at once")
    waiting: list[FaultKind] = []
    while True:
        if len(waiting) < 2:
            waiting += draw.sample(kinds, len(kinds))
        first = waiting.pop(0)
        second = next((kind for kind in waiting if _at_once(first, kind)), None)
        if second is None:
            waiting += draw.sample(kinds, len(kinds))
            second = next((kind for kind in waiting if _at_once(first, kind)), None)
        if second is not None:  # a kind that fits no other is skipped
            waiting.remove(second)
            yield PlannedFault(first, 0, draw.random()), PlannedFault(second, 0, draw.random())


def _at_once(first: FaultKind, second: FaultKind) -> bool:
    """Return whether two kinds differ and do not affect the same thing."""
    return first is not second and not any({first, second} <= kinds for kinds in EXCLUSIVE)


def kinds_named(text: str | None) -> tuple[FaultKind, ...]:
    """Read kinds, or words for several: ``kill-host,freeze``. None means all that need no broker.

    ``none`` means no fault. Raises BadInput.
    """
    if text is None:
        return _HERE
    if text == NO_KIND:
        return ()
    words = [word for word in text.split(",") if word]
    kinds_by_word = {word: _GROUPS.get(word, [kind for kind in FaultKind if word == kind]) for word in words}
    unknown = [word for word, kinds in kinds_by_word.items() if not kinds]
    if unknown or not words:
        raise BadInput(f"--faults {text}: there are {', '.join((NO_KIND, *_GROUPS, *FaultKind))}")
    return tuple(kind for kind in FaultKind if any(kind in kinds for kinds in kinds_by_word.values()))
