"""Serve the phones of a site to those who ask through a broker."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any
from uuid import uuid4

from manyhands.actors.clock import Clock, until
from manyhands.actors.edge.answering import Answering, Chunks, Said
from manyhands.actors.edge.heard import Answers, Numbers
from manyhands.actors.edge.link import Arrival, Link, LinkCounts, Will
from manyhands.actors.edge.settings import SiteSettings
from manyhands.actors.seams import Gateway
from manyhands.protocol.edge.messages import (
    GONE,
    EdgeReply,
    EdgeRequest,
    Failed,
    Hello,
    PictureChunk,
    Presence,
    Refusal,
)
from manyhands.protocol.edge.topics import Kind, Place, Topics
from manyhands.protocol.edge.wire import pack
from manyhands.protocol.errors import (
    CallError,
    DeadlinePassed,
    LinkAway,
    ManyhandsError,
    Overloaded,
    Overtaken,
)
from manyhands.protocol.phones import PhoneInfo

MOST_S = 600.0
"""No request is worked on for longer, whatever it says."""
PRESENT_S = 10.0
"""How often it is told that the site is there: the will of a connection that broke off may come later than the next."""
STOPPING_S = 5.0
"""How long the requests under way may take while the server stops."""
logger = logging.getLogger(__name__)


class EdgeServer:
    """Answers at a ``Link`` what is asked of a ``Gateway``: implements ``actors.edge.link.Listener``.

    A request is carried out once, however often it arrives: while it runs the others wait with it, and until it
    expires they get the same answer. One that is older than the newest of its lease, or late by our clock, is refused.
    So is what is too much, in words, for the broker takes for delivered what has arrived. What comes while the server
    stops is left to the one that is started next.
    """

    def __init__(self, gateway: Gateway, link: Link, settings: SiteSettings, clock: Clock) -> None:
        self._link = link
        self._settings = settings
        self._clock = clock
        self._session = uuid4().hex
        self._topics = Topics(settings.site)
        self._answering = Answering(gateway, settings)
        self._answers = Answers()
        self._numbers = Numbers()
        self._since = 0.0
        self._phones: dict[str, PhoneInfo] = {}
        self._gone: dict[str, PhoneInfo] = {}
        """Phones that are listed no more, until that is told."""
        self._telling = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._present: asyncio.Task[None] | None = None
        self._running = 0
        self._sending: set[tuple[str, str, int]] = set()
        """Chunks that wait to be sent: to whom, of which picture, which."""
        self._stopping = False

    @property
    def counts(self) -> LinkCounts:
        return self._link.counts

    @property
    def running(self) -> int:
        """Return how many requests are under way."""
        return self._running

    @property
    def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones as they were told last."""
        return tuple(self._phones.values())

    async def start(self) -> None:
        """Connect, listen and tell that the site is there. Raises BadInput for what another try does not mend."""
        self._since = self._clock.now()
        await self._link.subscribe(self._topics.commands, self._topics.all_phone_commands)
        await self._link.start(self, Will(self._topics.presence, self._presence(online=False)))
        self._present = asyncio.create_task(self._stay_present())

    async def stop(self) -> None:
        """Let requests under way end, tell that the site is gone, and disconnect.

        What comes meanwhile is not answered: to those who ask it is as if the site had died before.
        """
        self._stopping = True
        if self._present is not None:
            self._present.cancel()
            await asyncio.wait({self._present})
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=STOPPING_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._send(self._topics.presence, self._presence(online=False), retain=True)
        await self._link.stop()

    # ------------------------------------------------------------------ what is told without being asked
    async def connected(self) -> None:
        """Tell anew that the site is there, and its phones: a broker that was killed may have lost what it kept."""
        async with self._telling:
            await self._link.publish(self._topics.presence, self._presence(online=True), retain=True)
            await self._tell(self._phones.values())

    async def _stay_present(self) -> None:
        while True:
            await self._clock.sleep(PRESENT_S)
            await self._send(self._topics.presence, self._presence(online=True), retain=True)

    async def tell_phones(self, phones: Sequence[PhoneInfo]) -> None:
        """Tell what changed among the site's phones. While the broker is away, ``connected`` does that later."""
        async with self._telling:
            phones = [phone for phone in phones if phone.serial]  # adb lists a phone without one now and then
            before, self._phones = self._phones, {phone.serial: phone for phone in phones}
            self._gone = {
                serial: phone for serial, phone in {**self._gone, **before}.items() if serial not in self._phones
            }
            try:
                await self._tell(phone for phone in phones if before.get(phone.serial) != phone)
            except LinkAway as error:
                logger.info("the phones of %s are told later: %s", self._settings.site, error)

    async def _tell(self, phones: Iterable[PhoneInfo]) -> None:
        """Tell of phones side by side, and of those that are gone. Raises LinkAway where one could not be told."""
        await asyncio.gather(*map(self._tell_of, phones), *map(self._tell_gone, tuple(self._gone.values())))

    async def _tell_of(self, phone: PhoneInfo) -> None:
        packed = pack(phone, self._clock.now()).data
        await self._link.publish(self._topics.phone_state(phone.serial), packed, retain=True)

    async def _tell_gone(self, phone: PhoneInfo) -> None:
        topic, gone = self._topics.phone_state(phone.serial), phone.model_copy(update={"state": GONE})
        await self._link.publish(topic, pack(gone, self._clock.now()).data)
        await self._link.publish(topic, b"", retain=True)  # who comes later is told nothing of it
        self._gone.pop(phone.serial, None)

    def _presence(self, *, online: bool) -> bytes:
        said = Presence(site=self._settings.site, session=self._session, online=online, since=self._since)
        return pack(said, self._clock.now()).data

    # ------------------------------------------------------------------ what is asked
    def arrived(self, arrival: Arrival) -> None:
        """Begin to answer a request, unless it was heard before."""
        request, id, counts = arrival.packet.envelope.body, arrival.packet.envelope.id, self.counts
        if not isinstance(request, EdgeRequest) or arrival.retained or not self._is_for(arrival.place, request):
            counts.malformed += 1
            return
        counts.requests += 1
        if self._stopping or len(self._tasks) >= 2 * self._settings.most_requests:
            counts.refusals += 1  # not even said, nor noted: whoever asked asks again, us or the one started next
            return
        heard_at = self._clock.now()
        if isinstance(request, Hello):  # it asks for the time now
            refusal = self._too_much()
        elif self._answers.known(id):
            counts.repeats += 1
            answer = self._answers.given(id)
            if answer is not None:
                self._own(self._send(self._topics.replies(request.client), answer))
            return
        else:
            refusal = self._refusal(request, heard_at)
        self._answers.begin(id)
        self._running += refusal is None
        self._own(self._serve(id, request, heard_at, refusal))

    def _is_for(self, place: Place, request: EdgeRequest[Any]) -> bool:
        """Return whether a request came on the topic of the phone that it names, or of the site where it names none."""
        named = getattr(request, "lease", request)
        return place == (self._settings.site, Kind.COMMANDS, getattr(named, "serial", ""))

    def _refusal(self, request: EdgeRequest[Any], now: float) -> ManyhandsError | None:
        """Return why a request is not carried out; None if it is."""
        what = type(request).__name__
        if request.expires_at <= now:
            self.counts.late += 1
            return DeadlinePassed(f"{what} came {now - request.expires_at:.1f} s after its deadline")
        if self._numbers.overtaken(request):
            self.counts.overtaken += 1
            return Overtaken(f"{what} number {request.number} came after a newer request")
        return self._too_much()

    def _too_much(self) -> ManyhandsError | None:
        if self._running >= self._settings.most_requests:
            return Overloaded(f"the gateway of {self._settings.site} works on {self._running} requests already")
        return None

    async def _serve(self, id: str, request: EdgeRequest[Any], heard_at: float, refusal: ManyhandsError | None) -> None:
        """Carry out a request unless it is refused, and answer it."""
        chunks: Chunks = ()
        try:
            if refusal is not None:
                raise refusal
            said = await self._carried_out(id, request, heard_at)
            packed, chunks = self._packed(said.reply), said.chunks
        except ManyhandsError as error:
            packed = self._failed(id, heard_at, error)
        except asyncio.CancelledError:
            self._answers.forget(id)
            raise
        except Exception as error:  # a defect that one request meets must not end the site
            logger.exception("a request of %s failed by a defect", request.client)
            packed = self._failed(id, heard_at, CallError(f"{type(error).__name__}: {error}"))
        if isinstance(request, Hello):
            self._answers.forget(id)
        else:
            self._answers.give(id, packed, request.expires_at, self._clock.now())
        await asyncio.gather(  # one after the other, each would wait for the broker to accept the one before
            self._send(self._topics.replies(request.client), packed),
            *(self._send_chunk(request.client, chunk, part) for chunk, part in chunks),
        )

    async def _carried_out(self, id: str, request: EdgeRequest[Any], heard_at: float) -> Said:
        last = heard_at + MOST_S if isinstance(request, Hello) else min(request.expires_at, heard_at + MOST_S)
        try:
            async with until(self._clock, last, type(request).__name__):
                return await self._answering.answer(id, request, heard_at)
        finally:
            self._running -= 1

    def _packed(self, reply: EdgeReply) -> bytes:
        packed = pack(reply, self._clock.now()).data
        if len(packed) > self._settings.most_reply_bytes:
            raise CallError(
                f"the answer has {len(packed)} bytes, and {self._settings.most_reply_bytes} are sent at most"
            )
        return packed

    def _failed(self, id: str, heard_at: float, error: ManyhandsError) -> bytes:
        self.counts.refusals += 1
        return pack(Failed(answers=id, heard_at=heard_at, why=Refusal.of(error)), self._clock.now()).data

    async def _send(self, topic: str, data: bytes, *, retain: bool = False) -> bool:
        """Send, and return whether the broker took it. What it did not take is asked for again."""
        try:
            await self._link.publish(topic, data, retain=retain)
        except LinkAway as error:
            logger.debug("%s was not sent: %s", topic, error)
            return False
        return True

    async def _send_chunk(self, client: str, chunk: PictureChunk, part: bytes) -> None:
        """Send a chunk, unless the same one still waits here: fetched again, it would only hold up those behind it."""
        one = client, chunk.picture, chunk.index
        if one in self._sending:
            return
        self._sending.add(one)
        try:
            await self._send(self._topics.pictures(client), pack(chunk, self._clock.now(), part).data)
        finally:
            self._sending.discard(one)

    def _own(self, work: Coroutine[Any, Any, None] | Coroutine[Any, Any, bool]) -> None:
        """Run ``work`` beside the others; ``stop`` waits for it."""
        task = asyncio.create_task(_alone(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _alone(work: Coroutine[Any, Any, Any]) -> None:
    await work
