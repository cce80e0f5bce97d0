"""Build metrics from figures, also of links to brokers and of a site's phones, and serve them over HTTP.

Each scrape collects them anew.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from manyhands.actors.edge.link import LinkCounts
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import PhoneInfo

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
    """Add up the figures with equal label values; return them sorted by label values."""
    sums: defaultdict[Labels, float] = defaultdict(float)
    for labels, figure in figures:
        sums[labels] += figure
    return dict(sorted(sums.items()))


def _filled(family: CounterMetricFamily | GaugeMetricFamily, figures: Figures) -> Metric:
    for labels, figure in figures.items() if isinstance(figures, Mapping) else [((), figures)]:
        family.add_metric(labels, figure)
    return family


Ask = Callable[[], Coroutine[Any, Any, list[Metric]]]


@asynccontextmanager
async def serving(host: str, port: int, ask: Ask) -> AsyncIterator[str]:
    """Serve the metrics that ``ask`` returns while the context is open; yield the URL.

    Raises BadInput if it cannot listen.
    """
    registry = CollectorRegistry()
    registry.register(_OnDemand(ask, asyncio.get_running_loop()))
    try:
        # In a thread, because the name of the host may have to be looked up.
        server, thread = await asyncio.to_thread(start_http_server, port, host, registry)
    except (OSError, OverflowError) as error:
        raise BadInput(f"--metrics-port {port}: cannot listen at --metrics-host {host}: {error}") from error
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, thread.join)
        stack.callback(server.server_close)
        stack.push_async_callback(asyncio.to_thread, server.shutdown)
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}/metrics"


class _OnDemand(Collector):
    """Collect metrics for each scrape, in a thread of the HTTP server, one at a time."""

    def __init__(self, ask: Ask, loop: asyncio.AbstractEventLoop) -> None:
        self._ask = ask
        self._loop = loop
        self._asking = threading.Lock()

    def collect(self) -> Iterable[Metric]:
        """Return all metrics."""
        with self._asking:
            return asyncio.run_coroutine_threadsafe(self._ask(), self._loop).result()


COUNTERS: Mapping[str, str] = {
    "requests": "Requests that were sent, or came.",
    "repeats": "Requests that were sent again, or had come before.",
    "refusals": "Requests that were answered by an error.",
    "overtaken": "Requests that came after a newer one of their lease.",
    "late": "Requests that came after their deadline.",
    "malformed": "Messages that were none of ours, or not whole any more.",
    "sent": "Messages that the broker accepted.",
    "received": "Messages that came.",
    "unsent": "Messages that the broker did not accept.",
    "connects": "Connections to the broker.",
    "failures": "Connections that were tried in vain, or broke off.",
}
"""The fields of LinkCounts that only rise, with their help texts."""


def link_families(ends: Mapping[str, LinkCounts]) -> list[Metric]:
    """Return the metrics of links by their end: the name of a site, or ``cluster``."""
    directions = {
        (end, way): float(count)
        for end, counts in ends.items()
        for way, count in (("in", counts.bytes_in), ("out", counts.bytes_out))
    }
    return [
        *(
            counter(f"link_{name}", text, {(end,): float(getattr(counts, name)) for end, counts in ends.items()}, "end")
            for name, text in COUNTERS.items()
        ),
        counter("link_bytes", "Bytes of messages.", directions, "end", "direction"),
        gauge(
            "link_queue",
            "Messages that wait for the broker to accept them.",
            {(end,): float(counts.queue) for end, counts in ends.items()},
            "end",
        ),
    ]


def site_families(site: str, phones: Iterable[PhoneInfo], running: int) -> list[Metric]:
    """Return the metrics of a site's phones, and of its running requests."""
    states = Counter((site, phone.state) for phone in phones)
    return [
        gauge("site_phones", "Phones, by the state in which their transport lists them.", states, "site", "state"),
        gauge("site_running", "Requests that the site works on.", {(site,): running}, "site"),
    ]
