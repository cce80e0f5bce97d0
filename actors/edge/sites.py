"""Keep the link to a broker and the sites behind it, and ask them for their phones."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from manyhands.actors.clock import Clock
from manyhands.actors.edge.asker import Answer
from manyhands.actors.edge.link import Arrival, Link
from manyhands.actors.edge.looking import Looking
from manyhands.actors.edge.renewing import renewals_at
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.actors.edge.site import Call, LeaseCall, OtherVersion, Question, Site
from manyhands.actors.edge.versions import version_here
from manyhands.actors.phones.calls import Calls
from manyhands.protocol.edge.messages import EdgeReply, EdgeRequest, PictureChunk, Presence
from manyhands.protocol.edge.topics import Kind
from manyhands.protocol.errors import BadInput, CallError, DeadlinePassed, PhoneLost, PhoneUnknown
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, PhoneInfo

R = TypeVar("R", bound=EdgeReply)

MakeLink = Callable[[MqttGatewaySettings, str], Link]
"""Makes a link for the client of that name."""
UNDO_S = 5.0
"""How long leases that nobody wants any more may take to be given back while all stops."""
_log = logging.getLogger(__name__)


class Sites:
    """Implements ``actors.edge.link.Listener``: takes what sites tell and answer, from ``start`` to ``stop``.

    ``start`` and ``stop`` are called once each; another start is that of others, with a client's name of their own.
    """

    def __init__(self, settings: MqttGatewaySettings, make_link: MakeLink, clock: Clock) -> None:
        """Raises BadInput for a name that no site can have."""
        self._settings = settings
        self._clock = clock
        self._client = f"m-{secrets.token_hex(8)}"
        self.link = make_link(settings, self._client)
        self.by_name = {name: Site(name, self._client, self.link, settings.repeat, clock) for name in settings.sites}
        self.renewals = {
            name: renewals_at(site, settings.renew_window_s, settings.plain_s, clock.now)
            for name, site in self.by_name.items()
        }
        self._pixels = ThreadPoolExecutor(settings.pixel_threads, "pictures")
        self.looking = Looking(settings, self._pixels, clock.now)
        self.calls = Calls(settings.max_calls)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._connecting: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ its course
    async def start(self) -> None:
        """Connect, and greet the sites that are there. Raises BadInput for what another try does not mend.

        Where it raises, or is cancelled, nothing is left open.
        """
        try:
            await self._connect()
            await asyncio.gather(*map(self._greet, self.by_name.values()))
        except BaseException:
            await self._close()
            raise

    async def stop(self) -> None:
        """Give back what nobody wants any more, end what waits, and close the connections."""
        self.calls.stopping = True
        if self._connecting is not None:
            self._connecting.cancel()  # by itself it ends only once the broker is there
        try:
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=UNDO_S)
        finally:
            await self._close()

    def own(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start what outlives its caller, and ends with all the rest."""
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
            self._connecting = self.own(self._connect_later())

    async def _connect_later(self) -> None:
        while True:
            await self._clock.sleep(self._settings.link.most_retry_s)
            try:
                await self.link.start(self)
                return
            except BadInput as error:
                _log.info("%s; it is tried again", error)

    async def _greet(self, site: Site) -> None:
        """Compare the clocks. A site that does not answer is asked again when it is needed.

        Raises BadInput for one of another version, unless the start is patient.
        """
        try:
            await site.greet(self._clock.now() + self._settings.hello_s)
        except OtherVersion as error:
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
            site.close()
        await self.link.stop()
        self._pixels.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------------ what arrives
    def arrived(self, arrival: Arrival) -> None:
        """Take what a site tells, or answers."""
        place, envelope = arrival.place, arrival.packet.envelope
        site = self.by_name.get(place.site)
        if site is None:
            return
        body = envelope.body
        if isinstance(body, EdgeReply):
            site.take(body, envelope.sent_at)
        elif isinstance(body, PictureChunk):
            self.looking.take(site.name, body, arrival.packet.data)
        elif isinstance(body, Presence):
            site.told(body)
        elif isinstance(body, PhoneInfo) and (place.kind, place.name) == (Kind.STATE, body.serial):
            site.told_of(place.name, body)

    async def connected(self) -> None:
        """Have all that waits for an answer sent again."""
        for site in self.by_name.values():
            site.wake()

    # ------------------------------------------------------------------ whose a phone is
    def of(self, serial: str) -> tuple[Site, str]:
        """Return a phone's site, and its serial there. Raises PhoneUnknown."""
        name, _, bare = serial.partition("/")
        site = self.by_name.get(name)
        if site is None or not bare:
            sites = ", ".join(self.by_name)
            raise PhoneUnknown(f"{serial!r} is no phone of {sites} at {self._settings.broker.name}: say SITE/SERIAL")
        return site, bare

    def there(self, serial: str) -> tuple[Site, str]:
        """Return a phone's site, and its serial there. Raises PhoneUnknown, and PhoneLost for a site that is away."""
        site, bare = self.of(serial)
        if site.away:
            raise PhoneLost(f"phone {serial}: site {site.name} is away")
        return site, bare

    async def greeted(self, serial: str) -> tuple[Site, str]:
        """Return a phone's site, which has just said that it is there, and its serial there.

        Raises PhoneUnknown, PhoneLost for a site that is away or does not answer soon, and OtherVersion.
        """
        site, bare = self.there(serial)
        try:
            with self.calls.admitted():
                await site.greet(self._clock.now() + self._settings.hello_s)
        except DeadlinePassed as error:
            raise PhoneLost(
                f"phone {serial}: site {site.name} does not answer: {error}; "
                f"if it runs, is its manyhands far from the {version_here()} here?"
            ) from error
        return site, bare

    def of_lease(self, lease: Lease) -> tuple[Site, Lease]:
        """Return the site of a lease, and the lease as that knows it. Raises PhoneUnknown."""
        site, bare = self.of(lease.serial)
        return site, site.lease_there(lease, bare)

    # ------------------------------------------------------------------ what they are asked
    async def ask(self, site: Site, question: Question[R], limit_s: float | None = None) -> R:
        """Ask a site what carries no deadline of its own.

        Raises what the site refuses with, DeadlinePassed, Overloaded, and CallError while all is stopping.
        """
        with self.calls.admitted():
            deadline = self._clock.now() + (self._settings.plain_s if limit_s is None else limit_s)
            return (await site.ask(question, deadline)).reply

    async def ask_under(
        self,
        lease: Lease,
        context: CallContext,
        make: Callable[[LeaseCall], EdgeRequest[R]],
        reply: type[R],
        method: str,
    ) -> tuple[Site, Answer[R]]:
        """Ask a phone's site something under its lease, until the call's deadline. Raises as ``ask`` does."""
        site, theirs = self.of_lease(lease)
        what = f"{method} on {lease.serial} for {context.episode}, step {context.step}"

        def make_of(call: Call) -> EdgeRequest[R]:
            return make(LeaseCall(lease=theirs, episode=context.episode, step=context.step, **call))

        with self.calls.admitted():
            question = site.question(make_of, reply, what, theirs.serial, traceparent=context.traceparent)
            return site, await site.ask(question, context.deadline)
