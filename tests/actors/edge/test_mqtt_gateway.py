"""A gateway elsewhere, reached through a broker that loses, doubles, swaps and delays what it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import pytest

from manyhands.actors.edge.link import Link
from manyhands.actors.edge.mqtt_gateway import SITE_AWAY, MqttGateway
from manyhands.actors.edge.picture_chunks import describe_picture
from manyhands.actors.edge.remote_site import MAX_PHONES
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.actors.frames import content_id, encode_jpeg
from manyhands.protocol.base import Message
from manyhands.protocol.edge.messages import (
    AttachReply,
    CaptureReply,
    EdgeReply,
    HelloReply,
    PerformAndCaptureReply,
    PictureChunk,
    RecallReceiptsReply,
    ReceiptReply,
    RenewReply,
)
from manyhands.protocol.edge.topics import Topics
from manyhands.protocol.edge.wire import pack, unpack
from manyhands.protocol.errors import (
    BadInput,
    CallError,
    CaptureFailed,
    DeadlinePassed,
    LeaseLost,
    LogUnavailable,
    PhoneBusy,
    PhoneLost,
    PhoneUnknown,
)
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Perform, PhoneInfo, Reset
from manyhands.protocol.screens.screen import VIEWS
from tests.actors.edge.edge_world import PHONE, EdgeWorld, Losing, client_settings, edge_world, kind_of, pixels_of
from tests.actors.edge.memory_broker import Faults, MemoryBroker, MemoryLink, as_sent
from tests.actors.edge.site_world import site_world
from tests.actors.episode.world import SERIAL, SIZE, tap
from tests.permitted import permitted
from tests.virtual_clock import VirtualClock, run_virtual

CLOCK = VirtualClock()
PICTURE = "PictureChunk"


def played(use: Callable[[EdgeWorld], Coroutine[None, None, None]], faults: Faults = as_sent, **settings: Any) -> None:
    async def main() -> None:
        async with edge_world(faults, **settings) as edge:
            await use(edge)

    run_virtual(main())


def within(seconds: float = 30, step: int = 0) -> CallContext:
    return CallContext(episode="e", step=step, deadline=CLOCK.now() + seconds)


def perform(key: str = "e:0:1:0") -> Perform:
    return permitted(key=key, action=tap(0))


# ---------------------------------------------------------------------------- names and clocks
def test_phones_have_their_sites_name_and_all_times_are_ours() -> None:
    async def use(edge: EdgeWorld) -> None:
        assert await edge.client.phones() == (PhoneInfo(serial=PHONE, state="device", model="Paper"),)
        lease = await edge.lease()
        assert (lease.serial, lease.holder) == (PHONE, "test")
        assert lease.expires_at == pytest.approx(CLOCK.now() + 90, abs=0.1)
        assert (await edge.client.renew(lease, 120)).expires_at == pytest.approx(CLOCK.now() + 120, abs=0.1)
        assert edge.world.requests("renew")[0].serial == SERIAL
        screenshot, _, _ = await edge.client.capture(lease, None, within())
        assert screenshot.serial == PHONE
        assert screenshot.taken_at == pytest.approx(CLOCK.now(), abs=0.1)
        assert (await edge.client.perform(lease, perform(), within())).sent_at == pytest.approx(CLOCK.now(), abs=0.1)
        (recalled,) = await edge.client.recall(lease, [perform().key], within())
        assert recalled.sent_at == pytest.approx(CLOCK.now(), abs=0.1)
        assert recalled.repeated
        assert await edge.client.state(lease, "content://x", within()) == {"screen": "s1"}
        assert (await edge.client.reset(lease, Reset(key="e:reset"), within())).status == "done"
        await edge.client.connect(PHONE)
        assert await edge.client.size(PHONE) == SIZE
        assert (await edge.client.look(PHONE, "content://x"))["source"] == "content://x"
        assert await edge.client.labels(PHONE) == {"model": "Paper", "told_by": SERIAL}
        await edge.client.detach(lease)
        assert edge.gateway.holder is None

    played(use)


def test_where_a_sites_clock_was_set_while_it_answered_the_later_time_counts() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.broker.faults = changed(CaptureReply, lambda it: {"heard_at": it.heard_at - 1000})
        screenshot, _, _ = await edge.client.capture(lease, None, within())
        assert screenshot.taken_at == pytest.approx(CLOCK.now(), abs=0.1)

    played(use)


@pytest.mark.parametrize("serial", ["other/phone-1", "phone-1", "lab/", "/phone-1"])
def test_a_serial_that_is_of_no_site_is_unknown(serial: str) -> None:
    async def use(edge: EdgeWorld) -> None:
        with pytest.raises(PhoneUnknown, match="is no phone of lab at mqtts://broker:1883: say SITE/SERIAL"):
            await edge.client.attach(serial, "test", 30)

    played(use)


# ---------------------------------------------------------------------------- pictures
def test_the_model_gets_the_very_jpeg_of_the_site_and_its_pixels_are_the_screens() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        screenshot, image, frame = await edge.client.capture(lease, None, within())
        assert image.jpeg == encode_jpeg(pixels_of("s0"))
        assert screenshot.content_id == image.content_id == content_id(frame.rgb())
        assert content_id(frame.rgb()) != content_id(pixels_of("s0"))
        assert screenshot.size == SIZE

    played(use)


def test_a_screen_that_was_shown_before_is_not_sent_again_and_keeps_its_names() -> None:
    chunks: list[str] = []

    def counted(topic: str, data: bytes) -> list[tuple[float, bytes]]:
        chunks.extend([topic] if "/frames/" in topic else [])
        return [(0.0, data)]

    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        first, _, _ = await edge.client.capture(lease, None, within())
        sent = len(chunks)
        assert sent > 0
        assert first.alike is None
        again, _, _ = await edge.client.capture(lease, None, within())
        assert len(chunks) == sent
        assert again.content_id == again.alike == first.content_id
        edge.gateway.seems_alike = True
        performed, _, _ = await edge.client.perform_and_capture(lease, perform(), None, within())
        assert performed.screenshot is not None
        assert performed.screenshot.alike == first.content_id  # its site says so by another id
        assert performed.screenshot.content_id != first.content_id
        assert len(chunks) > sent

    played(use, counted)


def test_two_who_are_shown_the_same_at_once_share_the_chunks_that_come() -> None:
    """As two phones at their home screens: neither waits for chunks that came for the other."""
    came: set[bytes] = set()

    def once(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        if kind_of(data) != PICTURE:
            return ((0.0, data),)
        body = unpack(data).envelope.body.model_dump_json().encode()
        if body in came:
            return ()
        came.add(body)
        return ((0.5, data),)

    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        began = asyncio.get_running_loop().time()
        one, two = await asyncio.gather(*(edge.client.capture(lease, None, within()) for _ in range(2)))
        assert one[0].content_id == two[0].content_id
        assert asyncio.get_running_loop().time() - began < 1

    played(use, once)


@pytest.mark.parametrize("after_s", [0.0, 0.1])
def test_pictures_of_another_site_take_no_room_of_this_ones(after_s: float) -> None:
    """Another site sends wrong chunks by a picture's name before the right ones, or others without end after them."""
    data = encode_jpeg(pixels_of("s0"))
    picture = describe_picture("jpeg", data, 16 * 1024)
    names = [f"{number:032x}" for number in range(200)] if after_s else [picture.name]

    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        (pictures,) = (one for one in edge.client_link.filters if one.startswith("manyhands/v1/other/frames/"))

        def send() -> None:
            for name in names:
                for index in range(picture.count):
                    chunk = PictureChunk(picture=name, index=index, count=picture.count)
                    edge.broker.take(pictures, pack(chunk, CLOCK.now(), bytes(100_000)).data, retain=False)

        def faults(topic: str, sent: bytes) -> Iterable[tuple[float, bytes]]:
            if topic == pictures:
                return ((0.0, sent),)
            if kind_of(sent) == PICTURE and after_s:
                asyncio.get_running_loop().call_later(after_s, send)
            elif kind_of(sent) == PICTURE:
                send()
            return ((2 * after_s if kind_of(sent) == "Captured" else 0.0, sent),)

        edge.broker.faults = faults
        asked_at = CLOCK.now()
        _, image, _ = await edge.client.capture(lease, None, within())
        assert image.jpeg == data
        assert CLOCK.now() - asked_at < 0.5  # nothing was fetched again

    played(use, sites=("lab", "other"), pictures_mb=1)


