"""Follow what a service works on, as the progress that the live display of ``manyhands run`` shows."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import aclosing, suppress

from manyhands.protocol.errors import first_error
from manyhands.protocol.runs.progress import LATEST, EpisodeProgress, RunProgress, RunWait, TasksDone
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.batches import BatchStatus, TaskPhase, TaskStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.client.async_client import AsyncClient
from manyhands.service.client.batch_calls import has_ended
from manyhands.service.client.http_connection import ServiceAway, ServiceError

COUNTS_S = 2.0
"""Counts are asked for at most so often, and only after an event."""
FLEET_S = 10.0
"""What tasks wait for is asked for so often."""
PHONES_S = (2.0, 10.0)
"""What the phones do is asked for so often: of a small fleet, and of a large one, whose answer is large."""
_SMALL = 25
"""A fleet of so many phones is small."""
_GOALS_AT_ONCE = 8
"""For so many tasks at a time the goal is asked for."""


class ServiceProgress:
    """Hold the progress of one batch, or of all work of a service, and follow its events.

    Events tell what each task does. The counts come from the service itself, so they are right whatever was missed.
    """

    def __init__(self, client: AsyncClient, batch: str | None) -> None:
        """Prepare to follow ``batch``; all work if it is None."""
        self._client = client
        self._batch = batch
        self._running: dict[str, EpisodeProgress] = {}
        self._latest: deque[EpisodeResult] = deque(maxlen=LATEST)
        self._counts = RunProgress(total=0, waiting=0, running=(), done=TasksDone(), latest=())
        self._waits: dict[str, RunWait] = {}
        self._phones = 0
        self._away: dict[str, RunWait] = {}
        """The phones that are away, by the names of the waits."""
        self.goals: dict[str, str] = {}
        """The goals of running tasks, as far as they are known."""
        self._is_open, self._has_news, self._has_ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._fleet_asked_at = -math.inf

    async def progress(self) -> RunProgress:
        """Return the progress so far. Nobody is asked for it."""
        return self._counts.model_copy(
            update={
                "running": tuple(sorted(self._running.values(), key=lambda one: one.serial)),
                "latest": tuple(self._latest),
                "phones": self._phones,
                "away": tuple(self._away.values()),
                "held_up": tuple(self._waits.values()),
            }
        )

    async def follow(self) -> BatchStatus | None:
        """Follow the events until the batch has ended, and return it; without a batch, until this is cancelled.

        Raises ServiceError.
        """
        counts = await self._count()
        if counts is not None and has_ended(counts):
            return counts
        with first_error():
            async with asyncio.TaskGroup() as group:
                events = group.create_task(self._take_events())
                await self._is_open.wait()
                async for task in self._client.tasks(batch=self._batch, phase=TaskPhase.RUNNING):
                    self._running.setdefault(task.id, _progress_of(task))
                    self.goals[task.id] = task.goal
                phones = group.create_task(self._watch_phones())
                while (counts := await self._count_again()) is None or not has_ended(counts):
                    self._has_ended.clear()
                    await self._wait_for_news()
                # The counts may be ahead of the events. The last event is missing only if it came before the first.
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._has_ended.wait(), COUNTS_S)
                events.cancel()
                phones.cancel()
        return counts

    async def _watch_phones(self) -> None:
        """Ask again and again what the phones do, across a restart of the service."""
        while True:
            with suppress(ServiceError):  # what phones do only adds to what events tell
                self._take_phones(await self._client.phones())
                await self._learn_goals()
            least, most = PHONES_S
            await asyncio.sleep(min(most, max(least, least * self._phones / _SMALL)))

    def _take_phones(self, phones: Sequence[PhoneStatus]) -> None:
        """Note the stages of running tasks, and which phones are away."""
        self._phones = len(phones)
        away = {f"phone {phone.serial}": phone.reason for phone in phones if phone.phase is PhonePhase.AWAY}
        self._away = {what: _wait_for(self._away, what, reason) for what, reason in away.items()}
        for phone in phones:
            running = self._running.get(phone.task or "")
            if running is not None and phone.step is not None and phone.step >= running.step:
                now = {"step": phone.step, "stages": phone.stages, "doing": phone.doing or running.doing}
                since = running.stage_since if phone.stage_since is None else phone.stage_since
                self._running[running.task] = running.model_copy(update={**now, "stage_since": since})

    async def _learn_goals(self) -> None:
        """Ask for the goals of tasks that began meanwhile. Forget those of tasks that have ended."""
        for ended in self.goals.keys() - self._running.keys():
            del self.goals[ended]
        for task in [task for task in self._running if task not in self.goals][:_GOALS_AT_ONCE]:
            self.goals[task] = (await self._client.task(task)).goal

    async def _wait_for_news(self) -> None:
        """Return after an event, not too soon after the last one; at once if the batch has ended."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._has_news.wait(), FLEET_S)
            await asyncio.wait_for(self._has_ended.wait(), COUNTS_S)
        self._has_news.clear()

    async def _take_events(self) -> None:
        async with aclosing(self._client.events(batch=self._batch, on_open=self._is_open.set)) as events:
            async for event in events:
                self._take(event)
                self._has_news.set()

    def _take(self, event: ServiceEvent) -> None:
        """Note what an event of the work tells."""
        task = None if event.task is None else _task_of(event)
        if event.kind is EventKind.BATCH_ENDED:
            self._has_ended.set()
        elif task is None:
            return
        elif event.kind is EventKind.TASK_BEGAN:
            self._running[task.id] = _progress_of(task).model_copy(update={"stage_since": event.at})
        elif event.kind is EventKind.TASK_STEP and task.phase is TaskPhase.WAITING:  # it was interrupted
            self._running.pop(task.id, None)
        elif event.kind is EventKind.TASK_STEP:
            running = self._running.get(task.id) or _progress_of(task)
            step = {"step": task.step or 0, "doing": task.doing or "", "stage_since": event.at}
            self._running[task.id] = running.model_copy(update=step)
        elif event.kind is EventKind.TASK_ENDED:
            self._running.pop(task.id, None)
            self._latest.append(_result_of(task))

    async def _count_again(self) -> BatchStatus | None:
        """Ask for the counts, across a restart of the service. The events give up if it is away for too long."""
        while True:
            try:
                return await self._count()
            except ServiceAway as error:
                self._waits["the service"] = _wait_for(self._waits, "the service", str(error))
                self._fleet_asked_at = -math.inf
                await asyncio.sleep(COUNTS_S)

    async def _count(self) -> BatchStatus | None:
        """Ask for the counts, and from time to time for the fleet."""
        batch = None if self._batch is None else await self._client.batch(self._batch)
        if batch is not None:
            ended = batch.tasks - batch.waiting - batch.running
            self._set_counts(batch.tasks, batch.waiting, ended, batch.done)
        if batch is None or time.monotonic() - self._fleet_asked_at >= FLEET_S:
            service = await self._client.status()
            if batch is None:
                self._set_counts(service.waiting + service.running + service.ended, service.waiting, service.ended)
            self._waits = {what: _wait_for(self._waits, what, "") for what in service.waiting_for}
            self._fleet_asked_at = time.monotonic()
        return batch

    def _set_counts(self, total: int, waiting: int, ended: int, passed: int | None = None) -> None:
        results = TasksDone(tasks=ended, passed=passed)
        self._counts = RunProgress(total=total, waiting=waiting, running=(), done=results, latest=())


