"""Make mistakes on purpose. The order of requests does not change which mistakes are made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from manyhands.protocol.roles.role import Role
from manyhands.simulator.serving.draws import drawn


class Mistake(StrEnum):
    WRONG_TAP = "wrong tap"
    """A valid action on another element of the screen."""
    OFF_SCREEN = "off screen"
    """Coordinates outside the screen."""
    MALFORMED = "malformed"
    """A reply that breaks off in the middle."""
    WRONG_OUTCOME = "wrong outcome"
    """A success that is called a failure, or a failure that is called a success; a wrong yes or no of the judge."""


_KINDS: dict[Role, tuple[Mistake, ...]] = {
    Role.DECIDE: (Mistake.WRONG_TAP, Mistake.WRONG_TAP, Mistake.OFF_SCREEN, Mistake.MALFORMED),
    Role.REFLECT: (Mistake.WRONG_OUTCOME, Mistake.WRONG_OUTCOME, Mistake.MALFORMED),
    Role.JUDGE: (Mistake.WRONG_OUTCOME, Mistake.WRONG_OUTCOME, Mistake.MALFORMED),
}
"""The mistakes of roles. Replies of all other roles can only break off."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Identify one request of one role in one step of one task. The occasion decides which mistake is made."""

    seed: int
    goal: str
    role: Role
    moment: str
    """The step, or a hash of the prompt if the request does not name the step."""
    attempt: int

    def draw(self, purpose: str, sides: int) -> int:
        """Return a number from 0 to ``sides`` - 1. Equal occasions and purposes give the same number."""
        return drawn(sides, self.seed, self.goal, self.role.value, self.moment, self.attempt, purpose)


def drawn_mistake(occasion: Occasion, share: float) -> Mistake | None:
    """Return the mistake on this occasion; None for no mistake. ``share``: the share of replies that are wrong."""
    if occasion.draw("whether", 1_000_000) >= share * 1_000_000:
        return None
    kinds = _KINDS.get(occasion.role, (Mistake.MALFORMED,))
    return kinds[occasion.draw("which", len(kinds))]
