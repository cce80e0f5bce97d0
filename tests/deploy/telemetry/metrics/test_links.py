"""The figures of a site over real HTTP, read by Prometheus' own parser."""

from __future__ import annotations

import dataclasses

from prometheus_client.core import Metric

from manyhands.actors.edge.link import LinkCounts
from manyhands.deploy.telemetry.metrics_endpoint import RunMetrics
from manyhands.deploy.telemetry.metrics_exporter import COUNTERS, link_families, serving, site_families
from manyhands.protocol.phones import PhoneInfo
from tests.deploy.telemetry.metrics.scraping import Samples, parsed, scraped, value

GAUGED = {"queue", "bytes_in", "bytes_out"}
"""Fields of LinkCounts that have a metric of another kind, or one together."""


async def figures_of_a_site() -> Samples:
    counts = LinkCounts(requests=5, repeats=2, malformed=1, bytes_in=100, bytes_out=7, queue=3)
    phones = [PhoneInfo(serial=serial, state=state) for serial, state in (("a", "device"), ("b", "device"), ("c", "?"))]

    async def families() -> list[Metric]:
        return [*link_families({"lab": counts}), *site_families("lab", phones, 4)]

    async with serving("127.0.0.1", 0, families) as url:
        return parsed(await scraped(url))


async def test_the_figures_of_a_site() -> None:
    samples = await figures_of_a_site()
    assert value(samples, "manyhands_link_requests_total", end="lab") == 5
    assert value(samples, "manyhands_link_repeats_total", end="lab") == 2
    assert value(samples, "manyhands_link_late_total", end="lab") == 0
    assert value(samples, "manyhands_link_bytes_total", end="lab", direction="in") == 100
    assert value(samples, "manyhands_link_bytes_total", end="lab", direction="out") == 7
    assert value(samples, "manyhands_link_queue", end="lab") == 3
    assert value(samples, "manyhands_site_phones", site="lab", state="device") == 2
    assert value(samples, "manyhands_site_running", site="lab") == 4


async def test_the_links_of_a_run_are_among_its_figures() -> None:
    async def counts() -> LinkCounts:
        return LinkCounts(requests=3, late=1)

    async with RunMetrics("127.0.0.1", 0) as served:
        served.add("cluster", counts)
        samples = parsed(await scraped(served.url))
    assert value(samples, "manyhands_link_requests_total", end="cluster") == 3
    assert value(samples, "manyhands_link_late_total", end="cluster") == 1
    assert value(samples, "manyhands_unanswered", part="cluster") == 0


def test_everything_that_a_link_counts_has_a_metric() -> None:
    assert {field.name for field in dataclasses.fields(LinkCounts)} == {*COUNTERS, *GAUGED}
