"""Serve the metrics of a run: its tasks, model calls, perception and links.

Each scrape of Prometheus asks the parts of the run for their figures.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import accumulate
from typing import Self, get_args

from prometheus_client.core import HistogramMetricFamily, InfoMetricFamily, Metric

from manyhands.actors.edge.link import LinkCounts
from manyhands.actors.perception.counts import WAIT_BOUNDS_S, PerceptionCounts
from manyhands.deploy.telemetry.metrics_exporter import Labels, counter, gauge, link_families, serving, summed
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.messages import CallCounts, ModelCounts, ServerCounts
from manyhands.protocol.runs.progress import RunProgress

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


def _model_families(roles: Clients) -> list[Metric]:
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


def _perception_families(actors: Sequence[PerceptionCounts]) -> list[Metric]:
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


ASK_TIMEOUT_S = 5.0
"""Seconds that a scrape waits for figures. Prometheus itself gives up after 10 s."""
_log = logging.getLogger(__name__)

Answer = RunProgress | LinkCounts | Sequence[ModelCounts] | Sequence[PerceptionCounts]
"""The figures of one part of a run: the run's progress, or counts of a link, of model clients or of perception actors.
"""
Ask = Callable[[], Awaitable[Answer]]


class RunMetrics:
    """Serve a run's metrics while the context is open.

    Parts are asked in the event loop that opened the context, and HTTP runs in threads. A part is asked again only
    after it has answered. If a part is slow, later scrapes wait for the same answer, and ``manyhands_unanswered`` names
    the part.
    """

    def __init__(self, host: str, port: int, patience_s: float = ASK_TIMEOUT_S) -> None:
        """Prepare an endpoint. A scrape waits ``patience_s`` seconds for figures."""
        self._serving = serving(host, port, self.families)
        self._patience_s = patience_s
        self._parts: dict[str, Ask] = {}
        self._asked: dict[str, asyncio.Task[Answer]] = {}
        self._labels: dict[str, str] = {}
        self._stack = AsyncExitStack()
        self.url = ""

    async def __aenter__(self) -> Self:
        """Start serving. Raises BadInput for an address at which it cannot listen."""
        self._stack.push_async_callback(self.ask_no_more)
        self.url = await self._stack.enter_async_context(self._serving)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop serving."""
        await self._stack.aclose()

    def describe(self, **labels: str) -> None:
        """Set labels of ``manyhands_run_info``, such as the run's id."""
        self._labels.update(labels)

    def add(self, part: str, ask: Ask) -> None:
        """Ask a part at each scrape from now on. ``ask`` must end by itself, with an answer or a ManyhandsError."""
        self._parts[part] = ask

    async def families(self) -> list[Metric]:
        """Return the metrics that arrive in time, in the order of docs/monitoring.md."""
        for part, ask in self._parts.items():
            if part not in self._asked:
                self._asked[part] = asyncio.create_task(_awaited(ask))
        tasks = dict(self._asked)
        if tasks:
            await asyncio.wait(tasks.values(), timeout=self._patience_s)
        answers = {part: answer for part, task in tasks.items() if (answer := self._answer(part, task)) is not None}
        missing = {(part,): float(part not in answers) for part in sorted(tasks)}
        return [
            InfoMetricFamily("manyhands_run", "The run that these figures belong to.", value=self._labels),
            *_families(answers),
            gauge("unanswered", "1 for a part of the run that did not answer in time.", missing, "part"),
        ]

    def _answer(self, part: str, task: asyncio.Task[Answer]) -> Answer | None:
        if not task.done():
            return None
        if self._asked.get(part) is task:
            del self._asked[part]
        try:
            return task.result() or None  # empty if no actor of a role answers
        except (ManyhandsError, asyncio.CancelledError) as error:
            _log.info("no figures of %s: %s", part, error)
            return None

    async def ask_no_more(self) -> None:
        """Cancel open questions and forget all parts, because the parts will end soon."""
        self._parts.clear()
        tasks = tuple(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _awaited(ask: Ask) -> Answer:
    return await ask()


def _families(answers: Mapping[str, Answer]) -> list[Metric]:
    progress: list[Metric] = []
    models: dict[str, list[ModelCounts]] = {}
    perception: list[PerceptionCounts] = []
    links: dict[str, LinkCounts] = {}
    for part, answer in answers.items():
        if isinstance(answer, RunProgress):
            progress.extend(_progress_families(answer))
            continue
        if isinstance(answer, LinkCounts):
            links[part] = answer
            continue
        for counts in answer:
            if isinstance(counts, PerceptionCounts):
                perception.append(counts)
            else:
                models.setdefault(part, []).append(counts)
    return [
        *progress,
        *(_model_families(models) if models else ()),
        *(_perception_families(perception) if perception else ()),
        *(link_families(links) if links else ()),
    ]


def _progress_families(progress: RunProgress) -> list[Metric]:
    """Return the metrics of a run's progress."""
    ended_tasks = progress.done
    ended = {(ending.value,): ended_tasks.endings.get(ending, 0) for ending in Ending}
    checked = {
        ("yes",): ended_tasks.verified,
        ("no",): ended_tasks.not_verified,
        ("judged_yes",): ended_tasks.judged_done,
        ("judged_no",): ended_tasks.judged_not_done,
        ("undecided",): ended_tasks.undecided,
        ("no check",): ended_tasks.without_check,
    }
    return [
        gauge("tasks", "Tasks that the run has been given.", progress.total),
        gauge("tasks_waiting", "Tasks that wait for a phone.", progress.waiting),
        gauge("tasks_running", "Tasks that are on a phone.", len(progress.running)),
        counter("tasks_done", "Tasks that have ended, by how.", ended, "ending"),
        counter("tasks_checked", "Tasks that have ended, by the result of their check.", checked, "verified"),
        counter("steps", "Steps of the tasks that have ended.", ended_tasks.steps),
    ]
