"""Build the metrics of links to brokers, at either end, and of a site's phones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from prometheus_client.core import Metric

from manyhands.actors.edge.link import LinkCounts
from manyhands.deploy.telemetry.metrics.exporter import counter, gauge
from manyhands.protocol.phones import PhoneInfo

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
