"""All metrics, by the names that the papers give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from manyhands.evaluation.metrics import accuracy, effort, lessons, outcome
from manyhands.evaluation.metrics.case import Case
from manyhands.evaluation.metrics.figure import Figure, Missing, Part, figure

Unit = Literal["share", "number", "seconds"]
Basis = Literal["state", "judge"]
"""What a figure may be made of: the phone's state and the journals, or what a judge said."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Declare a metric: what one task adds to it, and how tasks are put together."""

    name: str
    title: str
    paper: str
    unit: Unit
    pooled: bool
    """Whether all tasks' parts are summed before they are divided; else it is the mean of the tasks' own values."""
    bases: tuple[Basis, ...]
    part: Callable[[Case], Part | Missing]

    def of(self, cases: Sequence[Case]) -> Figure:
        """Return the figure of cases that have one source."""
        return figure(map(self.part, cases), self.pooled)


BOTH: tuple[Basis, ...] = ("state", "judge")
STATE: tuple[Basis, ...] = ("state",)
JUDGE: tuple[Basis, ...] = ("judge",)

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("SR", "tasks done (SU, one by one)", "v1 3.1, v2 4.2", "share", False, BOTH, outcome.success),
        Metric("CR", "human operations completed", "v1 3.1, v2 4.2", "share", False, BOTH, outcome.completion),
        Metric("SS", "rubrics fulfilled", "E 4.2", "share", False, BOTH, outcome.satisfaction),
        Metric("PS", "right steps, mean over tasks", "v1 3.1", "share", False, JUDGE, accuracy.decisions),
        Metric("DA", "right decisions", "v2 4.2", "share", True, JUDGE, accuracy.decisions),
        Metric("AA", "right actions", "E 4.2", "share", True, JUDGE, accuracy.actions),
        Metric("RA", "right reflections", "v2 4.2, E 4.2", "share", True, JUDGE, accuracy.reflections),
        Metric("TE", "tasks not ended by the agent itself", "E 4.2", "share", True, STATE, outcome.termination_error),
        Metric("RE agent", "steps of the agent", "v1 3.1", "number", False, STATE, outcome.agent_steps),
        Metric("RE human", "steps of a human", "v1 3.1", "number", False, STATE, outcome.human_steps),
        Metric("s/op roles", "seconds an operation", "E table 5", "seconds", False, STATE, effort.reasoning_seconds),
        Metric("s/op all", "the same with perception", "E table 5", "seconds", False, STATE, effort.all_seconds),
        Metric("shortcuts", "shortcuts among actions", "E table 5", "share", True, STATE, effort.shortcut_share),
        Metric("misuse", "shortcuts misused", "E appendix C", "share", True, STATE, lessons.misuse),
        Metric("SS tips", "SS by tips alone", "E table 6", "share", False, BOTH, lessons.satisfaction_by_tips),
        Metric("steps", "steps, Stop among them", "E figure 6", "number", False, STATE, lessons.steps),
        Metric("calls", "model calls, of learning too", "E figure 6", "number", False, STATE, lessons.calls),
        Metric("tips known", "tips at the start", "E 5.4", "number", False, STATE, lessons.tips_known),
        Metric("shortcuts known", "shortcuts at the start", "E 5.4", "number", False, STATE, lessons.shortcuts_known),
    )
}
