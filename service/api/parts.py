"""Gather what the HTTP application is made of, and give it to routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from manyhands.service.api.admission import OpenStreams
from manyhands.service.api.bodies import BodyReader
from manyhands.service.api.console_files import CONSOLE, ConsoleFiles
from manyhands.service.api.event_feed import EventFeed
from manyhands.service.api.run_files import FailurePlaces, RunFiles
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.api.wall_feed import WallFeed
from manyhands.service.database.access_repository import AuditRepository, SessionRepository, TokenRepository
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.failure_repository import MOST_FAILURES, FailureRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.fleet_control import FleetControl
from manyhands.service.fleet_figures import FigureRecorder
from manyhands.service.open_causes import CauseGroups


@dataclass(frozen=True)
class ServiceParts:
    """Hold what ``create_app`` makes an application of."""

    batches: BatchRepository
    events: EventRepository
    tokens: TokenRepository
    sessions: SessionRepository
    failures: FailureRepository
    audit: AuditRepository
    schedules: ScheduleRepository
    webhooks: WebhookRepository
    fleet: FleetControl
    runs: Path
    """The folder that holds the run folders of the service, from its first start on."""
    schedules_changed: Callable[[], None] = lambda: None
    """Is called when a schedule was made or changed."""
    webhooks_changed: Callable[[], None] = lambda: None
    """Is called when a webhook was made or changed."""
    refuses_addresses: bool = True
    """Whether webhooks to addresses of the machine's own metadata are refused."""
    console: Path = CONSOLE
    """The folder of the console's files."""
    bounds: ServiceBounds = field(default_factory=ServiceBounds)


@dataclass(frozen=True)
class RouteContext:
    """Hold what routes use: the parts of the service, and what the application made of them."""

    parts: ServiceParts
    feed: EventFeed
    wall: WallFeed
    streams: OpenStreams
    bodies: BodyReader
    files: RunFiles
    console: ConsoleFiles
    figures: FigureRecorder
    causes: CauseGroups
    places: FailurePlaces

    @classmethod
    def of(cls, parts: ServiceParts) -> RouteContext:
        """Make the context of an application."""
        bounds = parts.bounds
        files = RunFiles(parts.runs, bounds.thumbnails_bytes)
        return cls(
            parts=parts,
            feed=EventFeed(parts.events, bounds.stream_events),
            streams=OpenStreams(bounds.streams, bounds.token_streams),
            bodies=BodyReader(bounds),
            wall=WallFeed(parts.fleet, parts.batches, files, bounds.wall_s),
            files=files,
            console=ConsoleFiles(parts.console),
            figures=FigureRecorder(parts.fleet),
            causes=CauseGroups(2 * MOST_FAILURES),
            places=FailurePlaces(files),
        )


def _context_of(request: Request) -> RouteContext:
    context: RouteContext = request.app.state.context
    return context


Context = Annotated[RouteContext, Depends(_context_of)]
"""The parameter by which a route gets the context."""