def test_chunks_that_were_lost_are_fetched_after_a_silence() -> None:
    losing = Losing({PICTURE}, most=1)

    async def use(edge: EdgeWorld) -> None:
        lease, asked_at = await edge.lease(), CLOCK.now()
        _, image, _ = await edge.client.capture(lease, None, within())
        assert image.jpeg == encode_jpeg(pixels_of("s0"))
        assert losing.lost == [PICTURE]
        assert CLOCK.now() - asked_at == pytest.approx(1.5, abs=0.1)

    played(use, losing)


def test_what_is_missing_is_fetched_after_longer_and_longer_silences() -> None:
    fetched: list[float] = []

    def lose(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        kind = kind_of(data)
        fetched.extend([CLOCK.now()] if kind == "Fetch" else [])
        return () if kind == PICTURE else ((0.0, data),)

    async def use(edge: EdgeWorld) -> None:
        lease, asked_at = await edge.lease(), CLOCK.now()
        with pytest.raises(DeadlinePassed, match="of its"):
            await edge.client.capture(lease, None, within(20))
        assert [at - asked_at for at in fetched] == pytest.approx([1.5, 4.5, 10.5], abs=0.1)

    played(use, lose)


def test_a_slow_uplink_carries_each_chunk_once() -> None:
    """Eight phones show something new at once: the last picture comes long after the first silence."""
    phones = tuple(f"usb-{number}" for number in range(8))
    sent: list[int] = []

    def counted(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        sent.extend([len(data)] if kind_of(data) == PICTURE else [])
        return ((0.0, data),)

    async def main() -> None:
        async with site_world(phones, chunk_bytes=16 * 1024) as site:
            for number, phone in enumerate(site.shelf.by_serial.values()):
                phone.shape = (320, 240 + number, 3)  # no two show the same
            client = MqttGateway(client_settings(), lambda *_: site.broker.link(), CLOCK)
            await client.start()
            leases = [await client.attach(f"lab/{serial}", "test", 90) for serial in phones]
            site.broker.faults, site.broker.uplink_bytes_s = counted, 60_000
            pictures = await asyncio.gather(*(client.capture(lease, None, within(60)) for lease in leases))
            needed = sum(len(image.jpeg) for _, image, _ in pictures)
            await asyncio.sleep(60)  # whatever else waits to be sent
            assert needed < sum(sent) < 1.1 * needed
            await client.stop()

    run_virtual(main())


def test_a_receipt_comes_in_time_also_where_its_picture_does_not() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease, asked_at = await edge.lease(), CLOCK.now()
        performed, image, frame = await edge.client.perform_and_capture(lease, perform(), None, within(20))
        assert performed.receipt.status == "done"
        assert (performed.screenshot, image, frame) == (None, None, None)
        assert CLOCK.now() - asked_at == pytest.approx(19.5, abs=0.1)
        with pytest.raises(DeadlinePassed, match="the picture of lab/phone-1"):
            await edge.client.capture(lease, None, within(20))

    played(use, Losing({PICTURE}))


def test_a_picture_that_the_site_has_no_more_is_a_failed_capture() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.broker.faults = Losing({PICTURE})
        capturing = asyncio.create_task(edge.client.capture(lease, None, within()))
        await asyncio.sleep(0.5)
        await edge.restart_server()
        with pytest.raises(CaptureFailed, match=r"site lab: picture [0-9a-f]{32} is not kept any more"):
            await capturing
        edge.broker.faults = as_sent
        await edge.client.capture(lease, None, within())

    played(use)


# ---------------------------------------------------------------------------- once, in time
def test_an_action_whose_answer_was_lost_is_asked_again_and_done_once() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        performed, image, _ = await edge.client.perform_and_capture(lease, perform(), None, within())
        assert performed.receipt.status == "done"
        assert image is not None
        assert edge.world.ledger == [perform().key]
        assert len(edge.world.requests("perform")) == 1

    played(use, Losing({"Shown"}, most=3))


def test_an_action_is_done_once_by_a_gateway_that_was_killed_meanwhile() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.broker.faults = Losing({"Received"}, most=1)
        performing = asyncio.create_task(edge.client.perform(lease, perform(), within()))
        await asyncio.sleep(0.5)
        assert edge.world.ledger == [perform().key]
        await edge.restart_server()
        receipt = await performing
        assert receipt.repeated
        assert edge.world.ledger == [perform().key]

    played(use)


def test_an_action_that_waits_behind_a_cut_link_never_comes_after_its_deadline() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.broker.faults = lambda topic, data: ((40.0, data),) if topic.endswith("/cmd") else ((0.0, data),)
        with pytest.raises(DeadlinePassed, match="perform on lab/phone-1 for e, step 0: no answer by the deadline"):
            await edge.client.perform(lease, perform(), within(20))
        await asyncio.sleep(100)
        assert edge.world.ledger == []
        assert edge.server.counts.late > 0

    played(use)


def test_what_was_recalled_is_never_done_however_late_it_comes() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        slow = True
        edge.broker.faults = lambda topic, data: ((12.0 if slow else 0.0, data),)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(edge.client.perform(lease, perform(), within(60)), 5)
        slow = False
        (receipt,) = await edge.client.recall(lease, [perform().key], within())
        assert receipt.status == "refused"
        await asyncio.sleep(100)
        assert edge.world.ledger == []
        assert edge.server.counts.overtaken > 0

    played(use)


def test_two_calls_under_a_lease_do_not_stand_in_each_others_way() -> None:
    """The first request of one is lost, so that it comes after the other's: it is asked anew."""

    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.broker.faults = Losing({"AskState"}, most=1)
        asking = asyncio.create_task(edge.client.state(lease, "content://x", within()))
        await asyncio.sleep(0.1)
        await edge.client.capture(lease, None, within())
        assert await asking == {"screen": "s0"}
        assert edge.client_link.counts.overtaken == 1

    played(use)


# ---------------------------------------------------------------------------- answers to other questions
def changed(kind: type[EdgeReply], change: Callable[[Any], Any]) -> Faults:
    """Have a site answer with something else than it was asked for."""

    def faults(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        envelope = unpack(data).envelope if data else None
        if envelope is None or not isinstance(envelope.body, kind):
            return ((0.0, data),)
        return ((0.0, pack(kind(**{**dict(envelope.body), **change(envelope.body)}), envelope.sent_at).data),)

    return faults


def another(message: Message, **fields: Any) -> Message:
    return message.model_copy(update=fields)


@pytest.mark.parametrize(
    ("kind", "change", "ask"),
    [
        (AttachReply, lambda it: {"lease": another(it.lease, serial="phone-2")}, "attach"),
        (AttachReply, lambda it: {"lease": another(it.lease, holder="another")}, "attach"),
        (RenewReply, lambda it: {"leases": [another(it.leases[0], serial="phone-2")]}, "renew"),
        (RenewReply, lambda it: {"leases": [another(it.leases[0], holder="another")]}, "renew"),
        (RenewReply, lambda it: {"leases": [another(it.leases[0], epoch=it.leases[0].epoch + 1)]}, "renew"),
        (CaptureReply, lambda it: {"screenshot": another(it.screenshot, serial="phone-2")}, "capture"),
        (ReceiptReply, lambda it: {"receipt": another(it.receipt, key="e:9:1:0")}, "perform"),
        (ReceiptReply, lambda it: {"receipt": another(it.receipt, key="e:9:1:0")}, "reset"),
        (RecallReceiptsReply, lambda it: {"receipts": [another(it.receipts[0], key="e:9:1:0")]}, "recall"),
        (RecallReceiptsReply, lambda it: {"receipts": []}, "recall"),
        (
            PerformAndCaptureReply,
            lambda it: {"performed": another(it.performed, receipt=another(it.performed.receipt, key="e:9:1:0"))},
            "perform_and_capture",
        ),
    ],
)
def test_an_answer_to_another_question_is_an_error_that_names_the_site(
    kind: type[EdgeReply], change: Callable[[Any], Any], ask: str
) -> None:
    async def use(edge: EdgeWorld) -> None:
        client, lease, context = edge.client, await edge.lease(), within()
        asking: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
            "attach": edge.lease,
            "renew": lambda: client.renew(lease, 30),
            "capture": lambda: client.capture(lease, None, context),
            "perform": lambda: client.perform(lease, perform(), context),
            "reset": lambda: client.reset(lease, Reset(key="e:reset"), context),
            "recall": lambda: client.recall(lease, ["e:0:1:0"], context),
            "perform_and_capture": lambda: client.perform_and_capture(lease, perform(), None, context),
        }
        edge.broker.faults = changed(kind, change)
        with pytest.raises(CallError, match=r"site lab was asked for the .*, and answered with ") as raised:
            await asking[ask]()
        assert type(raised.value) is CallError

    played(use)


def test_the_screen_of_another_phone_is_not_what_an_action_led_to() -> None:
    def change(shown: PerformAndCaptureReply) -> dict[str, Any]:
        screenshot = shown.performed.screenshot
        assert screenshot is not None
        return {"performed": another(shown.performed, screenshot=another(screenshot, serial="phone-2"))}

    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.broker.faults = changed(PerformAndCaptureReply, change)
        performed, image, _ = await edge.client.perform_and_capture(lease, perform(), None, within())
        assert performed.receipt.status == "done"
        assert (performed.screenshot, image) == (None, None)

    played(use)


# ---------------------------------------------------------------------------- leases
def test_a_phone_that_its_site_lists_no_more_is_not_told_once_the_site_is_away() -> None:
    async def use(edge: EdgeWorld) -> None:
        here, gone = (PhoneInfo(serial=serial, state="device") for serial in ("phone-1", "phone-2"))
        await edge.server.publish_phones([here, gone])
        await edge.server.publish_phones([here])
        await asyncio.sleep(1)
        await edge.broker.lose(edge.server_link)
        await asyncio.sleep(0.1)
        assert [phone.serial for phone in await edge.client.phones()] == [PHONE]

    played(use)


def test_a_phone_that_is_told_of_in_the_place_of_another_is_none() -> None:
    async def use(edge: EdgeWorld) -> None:
        packed = pack(PhoneInfo(serial="phone-9", state="device"), CLOCK.now()).data
        edge.broker.take(Topics("lab").phone_state("phone-2"), packed, retain=False)
        await asyncio.sleep(1)
        await edge.broker.lose(edge.server_link)
        await asyncio.sleep(0.1)
        assert [phone.serial for phone in await edge.client.phones()] == [PHONE]

    played(use)


def test_of_phones_without_end_so_many_are_kept() -> None:
    async def use(edge: EdgeWorld) -> None:
        topics = Topics("lab")
        for number in range(MAX_PHONES + 10):
            serial = f"p{number}"
            packed = pack(PhoneInfo(serial=serial, state="device"), CLOCK.now()).data
            edge.broker.take(topics.phone_state(serial), packed, retain=False)
        await asyncio.sleep(1)
        await edge.broker.lose(edge.server_link)
        await asyncio.sleep(0.1)
        assert len(await edge.client.phones()) == MAX_PHONES

    played(use)


def test_a_phone_of_a_site_that_is_away_is_lost_at_once_and_told_as_it_was() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        await asyncio.sleep(1)
        await edge.broker.lose(edge.server_link)
        await asyncio.sleep(0.1)
        asked_at = CLOCK.now()
        for asked in (edge.lease(), edge.client.connect(PHONE), edge.client.size(PHONE)):
            with pytest.raises(PhoneLost, match="phone lab/phone-1: site lab is away"):
                await asked
        assert await edge.client.phones() == (PhoneInfo(serial=PHONE, state=SITE_AWAY, model="Paper"),)
        assert CLOCK.now() - asked_at < 0.1
        with pytest.raises(DeadlinePassed, match="no answer by the deadline; site lab is away"):
            await edge.client.capture(lease, None, within(7))
        capturing = asyncio.create_task(edge.client.capture(lease, None, within(30)))
        await asyncio.sleep(4)
        await edge.broker.regain(edge.server_link)
        asked_at = CLOCK.now()
        await capturing
        assert CLOCK.now() - asked_at < 0.1  # it is asked again as soon as the site is back
        await edge.lease()

    played(use)


def test_a_site_that_does_not_answer_makes_its_phones_lost_within_seconds() -> None:
    async def use(edge: EdgeWorld) -> None:
        client = edge.client
        for asked in (edge.lease(), client.connect(PHONE), client.size(PHONE), client.look(PHONE, "content://x")):
            asked_at = CLOCK.now()
            with pytest.raises(PhoneLost, match="phone lab/phone-1: site lab does not answer"):
                await asked
            assert CLOCK.now() - asked_at == pytest.approx(3, abs=0.1)

    played(use, Losing({"Hello", "Attach", "Connect", "AskSize", "Look"}))


def test_errors_of_a_gateway_come_as_what_they_are() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        with pytest.raises(PhoneBusy, match="site lab: phone-1 is held by test"):
            await edge.lease("another")
        newer = await edge.lease()
        assert newer.undisturbed
        for asked in (edge.client.renew(lease, 30), edge.client.capture(lease, None, within())):
            with pytest.raises(LeaseLost, match="phone-1 is old"):
                await asked
        await edge.client.detach(lease)
        assert edge.gateway.holder == "test"
        edge.gateway.there = False
        with pytest.raises(PhoneLost, match="site lab: phone-1 does not answer"):
            await edge.client.connect(PHONE)

    played(use)


def test_a_cancelled_attach_leaves_no_lease_also_where_its_answer_was_lost() -> None:
    async def use(edge: EdgeWorld) -> None:
        edge.world.latency = lambda method, count: 2.0 if method == "attach" else 0.0
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(edge.lease(), 1)
        await asyncio.sleep(5)
        assert edge.world.count["attach"] == 1
        assert edge.gateway.holder is None

    played(use, Losing({"Attached"}, most=1))


def test_a_lease_that_nobody_wants_any_more_is_given_back_also_while_all_stops() -> None:
    async def use(edge: EdgeWorld) -> None:
        edge.world.latency = lambda method, count: 2.0 if method == "attach" else 0.0
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(edge.lease(), 1)
        await edge.client.stop()
        assert edge.world.count["attach"] == 1
        assert edge.gateway.holder is None

    played(use)


def test_an_attach_that_was_given_up_does_not_void_the_one_after_it() -> None:
    async def use(edge: EdgeWorld) -> None:
        edge.broker.faults = Losing({"Attach"}, until=asyncio.get_running_loop().time() + 10)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(edge.lease(), 1)
        edge.broker.faults = as_sent
        lease = await edge.lease()
        await asyncio.sleep(60)
        assert edge.world.count["attach"] == 1
        await edge.client.capture(lease, None, within())

    played(use)


def test_a_site_of_another_major_version_is_said_at_the_start_and_gives_no_lease() -> None:
    def newer(welcome: HelloReply) -> dict[str, Any]:
        return {"version": "99.1.0"}

    said = r"site lab runs manyhands 99\.1\.0, and here is \S+: install versions with the same first number"

    async def use(edge: EdgeWorld) -> None:
        edge.broker.faults = changed(HelloReply, newer)
        with pytest.raises(CallError, match=said):
            await edge.lease()
        assert edge.world.count["attach"] == 0
        with pytest.raises(BadInput, match=said):
            await MqttGateway(client_settings(), lambda *_: edge.broker.link(), CLOCK).start()
        patient = MqttGateway(client_settings(patient=True), lambda *_: edge.broker.link(), CLOCK)
        await patient.start()
        with pytest.raises(CallError, match=said):
            await patient.attach(PHONE, "test", 30)
        await patient.stop()

    played(use)


# ---------------------------------------------------------------------------- its own course
def test_what_waits_ends_when_it_stops() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.broker.faults = Losing({"Captured"})
        capturing = asyncio.create_task(edge.client.capture(lease, None, within(600)))
        await asyncio.sleep(1)
        asked_at = CLOCK.now()
        await edge.client.stop()
        with pytest.raises(CallError, match="the gateway is stopping"):
            await capturing
        assert CLOCK.now() - asked_at < 1
        with pytest.raises(CallError, match="not started, or was stopped"):
            await edge.client.phones()

    played(use)


class ShyLink(MemoryLink):
    """Is refused a few times before it connects."""

    refusals = 3

    async def connect(self) -> None:
        if self.refusals:
            self.refusals -= 1
            raise BadInput("the broker mqtt://broker:1883 does not answer")
        await super().connect()


@pytest.mark.parametrize("patient", [False, True])
def test_only_the_patient_wait_for_a_broker_that_is_away_at_the_start(patient: bool) -> None:
    async def main() -> None:
        broker = MemoryBroker()

        def make(settings: MqttGatewaySettings, name: str) -> Link:
            return ShyLink(broker)

        gateway = MqttGateway(client_settings(patient=patient), make, CLOCK)
        if not patient:
            with pytest.raises(BadInput, match="does not answer"):
                await gateway.start()
            return
        await gateway.start()
        assert not broker.links
        await asyncio.sleep(30)
        assert len(broker.links) == 1
        await gateway.stop()
        assert not broker.links

    run_virtual(main())


def test_it_stops_at_once_while_it_waits_for_a_broker_that_is_away() -> None:
    async def main() -> None:
        link = ShyLink(MemoryBroker())
        link.refusals = 1000
        gateway = MqttGateway(client_settings(patient=True), lambda *_: link, CLOCK)
        await gateway.start()
        await asyncio.sleep(7)
        asked_at = CLOCK.now()
        await gateway.stop()
        assert CLOCK.now() - asked_at < 0.1

    run_virtual(main())


def test_a_start_that_is_cancelled_leaves_no_link_open() -> None:
    async def main() -> None:
        broker = MemoryBroker()
        gateway = MqttGateway(client_settings(), lambda *_: broker.link(), CLOCK)
        starting = asyncio.create_task(gateway.start())
        await asyncio.sleep(1)  # it greets a site that is not there
        assert len(broker.links) == 1
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not broker.links
        with pytest.raises(CallError, match="not started, or was stopped"):
            await gateway.phones()

    run_virtual(main())


def test_views_name_their_screenshot_as_it_is_called_here() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        assert (await edge.client.state(lease, VIEWS, within()))["shown"] is None
        screenshot, _, _ = await edge.client.capture(lease, None, within())
        shown_before = edge.gateway.shown_before
        assert shown_before is not None
        assert shown_before[1] != screenshot.content_id, "the site hashes other pixels"
        assert (await edge.client.state(lease, VIEWS, within()))["shown"] == screenshot.content_id
        edge.gateway.shown_before = ("elsewhere", "f" * 32)
        assert (await edge.client.state(lease, VIEWS, within()))["shown"] is None, "we have not seen that one"

    played(use)


def test_the_log_of_a_phone_is_not_available() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        with pytest.raises(LogUnavailable, match="over MQTT"):
            await edge.client.log(lease, within(step=3))
        assert edge.world.count["log"] == 0

    played(use)


def test_it_tells_what_its_calls_took_apart_from_the_site() -> None:
    async def use(edge: EdgeWorld) -> None:
        lease = await edge.lease()
        edge.world.latency = lambda method, count: 2.0 if method == "capture" else 0.0
        await edge.client.capture(lease, None, within(step=3))
        (took,) = await edge.client.latencies()
        assert (took.method, took.episode, took.step) == ("capture", "e", 3)
        assert took.site_ms == pytest.approx(2000, abs=1)
        assert took.ms == pytest.approx(2000, abs=1)
        counts = await edge.client.counts()
        assert counts.bytes_in > len(encode_jpeg(pixels_of("s0")))
        assert counts.repeats == 1  # it was asked again after a second; the site counts from the first time

    played(use)
