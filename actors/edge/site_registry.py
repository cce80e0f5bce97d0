"""Hold the link to a broker and the sites behind it, route messages, and call the sites of phones.

The leases of a site are renewed in batches.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from manyhands.actors.clock import Clock
from manyhands.actors.edge.link import IncomingMessage, Link
from manyhands.actors.edge.picture_download import PictureDownloader
from manyhands.actors.edge.remote_site import (
    IncompatibleVersion,
    LeaseRequestFields,
    RemoteSite,
    RequestFields,
    RequestSpec,
)
from manyhands.actors.edge.rpc_client import TimedReply
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.actors.phones.locks import Calls
from manyhands.protocol.edge.messages import (
    EdgeReply,
    EdgeRequest,
    ErrorInfo,
    PictureChunk,
    Presence,
    RenewReply,
    RenewRequest,
    installed_version,
)
from manyhands.protocol.edge.topics import TopicKind
from manyhands.protocol.errors import BadInput, CallError, DeadlinePassed, PhoneLost, PhoneUnknown
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, PhoneInfo

R = TypeVar("R", bound=EdgeReply)

LinkFactory = Callable[[MqttGatewaySettings, str], Link]
"""Creates a link for the client with the given name."""
RELEASE_TIMEOUT_S = 5.0
"""The time limit for giving back cancelled leases while the registry stops."""
_log = logging.getLogger(__name__)

MAX_LEASES = 500
"""The most leases in one request, which then has some 100 kB."""
RenewLeases = Callable[[Sequence[Lease], float], Awaitable[Sequence[Lease | ErrorInfo]]]
"""Renews leases for a number of seconds. Returns a renewed lease or an error for each lease, in order."""


@dataclass(slots=True)
class _Batch:
    leases: list[Lease] = field(default_factory=list)
    request: asyncio.Task[Sequence[Lease | ErrorInfo]] | None = None
    waiting: int = 0


class LeaseRenewer:
    """Collect leases for ``window_s`` seconds, and renew all of them by one request."""

    def __init__(self, renew_all: RenewLeases, window_s: float) -> None:
        self._renew_all = renew_all
        self._window_s = window_s
        self._open: dict[float, _Batch] = {}
        """The batches that accept more leases, by the seconds for which their leases are renewed."""

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the renewed lease. Raises the error that refused it, or the error of the whole request."""
        batch = self._open.get(ttl_s)
        if batch is None or len(batch.leases) == MAX_LEASES:
            batch = self._open[ttl_s] = _Batch()
            batch.request = asyncio.create_task(self._send(batch, ttl_s))
        assert batch.request is not None
        index, request = len(batch.leases), batch.request
        batch.leases.append(lease)
        batch.waiting += 1
        try:
            renewed = (await asyncio.shield(request))[index]
        finally:
            batch.waiting -= 1
            if not batch.waiting:
                self._close(ttl_s, batch)  # close now: a lease added before the task ends would be cancelled with it
                request.cancel()
        if isinstance(renewed, ErrorInfo):
            raise renewed.error()
        return renewed

    async def _send(self, batch: _Batch, ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        try:
            await asyncio.sleep(self._window_s)
        finally:
            self._close(ttl_s, batch)
        return await self._renew_all(batch.leases, ttl_s)

    def _close(self, ttl_s: float, batch: _Batch) -> None:
        """Close the batch: it accepts no more leases."""
        if self._open.get(ttl_s) is batch:
            del self._open[ttl_s]


def _create_lease_renewer(site: RemoteSite, window_s: float, limit_s: float, now: Callable[[], float]) -> LeaseRenewer:
    """Return a renewer for the leases of a site.

    A request must be answered in ``limit_s``; ``now`` returns Unix seconds.
    """

    async def renew_all(leases: Sequence[Lease], ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        deadline, what = now() + limit_s, f"renewing {len(leases)} leases"

        def create(fields: RequestFields) -> RenewRequest:
            return RenewRequest(leases=tuple(leases), ttl_s=ttl_s, **fields)

        renewed = (await site.call(site.specify(create, RenewReply, what), deadline)).reply.leases
        if len(renewed) != len(leases):
            raise CallError(f"{what}: site {site.name} answered for {len(renewed)}")
        return renewed

    return LeaseRenewer(renew_all, window_s)


class SiteRegistry:
    """Implements ``actors.edge.link.LinkListener``: receives announcements and replies from ``start`` to ``stop``.

    ``start`` and ``stop`` are called once each; a restarted gateway creates another registry, with another client name.
    """

    def __init__(self, settings: MqttGatewaySettings, link_factory: LinkFactory, clock: Clock) -> None:
        """Raises BadInput for an invalid name of a site."""
        self._settings = settings
        self._clock = clock
        self._client = f"m-{secrets.token_hex(8)}"
        self.link = link_factory(settings, self._client)
        self.by_name = {
            name: RemoteSite(name, self._client, self.link, settings.repeat, clock) for name in settings.sites
        }
        self.renewals = {
            name: _create_lease_renewer(site, settings.renew_window_s, settings.plain_s, clock.now)
            for name, site in self.by_name.items()
        }
        self._decoders = ThreadPoolExecutor(settings.pixel_threads, "pictures")
        self.pictures = PictureDownloader(settings, self._decoders, clock.now)
        self.admission = Calls(settings.max_calls)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._connecting: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ start and stop
    async def start(self) -> None:
        """Connect, and shake hands with the sites. If this raises or is cancelled, nothing stays open.

        Raises BadInput for an error that a retry does not fix.
        """
        try:
            await self._connect()
            await asyncio.gather(*map(self._handshake, self.by_name.values()))
        except BaseException:
            await self._close()
            raise

    async def stop(self) -> None:
        """Give cancelled leases back, fail pending requests, and close the connections."""
        self.admission.stopping = True
        if self._connecting is not None:
            self._connecting.cancel()  # otherwise the task ends only once the broker is reachable
        try:
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=RELEASE_TIMEOUT_S)
        finally:
            await self._close()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that may outlive its caller, but ends with the registry."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _connect(self) -> None:
        for site in self.by_name.values():
            topics = site.topics
            replies, pictures = topics.replies(self._client), topics.pictures(self._client)
            await self.link.subscribe(replies, pictures, topics.presence, topics.all_phone_states)
        try:
            await self.link.start(self)
        except BadInput as error:
            if not self._settings.patient:
                raise
            _log.warning("%s; it is tried again", error)
            self._connecting = self.spawn(self._connect_later())

    async def _connect_later(self) -> None:
        while True:
            await self._clock.sleep(self._settings.link.retry.longest_s)
            try:
                await self.link.start(self)
                return
            except BadInput as error:
                _log.info("%s; it is tried again", error)

    async def _handshake(self, site: RemoteSite) -> None:
        """Estimate a site's clock.

        If the site does not answer, the handshake is repeated before the first call that needs it. Raises BadInput for
        an incompatible version, unless ``patient``.
        """
        try:
            await site.handshake(self._clock.now() + self._settings.hello_s)
        except IncompatibleVersion as error:
            if not self._settings.patient:
                raise BadInput(str(error)) from error
            _log.warning("%s", error)
        except CallError as error:
            _log.info("%s", error)

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for site in self.by_name.values():
            site.fail_all()
        await self.link.stop()
        self._decoders.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------------ incoming messages
    def on_message(self, message: IncomingMessage) -> None:
        """Route an announcement or a reply to its site."""
        topic, envelope = message.topic, message.packet.envelope
        site = self.by_name.get(topic.site)
        if site is None:
            return
        body = envelope.body
        if isinstance(body, EdgeReply):
            site.receive_reply(body, envelope.sent_at)
        elif isinstance(body, PictureChunk):
            self.pictures.add_chunk(site.name, body, message.packet.data)
        elif isinstance(body, Presence):
            site.update_presence(body)
        elif isinstance(body, PhoneInfo) and (topic.kind, topic.name) == (TopicKind.STATE, body.serial):
            site.update_phone(topic.name, body)

    async def on_connect(self) -> None:
        """Send all pending requests again."""
        for site in self.by_name.values():
            site.resend_all()

    # ------------------------------------------------------------------ sites of phones
    def find(self, serial: str) -> tuple[RemoteSite, str]:
        """Return a phone's site, and its serial there. Raises PhoneUnknown."""
        name, _, bare = serial.partition("/")
        site = self.by_name.get(name)
        if site is None or not bare:
            sites = ", ".join(self.by_name)
            raise PhoneUnknown(f"{serial!r} is no phone of {sites} at {self._settings.broker.name}: say SITE/SERIAL")
        return site, bare

    def find_present(self, serial: str) -> tuple[RemoteSite, str]:
        """Return a phone's site, and its serial there. Raises PhoneUnknown, and PhoneLost if the site is away."""
        site, bare = self.find(serial)
        if site.away:
            raise PhoneLost(f"phone {serial}: site {site.name} is away")
        return site, bare

    async def find_responsive(self, serial: str) -> tuple[RemoteSite, str]:
        """Return a phone's site after a handshake with it, and its serial there.

        Raises PhoneUnknown, PhoneLost if the site is away or does not answer soon, and IncompatibleVersion.
        """
        site, bare = self.find_present(serial)
        try:
            with self.admission.admitted():
                await site.handshake(self._clock.now() + self._settings.hello_s)
        except DeadlinePassed as error:
            raise PhoneLost(
                f"phone {serial}: site {site.name} does not answer: {error}; "
                f"if it runs, is its manyhands far from the {installed_version()} here?"
            ) from error
        return site, bare

    def find_by_lease(self, lease: Lease) -> tuple[RemoteSite, Lease]:
        """Return the site of a lease, and the lease by the site's names and times. Raises PhoneUnknown."""
        site, bare = self.find(lease.serial)
        return site, site.to_site_lease(lease, bare)

    # ------------------------------------------------------------------ requests
    async def call(self, site: RemoteSite, spec: RequestSpec[R], limit_s: float | None = None) -> R:
        """Send a request that has no deadline of its own, with a limit of ``limit_s`` seconds, and return the reply.

        Raises the site's error, DeadlinePassed, Overloaded, and CallError while the registry stops.
        """
        with self.admission.admitted():
            deadline = self._clock.now() + (self._settings.plain_s if limit_s is None else limit_s)
            return (await site.call(spec, deadline)).reply

    async def call_under_lease(
        self,
        lease: Lease,
        context: CallContext,
        create: Callable[[LeaseRequestFields], EdgeRequest[R]],
        reply: type[R],
        method: str,
    ) -> tuple[RemoteSite, TimedReply[R]]:
        """Send a request under a lease, until the deadline of ``context``. Raises the errors of ``call``."""
        site, theirs = self.find_by_lease(lease)
        what = f"{method} on {lease.serial} for {context.episode}, step {context.step}"

        def create_with_lease(fields: RequestFields) -> EdgeRequest[R]:
            return create(LeaseRequestFields(lease=theirs, episode=context.episode, step=context.step, **fields))

        with self.admission.admitted():
            spec = site.specify(create_with_lease, reply, what, theirs.serial, traceparent=context.traceparent)
            return site, await site.call(spec, context.deadline)
