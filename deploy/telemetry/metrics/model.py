"""Build the metrics of the roles' model clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from prometheus_client.core import Metric

from manyhands.deploy.telemetry.metrics.exporter import Labels, counter, gauge, summed
from manyhands.protocol.messages import CallCounts, ModelCounts, ServerCounts

STATES: tuple[str, ...] = get_args(ServerCounts.model_fields["state"].annotation)
Clients = Mapping[str, Sequence[ModelCounts]]
"""The counts of each actor of a role, by role."""

_CALLS: Mapping[str, tuple[str, Callable[[CallCounts], float]]] = {
    "calls": ("Model calls that have ended, with or without an answer.", lambda counts: counts.calls),
    "retries": ("Attempts of model calls after the first.", lambda counts: counts.retries),
    "repairs": ("Model calls that asked again after an invalid reply.", lambda counts: counts.repairs),
    "cancelled": ("Model calls that their caller cancelled.", lambda counts: counts.cancelled),
    "input_tokens": ("Tokens of prompts, cached ones included.", lambda counts: counts.input_tokens),
    "cached_tokens": ("Tokens of prompts that the servers had in their caches.", lambda counts: counts.cached_tokens),
    "output_tokens": ("Tokens of answers.", lambda counts: counts.output_tokens),
    "queue_seconds": ("Time of calls in the clients' own queues.", lambda counts: counts.queue_ms / 1000),
    "latency_seconds": ("Time of calls from admission to their end.", lambda counts: counts.latency_ms / 1000),
}
"""Counters by role and server: name, help, value."""

_CLIENTS: Mapping[str, tuple[str, Callable[[ModelCounts], int]]] = {
    "in_flight": ("Model calls in flight.", lambda client: client.in_flight),
    "waiting": ("Model calls in the clients' own queues.", lambda client: client.waiting),
    "in_flight_cap": ("How many model calls may be in flight now.", lambda client: client.cap),
}
"""Gauges by role."""

_SERVERS: Mapping[str, tuple[str, Callable[[ServerCounts], float | None]]] = {
    "waiting": ("Requests of all clients in the server's queue, when last read.", lambda server: server.waiting),
    "running": ("Requests of all clients that the server works on, when last read.", lambda server: server.running),
    "cache_usage_ratio": ("Share of the server's KV cache in use, when last read.", lambda server: server.cache_usage),
}
"""Gauges by server; None if the server reports no such figure."""


def model_families(roles: Clients) -> list[Metric]:
    """Return the metrics of model clients. Actors of one role are added up."""
    return [*_calls(roles), *_clients(roles), *_servers(roles)]


def _calls(roles: Clients) -> list[Metric]:
    calls = [(role, one) for role, clients in roles.items() for client in clients for one in client.calls]
    families = [
        counter(
            f"model_{name}", text, summed(((role, one.server), value(one)) for role, one in calls), "role", "server"
        )
        for name, (text, value) in _CALLS.items()
    ]
    errors = summed(((role, one.server, code), count) for role, one in calls for code, count in one.errors.items())
    return [*families, counter("model_errors", "Model calls that ended in an error.", errors, "role", "server", "code")]


def _clients(roles: Clients) -> list[Metric]:
    families = [
        gauge(f"model_{name}", text, {(role,): sum(map(value, clients)) for role, clients in roles.items()}, "role")
        for name, (text, value) in _CLIENTS.items()
    ]
    shares = {
        (role,): sum(client.speculation_share for client in clients) / len(clients)
        for role, clients in roles.items()
        if clients
    }
    refused = {(role,): sum(client.refused_speculation for client in clients) for role, clients in roles.items()}
    return [
        *families,
        gauge("model_speculation_ratio", "Share of speculative calls that are admitted now.", shares, "role"),
        counter("model_speculation_refused", "Speculative calls that the budget did not admit.", refused, "role"),
    ]


def _servers(roles: Clients) -> list[Metric]:
    views = [server for clients in roles.values() for client in clients for server in client.servers]
    states = summed(((view.server, state), float(view.state == state)) for view in views for state in STATES)
    in_flight = summed(((view.server,), view.in_flight) for view in views)
    families = [
        gauge("server_clients", "Model clients, by the state in which they see the server.", states, "server", "state"),
        gauge("server_in_flight", "Requests of this run at the server.", in_flight, "server"),
    ]
    for name, (text, value) in _SERVERS.items():
        most: dict[Labels, float] = {}
        for view in sorted(views, key=lambda view: view.server):
            # Clients read at different times. An alert must see the highest figure.
            if (figure := value(view)) is not None:
                most[view.server,] = max(figure, most.get((view.server,), figure))
        families.append(gauge(f"server_{name}", text, most, "server"))
    return families
