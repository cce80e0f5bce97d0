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
            _seconds(found.p50_ms),
            _seconds(found.p95_ms),
            _seconds(found.mean_ms),
            _ratio(found.ratio_to_serial),
            _ratio(found.p95_ratio_to_serial),
            _ratio(found.mean_ratio_to_serial),
        )
        for name, found in figures.items()
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
    names = tuple(dict.fromkeys(stage for found in figures.values() for stage in found.stage_ms))
    stages = [(name, *(_milliseconds(found.stage_ms.get(stage)) for stage in names)) for name, found in figures.items()]
    console.print()
    console.print(table("Median work of each stage, ms", ("schedule", *names), stages))
    console.print()


def _steps_table(figures: Mapping[str, ScheduleFigures]) -> Table:
    columns = ("schedule", "verified", "steps", "new subgoal", "outcome B, C", "kept", "tokens", "wasted")
    rows = [
        (
            name,
            "-" if found.verified is None else f"{found.verified}/{found.tasks}",
            str(found.steps),
            "-" if found.new_subgoals is None else f"{found.new_subgoals:.0%}",
            f"{found.disagreed:.0%}",
            "-" if found.kept_share is None else f"{found.kept_share:.0%} of {found.kept + found.dropped}",
            f"{found.tokens:,}",
            _wasted(found),
        )
        for name, found in figures.items()
    ]
    return table("What the steps were, and what was asked ahead of time", columns, rows)


def _calls_table(figures: Mapping[str, ScheduleFigures]) -> Table:
    rows = [
        (
            name,
            f"{found.calls_per_step:.2f}",
            _seconds(found.model_ms_per_step),
            f"{found.uncached_tokens_per_step:,.0f}",
        )
        for name, found in figures.items()
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


def _wasted(found: ScheduleFigures) -> str:
    if found.wasted_tokens is None:
        return "unknown"
    return f"{found.wasted_tokens:,} ({found.wasted_share or 0:.0%})"
