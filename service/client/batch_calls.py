"""Hold a client's methods for batches, tasks and their results."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from manyhands.evaluation.results import TaskResult
from manyhands.protocol.errors import BadInput, DeadlinePassed
from manyhands.protocol.service.batches import (
    BatchPhase,
    BatchRequest,
    BatchStatus,
    PriorityRequest,
    TaskPhase,
    TaskStatus,
)
from manyhands.protocol.service.episodes import EpisodeWriting
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.interventions import (
    ControlStatus,
    PersonActionAnswer,
    PersonActionRequest,
    PersonOperation,
    QuestionAnswer,
)
from manyhands.protocol.tasks.task import TaskSpec, read_tasks, tasks_from_goals
from manyhands.service.client.event_reader import EventReader
from manyhands.service.client.http_connection import HttpConnection, Query

ResultsForm = Literal["csv", "json", "jsonl", "junit", "html"]
"""The forms in which a service writes the results of a batch."""


class BatchCalls:
    """Submit batches, follow them, change them, and read their results."""

    _connection: HttpConnection
    _reconnect_s: float

    async def submit(
        self,
        tasks: Sequence[TaskSpec] = (),
        *,
        goal: str | Sequence[str] = (),
        file: Path | str | None = None,
        name: str = "",
        priority: int = 0,
        tags: Sequence[str] = (),
        deadline: float | datetime | timedelta | None = None,
        phones: str = "",
        idempotency_key: str | None = None,
    ) -> BatchStatus:
        """Submit tasks, goals, or the tasks of a file, and return the accepted batch. It is stored and not lost then.

        ``deadline`` is in Unix seconds, a moment, or a time from now. ``phones`` chooses phones by labels
        (``model=pixel``). Two calls with the same ``idempotency_key`` and the same content give one batch; without a
        key, each call gets its own. Raises BadInput for tasks with mistakes, ServiceError if the service does not
        accept them.
        """
        request = BatchRequest(
            tasks=choose_tasks(tasks, goal, file),
            name=name,
            priority=priority,
            tags=tuple(tags),
            deadline=_seconds(deadline),
            phones=phones,
        )
        return await self.submit_request(request, idempotency_key=idempotency_key)

    async def submit_request(self, request: BatchRequest, *, idempotency_key: str | None = None) -> BatchStatus:
        """Submit a batch that is ready to be sent. The rest is as with ``submit``."""
        key = idempotency_key or uuid.uuid4().hex
        return await self._connection.fetch(BatchStatus, "POST", "/batches", body=request, key=key)

    async def batch(self, batch: str) -> BatchStatus:
        """Return a batch by its id. Raises ServiceRefused if there is none."""
        return await self._connection.fetch(BatchStatus, "GET", _path("batches", batch))

    def batches(
        self, *, phase: BatchPhase | None = None, owner: str | None = None, tag: str | None = None
    ) -> AsyncGenerator[BatchStatus]:
        """Yield the batches, the newest first: all of them, or those of a phase, an owner or a tag."""
        query: Query = {"phase": phase, "owner": owner, "tag": tag}
        return self._connection.entries(BatchStatus, "/batches", query)

    async def task(self, task: str) -> TaskStatus:
        """Return a task by its id, such as ``b17.buy``. Raises ServiceRefused if there is none."""
        return await self._connection.fetch(TaskStatus, "GET", _path("tasks", task))

    def tasks(
        self,
        *,
        batch: str | BatchStatus | None = None,
        owner: str | None = None,
        phase: TaskPhase | None = None,
        tag: str | None = None,
        phone: str | None = None,
        is_done: bool | None = None,
    ) -> AsyncGenerator[TaskStatus]:
        """Yield the tasks in the order of their submission: all, or those that fit all that is given.

        ``phone`` is the phone that has them or had them last; ``is_done`` chooses among those that have ended.
        """
        query: Query = {
            "batch": None if batch is None else _id(batch),
            "owner": owner,
            "phase": phase,
            "tag": tag,
            "phone": phone,
            "is_done": None if is_done is None else str(is_done).lower(),
        }
        return self._connection.entries(TaskStatus, "/tasks", query)

    async def wait(self, batch: str | BatchStatus, timeout_s: float | None = None) -> BatchStatus:
        """Wait until all tasks of a batch have ended, and return the batch. A paused batch is waited for as well.

        Raises DeadlinePassed after ``timeout_s`` seconds. The batch goes on then. Raises ServiceError.
        """
        # The event is stored, so it is sent even if the batch ended before this call.
        events = self.events(after=0, batch=batch, kinds=(EventKind.BATCH_ENDED,))
        async with _in_time(_id(batch), timeout_s), aclosing(events):
            while not has_ended(status := await self.batch(_id(batch))):
                await anext(events)
        return status

    async def wait_task(self, task: str, timeout_s: float | None = None) -> TaskStatus:
        """Wait until a task has ended, and return it. Raises DeadlinePassed after ``timeout_s``, and ServiceError."""
        events = self.events(after=0, task=task, kinds=(EventKind.TASK_ENDED,))
        async with _in_time(task, timeout_s), aclosing(events):
            while (status := await self.task(task)).phase is not TaskPhase.ENDED:
                await anext(events)
        return status

    async def results(self, batch: str | BatchStatus) -> tuple[TaskResult, ...]:
        """Return a row for each task of a batch: how it ended, what its check did not find, its answer, its cost."""
        path, query = f"{_path('batches', _id(batch))}/results", {"format": "json"}
        return await self._connection.fetch(tuple[TaskResult, ...], "GET", path, query)

    async def results_text(self, batch: str | BatchStatus, form: ResultsForm = "csv") -> str:
        """Return the results of a batch as a text: CSV, JSON, JSON lines, JUnit's XML, or a page."""
        path, query = f"{_path('batches', _id(batch))}/results", {"format": form}
        return (await self._connection.send("GET", path, query)).text

    async def cancel(self, batch: str | BatchStatus, *, reason: str | None = None) -> BatchStatus:
        """Cancel a batch: its waiting tasks end at once, its running ones after their present action."""
        return await self._change(batch, "cancel", reason)

    async def cancel_all(self, *, reason: str | None = None) -> tuple[BatchStatus, ...]:
        """Cancel all batches that have not ended: one's own, and with the role operate everybody's. Return them.

        Schedules stay: pause them, too, if they must submit nothing more.
        """
        query: Query = {"reason": reason}
        return await self._connection.fetch(tuple[BatchStatus, ...], "POST", "/batches:cancel", query)

    async def pause(self, batch: str | BatchStatus) -> BatchStatus:
        """Pause a batch: its waiting tasks get no phone. Its running tasks go on to their end."""
        return await self._change(batch, "pause")

    async def resume(self, batch: str | BatchStatus) -> BatchStatus:
        """Let a paused batch go on."""
        return await self._change(batch, "resume")

    async def prioritize(self, batch: str | BatchStatus, priority: int) -> BatchStatus:
        """Give a batch another priority, from -100 to 100: its tasks get phones before those of lower priorities."""
        path, body = f"{_path('batches', _id(batch))}:priority", PriorityRequest(priority=priority)
        return await self._connection.fetch(BatchStatus, "POST", path, body=body)

    async def retry(self, batch: str | BatchStatus) -> tuple[TaskStatus, ...]:
        """Carry out those tasks of a batch again that have ended and are not done. Return the new tasks."""
        path = f"{_path('batches', _id(batch))}:retry"
        return await self._connection.fetch(tuple[TaskStatus, ...], "POST", path)

    async def cancel_task(self, task: str, *, reason: str | None = None) -> TaskStatus:
        """Cancel a task: at once if it waits, after its present action if it runs."""
        return await self._change_task(task, "cancel", reason)

    async def pause_task(self, task: str) -> TaskStatus:
        """Pause a task that waits: it gets no phone."""
        return await self._change_task(task, "pause")

    async def resume_task(self, task: str) -> TaskStatus:
        """Let a paused task go on."""
        return await self._change_task(task, "resume")

    async def prioritize_task(self, task: str, priority: int) -> TaskStatus:
        """Give a task another priority, from -100 to 100."""
        path, body = f"{_path('tasks', task)}:priority", PriorityRequest(priority=priority)
        return await self._connection.fetch(TaskStatus, "POST", path, body=body)

    async def retry_task(self, task: str) -> TaskStatus:
        """Carry out a task again that has ended. Return the new task, whose id is for example ``b17.buy.r2``."""
        return await self._change_task(task, "retry")

    def events(
        self,
        *,
        after: int | None = None,
        batch: str | BatchStatus | None = None,
        task: str | None = None,
        kinds: Sequence[EventKind] = (),
        on_open: Callable[[], None] | None = None,
    ) -> AsyncGenerator[ServiceEvent]:
        """Yield the live events of the service, each once and in order, until the caller stops.

        ``after`` is the id of the last event that is known: 0 for all that are stored, None for those from now on. If
        the connection breaks, or the service restarts, the events go on where they were. Raises ServiceAway if the
        service is away for too long. ``on_open`` is called once the stream is open. What you ask for after that is not
        older than the first event.
        """
        query: Query = {
            "batch": None if batch is None else _id(batch),
            "task": task,
            "kind": [kind.value for kind in kinds],
        }
        return EventReader(self._connection, query, after, self._reconnect_s, on_open).events()

    async def _change(self, batch: str | BatchStatus, what: str, reason: str | None = None) -> BatchStatus:
        path = f"{_path('batches', _id(batch))}:{what}"
        return await self._connection.fetch(BatchStatus, "POST", path, {"reason": reason})

    async def _change_task(self, task: str, what: str, reason: str | None = None) -> TaskStatus:
        return await self._connection.fetch(TaskStatus, "POST", f"{_path('tasks', task)}:{what}", {"reason": reason})


