"""Mistakes on request, the same ones whatever the order in which requests come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from manyhands.protocol.roles import Role
from manyhands.simulator.serving.draws import drawn


class Mistake(StrEnum):
    WRONG_TAP = "wrong tap"
    """A sound action on another element of the screen."""
    OFF_SCREEN = "off screen"
    """Coordinates outside the screen."""
    MALFORMED = "malformed"
    """A reply that breaks off in the middle."""
    WRONG_OUTCOME = "wrong outcome"
    """Success called failure, or failure success."""


_KINDS: dict[Role, tuple[Mistake, ...]] = {
    Role.DECIDE: (Mistake.WRONG_TAP, Mistake.WRONG_TAP, Mistake.OFF_SCREEN, Mistake.MALFORMED),
    Role.REFLECT: (Mistake.WRONG_OUTCOME, Mistake.WRONG_OUTCOME, Mistake.MALFORMED),
}
"""For roles whose replies can be wrong in more ways than by breaking off."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a mistake is drawn by: one request of one role in one step of one task."""

    seed: int
    goal: str
    role: Role
    moment: str
    """The step, or a hash of the prompt where the request does not say the step."""
    attempt: int

    def draw(self, purpose: str, sides: int) -> int:
        """Return a number from 0 to ``sides`` - 1, the same for equal occasions and purposes."""
        return drawn(sides, self.seed, self.goal, self.role.value, self.moment, self.attempt, purpose)


def drawn_mistake(occasion: Occasion, share: float) -> Mistake | None:
    """Return the mistake that a model that errs in ``share`` of its replies makes on this occasion; None for most."""
    if occasion.draw("whether", 1_000_000) >= share * 1_000_000:
        return None
    kinds = _KINDS.get(occasion.role, (Mistake.MALFORMED,))
    return kinds[occasion.draw("which", len(kinds))]
