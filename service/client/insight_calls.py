"""Hold a client's methods for what needs a person, for figures, and for what phones and episodes have done."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from urllib.parse import quote

from manyhands.protocol.reports.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.service.attention import AttentionList
from manyhands.protocol.service.batch_check import BatchCheck
from manyhands.protocol.service.batches import BatchRequest, TaskStatus
from manyhands.protocol.service.events import ServiceEvent
from manyhands.protocol.service.figures import FigureSeries
from manyhands.service.client.http_connection import HttpConnection


class InsightCalls:
    """Look at what went wrong and how busy a service is, and look after failed tasks by their cause."""

    _connection: HttpConnection

    async def attention(self) -> AttentionList:
        """Return what needs a person: failed tasks by cause, phones that get no task, models that do not answer."""
        return await self._connection.fetch(AttentionList, "GET", "/attention")

    async def dismiss_cause(self, cause: str) -> None:
        """Dismiss the failures of a cause. A later failure of the same cause is shown again."""
        await self._connection.send("POST", f"/attention/{quote(cause, safe='')}:dismiss")

    async def retry_cause(self, cause: str) -> tuple[TaskStatus, ...]:
        """Submit all failed tasks of a cause once more. Return the new tasks."""
        path = f"/attention/{quote(cause, safe='')}:retry"
        return await self._connection.fetch(tuple[TaskStatus, ...], "POST", path)

    async def figures(self, after: float = 0.0) -> FigureSeries:
        """Return the figures of the last hour, or of the time after a moment in Unix seconds."""
        return await self._connection.fetch(FigureSeries, "GET", "/figures", {"after": after})

    async def check_batch(self, request: BatchRequest) -> BatchCheck:
        """Return what a submission would be answered. Nothing is stored."""
        return await self._connection.fetch(BatchCheck, "POST", "/batches:check", body=request)

    def phone_tasks(self, serial: str) -> AsyncGenerator[TaskStatus]:
        """Yield the tasks that a phone carries out, or carried out last, the newest first."""
        return self._connection.entries(TaskStatus, f"/phones/{quote(serial, safe='')}/tasks")

    def phone_events(self, serial: str) -> AsyncGenerator[ServiceEvent]:
        """Yield what happened to a phone, the newest first."""
        return self._connection.entries(ServiceEvent, f"/phones/{quote(serial, safe='')}/log")

    async def episode_report(self, episode: str, first_step: int = 0) -> EpisodeReport:
        """Return all that the journal of an episode tells, with its steps from a number on."""
        path = f"/episodes/{quote(episode, safe='')}/report"
        return await self._connection.fetch(EpisodeReport, "GET", path, {"from": first_step})

    async def calls(self, episode: str, step: int) -> StepCalls:
        """Return what the model calls of a step sent and received."""
        return await self._connection.fetch(StepCalls, "GET", f"/episodes/{quote(episode, safe='')}/steps/{step}/calls")
