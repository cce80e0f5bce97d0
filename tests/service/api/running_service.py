"""A service for tests: the application under its real server, with a real database and a fleet that is only a list."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from manyhands.protocol.errors import EpisodeNotRunning, PhoneLost, PhoneUnknown
from manyhands.protocol.messages import PartialReply
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.service.access import AccessRole, TokenRequest
from manyhands.protocol.service.fleet import ModelStatus, PhonePhase, PhoneStatus, ServiceStatus
from manyhands.service.api.app import create_app
from manyhands.service.api.console_files import CONSOLE
from manyhands.service.api.parts import ServiceParts
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.database.access_repository import AuditRepository, SessionRepository, TokenRepository
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.failure_repository import MOST_FAILURES, FailureRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.fleet_control import FleetCounts
from manyhands.service.http_server import TlsFiles, serving
from manyhands.service.phone_readings import PhonePictures

FAST = 1_000_000.0
"""A rate that no test reaches."""


def phone(serial: str) -> PhoneStatus:
    return PhoneStatus(serial=serial, phase=PhonePhase.FREE, labels={"model": "pixel"})


@dataclass
class ListedFleet:
    """Keeps what it is told, and carries out nothing."""

    found: dict[str, PhoneStatus] = field(default_factory=lambda: {one: phone(one) for one in ("p1", "lab/p2", "1:5")})
    wakes: int = 0
    listings: int = 0
    """How often it listed its phones."""
    held: set[str] = field(default_factory=set)
    cancelled: dict[str, str] = field(default_factory=dict)
    priorities: dict[str, int] = field(default_factory=dict)
    controls: dict[str, EpisodeControl] = field(default_factory=dict)
    """The episodes that run."""
    asked: list[Intervention] = field(default_factory=list)
    asked_of: list[str] = field(default_factory=list)
    """The episodes of ``asked``."""
    texts: dict[str, Sequence[PartialReply]] = field(default_factory=dict)
    """What models write now, by episode."""
    looks: list[tuple[str, str]] = field(default_factory=list)
    """Which phones were asked for what."""
    silent: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.pictures = PhonePictures(self, now=lambda: 0.0)  # a picture is fresh for ever

    def wake(self) -> None:
        self.wakes += 1

    async def hold(self, tasks: Sequence[str]) -> None:
        self.held.update(tasks)

    async def release(self, tasks: Sequence[str]) -> None:
        self.held.difference_update(tasks)

    async def prioritize(self, priorities: Mapping[str, int]) -> None:
        self.priorities.update(priorities)

    async def cancel(self, tasks: Sequence[str], reason: str) -> None:
        self.cancelled.update(dict.fromkeys(tasks, reason))

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        self.asked.append(intervention)
        self.asked_of.append(episode)
        if episode not in self.controls:
            raise EpisodeNotRunning(f"{episode} does not run")
        return self.controls[episode]

    async def set_aside(self, serial: str, reason: str) -> PhoneStatus:
        return self._change(serial, phase=PhonePhase.ASIDE, reason=reason)

    async def release_phone(self, serial: str) -> PhoneStatus:
        return self._change(serial, phase=PhonePhase.FREE, reason="", reserved_for=None, reserved_until=None)

    async def reserve(self, serial: str, owner: str, until: float) -> PhoneStatus:
        return self._change(serial, phase=PhonePhase.RESERVED, reserved_for=owner, reserved_until=until)

    async def label(self, serial: str, labels: Mapping[str, str]) -> PhoneStatus:
        return self._change(serial, labels=dict(labels))

    async def attach(self, serial: str) -> PhoneStatus:
        return self.found.setdefault(serial, phone(serial))

    async def detach(self, serial: str) -> None:
        self._change(serial)
        del self.found[serial]

    async def phones(self) -> Sequence[PhoneStatus]:
        self.listings += 1
        return [self.found[serial] for serial in sorted(self.found)]

    async def picture(self, serial: str) -> bytes:
        self._change(serial)
        return await self.pictures.take(serial)

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        self.looks.append((serial, source))
        if serial in self.silent:
            raise PhoneLost(f"phone {serial} is offline")
        return {"jpeg": base64.b64encode(serial.encode()).decode(), "size": {"width": 1080, "height": 2400}}

    async def models(self) -> Sequence[ModelStatus]:
        return [ModelStatus(role="plan", model="a-model", servers=("http://127.0.0.1:1/v1",))]

    async def counts(self) -> FleetCounts | None:
        return None

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        return self.texts.get(episode, ())

    async def status(self) -> ServiceStatus:
        return ServiceStatus(version="0", started_at=1.0, is_ready=True, phones=len(self.found))

    def _change(self, serial: str, **changes: Any) -> PhoneStatus:
        if serial not in self.found:
            raise PhoneUnknown(f"{serial}: the fleet has no such phone")
        self.found[serial] = self.found[serial].model_copy(update=changes)
        return self.found[serial]


@dataclass
class RunningService:
    """A service that answers at ``url``, with a token of each role."""

    url: str
    parts: ServiceParts
    fleet: ListedFleet
    secrets: Mapping[AccessRole, str]
    ids: Mapping[AccessRole, str]
    woken: list[str]
    """What was told of changes: ``schedules``, ``webhooks``."""

    def client(self, role: AccessRole | None = AccessRole.SUBMIT, **headers: str) -> httpx.AsyncClient:
        given = {} if role is None else {"Authorization": f"Bearer {self.secrets[role]}"}
        return httpx.AsyncClient(base_url=f"{self.url}/api/v1", headers={**given, **headers}, timeout=100)


def bounds(**given: Any) -> ServiceBounds:
    return ServiceBounds(**{"address_rate": FAST, "token_rate": FAST, **given})


@asynccontextmanager
async def running(
    folder: Path,
    tls: TlsFiles | None = None,
    console: Path | None = None,
    most_failures: int = MOST_FAILURES,
    **given: Any,
) -> AsyncIterator[RunningService]:
    """Serve. ``console``: the folder of the console's files. ``most_failures``: how many failed tasks are counted.

    ``given``: bounds, in place of those that no test reaches.
    """
    database = await ServiceDatabase.open(str(folder / "service.sqlite"))
    try:
        fleet = ListedFleet()
        tokens = TokenRepository(database)
        grants = {role: await tokens.make(TokenRequest(owner=f"a-{role}", role=role), 1.0) for role in AccessRole}
        woken: list[str] = []
        parts = ServiceParts(
            batches=BatchRepository(database),
            events=EventRepository(database),
            tokens=tokens,
            sessions=SessionRepository(database),
            failures=FailureRepository(database, most_failures),
            audit=AuditRepository(database),
            schedules=ScheduleRepository(database),
            webhooks=WebhookRepository(database),
            fleet=fleet,
            runs=folder / "runs",
            schedules_changed=lambda: woken.append("schedules"),
            webhooks_changed=lambda: woken.append("webhooks"),
            console=console or CONSOLE,
            bounds=bounds(**given),
        )
        async with serving(create_app(parts), "127.0.0.1", 0, parts.bounds, tls) as url:
            yield RunningService(
                url,
                parts,
                fleet,
                {role: grant.secret for role, grant in grants.items()},
                {role: grant.id for role, grant in grants.items()},
                woken,
            )
    finally:
        await database.close()
