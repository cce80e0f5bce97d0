"""A run's figures for Prometheus, over HTTP in the text format. They are asked for when they are scraped."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.deploy.metrics.model import model_families
from manyhands.deploy.metrics.perception import perception_families
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.messages import ModelCounts
from manyhands.protocol.runs import RunProgress

ASK_TIMEOUT_S = 5.0
"""Prometheus itself gives up after 10 s."""
_log = logging.getLogger(__name__)

Told = RunProgress | Sequence[ModelCounts] | Sequence[PerceptionCounts]
"""What a part of a run tells: its progress, what the model clients of a role counted, or perception."""
Ask = Callable[[], Awaitable[Told]]


class RunMetrics:
    """Serves a run's figures while the context is open.

    Parts of the run are asked on the loop that opened it, HTTP is spoken in threads. Each part is asked at most
    once at a time: one that takes long is waited for by later scrapes, and named in ``manyhands_unanswered``.
    """

    def __init__(self, host: str, port: int, patience_s: float = ASK_TIMEOUT_S) -> None:
        """``patience_s``: how long a scrape waits for figures."""
        self._host = host
        self._port = port
        self._patience_s = patience_s
        self._parts: dict[str, Ask] = {}
        self._asked: dict[str, asyncio.Task[Told]] = {}
        self._labels: dict[str, str] = {}
        self._stack = AsyncExitStack()
        self.url = ""

    async def __aenter__(self) -> Self:
        """Raises BadInput for an address that cannot be listened at."""
        registry = CollectorRegistry()
        registry.register(_OnDemand(self.families, asyncio.get_running_loop()))
        try:
            # In a thread, for a host's name may have to be looked up.
            server, thread = await asyncio.to_thread(start_http_server, self._port, self._host, registry)
        except (OSError, OverflowError) as error:
            raise BadInput(
                f"--metrics-port {self._port}: cannot listen at --metrics-host {self._host}: {error}"
            ) from error
        host = f"[{self._host}]" if ":" in self._host else self._host
        self.url = f"http://{host}:{server.server_port}/metrics"
        self._stack.push_async_callback(self.ask_no_more)
        self._stack.push_async_callback(asyncio.to_thread, thread.join)
        self._stack.callback(server.server_close)
        self._stack.push_async_callback(asyncio.to_thread, server.shutdown)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def describe(self, **labels: str) -> None:
        """Labels of ``manyhands_run_info``, e.g. the run's id."""
        self._labels.update(labels)

    def add(self, part: str, ask: Ask) -> None:
        """Ask this from now on. ``ask`` ends by itself, in an answer or one of our errors."""
        self._parts[part] = ask

    async def families(self) -> list[Metric]:
        """All metrics, in the order of docs/monitoring.md: what is told in time."""
        for part, ask in self._parts.items():
            if part not in self._asked:
                self._asked[part] = asyncio.create_task(_awaited(ask))
        asked = dict(self._asked)
        if asked:
            await asyncio.wait(asked.values(), timeout=self._patience_s)
        told = {part: answer for part, task in asked.items() if (answer := self._answer(part, task)) is not None}
        unanswered = GaugeMetricFamily(
            "manyhands_unanswered", "1 for a part of the run that did not tell its figures in time.", labels=["part"]
        )
        for part in sorted(asked):
            unanswered.add_metric([part], part not in told)
        info = InfoMetricFamily("manyhands_run", "The run that tells these figures.", value=self._labels)
        return [info, *_told(told), unanswered]

    def _answer(self, part: str, task: asyncio.Task[Told]) -> Told | None:
        if not task.done():
            return None
        if self._asked.get(part) is task:
            del self._asked[part]
        try:
            return task.result() or None  # a role of which no actor answers tells nothing
        except (ManyhandsError, asyncio.CancelledError) as error:
            _log.info("%s told no figures: %s", part, error)
            return None

    async def ask_no_more(self) -> None:
        """Cancel what is being asked and forget the parts: they are about to end."""
        self._parts.clear()
        asked = tuple(self._asked.values())
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


class _OnDemand(Collector):
    """Called for each scrape, in a thread of the HTTP server; one at a time."""

    def __init__(self, ask: Callable[[], Coroutine[Any, Any, list[Metric]]], loop: asyncio.AbstractEventLoop) -> None:
        self._ask = ask
        self._loop = loop
        self._asking = threading.Lock()

    def collect(self) -> Iterable[Metric]:
        with self._asking:
            return asyncio.run_coroutine_threadsafe(self._ask(), self._loop).result()


async def _awaited(ask: Ask) -> Told:
    return await ask()


def _told(told: Mapping[str, Told]) -> list[Metric]:
    progress: list[Metric] = []
    models: dict[str, list[ModelCounts]] = {}
    readers: list[PerceptionCounts] = []
    for part, answer in told.items():
        if isinstance(answer, RunProgress):
            progress.extend(_progress(answer))
            continue
        for counts in answer:
            if isinstance(counts, PerceptionCounts):
                readers.append(counts)
            else:
                models.setdefault(part, []).append(counts)
    return [
        *progress,
        *(model_families(models) if models else ()),
        *(perception_families(readers) if readers else ()),
    ]


def _progress(progress: RunProgress) -> list[Metric]:
    endings = Counter(result.ending for result in progress.done)
    done = CounterMetricFamily("manyhands_tasks_done", "Tasks that have ended, by way of ending.", labels=["ending"])
    for ending in Ending:
        done.add_metric([ending.value], endings[ending])
    verdicts = Counter(result.verified for result in progress.done)
    checked = CounterMetricFamily(
        "manyhands_tasks_checked", "Tasks that have ended, by what their check said.", labels=["verified"]
    )
    for verdict, label in ((True, "yes"), (False, "no"), (None, "unchecked")):
        checked.add_metric([label], verdicts[verdict])
    steps = sum(result.steps for result in progress.done)
    return [
        GaugeMetricFamily("manyhands_tasks", "Tasks that the run has been given.", value=progress.total),
        GaugeMetricFamily("manyhands_tasks_waiting", "Tasks that wait for a phone.", value=progress.waiting),
        GaugeMetricFamily("manyhands_tasks_running", "Tasks that are on a phone.", value=len(progress.running)),
        done,
        checked,
        CounterMetricFamily("manyhands_steps", "Steps of the tasks that have ended.", value=steps),
    ]
