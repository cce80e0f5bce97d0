"""Serve the phones of a site to clients, through a broker."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any
from uuid import uuid4

from manyhands.actors.clock import Clock, time_limit
from manyhands.actors.edge.link import IncomingMessage, LastWill, Link, LinkCounts
from manyhands.actors.edge.request_handler import Chunks, HandlerResult, ReplyCache, RequestHandler, SequenceGuard
from manyhands.actors.edge.settings import SiteSettings
from manyhands.actors.interfaces import Gateway
from manyhands.protocol.edge.messages import (
    GONE,
    EdgeReply,
    EdgeRequest,
    ErrorInfo,
    ErrorReply,
    HelloRequest,
    PictureChunk,
    Presence,
)
from manyhands.protocol.edge.topics import ParsedTopic, TopicKind, Topics
from manyhands.protocol.edge.wire import pack
from manyhands.protocol.errors import CallError, DeadlinePassed, LinkAway, ManyhandsError, Overloaded, Superseded
from manyhands.protocol.phones import PhoneInfo

MAX_REQUEST_S = 600.0
"""The longest time for a request, even if its own deadline is later."""
PRESENCE_INTERVAL_S = 10.0
"""How often presence is published again, because the last will of a broken connection may arrive after the next one."""
STOP_TIMEOUT_S = 5.0
"""How long running requests may take while the server stops."""
logger = logging.getLogger(__name__)


class EdgeServer:
    """Execute the requests that arrive at a ``Link`` on a ``Gateway``: implements ``actors.edge.link.LinkListener``.

    A request is executed once, however often it arrives. A repeat gets the reply to the first copy, until the request
    expires. The server refuses a request that is older than the newest one under its lease, that has expired by the
    server's clock, or that exceeds the limit of running requests. It refuses by a reply, because the broker counts the
    request as delivered. Requests that arrive while the server stops are ignored; the client repeats them, and the next
    server gets them.
    """

    def __init__(self, gateway: Gateway, link: Link, settings: SiteSettings, clock: Clock) -> None:
        self._link = link
        self._settings = settings
        self._clock = clock
        self._session = uuid4().hex
        self._topics = Topics(settings.site)
        self._handler = RequestHandler(gateway, settings)
        self._replies = ReplyCache()
        self._sequence = SequenceGuard()
        self._since = 0.0
        self._phones: dict[str, PhoneInfo] = {}
        self._removed: dict[str, PhoneInfo] = {}
        """Phones that are no longer listed, until their removal is published."""
        self._publishing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._presence_task: asyncio.Task[None] | None = None
        self._active = 0
        self._queued_chunks: set[tuple[str, str, int]] = set()
        """Chunks that the broker has not accepted yet, each as client, picture and index."""
        self._stopping = False

    @property
    def counts(self) -> LinkCounts:
        return self._link.counts

    @property
    def active_requests(self) -> int:
        """Return how many requests run."""
        return self._active

    @property
    def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones as last published."""
        return tuple(self._phones.values())

    async def start(self) -> None:
        """Connect, subscribe and publish presence. Raises BadInput for an error that a retry does not fix."""
        self._since = self._clock.now()
        await self._link.subscribe(self._topics.commands, self._topics.all_phone_commands)
        await self._link.start(self, LastWill(self._topics.presence, self._presence(online=False)))
        self._presence_task = asyncio.create_task(self._republish_presence())

    async def stop(self) -> None:
        """Let running requests end, publish that the site is gone, and disconnect.

        Requests that arrive meanwhile get no reply, as if the site had already died.
        """
        self._stopping = True
        if self._presence_task is not None:
            self._presence_task.cancel()
            await asyncio.wait({self._presence_task})
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=STOP_TIMEOUT_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._send(self._topics.presence, self._presence(online=False), retain=True)
        await self._link.stop()

    # ------------------------------------------------------------------ announcements
    async def on_connect(self) -> None:
        """Publish presence and all phones again: a broker that was killed may have lost its retained messages."""
        async with self._publishing:
            await self._link.publish(self._topics.presence, self._presence(online=True), retain=True)
            await self._publish_states(self._phones.values())

    async def _republish_presence(self) -> None:
        while True:
            await self._clock.sleep(PRESENCE_INTERVAL_S)
            await self._send(self._topics.presence, self._presence(online=True), retain=True)

    async def publish_phones(self, phones: Sequence[PhoneInfo]) -> None:
        """Publish the changes among the site's phones.

        If the broker is lost now, ``on_connect`` publishes the phones later.
        """
        async with self._publishing:
            phones = [phone for phone in phones if phone.serial]  # adb sometimes lists a phone without a serial
            before, self._phones = self._phones, {phone.serial: phone for phone in phones}
            self._removed = {
                serial: phone for serial, phone in {**self._removed, **before}.items() if serial not in self._phones
            }
            try:
                await self._publish_states(phone for phone in phones if before.get(phone.serial) != phone)
            except LinkAway as error:
                logger.info("the phones of %s are published later: %s", self._settings.site, error)

    async def _publish_states(self, phones: Iterable[PhoneInfo]) -> None:
        """Publish the states of phones concurrently, and the removals. Raises LinkAway if one is not accepted."""
        await asyncio.gather(
            *map(self._publish_state, phones), *map(self._publish_removal, tuple(self._removed.values()))
        )

    async def _publish_state(self, phone: PhoneInfo) -> None:
        packed = pack(phone, self._clock.now()).data
        await self._link.publish(self._topics.phone_state(phone.serial), packed, retain=True)

    async def _publish_removal(self, phone: PhoneInfo) -> None:
        topic, state = self._topics.phone_state(phone.serial), phone.model_copy(update={"state": GONE})
        await self._link.publish(topic, pack(state, self._clock.now()).data)
        await self._link.publish(topic, b"", retain=True)  # clears the retained state
        self._removed.pop(phone.serial, None)

    def _presence(self, *, online: bool) -> bytes:
        presence = Presence(site=self._settings.site, session=self._session, online=online, since=self._since)
        return pack(presence, self._clock.now()).data

    # ------------------------------------------------------------------ requests
    def on_message(self, message: IncomingMessage) -> None:
        """Start to execute a request, unless it arrived before."""
        request, id, counts = message.packet.envelope.body, message.packet.envelope.id, self.counts
        if not isinstance(request, EdgeRequest) or message.retained or not self._matches_topic(message.topic, request):
            counts.malformed += 1
            return
        counts.requests += 1
        if self._stopping or len(self._tasks) >= 2 * self._settings.most_requests:
            counts.refusals += 1  # without a reply the client repeats the request, to us or to the next server
            return
        heard_at = self._clock.now()
        if isinstance(request, HelloRequest):  # even a repeated HelloRequest needs the present time
            refusal = self._overload()
        elif self._replies.is_known(id):
            counts.repeats += 1
            reply = self._replies.get(id)
            if reply is not None:
                self._spawn(self._send(self._topics.replies(request.client), reply))
            return
        else:
            refusal = self._refusal(request, heard_at)
        self._replies.begin(id)
        self._active += refusal is None
        self._spawn(self._serve(id, request, heard_at, refusal))

    def _matches_topic(self, topic: ParsedTopic, request: EdgeRequest[Any]) -> bool:
        """Return whether a request arrived on the topic of the phone that it names, or of the site if it names none."""
        named = getattr(request, "lease", request)
        return topic == (self._settings.site, TopicKind.COMMANDS, getattr(named, "serial", ""))

    def _refusal(self, request: EdgeRequest[Any], now: float) -> ManyhandsError | None:
        """Return the error that refuses a request; None if it is executed."""
        what = type(request).__name__
        if request.expires_at <= now:
            self.counts.late += 1
            return DeadlinePassed(f"{what} came {now - request.expires_at:.1f} s after its deadline")
        if self._sequence.is_superseded(request):
            self.counts.overtaken += 1
            return Superseded(f"{what} number {request.number} came after a newer request")
        return self._overload()

    def _overload(self) -> ManyhandsError | None:
        if self._active >= self._settings.most_requests:
            return Overloaded(f"the gateway of {self._settings.site} works on {self._active} requests already")
        return None

    async def _serve(self, id: str, request: EdgeRequest[Any], heard_at: float, refusal: ManyhandsError | None) -> None:
        """Execute a request unless it is refused, and send the reply."""
        chunks: Chunks = ()
        try:
            if refusal is not None:
                raise refusal
            result = await self._execute(id, request, heard_at)
            packed, chunks = self._pack(result.reply), result.chunks
        except ManyhandsError as error:
            packed = self._pack_error(id, heard_at, error)
        except asyncio.CancelledError:
            self._replies.forget(id)
            raise
        except Exception as error:  # a defect that one request meets must not end the site
            logger.exception("a request of %s failed by a defect", request.client)
            packed = self._pack_error(id, heard_at, CallError(f"{type(error).__name__}: {error}"))
        if isinstance(request, HelloRequest):
            self._replies.forget(id)
        else:
            self._replies.put(id, packed, request.expires_at, self._clock.now())
        await asyncio.gather(  # sent one by one, each would wait until the broker has accepted the one before
            self._send(self._topics.replies(request.client), packed),
            *(self._send_chunk(request.client, chunk, part) for chunk, part in chunks),
        )

    async def _execute(self, id: str, request: EdgeRequest[Any], heard_at: float) -> HandlerResult:
        limit = heard_at + MAX_REQUEST_S
        deadline = limit if isinstance(request, HelloRequest) else min(request.expires_at, limit)
        try:
            async with time_limit(self._clock, deadline, type(request).__name__):
                return await self._handler.handle(id, request, heard_at)
        finally:
            self._active -= 1

    def _pack(self, reply: EdgeReply) -> bytes:
        packed = pack(reply, self._clock.now()).data
        if len(packed) > self._settings.most_reply_bytes:
            raise CallError(
                f"the answer has {len(packed)} bytes, and {self._settings.most_reply_bytes} are sent at most"
            )
        return packed

    def _pack_error(self, id: str, heard_at: float, error: ManyhandsError) -> bytes:
        self.counts.refusals += 1
        return pack(ErrorReply(answers=id, heard_at=heard_at, why=ErrorInfo.of(error)), self._clock.now()).data

    async def _send(self, topic: str, data: bytes, *, retain: bool = False) -> bool:
        """Publish, and return whether the broker accepted the message. A client asks again for what it did not get."""
        try:
            await self._link.publish(topic, data, retain=retain)
        except LinkAway as error:
            logger.debug("%s was not sent: %s", topic, error)
            return False
        return True

    async def _send_chunk(self, client: str, chunk: PictureChunk, part: bytes) -> None:
        """Send a chunk, unless the same chunk is still waiting: a second copy would only delay other chunks."""
        one = client, chunk.picture, chunk.index
        if one in self._queued_chunks:
            return
        self._queued_chunks.add(one)
        try:
            await self._send(self._topics.pictures(client), pack(chunk, self._clock.now(), part).data)
        finally:
            self._queued_chunks.discard(one)

    def _spawn(self, work: Coroutine[Any, Any, None] | Coroutine[Any, Any, bool]) -> None:
        """Run ``work`` as a task; ``stop`` waits for it."""
        task = asyncio.create_task(_run(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _run(work: Coroutine[Any, Any, Any]) -> None:
    await work
