"""Find cycles: the same actions on the same pages, round after round, such as Settings, Home, Settings, Home.

A page is what a screenshot shows apart from what changes by itself (``Screenshot.page``). If anything else on a page is
new, such as one digit of a counter, the round is another one. So an episode whose pages change is in no cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.protocol.roles.sections import short_name
from manyhands.protocol.screens.actions import Action, OpenApp, Wait, points_of
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.terminal_text import count_noun

LONGEST_ROUND = 4
"""The most steps of a round."""
NEAR = 0.02
"""How far two equal taps may be apart, as a share of the screen's shorter side: models seldom name the same pixel."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Hold an action, and the page on which it was decided."""

    page: str
    action: Action
    size: Size

    def repeats(self, earlier: Visit) -> bool:
        """Return whether this is the same action on the same page as ``earlier``."""
        return (self.page, self.size) == (earlier.page, earlier.size) and _same(self.action, earlier.action, self.size)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Describe the cycle that an episode is in."""

    actions: tuple[Action, ...]
    """Those of one round, in order."""
    repeats: int
    """How often the round has come again."""
    is_complete: bool
    """Whether the last round has just come to its end."""

    def __str__(self) -> str:
        names = ", ".join(map(_name, self.actions))
        return f"the same {len(self.actions)} actions on the same screens {self.repeats + 1} times in a row: {names}"

    @property
    def warning(self) -> str:
        """Return what the agent is told, once: when the round has come again for the first time. Otherwise empty."""
        if self.repeats != 1 or not self.is_complete:
            return ""
        actions = count_noun(len(self.actions), "action")
        return (
            f"Your last {actions} were the same as the {len(self.actions)} before, on the same screens, and nothing "
            "new has come of them: you are going in a circle. Do something else than before."
        )


def find_cycle(visits: Sequence[Visit | None]) -> Cycle | None:
    """Return the cycle at the end of ``visits`` with the shortest round; None if the last round is new.

    ``visits``: one for each step with an action, in order; None for a step without a screen, and for a person's.
    """
    for length in range(2, LONGEST_ROUND + 1):
        matches = 0
        for now, earlier in zip(reversed(visits), reversed(visits[:-length]), strict=False):
            if now is None or earlier is None or not now.repeats(earlier):
                break
            matches += 1
        last = [visit for visit in visits[-length:] if visit is not None]
        if matches >= length and not _is_single(last) and not _waits_outside(last):
            actions = tuple(visit.action for visit in last)
            return Cycle(actions, matches // length, matches % length == 0)
    return None


def _is_single(visits: Sequence[Visit]) -> bool:
    """Return whether a round is one action again and again, which the limit on equal actions judges."""
    return all(visit.repeats(visits[0]) for visit in visits)


def _waits_outside(visits: Sequence[Visit]) -> bool:
    """Return whether a round only waits and looks again, such as Wait and a Swipe that refreshes a list."""
    waits = [isinstance(visit.action, Wait) for visit in visits]
    return any(waits) and all(wait or visit.action.repeatable for wait, visit in zip(waits, visits, strict=True))


def _same(action: Action, other: Action, size: Size) -> bool:
    if action == other:
        return True
    if action.name != other.name or not points_of(action):
        return False
    reach = NEAR * min(size.width, size.height)
    pairs = zip(points_of(action), points_of(other), strict=True)
    return all(abs(x - other_x) <= reach and abs(y - other_y) <= reach for (x, y), (other_x, other_y) in pairs)


def _name(action: Action) -> str:
    return f"{action.name} ({short_name(action.app)})" if isinstance(action, OpenApp) else action.name
