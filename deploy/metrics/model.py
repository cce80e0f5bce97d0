"""What the roles' model clients counted, as metrics for Prometheus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from manyhands.protocol.messages import CallCounts, ModelCounts, ServerCounts

STATES: tuple[str, ...] = get_args(ServerCounts.model_fields["state"].annotation)

_SUMS: Mapping[str, tuple[str, Callable[[CallCounts], float]]] = {
    "calls": ("Model calls that have ended, however.", lambda counts: counts.calls),
    "retries": ("Attempts of model calls after the first.", lambda counts: counts.retries),
    "repairs": ("Model calls that asked again for a reply that can be used.", lambda counts: counts.repairs),
    "cancelled": ("Model calls that were given up by whoever asked.", lambda counts: counts.cancelled),
    "input_tokens": ("Tokens of prompts, those from caches included.", lambda counts: counts.input_tokens),
    "cached_tokens": ("Tokens of prompts that the servers had in their caches.", lambda counts: counts.cached_tokens),
    "output_tokens": ("Tokens of answers.", lambda counts: counts.output_tokens),
    "queue_seconds": ("Time of calls in our own queues.", lambda counts: counts.queue_ms / 1000),
    "latency_seconds": ("Time of calls from being let in to their end.", lambda counts: counts.latency_ms / 1000),
}
"""Counters by role and server: name, help, value."""

_SERVER: Mapping[str, tuple[str, Callable[[ServerCounts], float | None]]] = {
    "waiting": ("Requests in the server's queue, of everybody, when it was last read.", lambda seen: seen.waiting),
    "running": ("Requests that the server works on, of everybody, when last read.", lambda seen: seen.running),
    "cache_usage_ratio": ("Share of the server's KV cache in use, when last read.", lambda seen: seen.cache_usage),
}
"""Gauges by server; None where it does not tell."""


def model_families(told: Mapping[str, Sequence[ModelCounts]]) -> list[Metric]:
    """``told``: the counts of each actor of a role, by the role. Actors of one role are added up."""
    return [*_calls(told), *_clients(told), *_servers(told)]


def _calls(told: Mapping[str, Sequence[ModelCounts]]) -> list[Metric]:
    calls = [(role, one) for role, clients in told.items() for client in clients for one in client.calls]
    families: list[Metric] = []
    for name, (help_text, value) in _SUMS.items():
        sums: defaultdict[tuple[str, str], float] = defaultdict(float)
        for role, one in calls:
            sums[role, one.server] += value(one)
        family = CounterMetricFamily(f"manyhands_model_{name}", help_text, labels=["role", "server"])
        for labels, total in sorted(sums.items()):
            family.add_metric(labels, total)
        families.append(family)
    errors: Counter[tuple[str, str, str]] = Counter()
    for role, one in calls:
        for code, count in one.errors.items():
            errors[role, one.server, code] += count
    family = CounterMetricFamily(
        "manyhands_model_errors", "Model calls that ended in an error.", labels=["role", "server", "code"]
    )
    for error, count in sorted(errors.items()):
        family.add_metric(error, count)
    return [*families, family]


def _clients(told: Mapping[str, Sequence[ModelCounts]]) -> list[Metric]:
    gauges: Mapping[str, tuple[str, Callable[[ModelCounts], int]]] = {
        "in_flight": ("Model calls that have been let in.", lambda client: client.in_flight),
        "waiting": ("Model calls in our own queues.", lambda client: client.waiting),
        "in_flight_cap": ("How many model calls may be in flight now.", lambda client: client.cap),
    }
    families: list[Metric] = []
    for name, (help_text, value) in gauges.items():
        family = GaugeMetricFamily(f"manyhands_model_{name}", help_text, labels=["role"])
        for role, clients in told.items():
            family.add_metric([role], sum(map(value, clients)))
        families.append(family)
    share = GaugeMetricFamily(
        "manyhands_model_speculation_ratio", "Share of the speculative calls that is admitted now.", labels=["role"]
    )
    refused = CounterMetricFamily(
        "manyhands_model_speculation_refused", "Speculative calls that the budget did not admit.", labels=["role"]
    )
    for role, clients in told.items():
        if clients:
            share.add_metric([role], sum(client.speculation_share for client in clients) / len(clients))
        refused.add_metric([role], sum(client.refused_speculation for client in clients))
    return [*families, share, refused]


def _servers(told: Mapping[str, Sequence[ModelCounts]]) -> list[Metric]:
    seen: dict[str, list[ServerCounts]] = {}
    for clients in told.values():
        for server in (server for client in clients for server in client.servers):
            seen.setdefault(server.server, []).append(server)
    clients_of = GaugeMetricFamily(
        "manyhands_server_clients", "Our model clients, by how the server looks to them.", labels=["server", "state"]
    )
    in_flight = GaugeMetricFamily(
        "manyhands_server_in_flight", "Requests that we have at the server.", labels=["server"]
    )
    for url, views in sorted(seen.items()):
        states: Counter[str] = Counter(view.state for view in views)
        for state in STATES:
            clients_of.add_metric([url, state], states[state])
        in_flight.add_metric([url], sum(view.in_flight for view in views))
    families: list[Metric] = [clients_of, in_flight]
    for name, (help_text, value) in _SERVER.items():
        family = GaugeMetricFamily(f"manyhands_server_{name}", help_text, labels=["server"])
        for url, views in sorted(seen.items()):
            # Clients read at different moments: the most is what an alert is to see.
            read = [figure for view in views if (figure := value(view)) is not None]
            if read:
                family.add_metric([url], max(read))
        families.append(family)
    return families
