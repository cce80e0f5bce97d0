"""Prometheus metrics from figures by label values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

Labels = tuple[str, ...]
Figures = Mapping[Any, float] | float
"""Figures by label values (Labels), or one figure without labels."""


def counter(name: str, text: str, figures: Figures, *labels: str) -> Metric:
    """Return a counter with its figures."""
    return _filled(CounterMetricFamily(f"manyhands_{name}", text, labels=labels), figures)


def gauge(name: str, text: str, figures: Figures, *labels: str) -> Metric:
    """Return a gauge with its figures."""
    return _filled(GaugeMetricFamily(f"manyhands_{name}", text, labels=labels), figures)


def summed(figures: Iterable[tuple[Labels, float]]) -> dict[Labels, float]:
    """Add up the figures of equal label values, in the order of these."""
    sums: defaultdict[Labels, float] = defaultdict(float)
    for labels, figure in figures:
        sums[labels] += figure
    return dict(sorted(sums.items()))


def _filled(family: CounterMetricFamily | GaugeMetricFamily, figures: Figures) -> Metric:
    for labels, figure in figures.items() if isinstance(figures, Mapping) else [((), figures)]:
        family.add_metric(labels, figure)
    return family
