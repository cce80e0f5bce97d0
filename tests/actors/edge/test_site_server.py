"""What a site answers: each request once, and what is late, overtaken or too much not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest

from manyhands.actors.edge.picture_chunks import PictureAssembly
from manyhands.actors.frames import Frame, content_id, decode_jpeg
from manyhands.protocol.edge import messages as edge
from manyhands.protocol.edge.wire import WIRE_NAMES, PackedMessage, pack
from manyhands.protocol.errors import PhoneBusy, PhoneLost
from manyhands.protocol.phones import Lease, Perform, PhoneInfo, Reset
from manyhands.protocol.screens.actions import Tap
from tests.actors.edge.site_world import ONE, OTHER, SITE, TOPICS, Asker, SiteWorld, in_site, why
from tests.permitted import permitted
from tests.virtual_clock import VirtualClock

SOURCE = "content://manyhands.simulator/state"


def tap(key: str) -> Perform:
    return permitted(key=key, action=Tap(x=1, y=2))


def performing(asker: Asker, lease: Lease, key: str, **fields: Any) -> edge.PerformRequest:
    return edge.PerformRequest(**asker.under(lease, **fields), perform=tap(key))


def packed(request: edge.EdgeRequest[Any] | PhoneInfo) -> PackedMessage:
    return pack(request, VirtualClock().now())


# ---------------------------------------------------------------------------- what is answered
REQUEST_KINDS = [kind for kind in WIRE_NAMES.values() if issubclass(kind, edge.EdgeRequest)]
REQUESTS: dict[type[Any], Callable[[Asker, Lease], Any]] = {
    edge.HelloRequest: lambda asker, lease: edge.HelloRequest(**asker.fields(seconds=-1e6)),
    edge.ListPhonesRequest: lambda asker, lease: edge.ListPhonesRequest(**asker.fields()),
    edge.RenewRequest: lambda asker, lease: edge.RenewRequest(**asker.fields(), leases=(lease,), ttl_s=30),
    edge.FetchRequest: lambda asker, lease: edge.FetchRequest(**asker.fields(), picture="0" * 32, indices=(0,)),
    edge.ConnectRequest: lambda asker, lease: edge.ConnectRequest(**asker.fields(), serial=ONE),
    edge.SizeRequest: lambda asker, lease: edge.SizeRequest(**asker.fields(), serial=ONE),
    edge.ReadLabelsRequest: lambda asker, lease: edge.ReadLabelsRequest(**asker.fields(), serial=ONE),
    edge.LookRequest: lambda asker, lease: edge.LookRequest(**asker.fields(), serial=ONE, source=SOURCE),
    edge.AttachRequest: lambda asker, lease: edge.AttachRequest(**asker.fields(), serial=ONE, holder="run", ttl_s=30),
    edge.DetachRequest: lambda asker, lease: edge.DetachRequest(**asker.fields(), lease=lease),
    edge.CaptureRequest: lambda asker, lease: edge.CaptureRequest(**asker.under(lease)),
    edge.PerformRequest: lambda asker, lease: performing(asker, lease, "k"),
    edge.PerformAndCaptureRequest: lambda asker, lease: edge.PerformAndCaptureRequest(
        **asker.under(lease), perform=tap("k")
    ),
    edge.ResetRequest: lambda asker, lease: edge.ResetRequest(**asker.under(lease), reset=Reset(key="k:reset")),
    edge.StateRequest: lambda asker, lease: edge.StateRequest(**asker.under(lease), source=SOURCE),
    edge.RecallReceiptsRequest: lambda asker, lease: edge.RecallReceiptsRequest(**asker.under(lease), keys=("k",)),
}
"""How each request is made."""


def answered_by(kind: type[Any]) -> type[Any]:
    """The reply that a request's type names."""
    generic = (
        base.__pydantic_generic_metadata__["args"] for base in kind.__mro__ if issubclass(base, edge.EdgeRequest)
    )
    reply: type[Any] = next(args[0] for args in generic if args)
    return reply


@pytest.mark.parametrize("kind", REQUEST_KINDS, ids=lambda kind: kind.__name__)
def test_every_request_is_answered_by_the_reply_that_it_names(kind: type[Any]) -> None:
    async def play(world: SiteWorld) -> None:
        lease = await world.asker.attach(ONE)
        request = REQUESTS[kind](world.asker, lease)
        named = getattr(getattr(request, "lease", request), "serial", "")
        reply = await world.asker.ask(request, named)
        if kind is edge.FetchRequest:
            assert why(reply) == "capture_failed"
            return
        assert type(reply) is answered_by(kind), reply
        assert reply.heard_at > 0
        assert world.link.counts.refusals == 0

    in_site(play)


