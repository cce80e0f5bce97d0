"""Read what a vLLM server tells about itself: counters and gauges of /metrics, its version, its longest request."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import Transport

TIMEOUT_S = 5.0
_SAMPLE = re.compile(r"^vllm:([a-z0-9_]+)(?:\{([^\n]*)\})? +([0-9.eE+-]+)$", re.MULTILINE)
_LABEL = re.compile(r'([a-z0-9_]+)="([^"\n]*)"')
_FULLEST = "kv_cache_usage_perc"


@dataclass(frozen=True, slots=True)
class MetricsPage:
    """Hold the samples of the vllm: metrics of all servers, by name.

    Samples of a name are added up; of the caches' use, the largest counts.
    """

    values: Mapping[str, float]
    cache_config: Mapping[str, str] = field(default_factory=dict)
    """The labels of ``cache_config_info`` of the first server that has them."""

    def grown_since(self, earlier: MetricsPage, *names: str) -> float | None:
        """Return by how much the first of these counters that exists has grown; None if none exists."""
        for name in names:
            if name in self.values:
                return max(0.0, self.values[name] - earlier.values.get(name, 0.0))
        return None

    def mean_since(self, earlier: MetricsPage, name: str) -> float | None:
        """Return the mean of a histogram's observations between two readings; None if there were none."""
        count = self.grown_since(earlier, f"{name}_count")
        total = self.grown_since(earlier, f"{name}_sum")
        return total / count if count and total is not None else None

    @property
    def cache_tokens(self) -> int | None:
        """Return for how many tokens the KV cache of the first server has room; None if the server does not tell."""
        try:
            blocks, size = (int(self.cache_config[name]) for name in ("num_gpu_blocks", "block_size"))
        except (KeyError, ValueError):
            return None
        return blocks * size if blocks > 0 and size > 0 else None


def read_page(text: str) -> MetricsPage:
    """Parse a page of Prometheus text. Impossible figures are left out."""
    values: dict[str, float] = {}
    config: dict[str, str] = {}
    for name, labels, value in _SAMPLE.findall(text):
        if name == "cache_config_info":
            config = config or dict(_LABEL.findall(labels))
            continue
        try:
            number = float(value)
        except ValueError:
            continue
        if not 0 <= number < math.inf:
            continue
        if name == _FULLEST:
            values[name] = max(values.get(name, 0.0), number)
        else:
            values[name] = values.get(name, 0.0) + number
    return MetricsPage(values, config)


async def read_metrics(transport: Transport, urls: Sequence[str]) -> MetricsPage | None:
    """Return the metrics of all servers; None if a server does not publish any, or does not answer now."""
    pages = []
    for url in urls:
        try:
            page = read_page(await transport.get_beside(url, "/metrics", TIMEOUT_S))
        except RequestFailed:
            return None
        if not page.values:
            return None
        pages.append(page)
    values: dict[str, float] = {}
    for page in pages:
        for name, number in page.values.items():
            values[name] = max(values.get(name, 0.0), number) if name == _FULLEST else values.get(name, 0.0) + number
    config = next((page.cache_config for page in pages if page.cache_config), {})
    return MetricsPage(values, config)
