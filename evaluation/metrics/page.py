"""Make the part of docs/metrics.md that comes from the declarations: a row for each metric.

``make metrics`` writes it. A test checks that it is up to date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from manyhands.evaluation.markup import table
from manyhands.evaluation.metrics.table import METRICS, Basis, Metric

_MADE = re.compile(r"(<!-- metrics -->\n).*(<!-- end -->)", re.DOTALL)
_SOURCES: Mapping[tuple[Basis, ...], str] = {
    ("state", "judge"): "each source",
    ("state",): "the journals",
    ("judge",): "judges",
}


def page(text: str) -> str:
    """Return the page with a new table between its marks."""
    lines = table(("metric", "paper", "is", "of"), _rows(METRICS.values()))
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