def _wait_for(waits: Mapping[str, RunWait], what: str, reason: str) -> RunWait:
    """Return a wait. It began when it was first seen."""
    return waits.get(what) or RunWait(what=what, since=HOST_CLOCK.now(), reason=reason)


def _task_of(event: ServiceEvent) -> TaskStatus:
    """Return what an event tells of its task. The rest is empty."""
    fields = {**event.data, "id": event.task, "batch": event.batch or "", "phone": event.phone}
    return TaskStatus.model_validate({"owner": "", "goal": "", "phase": TaskPhase.RUNNING, "priority": 0, **fields})


def _progress_of(task: TaskStatus) -> EpisodeProgress:
    return EpisodeProgress(
        episode=task.episode or "", task=task.id, serial=task.phone or "", step=task.step or 0, doing=task.doing or ""
    )


def _result_of(task: TaskStatus) -> EpisodeResult:
    """Return an ended task in the form that the live display shows."""
    return EpisodeResult.model_validate(
        {
            "episode": task.episode or task.id,
            "task": task.id,
            "serial": task.phone or "",
            "attempt": task.attempts,
            "ending": task.ending,
            "reason": task.reason or "",
            "steps": task.steps or 0,
            "verified": task.verified,
            "verified_by": task.verified_by,
            "rubrics": {},
            "unmet": task.unmet,
            "answer": task.answer,
            "started_at": task.started_at or 0.0,
            "ended_at": task.ended_at or 0.0,
        }
    )