def test_a_site_introduces_itself_with_its_clock_and_its_version() -> None:
    async def play(world: SiteWorld) -> None:
        asked_at = VirtualClock().now()
        reply = await world.asker.ask(edge.HelloRequest(**world.asker.fields(seconds=-1e9)))
        assert isinstance(reply, edge.HelloReply)
        assert (reply.site, reply.version) == (SITE, metadata.version("manyhands"))
        assert asked_at <= reply.heard_at <= VirtualClock().now()

    in_site(play)


def test_errors_travel_by_their_code_and_cost_others_nothing() -> None:
    async def play(world: SiteWorld) -> None:
        lease = await world.asker.attach(ONE)
        busy = await world.asker.ask(
            edge.AttachRequest(**world.asker.fields(), serial=ONE, holder="other", ttl_s=9), ONE
        )
        assert isinstance(busy, edge.ErrorReply)
        assert isinstance(busy.why.error(), PhoneBusy)
        assert "held by run" in busy.why.text
        world.one.broken = PhoneLost("somebody took it away")
        assert why(await world.asker.ask(edge.CaptureRequest(**world.asker.under(lease)), ONE)) == "phone_lost"
        world.one.broken = ZeroDivisionError("a defect")
        lost = await world.asker.ask(edge.CaptureRequest(**world.asker.under(lease)), ONE)
        assert isinstance(lost, edge.ErrorReply)
        assert lost.why.text == "ZeroDivisionError: a defect"
        world.one.broken = None
        assert isinstance(
            await world.asker.ask(edge.CaptureRequest(**world.asker.under(lease)), ONE), edge.CaptureReply
        )
        assert world.link.counts.refusals == 3
        assert world.server.active_requests == 0

    in_site(play)


def test_many_leases_are_renewed_at_once_each_for_the_sites_time() -> None:
    async def play(world: SiteWorld) -> None:
        first = await world.asker.attach(ONE)
        second, other = await world.asker.attach(ONE), await world.asker.attach(OTHER)
        await asyncio.sleep(20)
        now = VirtualClock().now()
        reply = await world.asker.ask(edge.RenewRequest(**world.asker.fields(), leases=(first, second, other), ttl_s=5))
        assert isinstance(reply, edge.RenewReply)
        lost, one, two = reply.leases
        assert isinstance(lost, edge.ErrorInfo)
        assert lost.code == "lease_lost"
        assert isinstance(one, Lease)
        assert isinstance(two, Lease)
        assert one.expires_at - now == pytest.approx(60, abs=1)
        assert (two.serial, two.epoch) == (OTHER, other.epoch)

    in_site(play, lease_s=60)


# ---------------------------------------------------------------------------- never twice
def test_a_repeated_request_waits_with_the_first_and_gets_the_same_answer() -> None:
    async def play(world: SiteWorld) -> None:
        world.one.takes_s = 3
        request = packed(performing(world.asker, await world.asker.attach(ONE), "k"))
        for _ in range(3):
            await world.asker.send(request, ONE)
            await asyncio.sleep(1)
        first = await world.asker.answer(request)
        await asyncio.sleep(1)
        assert world.asker.answers(request) == [first]
        await world.asker.send(request, ONE)
        await asyncio.sleep(1)
        assert world.asker.answers(request) == [first, first]
        assert isinstance(first, edge.ReceiptReply)
        assert not first.receipt.repeated
        assert world.keys() == ["k"]
        assert world.link.counts.repeats == 3

    in_site(play)


def test_a_lost_answer_is_sent_again_and_its_key_survives_a_kill() -> None:
    async def play(world: SiteWorld) -> None:
        world.one.takes_s = 3
        lease = await world.asker.attach(ONE)
        request = packed(performing(world.asker, lease, "k"))
        await world.asker.send(request, ONE)
        await asyncio.sleep(1)
        await world.broker.lose(world.link)
        await asyncio.sleep(5)
        assert world.link.counts.unsent == 1
        await world.broker.regain(world.link)
        await world.asker.send(request, ONE)
        assert isinstance(await world.asker.answer(request), edge.ReceiptReply)
        await world.killed_and_started_again()
        await world.asker.send(request, ONE)
        await asyncio.sleep(1)
        again = world.asker.answers(request)[-1]
        assert isinstance(again, edge.ReceiptReply)
        assert again.receipt.repeated
        assert world.keys() == ["k"]

    in_site(play)


