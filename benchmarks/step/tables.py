"""Print the tables of ``manyhands bench step``."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from manyhands.benchmarks.step.figures import ScheduleFigures, ratios_beside, verified_by_some
from manyhands.deploy.command_line.output import table
from manyhands.protocol.utilities.terminal_text import count_noun


def show_steps(console: Console, figures: Mapping[str, ScheduleFigures]) -> None:
    """Print the figures by schedule, and the time of each stage."""
    columns = ("schedule", "p50 s", "p95 s", "mean s", "to serial", "p95 to serial", "mean to serial")
    rows = [
        (
            name,
            _seconds(one.p50_ms),
            _seconds(one.p95_ms),
            _seconds(one.mean_ms),
            _ratio(one.ratio_to_serial),
            _ratio(one.p95_ratio_to_serial),
            _ratio(one.mean_ratio_to_serial),
        )
        for name, one in figures.items()
    ]
    console.print(table("Step time, from one action sent to the next one sent", columns, rows))
    console.print()
    for name, ratios in ratios_beside(figures).items():
        console.print(
            f"Beside {name}: a step takes {ratios['step']:.2f} of its time (mean {ratios['mean_step']:.2f}), the model "
            f"{ratios['model']:.2f}.",
            markup=False,
        )
    console.print(_steps_table(figures))
    console.print()
    console.print(_calls_table(figures))
    for line in _verified_lines(figures):
        console.print(line, soft_wrap=True, markup=False)
    names = tuple(dict.fromkeys(stage for one in figures.values() for stage in one.stage_ms))
    stages = [(name, *(_milliseconds(one.stage_ms.get(stage)) for stage in names)) for name, one in figures.items()]
    console.print()
    console.print(table("Median work of each stage, ms", ("schedule", *names), stages))
    console.print()


def _steps_table(figures: Mapping[str, ScheduleFigures]) -> Table:
    columns = ("schedule", "verified", "steps", "new subgoal", "outcome B, C", "kept", "tokens", "wasted")
    rows = [
        (
            name,
            "-" if one.verified is None else f"{one.verified}/{one.tasks}",
            str(one.steps),
            "-" if one.new_subgoals is None else f"{one.new_subgoals:.0%}",
            f"{one.disagreed:.0%}",
            "-" if one.kept_share is None else f"{one.kept_share:.0%} of {one.kept + one.dropped}",
            f"{one.tokens:,}",
            _wasted(one),
        )
        for name, one in figures.items()
    ]
    return table("What the steps were, and what was asked ahead of time", columns, rows)


def _calls_table(figures: Mapping[str, ScheduleFigures]) -> Table:
    rows = [
        (
            name,
            f"{one.calls_per_step:.2f}",
            _seconds(one.model_ms_per_step),
            f"{one.uncached_tokens_per_step:,.0f}",
        )
        for name, one in figures.items()
    ]
    return table("What a step asked of the model, in the mean", ("schedule", "calls", "seconds", "new tokens"), rows)


def _verified_lines(figures: Mapping[str, ScheduleFigures]) -> list[str]:
    different = verified_by_some(figures)
    if different is None:
        return []
    if not different:
        tasks = next(iter(figures.values())).verified_tasks
        return [f"All schedules verified the same {count_noun(len(tasks), 'task')}."]
    differing = "; ".join(f"{task} by {_times(by_schedule)}" for task, by_schedule in different.items())
    return [f"The schedules did not verify the same tasks: {differing}."]


def _times(by_schedule: Mapping[str, int]) -> str:
    """Name the schedules that verified a task, with counts if one verified it more than once."""
    often = max(by_schedule.values()) > 1
    return ", ".join(
        f"{name} {count_noun(count, 'time')}" if often else name for name, count in by_schedule.items() if count
    )


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.2f}"


def _milliseconds(ms: float | None) -> str:
    return "-" if ms is None else f"{ms:.0f}"


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _wasted(one: ScheduleFigures) -> str:
    if one.wasted_tokens is None:
        return "unknown"
    return f"{one.wasted_tokens:,} ({one.wasted_share or 0:.0%})"
