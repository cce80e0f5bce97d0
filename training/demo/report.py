"""Report what tuning did for a model: verified shares with confidence intervals, a plot, the commands."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from manyhands.evaluation.plots import BLUE, GREY, empty_figure, frame, save_plot
from manyhands.protocol.utilities import secure_files

SOURCE = (
    "SmolLM2-135M-Instruct, a text model of 135 million weights, on virtual phones; no figure is one of a "
    "vision-language model or of real phones"
)
_Z = 1.959964
"""The 97.5 % quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Share:
    """Hold how many of a run's tasks were verified, and the bounds of Wilson's 95 % interval of their share."""

    verified: int
    tasks: int
    share: float
    low: float
    high: float


def share_of(verified: int, tasks: int) -> Share:
    """Return a share with its interval (Wilson 1927, by Brown, Cai and DasGupta 2001). Raises ValueError for none."""
    if tasks <= 0:
        raise ValueError("a share of no tasks")
    share, spread = verified / tasks, _Z**2 / tasks
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / tasks + spread / tasks / 4)
    return Share(verified, tasks, share, max(0.0, middle - half), min(1.0, middle + half))


def read_share(run: Path) -> Share:
    """Return the verified share of a run, from its summary."""
    tasks = json.loads((run / "summary.json").read_text())["by_task"]
    return share_of(sum(task["verified"] is True for task in tasks), len(tasks))


def by_kind(run: Path) -> dict[str, str]:
    """Return ``verified/tasks`` by the first words of the tasks' ids: which kinds of goals were reached."""
    counts: dict[str, list[int]] = {}
    for task in json.loads((run / "summary.json").read_text())["by_task"]:
        kind = task["id"].partition("_")[0]
        done = counts.setdefault(kind, [0, 0])
        done[0] += task["verified"] is True
        done[1] += 1
    return {kind: f"{verified}/{tasks}" for kind, (verified, tasks) in sorted(counts.items())}


def write_report(
    folder: Path, runs: Mapping[str, Path], seconds: Mapping[str, float], commands: Sequence[str], seed: int
) -> dict[str, Any]:
    """Write ``report.json``, ``verified.svg`` and ``verified.png`` into a folder, and return the report.

    ``runs``: scored runs by what the plot calls them, in its order. Raises BadInput.
    """
    shares = {name: read_share(run) for name, run in runs.items()}
    report = {
        "source": SOURCE,
        "seed": seed,
        "verified": {name: asdict(share) for name, share in shares.items()},
        "kinds": {name: by_kind(run) for name, run in runs.items()},
        "seconds": dict(seconds),
        "commands": list(commands),
    }
    secure_files.replace_text(folder / "report.json", json.dumps(report, indent=1) + "\n")
    figure = empty_figure(5.0, 3.2)
    axes = figure.subplots()
    heights = [share.share for share in shares.values()]
    errors = [
        [share.share - share.low for share in shares.values()],
        [share.high - share.share for share in shares.values()],
    ]
    axes.bar(list(shares), heights, yerr=errors, capsize=6, color=BLUE, ecolor=GREY, label="verified, 95 % interval")
    axes.set_ylim(0, 1)
    axes.set_ylabel(f"share of {next(iter(shares.values())).tasks} unseen tasks")
    axes.set_title("SmolLM2-135M on virtual phones", fontsize=10)
    frame(axes)
    save_plot(figure, folder, "verified", "--out")
    return report


def lines(report: Mapping[str, Any]) -> list[str]:
    """Return a report as lines for people."""
    shares = [
        f"{name:16} {one['verified']:3} of {one['tasks']}: {one['share']:.0%} "
        f"(95 %: {one['low']:.0%} to {one['high']:.0%})"
        for name, one in report["verified"].items()
    ]
    return [*shares, f"steps together: {sum(report['seconds'].values()) / 60:.0f} min", report["source"]]
