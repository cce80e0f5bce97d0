"""What perception actors counted, as metrics for Prometheus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from manyhands.actors.perception.counts import WAIT_BOUNDS_S, PerceptionCounts

HOW = ("full", "part", "scrolled", "unchanged", "remembered", "shared")
_GAUGES: Mapping[str, tuple[str, Callable[[PerceptionCounts], int]]] = {
    "workers": ("Readers of the perception actors.", lambda counts: counts.workers),
    "reading": ("Pictures that are being read.", lambda counts: counts.reading),
    "waiting": ("Pictures that wait for a reader.", lambda counts: counts.waiting),
}
_SUMS: Mapping[str, tuple[str, Callable[[PerceptionCounts], int]]] = {
    "refused": ("Pictures that found no room, or waited for too long.", lambda counts: counts.refused),
    "dropped": ("Pictures that nobody waited for any more when their turn came.", lambda counts: counts.dropped),
    "failed": ("Pictures that could not be read.", lambda counts: counts.failed),
}


def perception_families(told: Sequence[PerceptionCounts]) -> list[Metric]:
    """``told``: the counts of each perception actor. They are added up."""
    families: list[Metric] = [_pictures(told)]
    for name, (help_text, value) in _SUMS.items():
        total = sum(map(value, told))
        families.append(CounterMetricFamily(f"manyhands_perception_{name}", help_text, value=total))
    for name, (help_text, value) in _GAUGES.items():
        total = sum(map(value, told))
        families.append(GaugeMetricFamily(f"manyhands_perception_{name}", help_text, value=total))
    return [*families, _stages(told), _waits(told), *_batches(told)]


def _pictures(told: Sequence[PerceptionCounts]) -> Metric:
    family = CounterMetricFamily(
        "manyhands_perception_pictures", "Pictures that were answered, by how.", labels=["how"]
    )
    for how in HOW:
        family.add_metric([how], sum(getattr(counts, how) for counts in told))
    return family


def _stages(told: Sequence[PerceptionCounts]) -> Metric:
    stages: defaultdict[str, float] = defaultdict(float)
    for counts in told:
        for stage, ms in counts.stage_ms.items():
            stages[stage] += ms / 1000
    family = CounterMetricFamily(
        "manyhands_perception_stage_seconds", "Time of pictures that were read, by stage.", labels=["stage"]
    )
    for stage, seconds in stages.items():
        family.add_metric([stage], seconds)
    return family


def _waits(told: Sequence[PerceptionCounts]) -> Metric:
    """How long pictures that were read had waited for a reader."""
    waited = [sum(counts.waits[index] for counts in told) for index in range(len(WAIT_BOUNDS_S) + 1)]
    bounds = [*(f"{bound:g}" for bound in WAIT_BOUNDS_S), "+Inf"]
    seconds = sum(counts.stage_ms.get("queue", 0.0) for counts in told) / 1000
    return HistogramMetricFamily(
        "manyhands_perception_wait_seconds",
        "How long pictures that were read had waited for a reader.",
        buckets=list(zip(bounds, accumulate(waited), strict=True)),
        sum_value=seconds,
    )


def _batches(told: Sequence[PerceptionCounts]) -> list[Metric]:
    sizes: Counter[tuple[str, int]] = Counter()
    waited: defaultdict[str, float] = defaultdict(float)
    busy: defaultdict[str, float] = defaultdict(float)
    for one in (one for counts in told for one in counts.batches):
        sizes.update({(one.network, size): count for size, count in one.sizes.items()})
        waited[one.network] += one.waited_ms / 1000
        busy[one.network] += one.busy_ms / 1000
    batches = CounterMetricFamily(
        "manyhands_perception_batches", "Batches that a network was asked.", labels=["network", "size"]
    )
    for (network, size), count in sorted(sizes.items()):
        batches.add_metric([network, str(size)], count)
    waits = CounterMetricFamily(
        "manyhands_perception_batch_wait_seconds", "Time of items before their batch went out.", labels=["network"]
    )
    works = CounterMetricFamily(
        "manyhands_perception_batch_seconds", "Time in which a network worked on batches.", labels=["network"]
    )
    for network in sorted(waited):
        waits.add_metric([network], waited[network])
        works.add_metric([network], busy[network])
    return [batches, waits, works]