def test_what_was_answered_and_forgotten_is_not_done_again() -> None:
    async def play(world: SiteWorld) -> None:
        asker, lease = world.asker, await world.asker.attach(ONE)
        request = packed(edge.AttachRequest(**asker.fields(number=500), serial=ONE, holder="run", ttl_s=30))
        await asker.send(request, ONE)
        await asker.answer(request)
        for number in range(9000):  # more than are remembered
            await asker.send(packed(edge.ListPhonesRequest(**asker.fields(number=number))))
        await asyncio.sleep(1)
        await asker.send(request, ONE)
        await asyncio.sleep(1)
        assert why(asker.answers(request)[-1]) == "overtaken"
        assert lease.epoch == 1

    in_site(play)


# ---------------------------------------------------------------------------- never late
def test_what_is_late_by_the_clock_of_the_site_is_refused() -> None:
    async def play(world: SiteWorld) -> None:
        lease = await world.asker.attach(ONE)
        world.broker.faults = lambda topic, data: ((31.0, data),) if topic.endswith("/cmd") else ((0.0, data),)
        reply = await world.asker.ask(performing(world.asker, lease, "k"), ONE)
        assert isinstance(reply, edge.ErrorReply)
        assert reply.why.text == "PerformRequest came 1.0 s after its deadline"
        assert why(reply) == "deadline"
        assert (world.keys(), world.link.counts.late) == ([], 1)

    in_site(play)


def test_a_request_ends_at_its_deadline_and_its_action_keeps_its_receipt() -> None:
    async def play(world: SiteWorld) -> None:
        world.one.takes_s = 40
        lease = await world.asker.attach(ONE)
        slow = packed(performing(world.asker, lease, "k"))
        await world.asker.send(slow, ONE)
        assert why(await world.asker.answer(slow)) == "deadline"
        recalled = await world.asker.ask(edge.RecallReceiptsRequest(**world.asker.under(lease), keys=("k",)), ONE)
        assert isinstance(recalled, edge.RecallReceiptsReply)
        assert [(receipt.status, receipt.repeated) for receipt in recalled.receipts] == [("done", True)]

    in_site(play)


def test_what_is_older_than_the_newest_under_its_lease_is_overtaken() -> None:
    async def play(world: SiteWorld) -> None:
        asker, lease = world.asker, await world.asker.attach(ONE)
        older, newer = performing(asker, lease, "older"), performing(asker, lease, "newer")
        assert isinstance(await asker.ask(newer, ONE), edge.ReceiptReply)
        assert why(await asker.ask(older, ONE)) == "overtaken"
        assert (world.keys(), world.link.counts.overtaken) == (["newer"], 1)
        renewed = await asker.attach(ONE)
        anew = performing(asker, renewed, "anew", number=0)
        assert isinstance(await asker.ask(anew, ONE), edge.ReceiptReply)
        late = performing(asker, lease, "late")
        assert why(await asker.ask(late, ONE)) == "lease_lost"
        assert world.keys() == ["newer", "anew"]

    in_site(play)


def test_attaches_run_side_by_side_and_keep_their_order() -> None:
    async def play(world: SiteWorld) -> None:
        asker = world.asker
        first, second = (
            edge.AttachRequest(**asker.fields(), serial=serial, holder="run", ttl_s=30) for serial in (ONE, OTHER)
        )
        assert isinstance(await asker.ask(second, OTHER), edge.AttachReply)
        assert isinstance(await asker.ask(first, ONE), edge.AttachReply)
        given_up = edge.AttachRequest(**asker.fields(number=1), serial=ONE, holder="run", ttl_s=30)
        assert why(await asker.ask(given_up, ONE)) == "overtaken"

    in_site(play)


def test_what_was_recalled_never_runs_also_where_a_gateway_was_killed_meanwhile() -> None:
    async def play(world: SiteWorld) -> None:
        asker, lease = world.asker, await world.asker.attach(ONE)
        slow = packed(performing(asker, lease, "k", seconds=60))
        recalled = await asker.ask(edge.RecallReceiptsRequest(**asker.under(lease), keys=("k",)), ONE)
        assert isinstance(recalled, edge.RecallReceiptsReply)
        assert recalled.receipts[0].status == "refused"
        await world.killed_and_started_again()
        await asker.send(slow, ONE)  # it was on its way all the time
        reply = await asker.answer(slow)
        assert isinstance(reply, edge.ReceiptReply)  # the new process has heard no newer number; the database knows
        assert (reply.receipt.status, world.keys()) == ("refused", [])

    in_site(play)


