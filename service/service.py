"""Compose a service: its database, its fleet, its HTTP application, its schedules and its webhooks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.clock import Clock, RealClock
from manyhands.deploy.fleet.run_files.run_folder import only_run_in
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput, first_error, store_error
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.service.access import AccessRole, TokenGrant, TokenRequest, TokenStatus
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.app import create_app
from manyhands.service.api.parts import ServiceParts
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.database.access_repository import AuditRepository, SessionRepository, TokenRepository
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.failure_repository import FailureRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.fleet_keeper import RUNS, FleetKeeper
from manyhands.service.http_server import TlsFiles, serving
from manyhands.service.recurring_work import RecurringWork
from manyhands.service.schedule_runner import ScheduleRunner
from manyhands.service.webhook_courier import WebhookCourier
from manyhands.service.webhook_post import MessagePost

DATABASE, TOKEN = "service.db", "token"
"""The names of the database and of the first token's file in the service's folder."""
STEPS_KEPT_S, FORGET_EVERY_S = 3600.0, 600.0
"""How long events of steps are kept, and how often older ones are deleted."""
PERSON_WAIT_S = 1800.0
"""How long the episodes of a service wait for a person for whom their model asks."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServicePlace:
    """Say where a service keeps its files, and where it listens."""

    folder: Path
    """The service's folder: database, first token, run folders."""
    database_url: str | None = None
    """The database; None for a file of SQLite in the folder."""
    host: str = "127.0.0.1"
    port: int = 8008
    """0 takes a free port."""
    tls: TlsFiles | None = None
    bounds: ServiceBounds | None = None
    """The bounds of requests; None for the defaults."""
    refuses_addresses: bool = True
    """Whether webhooks to addresses of the machine's own metadata are refused."""
    makes_token: bool = False
    """Whether this start makes another token that allows everything: somebody lost all that may operate."""


@dataclass(frozen=True, slots=True)
class OpenService:
    """Describe a service that answers requests."""

    url: str
    token_file: Path
    """The file with the first token's secret."""
    first_token: TokenGrant | None
    """The first token, if this start made it."""


def with_person_wait(settings: FleetSettings) -> FleetSettings:
    """Let the models of a fleet ask for a person, if its profile can and the settings do not say for how long."""
    episode = settings.episode
    uses = registered_profiles().find(episode.profile).uses
    if "person_wait_s" in episode.model_fields_set or "person_wait_s" not in uses or episode.paper_exact:
        return settings
    waiting = episode.model_copy(update={"person_wait_s": PERSON_WAIT_S})
    return settings.model_copy(update={"episode": waiting})


@asynccontextmanager
async def open_tokens(place: ServicePlace) -> AsyncIterator[tuple[TokenRepository, TokenGrant | None]]:
    """Open the tokens of a service, which may run meanwhile or not, for another server.

    Yield the first token too, if this makes it. Raises BadInput for a folder or a database that cannot be used.
    """
    await asyncio.to_thread(_make_folder, place.folder)
    database = await ServiceDatabase.open(place.database_url or str(place.folder / DATABASE))
    try:
        tokens = TokenRepository(database)
        yield tokens, await _make_first_token(tokens, AuditRepository(database), place, HOST_CLOCK.now())
    finally:
        await database.close()


async def run_service(
    place: ServicePlace,
    settings: FleetSettings,
    on_open: Callable[[OpenService], Awaitable[None]],
    clock: Clock | None = None,
) -> None:
    """Run a service until it is cancelled.

    ``settings``: those of its fleet. ``on_open``: awaited once, when requests are answered; the fleet may still be
    opening. Raises BadInput for a folder, a database, an address or settings that cannot be used.
    """
    clock, settings = clock or RealClock(), with_person_wait(settings)
    with first_error():
        async with AsyncExitStack() as stack:
            await asyncio.to_thread(_make_folder, place.folder)
            stack.enter_context(only_run_in(place.folder))
            database = await ServiceDatabase.open(place.database_url or str(place.folder / DATABASE))
            stack.push_async_callback(database.close)
            await stack.enter_async_context(database.claim())
            batches, events, tokens = BatchRepository(database), EventRepository(database), TokenRepository(database)
            schedules, webhooks = ScheduleRepository(database), WebhookRepository(database)
            audit = AuditRepository(database)
            await asyncio.to_thread(_check_database, place.folder, await tokens.list())
            first_token = await _make_first_token(tokens, audit, place, clock.now())
            keeper = FleetKeeper(place.folder, settings, batches, events, clock)
            post = await stack.enter_async_context(MessagePost(refuses_addresses=place.refuses_addresses))
            runner = ScheduleRunner(schedules, batches, keeper, clock)
            courier = WebhookCourier(webhooks, post, clock)
            parts = ServiceParts(
                batches=batches,
                events=events,
                tokens=tokens,
                sessions=SessionRepository(database),
                failures=FailureRepository(database),
                audit=audit,
                schedules=schedules,
                webhooks=webhooks,
                fleet=keeper,
                runs=place.folder / RUNS,
                schedules_changed=runner.wake,
                webhooks_changed=courier.wake,
                refuses_addresses=place.refuses_addresses,
                bounds=place.bounds or ServiceBounds(),
            )
            async with asyncio.TaskGroup() as group:
                url = await stack.enter_async_context(
                    serving(create_app(parts), place.host, place.port, parts.bounds, place.tls)
                )
                group.create_task(keeper.run())
                group.create_task(runner.run())
                group.create_task(courier.run())
                group.create_task(_forgetting(events, clock).run())
                await on_open(OpenService(url, place.folder / TOKEN, first_token))


def _make_folder(folder: Path) -> None:
    try:
        secure_files.make_untracked_folder(folder)
    except OSError as error:
        raise BadInput(f"--folder {folder}: {error.strerror or error}") from error


def _check_database(folder: Path, tokens: Sequence[TokenStatus]) -> None:
    """Raise BadInput if the database is empty, but runs of a service are there: it was moved, or is another one."""
    runs = folder / RUNS
    if not tokens and runs.is_dir() and any(runs.iterdir()):
        raise BadInput(
            f"--folder {folder}: {RUNS}/ holds runs of a service, and its database is empty: it was moved or deleted, "
            "or another one was named. Put it back, or name another folder for a new service"
        )


async def _make_first_token(
    tokens: TokenRepository, audit: AuditRepository, place: ServicePlace, now: float
) -> TokenGrant | None:
    """Make a token that allows everything, if there is none, and write its secret to a file that its owner may read.

    A start that was killed in between left no file, and nobody knows its secret: another token is made.
    """
    folder, grants = place.folder, await tokens.list()
    is_known = bool(grants) and ((folder / TOKEN).exists() or bool((await audit.entries(limit=1)).items))
    if is_known and not place.makes_token:
        return None
    grant = await tokens.make(TokenRequest(owner="admin", role=AccessRole.APPROVE), now)
    for old_grant in () if is_known else grants:
        await tokens.revoke(old_grant.id, now)
    try:
        await asyncio.to_thread(secure_files.replace_text, folder / TOKEN, grant.secret + "\n")
    except OSError as error:
        raise store_error(error, str(folder / TOKEN)) from error
    return grant


def _forgetting(events: EventRepository, clock: Clock) -> RecurringWork:
    """Return the work that deletes old steps from the events."""

    async def forget() -> None:
        await events.forget_steps(clock.now() - STEPS_KEPT_S)

    return RecurringWork.every(FORGET_EVERY_S, "deleting old steps", forget, clock)
