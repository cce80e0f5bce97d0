"""Serve the metrics of a run. Each scrape of Prometheus asks the parts of the run for their figures."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Self

from prometheus_client.core import InfoMetricFamily, Metric

from manyhands.actors.edge.link import LinkCounts
from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.deploy.telemetry.metrics.exporter import counter, gauge, serving
from manyhands.deploy.telemetry.metrics.links import link_families
from manyhands.deploy.telemetry.metrics.model import model_families
from manyhands.deploy.telemetry.metrics.perception import perception_families
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.messages import ModelCounts
from manyhands.protocol.runs.progress import RunProgress

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
            progress.extend(progress_families(answer))
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
        *(model_families(models) if models else ()),
        *(perception_families(perception) if perception else ()),
        *(link_families(links) if links else ()),
    ]


def progress_families(progress: RunProgress) -> list[Metric]:
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