def has_ended(batch: BatchStatus) -> bool:
    """Return whether no task of a batch waits or runs."""
    return batch.waiting + batch.running == 0


def choose_tasks(tasks: Sequence[TaskSpec], goal: str | Sequence[str], file: Path | str | None) -> tuple[TaskSpec, ...]:
    """Return the tasks that a caller gave in one of three ways. Raises BadInput."""
    goals = [goal] if isinstance(goal, str) else list(goal)
    if (bool(tasks), bool(goals), file is not None).count(True) != 1:
        raise BadInput("give one of tasks, goal and file")
    if file is not None:
        return read_tasks(file)
    return tasks_from_goals(goals) if goals else tuple(tasks)


@asynccontextmanager
async def _in_time(id: str, timeout_s: float | None) -> AsyncGenerator[None]:
    """Raise DeadlinePassed if what is within takes longer."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError:
        raise DeadlinePassed(f"{id} has not ended within {timeout_s:g} s. It goes on") from None


def _seconds(deadline: float | datetime | timedelta | None) -> float | None:
    if isinstance(deadline, timedelta):
        return time.time() + deadline.total_seconds()
    return deadline.timestamp() if isinstance(deadline, datetime) else deadline


def _id(batch: str | BatchStatus) -> str:
    return batch if isinstance(batch, str) else batch.id


def _path(*parts: str) -> str:
    return "".join(f"/{quote(part, safe='')}" for part in parts)


class InterventionCalls:
    """Pause, answer, stop, take over and hand back a running episode, and act on its phone.

    An episode is named by its id, as in ``PhoneStatus.episode``. Methods raise ServiceRefused if the episode's present
    phase does not allow what they ask.
    """

    _connection: HttpConnection

    async def control(self, episode: str) -> ControlStatus:
        """Return who controls an episode: the agent, or a person."""
        return await self._connection.fetch(ControlStatus, "GET", f"{_episode_path(episode)}/control")

    async def writing(self, episode: str) -> EpisodeWriting:
        """Return what models are writing now for an episode. Ask once a second: its calls are streamed meanwhile."""
        return await self._connection.fetch(EpisodeWriting, "GET", f"{_episode_path(episode)}/writing")

    async def pause_episode(self, episode: str, *, reason: str | None = None) -> ControlStatus:
        """Send no further action until the episode is resumed. Its time limit stands still."""
        return await self._ask(episode, "pause", reason)

    async def resume_episode(self, episode: str) -> ControlStatus:
        """Withdraw ``pause_episode``."""
        return await self._ask(episode, "resume")

    async def answer_episode(self, episode: str, text: str | None, *, allows: str | None = None) -> ControlStatus:
        """Answer what an episode's agent asks (``ControlStatus.question``). None declines. The first answer counts.

        ``allows``: the id of the question whose action may be sent (``ControlStatus.consent.id``).
        """
        path = f"{_episode_path(episode)}:answer"
        return await self._connection.fetch(ControlStatus, "POST", path, body=QuestionAnswer(text=text, allows=allows))

    async def stop_episode(self, episode: str, *, reason: str | None = None) -> ControlStatus:
        """End an episode at once, and cancel its task. Return when the episode has ended."""
        return await self._ask(episode, "stop", reason)

    async def take_over(self, episode: str) -> ControlStatus:
        """Hold the agent, so that this client may act on the phone. Return when the screen is captured."""
        return await self._ask(episode, "take-over")

    async def hand_back(self, episode: str) -> ControlStatus:
        """Let the agent go on from the present screen. It is told what the person did."""
        return await self._ask(episode, "hand-back")

    async def act(
        self, episode: str, action: PersonOperation, screen: str, *, idempotency_key: str | None = None
    ) -> PersonActionAnswer:
        """Carry out an action on the phone of an episode that this client's owner has taken over.

        ``action``: in pixels of the screenshot with the content id ``screen``, which must be the latest one
        (``ControlStatus.screen``). Two calls with the same ``idempotency_key`` carry it out once; without a key, each
        call gets its own.
        """
        request = PersonActionRequest(screen=screen, action=action)
        key = idempotency_key or uuid.uuid4().hex
        path = f"{_episode_path(episode)}/actions"
        return await self._connection.fetch(PersonActionAnswer, "POST", path, body=request, key=key)

    async def _ask(self, episode: str, what: str, reason: str | None = None) -> ControlStatus:
        query = {} if reason is None else {"reason": reason}
        return await self._connection.fetch(ControlStatus, "POST", f"{_episode_path(episode)}:{what}", query)


def _episode_path(episode: str) -> str:
    return f"/episodes/{quote(episode, safe='')}"
