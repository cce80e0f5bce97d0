"""Requests that are sent again until they are answered, leases that are renewed together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from manyhands.actors.edge.link import IncomingMessage
from manyhands.actors.edge.remote_site import RemoteSite
from manyhands.actors.edge.settings import REPEAT
from manyhands.actors.edge.site_registry import MAX_LEASES, LeaseRenewer
from manyhands.protocol.base import Message
from manyhands.protocol.edge.messages import (
    EdgeReply,
    ErrorInfo,
    ErrorReply,
    HelloReply,
    HelloRequest,
    ListPhonesReply,
    ListPhonesRequest,
    Presence,
    SizeReply,
    SizeRequest,
    installed_version,
)
from manyhands.protocol.edge.wire import WIRE_NAMES, pack
from manyhands.protocol.errors import CallError, DeadlinePassed, LeaseLost, PhoneLost
from manyhands.protocol.phones import Lease
from manyhands.protocol.screens.geometry import Size
from tests.actors.edge.memory_broker import MemoryBroker
from tests.virtual_clock import START, VirtualClock, run_virtual

AHEAD = 100.0
"""How far the site's clock is ahead."""
CLOCK = VirtualClock()
Answers = Callable[[Any, int], Coroutine[Any, Any, EdgeReply | None]]
"""Answers a request, which arrives so many times before."""


