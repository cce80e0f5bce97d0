"""Which fault comes when: a plan that the seed fixes, so that a run that went wrong can be made again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from manyhands.protocol.errors import BadInput

LONGEST_PAUSE_S = 3.0
"""About a step, so that a fault meets any of its stages."""


class FaultKind(StrEnum):
    """List what is done to a run, and to what it works with."""

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
    PHONE_CUT = "phone-cut"
    KILL_BROKER = "kill-broker"
    FREEZE_BROKER = "freeze-broker"
    CUT_LINK = "cut-link"
    KILL_EDGE = "kill-edge"


BEHIND_A_BROKER = (FaultKind.KILL_BROKER, FaultKind.FREEZE_BROKER, FaultKind.CUT_LINK, FaultKind.KILL_EDGE)
"""Where one of these is asked for, the phones are at a site behind a broker; otherwise none of them comes."""
_HERE = tuple(kind for kind in FaultKind if kind not in BEHIND_A_BROKER)
_GROUPS = {
    "kill": tuple(kind for kind in _HERE if kind.startswith("kill-")),
    "freeze": tuple(kind for kind in _HERE if kind.startswith("freeze-")),
    "broker": (FaultKind.KILL_BROKER, FaultKind.FREEZE_BROKER),
    "link": (FaultKind.CUT_LINK,),
    "gateway": (FaultKind.KILL_EDGE, FaultKind.KILL_GATEWAY, FaultKind.FREEZE_GATEWAY),
}
"""What one word stands for."""


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """Say what comes next."""

    kind: FaultKind
    pause_s: float
    """How long the fleet works in peace before it."""
    pick: float
    """Which of several it meets (a role, a phone): from 0 to 1, without 1."""

    def choose(self, count: int) -> int:
        """Return the index of the one that it meets."""
        return int(self.pick * count)


def plan(kinds: Sequence[FaultKind], seed: int) -> Iterator[PlannedFault]:
    """Yield faults without end: every kind once, in an order that is drawn, then every kind again."""
    draw = random.Random(seed)
    while True:
        for kind in draw.sample(kinds, len(kinds)):
            yield PlannedFault(kind, draw.uniform(0, LONGEST_PAUSE_S), draw.random())


def kinds_named(text: str | None) -> tuple[FaultKind, ...]:
    """Read ``kill-host,freeze``: kinds, or a word for several; None is all that need no broker. Raises BadInput."""
    if text is None:
        return _HERE
    words = [word for word in text.split(",") if word]
    found = {word: _GROUPS.get(word, [kind for kind in FaultKind if word == kind]) for word in words}
    unknown = [word for word, kinds in found.items() if not kinds]
    if unknown or not words:
        raise BadInput(f"--faults {text}: there are {', '.join((*_GROUPS, *FaultKind))}")
    return tuple(kind for kind in FaultKind if any(kind in kinds for kinds in found.values()))
