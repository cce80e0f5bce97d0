"""Record what phones saw of a model server: calls and steps, each with its times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from manyhands.protocol.messages import Usage
from manyhands.protocol.roles import Role

CallFate = Literal["valid", "invalid", "cut_off", "failed"]
"""What became of a call: a valid reply, one that cannot be read, one that was cut off at max_tokens, or no reply."""


@dataclass(frozen=True, slots=True)
class CallSample:
    """Hold one call that ended. Times are seconds of a clock that only goes forward."""

    role: Role
    began: float
    ended: float
    fate: CallFate
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    """Why there is no valid reply, in one line."""

    @property
    def latency_s(self) -> float:
        """Return how long the call took."""
        return self.ended - self.began


@dataclass(frozen=True, slots=True)
class StepSample:
    """Hold one step that a phone finished: from its first call to the first call of the next step."""

    began: float
    ended: float


@dataclass(slots=True)
class SampleLog:
    """Collect samples in the order in which calls and steps end."""

    calls: list[CallSample] = field(default_factory=list)
    steps: list[StepSample] = field(default_factory=list)

    def calls_between(self, begin: float, end: float) -> Sequence[CallSample]:
        """Return the calls that ended in this time."""
        return [call for call in self.calls if begin <= call.ended < end]

    def steps_between(self, begin: float, end: float) -> Sequence[StepSample]:
        """Return the steps that ended in this time."""
        return [step for step in self.steps if begin <= step.ended < end]