# ---------------------------------------------------------------------------- too much
def test_a_request_beyond_a_bound_is_refused_and_so_is_its_duplicate() -> None:
    async def play(world: SiteWorld) -> None:
        asker, lease, other = world.asker, await world.asker.attach(ONE), await world.asker.attach(OTHER)
        world.one.takes_s = 5
        slow, refused = packed(performing(asker, lease, "slow")), packed(performing(asker, other, "refused"))
        await asker.send(slow, ONE)
        await asker.send(refused, OTHER)
        reply = await asker.answer(refused)
        assert isinstance(reply, edge.ErrorReply)
        assert reply.why.text == f"the gateway of {SITE} works on 1 requests already"
        assert why(reply) == "overloaded"
        assert isinstance(await asker.answer(slow), edge.ReceiptReply)
        await asker.send(refused, OTHER)
        await asyncio.sleep(1)
        assert asker.answers(refused) == [reply, reply]
        assert (world.keys(), world.keys(OTHER)) == (["slow"], [])

    in_site(play, most_requests=1)


def test_a_request_without_any_answer_is_carried_out_when_it_comes_again() -> None:
    async def play(world: SiteWorld) -> None:
        asker, lease, other = world.asker, await world.asker.attach(ONE), await world.asker.attach(OTHER)
        world.one.takes_s = 5
        slow, refused = packed(performing(asker, lease, "slow")), packed(performing(asker, lease, "refused"))
        dropped = packed(performing(asker, other, "dropped"))
        await asker.send(slow, ONE)
        await asyncio.gather(asker.send(refused, ONE), asker.send(dropped, OTHER))
        await asker.answer(slow)
        assert why(await asker.answer(refused)) == "overloaded"
        assert (asker.answers(dropped), world.keys(OTHER)) == ([], [])
        await asker.send(dropped, OTHER)
        assert isinstance(await asker.answer(dropped), edge.ReceiptReply)
        assert world.keys(OTHER) == ["dropped"]

    in_site(play, most_requests=1)


def test_an_answer_that_is_larger_than_brokers_take_is_an_error() -> None:
    async def play(world: SiteWorld) -> None:
        lease = await world.asker.attach(ONE)
        reply = await world.asker.ask(edge.StateRequest(**world.asker.under(lease), source="x" * 20_000), ONE)
        assert isinstance(reply, edge.ErrorReply)
        assert "16384 are sent at most" in reply.why.text

    in_site(play, most_reply_bytes=16384)


# ---------------------------------------------------------------------------- pictures
def shown(world: SiteWorld, picture: edge.PictureInfo) -> bytes:
    assembly = PictureAssembly()
    for chunk, data in world.asker.chunks:
        assembly.add(chunk, data)
    return assembly.join(picture)


def test_a_picture_follows_its_reply_and_lost_chunks_are_fetched_again() -> None:
    async def play(world: SiteWorld) -> None:
        asker, lease = world.asker, await world.asker.attach(ONE)
        reply = await asker.ask(edge.PerformAndCaptureRequest(**asker.under(lease), perform=tap("k")), ONE)
        assert isinstance(reply, edge.PerformAndCaptureReply)
        assert reply.picture is not None
        await asyncio.sleep(1)
        assert reply.picture.count == len(asker.chunks) > 1
        rgb = decode_jpeg(shown(world, reply.picture))
        assert rgb.shape == (320, 240, 3)
        assert reply.performed.screenshot is not None
        assert reply.performed.screenshot.content_id == content_id(world.one.pixels())

        asker.chunks.clear()
        same = await asker.ask(edge.CaptureRequest(**asker.under(lease), have=(reply.picture.name,)), ONE)
        await asyncio.sleep(1)
        assert isinstance(same, edge.CaptureReply)
        assert (same.picture, asker.chunks) == (reply.picture, [])
        asked = edge.FetchRequest(**asker.fields(), picture=reply.picture.name, indices=(1,))
        assert isinstance(await asker.ask(asked), edge.EmptyReply)
        await asyncio.sleep(1)
        assert [chunk.index for chunk, _ in asker.chunks] == [1]

    in_site(play, chunk_bytes=16384)


def test_a_site_may_send_what_its_phones_show_without_loss() -> None:
    async def play(world: SiteWorld) -> None:
        lease = await world.asker.attach(ONE)
        reply = await world.asker.ask(edge.CaptureRequest(**world.asker.under(lease)), ONE)
        await asyncio.sleep(1)
        assert isinstance(reply, edge.CaptureReply)
        assert reply.picture.form == "png"
        assert content_id(Frame("png", shown(world, reply.picture)).rgb()) == reply.screenshot.content_id

    in_site(play, lossless=True)


