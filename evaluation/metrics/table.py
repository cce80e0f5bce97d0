"""Declare all metrics, once each, by the names that the papers give them.

To add a metric, write a function that returns one task's contribution (in ``outcomes``, ``effort``, or a new module),
and declare the metric below. ``make metrics`` writes its row of docs/metrics.md; a test checks that the page is up to
date. Published values of the metric go into ``evaluation/published.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from manyhands.evaluation.metrics import effort, outcomes
from manyhands.evaluation.metrics.figure import Contribution, Figure, Missing, figure
from manyhands.evaluation.metrics.outcomes import Case

Unit = Literal["share", "number", "seconds"]
Basis = Literal["state", "judge"]
"""The basis of a figure: the phone's state and the journals, or a judge's judgements."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Declare a metric: the contribution of one task, how tasks are combined, and where the metric is shown."""

    name: str
    title: str
    """The metric in a few words, for the table of one run."""
    paper: str
    """The definition's source: the paper and its section, table or figure; ``ours`` for a metric of no paper."""
    meaning: str
    """The definition for docs/metrics.md, in Markdown. "(mean)" is added if the metric is not pooled."""
    unit: Unit
    pooled: bool
    """Whether the tasks' contributions are summed before the division. Else the metric is the mean over tasks."""
    bases: tuple[Basis, ...]
    part: Callable[[Case], Contribution | Missing]
    """Return the contribution of one task."""
    columns: Mapping[str, int] = field(default_factory=dict)
    """The tables that show the metric, each with a number that orders its columns, lowest first.

    The name of a table is one that a profile declares (``protocol.profiles``), ``places`` (figures by place in the
    scenario), or ``panels`` (plots by place in the scenario). ``evaluation.comparison`` makes the tables.
    """

    def of(self, cases: Sequence[Case]) -> Figure:
        """Return the figure over cases of one source."""
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
            "share of tasks that are done (for one task: SU)",
            "share",
            pooled=False,
            bases=BOTH,
            part=outcomes.success,
            columns={"v1": 1, "v2": 1, "places": 2},
        ),
        Metric(
            "CR",
            "human operations completed",
            "v1 3.1, v2 4.2",
            "share of human operations that the agent completed; 1 if done",
            "share",
            pooled=False,
            bases=BOTH,
            part=outcomes.completion,
            columns={"v1": 5, "v2": 2},
        ),
        Metric(
            "SS",
            "rubrics fulfilled",
            "E 4.2",
            "share of rubrics that are fulfilled",
            "share",
            pooled=False,
            bases=BOTH,
            part=outcomes.satisfaction,
            columns={"e": 1, "places": 1, "panels": 1},
        ),
        Metric(
            "PS",
            "right steps, mean over tasks",
            "v1 3.1",
            "share of right steps",
            "share",
            pooled=False,
            bases=JUDGE,
            part=outcomes.decisions,
            columns={"v1": 2},
        ),
        Metric(
            "DA",
            "right decisions",
            "v2 4.2",
            "share of right decisions",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcomes.decisions,
            columns={"v2": 3},
        ),
        Metric(
            "AA",
            "right actions",
            "E 4.2",
            "share of right actions",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcomes.actions,
            columns={"e": 2},
        ),
        Metric(
            "RA",
            "right reflections of the reflector",
            "v2 4.2, E 4.2",
            "share of the reflector's right reflections",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcomes.reflections,
            columns={"v2": 4, "e": 3},
        ),
        Metric(
            "RA all",
            "the same, rules' verdicts too",
            "ours",
            "the same with [rules' verdicts](verdicts.md)",
            "share",
            pooled=True,
            bases=JUDGE,
            part=outcomes.all_reflections,
        ),
        Metric(
            "TE",
            "tasks not ended by the agent itself",
            "E 4.2",
            "share of tasks that the agent did not stop itself",
            "share",
            pooled=True,
            bases=STATE,
            part=outcomes.termination_error,
            columns={"e": 4},
        ),
        Metric(
            "RE agent",
            "steps of the agent",
            "v1 3.1",
            "steps of the agent without Stop",
            "number",
            pooled=False,
            bases=STATE,
            part=outcomes.agent_steps,
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
            part=outcomes.human_steps,
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
            "the same, with perception",
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
            "share of shortcuts among the operator's actions",
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
            "share of shortcut uses that were refused, stopped early, failed or led to quarantine; unknown ones do "
            "not count",
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
            "SS of tasks without a learned shortcut",
            "share",
            pooled=False,
            bases=BOTH,
            part=effort.satisfaction_by_tips,
        ),
        Metric(
            "steps",
            "steps, Stop among them",
            "E figure 6",
            "steps of the agent with Stop",
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
            "model calls, with recall, learning and preconditions",
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
            "tips at the start, with the initial ones",
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
            "shortcuts at the start, with the initial ones",
            "number",
            pooled=False,
            bases=STATE,
            part=effort.shortcuts_known,
            columns={"places": 10, "panels": 6},
        ),
    )
}


def columns_of(sheet: str) -> tuple[str, ...]:
    """Return the metrics that have a column in a table, in the order of columns."""
    metrics = [metric for metric in METRICS.values() if sheet in metric.columns]
    return tuple(metric.name for metric in sorted(metrics, key=lambda metric: metric.columns[sheet]))


_MADE = re.compile(r"(<!-- metrics -->\n).*(<!-- end -->)", re.DOTALL)
_SOURCES: Mapping[tuple[Basis, ...], str] = {
    ("state", "judge"): "each source",
    ("state",): "the journals",
    ("judge",): "judges",
}


def page(text: str) -> str:
    """Return the page with a new table between its marks."""
    from manyhands.evaluation.markup import table  # imported late: Jinja and Pillow take long to load

    lines = table(("metric", "paper", "meaning", "from"), _rows(METRICS.values()))
    return _MADE.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[2], text)


def _rows(metrics: Iterable[Metric]) -> Iterator[tuple[str, ...]]:
    for metric in metrics:
        means = metric.meaning if metric.pooled else f"{metric.meaning} (mean)"
        yield f"`{metric.name}`", metric.paper, means, _SOURCES[metric.bases]


def write(root: Path) -> None:
    """Write the page of a checkout."""
    path = root / "docs" / "metrics.md"
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).resolve().parents[2])
