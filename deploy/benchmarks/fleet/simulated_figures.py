"""Fleets in virtual time: what a schedule gives where the model has room, and where it has none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from manyhands.deploy.benchmarks.plots import GREY, LINES, MARKERS, new_figure, save
from manyhands.protocol.base import Message

BASELINE = "overlap"
ALLOWED = 0.99
"""``speculate`` gives no fewer episodes per hour than this share of ``overlap``'s, however full the model is."""


class SimulatedRow(Message):
    """One simulated run."""

    phones: int
    load: float
    """What the phones would ask of the model under ``overlap`` if it were never short, by what it can do."""
    tokens_per_s: float
    """The model's capacity, in output tokens."""
    schedule: str
    seconds: float
    """Of virtual time, in which the steps were counted."""
    steps: int
    step_s: float
    """Mean time of a step, episodes' beginnings included."""
    episodes_per_hour: float
    against_overlap: float | None = None
    """Episodes per hour, by those of ``overlap`` with as many phones and the same model."""
    busy: float
    """Share of the model's capacity that was in use."""
    ahead: float
    """Share of steps with a stage that was asked ahead of time, and kept."""
    kept_share: float | None
    """Of the stages that were asked ahead of time; None without any."""
    refused: int
    """Calls ahead of time for which there was no room."""
    wasted_output_tokens: float
    """Written for calls whose answers came to nothing; at the edges of the time that is counted, some of others."""
    wasted_prompt_tokens: float
    """Read for the same, caches apart."""
    wasted_share: float
    """Of all the work that the model did."""
    cpu_s: float
    """Of CPU time that the simulation took."""


def against_overlap(rows: Sequence[SimulatedRow]) -> tuple[SimulatedRow, ...]:
    """The rows with their ratios, by phones, load and schedule."""
    base = {(row.phones, row.load): row.episodes_per_hour for row in rows if row.schedule == BASELINE}

    def with_ratio(row: SimulatedRow) -> SimulatedRow:
        overlap = base.get((row.phones, row.load))
        return row.model_copy(update={"against_overlap": row.episodes_per_hour / overlap if overlap else None})

    return tuple(map(with_ratio, sorted(rows, key=lambda row: (row.phones, row.load, row.schedule))))


def too_low(rows: Sequence[SimulatedRow]) -> tuple[SimulatedRow, ...]:
    """Those that gave less than ``ALLOWED`` of what ``overlap`` gave."""
    return tuple(row for row in rows if row.against_overlap is not None and row.against_overlap < ALLOWED)


def plot_simulated(rows: Sequence[SimulatedRow], folder: Path) -> tuple[Path, Path]:
    """``speculate`` against ``overlap``, and what it wasted, over the load. Raises BadInput."""
    figure, (gain, waste) = new_figure(8.0, 6.5, rows=2)
    by_phones: defaultdict[int, list[SimulatedRow]] = defaultdict(list)
    for row in rows:
        if row.schedule != BASELINE and row.against_overlap is not None:
            by_phones[row.phones].append(row)
    for (phones, own), colour, marker in zip(sorted(by_phones.items()), LINES, MARKERS, strict=False):
        loads, label = [row.load for row in own], f"{phones} phones"
        gain.plot(loads, [row.against_overlap or 0.0 for row in own], marker=marker, color=colour, label=label)
        waste.plot(loads, [100 * row.wasted_share for row in own], marker=marker, color=colour, label=label)
        waste.plot(
            loads, [100 * row.ahead for row in own], ":", marker=marker, color=colour, label=f"{label}: steps ahead"
        )
    gain.axhline(ALLOWED, color=GREY, linestyle="--", label=f"{ALLOWED:g} of overlap")
    gain.set_ylabel("episodes per hour, by overlap's")
    waste.set_ylabel("% of the model's work wasted\n(dotted: % of steps ahead)")
    waste.set_xlabel("load: what overlap would ask of the model, by what it can do")
    gain.set_title("speculate in virtual time; modelled stages, model and perception", fontsize=9)
    for axis in (gain, waste):
        axis.set_xscale("log", base=2)
        ticks = sorted({row.load for row in rows})
        axis.set_xticks(ticks, [f"{load:g}" for load in ticks])
        axis.legend(frameon=False)
    return save(figure, folder, "fleet_simulated")
