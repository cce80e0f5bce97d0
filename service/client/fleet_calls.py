"""Hold a client's methods for phones, models, episodes, and for the service as a whole: its state, tokens, audit."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from datetime import datetime, timedelta
from urllib.parse import quote

from manyhands.protocol.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.service.access import AccessRole, AuditEntry, TokenGrant, TokenRequest, TokenStatus
from manyhands.protocol.service.attention import Approval, ApprovalOutcome, AttentionList
from manyhands.protocol.service.batches import BatchCheck, BatchRequest, TaskStatus
from manyhands.protocol.service.episodes import EpisodeStatus, EpisodeStep
from manyhands.protocol.service.events import ServiceEvent
from manyhands.protocol.service.fleet import (
    AsideRequest,
    FigureSeries,
    LabelsRequest,
    ModelStatus,
    PhoneStatus,
    ReservationRequest,
    ServiceStatus,
)
from manyhands.service.client.http_connection import HttpConnection


class FleetCalls:
    """Look at a service and its fleet, change its phones, and make and revoke tokens."""

    _connection: HttpConnection

    async def status(self) -> ServiceStatus:
        """Return how the service stands: whether its fleet is open, what tasks wait for, how many there are."""
        return await self._connection.fetch(ServiceStatus, "GET", "/status")

    async def phones(self) -> tuple[PhoneStatus, ...]:
        """Return the phones of the fleet, those that are away or aside included."""
        return await self._connection.fetch(tuple[PhoneStatus, ...], "GET", "/phones")

    async def phone(self, serial: str) -> PhoneStatus:
        """Return a phone by its serial. Raises ServiceRefused if the fleet has no such phone."""
        return await self._connection.fetch(PhoneStatus, "GET", f"/phones/{quote(serial, safe='')}")

    async def picture(self, serial: str) -> bytes:
        """Return the screen of a phone as a JPEG, taken now, whether or not the phone has a task."""
        return (await self._connection.send("GET", f"/phones/{quote(serial, safe='')}/picture", {})).content

    async def take_over_phone(self, serial: str) -> TaskStatus:
        """Ask for a phone without a task. Return the task whose episode one acts in, once the phone is free."""
        return await self._connection.fetch(TaskStatus, "POST", f"/phones/{quote(serial, safe='')}:take-over")

    async def set_aside(self, serial: str, reason: str) -> PhoneStatus:
        """Give a phone no further task until it is released. The task that it carries out goes on to its end."""
        return await self._change_phone(serial, "aside", AsideRequest(reason=reason))

    async def release(self, serial: str) -> PhoneStatus:
        """Give a phone tasks again that was set aside or reserved."""
        return await self._change_phone(serial, "release", None)

    async def reserve(self, serial: str, owner: str, until: float | datetime | timedelta) -> PhoneStatus:
        """Give a phone the tasks of one owner only. ``until`` is in Unix seconds, a moment, or a time from now."""
        if isinstance(until, timedelta):
            until = time.time() + until.total_seconds()
        seconds = until.timestamp() if isinstance(until, datetime) else until
        return await self._change_phone(serial, "reserve", ReservationRequest(owner=owner, until=seconds))

    async def label(self, serial: str, labels: Mapping[str, str]) -> PhoneStatus:
        """Replace the labels that people gave a phone. Labels that the service reads off the phone stay."""
        return await self._change_phone(serial, "labels", LabelsRequest(labels=dict(labels)))

    async def attach(self, serial: str) -> PhoneStatus:
        """Add a phone to the fleet. It gets tasks as soon as it can be reached."""
        return await self._change_phone(serial, "attach", None)

    async def detach(self, serial: str) -> None:
        """Take a phone out of the fleet. The task that it carries out goes on to its end."""
        await self._connection.send("POST", f"/phones/{quote(serial, safe='')}:detach")

    async def models(self) -> tuple[ModelStatus, ...]:
        """Return the model of each role."""
        return await self._connection.fetch(tuple[ModelStatus, ...], "GET", "/models")

    async def episode(self, episode: str) -> EpisodeStatus:
        """Return an episode by its id. Raises ServiceRefused if there is none."""
        return await self._connection.fetch(EpisodeStatus, "GET", _episode_path(episode))

    def steps(self, episode: str) -> AsyncGenerator[EpisodeStep]:
        """Yield the steps of an episode, in order."""
        return self._connection.entries(EpisodeStep, f"{_episode_path(episode)}/steps")

    async def screen(self, episode: str, content: str, *, width: int | None = None) -> bytes:
        """Return a screenshot of an episode as a picture file, by its content id. ``width``: a smaller one."""
        path = f"{_episode_path(episode)}/screens/{quote(content, safe='')}"
        return (await self._connection.send("GET", path, {"width": width})).content

    async def own_token(self) -> TokenStatus:
        """Return whose token this client has, and what it allows."""
        return await self._connection.fetch(TokenStatus, "GET", "/tokens/self")

    async def tokens(self) -> tuple[TokenStatus, ...]:
        """Return all tokens, without their secrets. This needs the role operate, as all below do."""
        return await self._connection.fetch(tuple[TokenStatus, ...], "GET", "/tokens")

    async def make_token(self, owner: str, role: AccessRole = AccessRole.SUBMIT) -> TokenGrant:
        """Make a token for somebody. Its secret is in this answer alone."""
        request = TokenRequest(owner=owner, role=role)
        return await self._connection.fetch(TokenGrant, "POST", "/tokens", body=request)

    async def revoke_token(self, token: str) -> TokenStatus:
        """Revoke a token by its id, such as ``t3``, for ever."""
        return await self._connection.fetch(TokenStatus, "DELETE", f"/tokens/{quote(token, safe='')}")

    def audit(self, *, owner: str | None = None) -> AsyncGenerator[AuditEntry]:
        """Yield the entries of the audit log, the newest first: who asked for what, when, and from where."""
        return self._connection.entries(AuditEntry, "/audit", {"owner": owner})

    async def _change_phone(
        self, serial: str, what: str, body: AsideRequest | ReservationRequest | LabelsRequest | None
    ) -> PhoneStatus:
        path = f"/phones/{quote(serial, safe='')}:{what}"
        return await self._connection.fetch(PhoneStatus, "POST", path, body=body)


def _episode_path(episode: str) -> str:
    return f"/episodes/{quote(episode, safe='')}"


class InsightCalls:
    """Look at what went wrong and how busy a service is, and look after failed tasks by their cause."""

    _connection: HttpConnection

    async def attention(self) -> AttentionList:
        """Return what needs a person: failed tasks by cause, phones that get no task, models that do not answer."""
        return await self._connection.fetch(AttentionList, "GET", "/attention")

    async def approvals(self) -> tuple[Approval, ...]:
        """Return the actions that wait for a person's word. Equal questions of several phones are one."""
        return await self._connection.fetch(tuple[Approval, ...], "GET", "/approvals")

    async def allow_approval(self, approval: str) -> tuple[ApprovalOutcome, ...]:
        """Allow the action on each phone that the approval lists. Needs the role ``approve``.

        Raises ServiceRefused if it was answered meanwhile, or if other phones ask it by now.
        """
        return await self._answer_approval(approval, "allow")

    async def decline_approval(self, approval: str) -> tuple[ApprovalOutcome, ...]:
        """Decline the action on each phone that the approval lists. Raises ServiceRefused, as to allow it does."""
        return await self._answer_approval(approval, "decline")

    async def _answer_approval(self, approval: str, word: str) -> tuple[ApprovalOutcome, ...]:
        path = f"/approvals/{quote(approval, safe='')}:{word}"
        return await self._connection.fetch(tuple[ApprovalOutcome, ...], "POST", path)

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
