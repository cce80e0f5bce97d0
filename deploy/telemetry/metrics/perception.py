"""Build the metrics of the perception actors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily, Metric

from manyhands.actors.perception.counts import WAIT_BOUNDS_S, PerceptionCounts
from manyhands.deploy.telemetry.metrics.exporter import counter, gauge, summed

HOW = ("full", "part", "scrolled", "unchanged", "remembered", "shared")
_GAUGES: Mapping[str, tuple[str, Callable[[PerceptionCounts], int]]] = {
    "workers": ("Readers of the perception actors.", lambda counts: counts.workers),
    "reading": ("Pictures that are being read.", lambda counts: counts.reading),
    "waiting": ("Pictures that wait for a reader.", lambda counts: counts.waiting),
}
_COUNTERS: Mapping[str, tuple[str, Callable[[PerceptionCounts], int]]] = {
    "refused": (
        "Pictures that were refused: the queue was full, or they had waited too long.",
        lambda counts: counts.refused,
    ),
    "dropped": ("Pictures whose callers had gone before their turn came.", lambda counts: counts.dropped),
    "failed": ("Pictures that could not be read.", lambda counts: counts.failed),
}


def perception_families(actors: Sequence[PerceptionCounts]) -> list[Metric]:
    """Return the metrics of perception actors. Their counts are added up."""
    pictures = {(how,): sum(getattr(counts, how) for counts in actors) for how in HOW}
    stages = summed(((stage,), ms / 1000) for counts in actors for stage, ms in counts.stage_ms.items())
    return [
        counter("perception_pictures", "Pictures that were answered, by how.", pictures, "how"),
        *(counter(f"perception_{name}", text, sum(map(value, actors))) for name, (text, value) in _COUNTERS.items()),
        *(gauge(f"perception_{name}", text, sum(map(value, actors))) for name, (text, value) in _GAUGES.items()),
        counter("perception_stage_seconds", "Time of pictures that were read, by stage.", stages, "stage"),
        _wait_histogram(actors),
        *_batches(actors),
    ]


def _wait_histogram(actors: Sequence[PerceptionCounts]) -> Metric:
    waited = [sum(counts.waits[index] for counts in actors) for index in range(len(WAIT_BOUNDS_S) + 1)]
    bounds = [*(f"{bound:g}" for bound in WAIT_BOUNDS_S), "+Inf"]
    return HistogramMetricFamily(
        "manyhands_perception_wait_seconds",
        "Time that pictures which were read had waited for a reader.",
        buckets=list(zip(bounds, accumulate(waited), strict=True)),
        sum_value=sum(counts.stage_ms.get("queue", 0.0) for counts in actors) / 1000,
    )


def _batches(actors: Sequence[PerceptionCounts]) -> list[Metric]:
    networks = [one for counts in actors for one in counts.batches]
    sizes = summed(((one.network, str(size)), count) for one in networks for size, count in one.sizes.items())
    waited = summed(((one.network,), one.waited_ms / 1000) for one in networks)
    busy = summed(((one.network,), one.busy_ms / 1000) for one in networks)
    return [
        counter("perception_batches", "Batches that a network ran.", sizes, "network", "size"),
        counter("perception_batch_wait_seconds", "Time of items before their batch ran.", waited, "network"),
        counter("perception_batch_seconds", "Time in which a network ran batches.", busy, "network"),
    ]