@dataclass
class SmallSite:
    """The other end of a broker, and of Site: it answers what it is asked by a function."""

    answers: Answers
    broker: MemoryBroker = field(default_factory=MemoryBroker)
    heard: list[tuple[float, str, str]] = field(default_factory=list)
    """When a request arrived, its kind and id."""

    def __post_init__(self) -> None:
        self.link = self.broker.link()
        self.asking = self.broker.link()
        self.site = RemoteSite("lab", "me", self.asking, REPEAT, CLOCK)
        self.greeted = 0
        self._answering: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        await self.link.subscribe(self.site.topics.commands, self.site.topics.all_phone_commands)
        await self.link.start(self)
        await self.asking.subscribe(self.site.topics.replies("me"), self.site.topics.presence)
        await self.asking.start(_Asking(self.site))

    def on_message(self, message: IncomingMessage) -> None:
        envelope, at = message.packet.envelope, CLOCK.now() + AHEAD
        if isinstance(envelope.body, HelloRequest):
            self.greeted += 1
            welcome = HelloReply(answers=envelope.id, site="lab", heard_at=at, version=installed_version())
            self._own(self._send(welcome))
            return
        before = sum(name == envelope.id for _, _, name in self.heard)
        self.heard.append((CLOCK.now() - START, envelope.kind, envelope.id))
        self._own(self._answer(envelope.id, envelope.body, before))

    async def on_connect(self) -> None:
        pass

    async def _answer(self, name: str, body: Message, before: int) -> None:
        reply = await self.answers(body, before)
        if reply is not None:
            await self._send(reply.model_copy(update={"answers": name}))

    async def _send(self, reply: EdgeReply) -> None:
        await self.link.publish(self.site.topics.replies("me"), pack(reply, CLOCK.now() + AHEAD).data)

    def _own(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def times(self, kind: type[Message]) -> list[float]:
        return [at for at, name, _ in self.heard if WIRE_NAMES[name] is kind]

    async def size(self, seconds: float = 30) -> Size:
        question = self.site.specify(lambda call: SizeRequest(serial="a", **call), SizeReply, "the size of a", "a")
        return (await self.site.call(question, CLOCK.now() + seconds)).reply.size


@dataclass
class _Asking:
    site: RemoteSite

    def on_message(self, message: IncomingMessage) -> None:
        body = message.packet.envelope.body
        if isinstance(body, EdgeReply):
            self.site.receive_reply(body, message.packet.envelope.sent_at)
        elif isinstance(body, Presence):
            self.site.update_presence(body)

    async def on_connect(self) -> None:
        self.site.resend_all()


SIZE = SizeReply(answers="", size=Size(width=10, height=20))


async def at_once(body: Any, before: int) -> EdgeReply | None:
    return SIZE


def asked(answers: Answers, use: Callable[[SmallSite], Coroutine[Any, Any, None]]) -> None:
    """Play ``use`` with a site that answers so."""

    async def main() -> None:
        site = SmallSite(answers)
        await site.start()
        await use(site)

    run_virtual(main())


# ---------------------------------------------------------------------------- one question
def test_an_answer_comes_by_the_clock_of_the_site() -> None:
    async def use(site: SmallSite) -> None:
        assert await site.size() == SIZE.size
        assert site.greeted == 1
        assert site.site.offset.seconds == pytest.approx(AHEAD)
        assert await site.size() == SIZE.size
        assert site.greeted == 1
        counts = site.asking.counts
        assert (counts.requests, counts.repeats, counts.refusals) == (3, 0, 0)

    asked(at_once, use)


def test_a_request_is_sent_again_byte_for_byte_until_it_is_answered() -> None:
    async def at_last(body: Any, before: int) -> EdgeReply | None:
        assert body.expires_at == pytest.approx(START + AHEAD + 30)
        return SIZE if before == 5 else None

    async def use(site: SmallSite) -> None:
        assert await site.size() == SIZE.size
        assert site.times(SizeRequest) == pytest.approx([0, 1, 3, 7, 12, 17])
        assert len({name for _, _, name in site.heard}) == 1
        assert site.asking.counts.repeats == 5

    asked(at_last, use)


def test_whoever_gets_no_answer_is_told_so_at_the_deadline_and_asks_no_more() -> None:
    async def never(body: Any, before: int) -> EdgeReply | None:
        return None

    async def use(site: SmallSite) -> None:
        began = CLOCK.now()
        with pytest.raises(DeadlinePassed, match=r"^the size of a: no answer by the deadline$"):
            await site.size(8)
        assert CLOCK.now() - began == pytest.approx(8)
        heard = len(site.heard)
        await asyncio.sleep(60)
        assert len(site.heard) == heard

    asked(never, use)


def test_a_cancelled_question_is_sent_no_more() -> None:
    async def never(body: Any, before: int) -> EdgeReply | None:
        return None

    async def use(site: SmallSite) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(site.size(), 2)
        await asyncio.sleep(60)
        assert site.times(SizeRequest) == pytest.approx([0, 1])

    asked(never, use)


def test_answers_that_come_twice_late_or_to_nobody_are_nothing() -> None:
    async def slowly(body: Any, before: int) -> EdgeReply | None:
        await asyncio.sleep(4)
        return SIZE

    async def use(site: SmallSite) -> None:
        site.broker.faults = lambda topic, data: ((0.0, data), (0.0, data), (50.0, data))
        assert await site.size() == SIZE.size
        with pytest.raises(DeadlinePassed):
            await site.size(1)
        await asyncio.sleep(100)
        assert await site.size() == SIZE.size

    asked(slowly, use)


# ---------------------------------------------------------------------------- links and sites that go
def test_what_waits_is_sent_again_as_soon_as_the_link_is_back() -> None:
    async def use(site: SmallSite) -> None:
        await site.size()
        await site.broker.lose(site.asking)
        asking = asyncio.create_task(site.size())
        await asyncio.sleep(9.5)
        await site.broker.regain(site.asking)
        assert await asking == SIZE.size
        assert site.times(SizeRequest) == pytest.approx([0, 9.5])

    asked(at_once, use)


def test_while_there_is_no_connection_the_error_says_so() -> None:
    async def use(site: SmallSite) -> None:
        await site.size()
        await site.broker.lose(site.asking)
        with pytest.raises(DeadlinePassed, match="no answer by the deadline: the link in memory was lost"):
            await site.size(3)

    asked(at_once, use)


def presence(online: bool, since: float, session: str = "s") -> bytes:
    return pack(Presence(site="lab", session=session, online=online, since=since), since).data


def test_what_waits_is_sent_again_as_soon_as_the_site_is_back() -> None:
    there = False

    async def if_there(body: Any, before: int) -> EdgeReply | None:
        return SIZE if there else None

    async def use(site: SmallSite) -> None:
        nonlocal there
        site.site.offset.observe(CLOCK.now(), CLOCK.now() + AHEAD, CLOCK.now())
        topic = site.site.topics.presence
        await site.link.publish(topic, presence(False, 1.0), retain=True)
        asking = asyncio.create_task(site.size())
        await asyncio.sleep(9)
        assert site.site.away
        there = True
        await site.link.publish(topic, presence(True, 2.0, "another"), retain=True)
        assert await asking == SIZE.size
        assert site.times(SizeRequest)[-1] == pytest.approx(9)
        assert not site.site.away
        await site.link.publish(topic, presence(False, 1.0), retain=True)
        await asyncio.sleep(1)
        assert not site.site.away  # that was the will of a connection that another had replaced

    asked(if_there, use)


# ---------------------------------------------------------------------------- refusals
def failed(code: str, text: str = "no") -> ErrorReply:
    return ErrorReply(answers="", why=ErrorInfo(code=code, text=text))


def test_errors_come_as_what_they_are_and_name_the_site() -> None:
    async def lost(body: Any, before: int) -> EdgeReply | None:
        return failed("phone_lost", "a does not answer")

    async def use(site: SmallSite) -> None:
        with pytest.raises(PhoneLost, match=r"^site lab: a does not answer$"):
            await site.size()
        assert site.asking.counts.refusals == 1

    asked(lost, use)


def test_what_was_overtaken_is_asked_anew_with_another_number() -> None:
    numbers: list[int] = []

    async def at_the_third(body: Any, before: int) -> EdgeReply | None:
        numbers.append(body.number)
        return failed("overtaken") if len(numbers) < 3 else SIZE

    async def use(site: SmallSite) -> None:
        assert await site.size() == SIZE.size
        assert numbers == sorted(set(numbers))
        assert len({name for _, _, name in site.heard}) == 3
        assert site.asking.counts.overtaken == 2

    asked(at_the_third, use)


def test_what_must_not_come_after_another_is_not_asked_anew() -> None:
    async def overtaken(body: Any, before: int) -> EdgeReply | None:
        return failed("overtaken")

    async def use(site: SmallSite) -> None:
        listing = site.site.specify(
            lambda call: ListPhonesRequest(**call), ListPhonesReply, "listing", retry_if_superseded=False
        )
        with pytest.raises(CallError, match="site lab: no"):
            await site.site.call(listing, CLOCK.now() + 30)
        assert len(site.heard) == 1

    asked(overtaken, use)


def test_a_request_is_asked_anew_where_the_clock_of_the_site_was_set_meanwhile() -> None:
    async def in_time(body: Any, before: int) -> EdgeReply | None:
        return SIZE if body.expires_at > CLOCK.now() + AHEAD else failed("deadline")

    async def use(site: SmallSite) -> None:
        site.site.offset.observe(CLOCK.now(), CLOCK.now(), CLOCK.now())  # as it was before it was set
        assert await site.size() == SIZE.size
        assert site.asking.counts.late == 1
        assert site.greeted == 1

    asked(in_time, use)


def test_an_answer_of_another_kind_is_an_error() -> None:
    async def strange(body: Any, before: int) -> EdgeReply | None:
        return ListPhonesReply(answers="", phones=())

    async def use(site: SmallSite) -> None:
        with pytest.raises(CallError, match="the size of a: site lab answered with ListPhonesReply"):
            await site.size()

    asked(strange, use)


def test_numbers_rise_from_one_process_to_the_next() -> None:
    numbers: list[int] = []

    async def counted(body: Any, before: int) -> EdgeReply | None:
        numbers.append(body.number)
        return SIZE

    async def use(site: SmallSite) -> None:
        for _ in range(3):
            await site.size()
        site.site = RemoteSite("lab", "me", site.asking, REPEAT, CLOCK)
        await site.asking.start(_Asking(site.site))
        await asyncio.sleep(0.5)
        await site.size()
        assert numbers == sorted(set(numbers))

    asked(counted, use)


# ---------------------------------------------------------------------------- leases, together
def lease(number: int) -> Lease:
    return Lease(serial=f"p{number}", holder="me", epoch=1, expires_at=0)


def test_leases_are_renewed_together_and_answered_one_by_one() -> None:
    requests: list[tuple[list[str], float]] = []

    async def renew_all(leases: Sequence[Lease], ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        requests.append(([one.serial for one in leases], ttl_s))
        await asyncio.sleep(1)
        lost = ErrorInfo(code="lease_lost", text="it is over")
        return [lost if one.serial == "p1" else one.model_copy(update={"expires_at": ttl_s}) for one in leases]

    async def main() -> None:
        renewals = LeaseRenewer(renew_all, 0.1)
        answers = await asyncio.gather(*(renewals.renew(lease(n), 30) for n in range(3)), return_exceptions=True)
        assert [getattr(answer, "expires_at", None) for answer in answers] == [30, None, 30]
        assert isinstance(answers[1], LeaseLost)
        await asyncio.gather(renewals.renew(lease(5), 30), renewals.renew(lease(6), 60))
        assert requests == [(["p0", "p1", "p2"], 30), (["p5"], 30), (["p6"], 60)]

    run_virtual(main())


def test_no_request_grows_without_limit() -> None:
    sizes: list[int] = []

    async def renew_all(leases: Sequence[Lease], ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        sizes.append(len(leases))
        return leases

    async def main() -> None:
        renewals = LeaseRenewer(renew_all, 0.1)
        answers = await asyncio.gather(*(renewals.renew(lease(n), 30) for n in range(MAX_LEASES + 7)))
        assert [one.serial for one in answers] == [f"p{n}" for n in range(MAX_LEASES + 7)]
        assert sizes == [MAX_LEASES, 7]

    run_virtual(main())


def test_a_renewal_that_nobody_waits_for_ends_and_one_that_somebody_does_goes_on() -> None:
    ended: list[str] = []

    async def renew_all(leases: Sequence[Lease], ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            ended.append(leases[0].serial)
            raise
        return leases

    async def main() -> None:
        renewals = LeaseRenewer(renew_all, 0.1)
        first, second = (asyncio.create_task(renewals.renew(lease(n), 30)) for n in range(2))
        await asyncio.sleep(5)
        first.cancel()
        assert (await second).serial == "p1"
        assert ended == []
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(renewals.renew(lease(2), 30), 5)
        await asyncio.sleep(1)
        assert ended == ["p2"]

    run_virtual(main())


def test_a_lease_is_renewed_when_nobody_waits_for_earlier_ones() -> None:
    async def renew_all(leases: Sequence[Lease], ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        return leases

    async def main() -> None:
        renewals = LeaseRenewer(renew_all, 0.1)
        first = asyncio.create_task(renewals.renew(lease(0), 30))
        await asyncio.sleep(0.05)
        first.cancel()
        second = asyncio.create_task(renewals.renew(lease(1), 30))  # before the batch of the first has ended
        assert (await second).serial == "p1"
        assert first.cancelled()

    run_virtual(main())