def test_a_picture_that_fails_costs_no_receipt() -> None:
    async def play(world: SiteWorld) -> None:
        lease = await world.asker.attach(ONE)
        world.one.broken = PhoneLost("no picture")
        reply = await world.asker.ask(edge.PerformAndCaptureRequest(**world.asker.under(lease), perform=tap("k")), ONE)
        assert isinstance(reply, edge.PerformAndCaptureReply)
        assert (reply.performed.receipt.status, reply.performed.screenshot, reply.picture) == ("done", None, None)

    in_site(play)


# ---------------------------------------------------------------------------- presence and phones
def test_a_site_tells_that_it_is_there_and_its_phones_again_after_each_connection() -> None:
    async def play(world: SiteWorld) -> None:
        await world.server.publish_phones(world.shelf.listed)
        await asyncio.sleep(1)
        assert world.asker.presence == [True]
        assert world.asker.states == [(ONE, "device"), (OTHER, "device")]
        await world.broker.lose(world.link)
        world.broker.retained.clear()  # as a broker that was killed
        away = world.shelf.listed[1].model_copy(update={"state": "offline"})
        await world.server.publish_phones([away])
        await asyncio.sleep(1)
        world.asker.told.clear()
        await world.broker.regain(world.link)
        await asyncio.sleep(1)
        assert world.asker.presence == [True]
        assert world.asker.states == [(OTHER, "offline"), (ONE, "gone")]
        assert set(world.broker.retained) == {TOPICS.presence, TOPICS.phone_state(OTHER)}

    in_site(play)


def test_only_what_changed_is_told_and_a_phone_that_is_gone_is_told_once() -> None:
    async def play(world: SiteWorld) -> None:
        one, other = world.shelf.listed
        await world.server.publish_phones([one, other])
        await world.server.publish_phones([one, other])
        await world.server.publish_phones([other])
        await world.server.publish_phones([other])
        nameless = PhoneInfo(serial="", state="no permissions")
        await world.server.publish_phones([PhoneInfo(serial=ONE, state="unauthorized"), nameless, other])
        await asyncio.sleep(1)
        assert world.asker.states == [(ONE, "device"), (OTHER, "device"), (ONE, "gone"), (ONE, "unauthorized")]
        assert set(world.broker.retained) == {TOPICS.presence, TOPICS.phone_state(ONE), TOPICS.phone_state(OTHER)}

    in_site(play)


def test_the_last_will_tells_of_a_dead_site_and_a_stopped_one_tells_itself() -> None:
    async def play(world: SiteWorld) -> None:
        world.one.takes_s = 2
        lease = await world.asker.attach(ONE)
        await world.broker.lose(world.link)
        await world.broker.regain(world.link)
        await asyncio.sleep(1)
        assert world.asker.presence == [True, False, True]
        slow, late = packed(performing(world.asker, lease, "slow")), packed(performing(world.asker, lease, "late"))
        await world.asker.send(slow, ONE)
        await asyncio.sleep(0.5)
        stopping = asyncio.create_task(world.server.stop())
        await asyncio.sleep(0.5)
        await world.asker.send(late, ONE)
        await stopping
        await asyncio.sleep(1)
        assert isinstance(await world.asker.answer(slow), edge.ReceiptReply)
        assert (world.asker.answers(late), world.keys()) == ([], ["slow"])
        assert world.asker.presence == [True, False, True, False]
        await world.killed_and_started_again()
        await world.asker.send(late, ONE)  # whoever asked does so, until its deadline
        assert isinstance(await world.asker.answer(late), edge.ReceiptReply)
        assert world.keys() == ["slow", "late"]

    in_site(play)


# ---------------------------------------------------------------------------- what is none of ours
def test_what_comes_on_anothers_topic_or_is_no_request_is_counted_and_not_answered() -> None:
    async def play(world: SiteWorld) -> None:
        asker, lease = world.asker, await world.asker.attach(ONE)
        before = len(asker.replies)
        await asker.send(packed(performing(asker, lease, "k")), OTHER)
        await asker.send(packed(performing(asker, lease, "k")))
        await asker.send(packed(edge.ListPhonesRequest(**asker.fields())), ONE)
        await asker.send(packed(PhoneInfo(serial=ONE, state="device")), ONE)
        await asker.link.publish(TOPICS.commands, b"noise")
        await asker.link.publish(TOPICS.commands, packed(edge.ListPhonesRequest(**asker.fields())).data, retain=True)
        await asyncio.sleep(1)
        assert world.link.counts.malformed == 5
        assert len(asker.replies) == before + 1
        await world.broker.lose(world.link)
        await world.broker.regain(world.link)  # what is retained comes again, and is never a request
        await asyncio.sleep(1)
        assert (world.link.counts.malformed, len(asker.replies), world.keys()) == (6, before + 1, [])

    in_site(play)
