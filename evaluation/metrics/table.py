"""All metrics, by the names that the papers give them: one declaration each.

To add one, write what a task adds to it (``outcome``, ``effort``, or a module of its own) and its declaration below;
``make metrics`` writes its row of docs/metrics.md. What papers printed of it goes into ``evaluation/published.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from manyhands.evaluation.metrics import effort, outcome
from manyhands.evaluation.metrics.case import Case
from manyhands.evaluation.metrics.figure import Contribution, Figure, Missing, figure

Unit = Literal["share", "number", "seconds"]
Basis = Literal["state", "judge"]
"""What a figure may be made of: the phone's state and the journals, or what a judge said."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Declare a metric: what one task adds to it, how tasks are put together, and where it is shown."""

    name: str
    title: str
    """What it is, in a few words, for the table of one run."""
    paper: str
    """Where it is defined: the paper and its section, table or figure; ``ours`` for one of no paper."""
    meaning: str
    """What it is, for docs/metrics.md, in Markdown; that it is a mean over tasks is written behind it."""
    unit: Unit
    pooled: bool
    """Whether all tasks' parts are summed before they are divided; else it is the mean of the tasks' own values."""
    bases: tuple[Basis, ...]
    part: Callable[[Case], Contribution | Missing]
    """Return what one task adds."""
    columns: Mapping[str, int] = field(default_factory=dict)
    """The tables that have a column of it, each with the place among its columns, lower ones first.

    A table is one that a profile declares (``protocol.profiles``), ``places`` by the place in the scenario, or the
    ``panels`` that are drawn by that place (``evaluation.comparison``).
    """

    def of(self, cases: Sequence[Case]) -> Figure:
        """Return the figure of cases that have one source."""
        return figure(map(self.part, cases), self.pooled)


BOTH: tuple[Basis, ...] = ("state", "judge")
STATE: tuple[Basis, ...] = ("state",)
JUDGE: tuple[Basis, ...] = ("judge",)

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "SR",
            "tasks done (SU, one by one)",
            "v1 3.1, v2 4.2",
            "whether the task is done (SU): tasks done by tasks",
            "share",
            pooled=False,
            bases=BOTH,
            part=outcome.success,
            columns={"v1": 1, "v2": 1, "places": 2},
        ),
        Metric(
            "CR",
            "human operations completed",
            "v1 3.1, v2 4.2",
            "human operations that the agent completed by all human operations; 1 if the task is done",
            "share",
            pooled=False,
            bases=BOTH,
            part=outcome.completion,
            columns={"v1": 5, "v2": 2},
        ),
        Metric(
            "SS",
            "rubrics fulfilled",
            "E 4.2",
            "rubrics fulfilled by rubrics",
            "share",
            pooled=False,
            bases=BOTH,
            part=outcome.satisfaction,
            columns={"e": 1, "places": 1, "panels": 1},
        ),
        Metric(
            "PS",
            "right steps, mean over tasks",
            "v1 3.1",
            "right steps by all steps",
            "share",
            pooled=False,
            bases=JUDGE,
            part=outcome.decisions,
            columns={"v1": 2},
        ),
        Metric(
            "DA",
            "right decisions",
            "v2 4.2",
            "right decisions by all decisions",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcome.decisions,
            columns={"v2": 3},
        ),
        Metric(
            "AA",
            "right actions",
            "E 4.2",
            "right actions by all actions",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcome.actions,
            columns={"e": 2},
        ),
        Metric(
            "RA",
            "right reflections of the reflector",
            "v2 4.2, E 4.2",
            "right reflections of the reflector by all of its reflections",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcome.reflections,
            columns={"v2": 4, "e": 3},
        ),
        Metric(
            "RA all",
            "the same, rules' verdicts too",
            "ours",
            "the same with the verdicts that a rule made without the reflector ([verdicts](verdicts.md))",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcome.all_reflections,
        ),
        Metric(
            "TE",
            "tasks not ended by the agent itself",
            "E 4.2",
            "tasks that ended otherwise than by the agent's own stop, by tasks",
            "share",
            pooled=True,
            bases=STATE,
            part=outcome.termination_error,
            columns={"e": 4},
        ),
        Metric(
            "RE agent",
            "steps of the agent",
            "v1 3.1",
            "steps of the agent, its Stop left out",
            "number",
            pooled=False,
            bases=STATE,
            part=outcome.agent_steps,
            columns={"v1": 3},
        ),
        Metric(
            "RE human",
            "steps of a human",
            "v1 3.1",
            "operations of a human",
            "number",
            pooled=False,
            bases=STATE,
            part=outcome.human_steps,
            columns={"v1": 4},
        ),
        Metric(
            "s/op roles",
            "seconds an operation",
            "E table 5",
            "seconds an operation in which a role worked",
            "seconds",
            pooled=False,
            bases=STATE,
            part=effort.reasoning_seconds,
            columns={"seconds": 1, "places": 7},
        ),
        Metric(
            "s/op all",
            "the same with perception",
            "E table 5",
            "seconds an operation in which a role or perception worked",
            "seconds",
            pooled=False,
            bases=STATE,
            part=effort.all_seconds,
            columns={"seconds": 2, "places": 8},
        ),
        Metric(
            "shortcuts",
            "shortcuts among actions",
            "E table 5",
            "shortcuts by the actions that the operator decided",
            "share",
            pooled=True,
            bases=STATE,
            part=effort.shortcut_share,
            columns={"seconds": 3, "places": 5, "panels": 4},
        ),
        Metric(
            "misuse",
            "shortcuts misused",
            "E appendix C",
            "uses of shortcuts that were refused, surprised, failed or put aside by all uses of which anything can be "
            "told ([memory](memory.md#figures-of-learning))",
            "share",
            pooled=True,
            bases=STATE,
            part=effort.misuse,
            columns={"places": 6},
        ),
        Metric(
            "SS tips",
            "SS by tips alone",
            "E table 6",
            "SS over the tasks in which no learned shortcut was used: what tips alone bring",
            "share",
            pooled=False,
            bases=BOTH,
            part=effort.satisfaction_by_tips,
        ),
        Metric(
            "steps",
            "steps, Stop among them",
            "E figure 6",
            "steps of a task, its Stop among them",
            "number",
            pooled=False,
            bases=STATE,
            part=effort.steps,
            columns={"places": 3, "panels": 2},
        ),
        Metric(
            "calls",
            "model calls, of learning too",
            "E figure 6",
            "model calls of a task, with those of recalling, learning and preconditions",
            "number",
            pooled=False,
            bases=STATE,
            part=effort.calls,
            columns={"places": 4, "panels": 3},
        ),
        Metric(
            "tips known",
            "tips at the start",
            "E 5.4",
            "tips that a task knew from the start, initial ones among them",
            "number",
            pooled=False,
            bases=STATE,
            part=effort.tips_known,
            columns={"places": 9, "panels": 5},
        ),
        Metric(
            "shortcuts known",
            "shortcuts at the start",
            "E 5.4",
            "shortcuts that a task knew from the start, initial ones among them",
            "number",
            pooled=False,
            bases=STATE,
            part=effort.shortcuts_known,
            columns={"places": 10, "panels": 6},
        ),
    )
}


def columns_of(sheet: str) -> tuple[str, ...]:
    """Return the metrics that have a column in a table, in their order."""
    shown = [metric for metric in METRICS.values() if sheet in metric.columns]
    return tuple(metric.name for metric in sorted(shown, key=lambda metric: metric.columns[sheet]))
