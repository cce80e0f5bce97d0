"""Leases, action keys, deadlines, cancellation and loss, through a real adb server."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from manyhands.actors.frames import content_id
from manyhands.actors.phones import PhoneGateway
from manyhands.actors.phones.adb import AdbSettings
from manyhands.actors.phones.leases import Leases
from manyhands.protocol.errors import (
    CallError,
    DeadlinePassed,
    LeaseLost,
    Overloaded,
    PhoneBusy,
    PhoneLost,
    PhoneUnknown,
)
from manyhands.protocol.phones import Reset, SettleSpec
from manyhands.protocol.screens.actions import LongPress, Swipe, Tap, Type
from tests.actors.phones.adb.scripted_adb import HANG, block, scripted_adb
from tests.actors.phones.world import STATE, World, adb_gateway, within, world
from tests.permitted import permitted

SLOW = LongPress(x=1, y=1, ms=1000)
TAP = Tap(x=1, y=1)


@pytest.fixture
async def phone(adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[World]:
    async with world(adb_server, tmp_path, phones=2) as parts:
        yield parts


@pytest.fixture
async def other(phone: World) -> AsyncIterator[PhoneGateway]:
    """A second gateway on the same host: another run's, or the same one started again."""
    gateway = adb_gateway(phone.settings)
    await gateway.start()
    yield gateway
    await gateway.stop()


# ---------------------------------------------------------------------------- leases
async def test_a_phone_has_one_holder_over_all_gateways(phone: World, other: PhoneGateway) -> None:
    serial = phone.lease.serial
    with pytest.raises(PhoneBusy, match="held by tests"):
        await other.attach(serial, "run-b", 30)
    await phone.gateway.detach(phone.lease)
    lease = await other.attach(serial, "run-b", 30)
    assert lease.epoch == phone.lease.epoch + 1
    for call in (
        phone.perform("k", TAP),
        phone.gateway.capture(phone.lease, None, within()),
        phone.gateway.state(phone.lease, STATE, within()),
        phone.gateway.reset(phone.lease, Reset(key="r", seed=1), within()),
        phone.gateway.renew(phone.lease, 30),
    ):
        with pytest.raises(LeaseLost):
            await call
    assert phone.ledger == ()
    await phone.gateway.detach(phone.lease)
    assert (await other.renew(lease, 60)).expires_at > lease.expires_at


async def test_a_lease_runs_out(phone: World) -> None:
    serial = phone.fleet.serials[1]
    lease = await phone.gateway.attach(serial, "short", 0.2)
    await asyncio.sleep(max(0.0, lease.expires_at - time.time()) + 0.01)
    with pytest.raises(LeaseLost, match="ran out"):
        await phone.gateway.perform(lease, permitted(key="k", action=TAP), within())
    assert (await phone.gateway.attach(serial, "next", 30)).epoch == 2


async def test_a_gateway_started_anew_serves_a_lease_that_runs(phone: World, other: PhoneGateway) -> None:
    screenshot, _, _ = await other.capture(phone.lease, None, within())
    assert screenshot.serial == phone.lease.serial
    receipt = await other.perform(phone.lease, permitted(key="k", action=Type(text="é")), within())
    assert receipt.status == "done"
    assert phone.plain.text == "é"


@pytest.mark.parametrize("serial", ["nowhere", "", "with blank", "x" * 500])
async def test_unknown_serials(phone: World, serial: str) -> None:
    with pytest.raises(PhoneUnknown):
        await phone.gateway.attach(serial, "run-b", 30)


async def test_a_phone_that_does_not_answer_is_not_held(phone: World) -> None:
    serial = phone.fleet.serials[1]
    await phone.unplug(1)
    with pytest.raises(PhoneLost):
        await phone.gateway.attach(serial, "run-b", 60)
    await phone.fleet.come_back(1)
    assert (await phone.gateway.attach(serial, "run-c", 60)).holder == "run-c"


async def test_a_holder_whose_phone_was_away_comes_first_when_it_is_back(phone: World, other: PhoneGateway) -> None:
    serial, holder = phone.lease.serial, phone.lease.holder
    with pytest.raises(PhoneBusy):
        await other.attach(serial, "next", 60, "run-b")
    await phone.unplug(0)
    with pytest.raises(PhoneLost):
        await phone.gateway.attach(serial, holder, 60, "run-a")
    with pytest.raises(LeaseLost):
        await phone.perform("k", TAP)
    await phone.fleet.come_back(0)
    lease = await phone.gateway.attach(serial, holder, 60, "run-a")
    assert lease.undisturbed
    with pytest.raises(PhoneBusy):
        await other.attach(serial, "next", 60, "run-b")
    await phone.gateway.detach(lease)
    with pytest.raises(PhoneBusy, match="run-b has its next turn"):
        await phone.gateway.attach(serial, "another", 60, "run-a")
    assert not (await other.attach(serial, "next", 60, "run-b")).undisturbed


async def test_an_attach_that_nobody_waits_for_gives_the_phone_back(phone: World) -> None:
    serial = phone.fleet.serials[1]
    attaching = asyncio.create_task(phone.gateway.attach(serial, "gone", 60))
    await asyncio.sleep(0)
    attaching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attaching
    async with asyncio.timeout(20):
        while True:
            try:
                lease = await phone.gateway.attach(serial, "next", 60)
                break
            except PhoneBusy:
                await asyncio.sleep(0.01)
    assert lease.holder == "next"


# ---------------------------------------------------------------------------- action keys
async def test_an_attach_that_nobody_waits_for_frees_a_phone_that_hangs(tmp_path: Path) -> None:
    answers = {
        "host:devices-l": b"OKAY" + block("usb-1    device usb:1-1 model:Slow transport_id:3\n"),
        "host-serial:usb-1:features": b"OKAY" + block("shell_v2,cmd"),
        "shell,v2:": b"OKAY" + HANG,
    }
    async with scripted_adb(answers) as script:
        gateway = adb_gateway(AdbSettings(port=script.port, state_dir=tmp_path))
        await gateway.start()
        attaching = asyncio.create_task(gateway.attach("usb-1", "gone", 60))
        async with asyncio.timeout(10):
            while not any(request.startswith("shell") for request in script.requests):
                await asyncio.sleep(0.005)
            attaching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await attaching
            while Leases(tmp_path).holders():
                await asyncio.sleep(0.005)
            await gateway.stop()


async def test_a_key_seen_again_does_not_touch_the_phone(phone: World, other: PhoneGateway) -> None:
    first = await phone.perform("k", TAP)
    assert await phone.perform("k", TAP) == first.model_copy(update={"repeated": True})
    by_other = await other.perform(phone.lease, permitted(key="k", action=TAP), within())
    assert by_other == first.model_copy(update={"repeated": True})
    assert phone.plain.events == [("tap", 1, 1)]


async def test_equal_keys_at_the_same_time_are_one_action(phone: World, other: PhoneGateway) -> None:
    perform = permitted(key="k", action=TAP)
    receipts = await asyncio.gather(
        *(gateway.perform(phone.lease, perform, within()) for gateway in (phone.gateway, other) for _ in range(4))
    )
    assert sum(not receipt.repeated for receipt in receipts) == 1
    assert {receipt.status for receipt in receipts} == {"done"}
    assert phone.plain.events == [("tap", 1, 1)]


async def test_actions_of_two_gateways_on_one_phone_take_turns(phone: World, other: PhoneGateway) -> None:
    slow = asyncio.create_task(phone.perform("slow", SLOW))
    await phone.received("slow")
    quick = await other.perform(phone.lease, permitted(key="quick", action=TAP), within())
    first = await slow
    assert quick.sent_at >= first.sent_at + first.ms / 1000


async def test_waiting_for_a_turn_on_a_phone_is_told_apart_from_work(phone: World, other: PhoneGateway) -> None:
    slow = asyncio.create_task(phone.perform("slow", SLOW))
    await phone.received("slow")
    quick, (shot, _, _) = await asyncio.gather(
        other.perform(phone.lease, permitted(key="quick", action=TAP), within()),
        other.capture(phone.lease, None, within()),
    )
    first = await slow
    assert min(quick.queue_ms, shot.queue_ms) > SLOW.ms / 2
    assert max(quick.ms, shot.capture_ms, first.queue_ms) < SLOW.ms / 2
    assert (await phone.perform("quick", TAP)).queue_ms == quick.queue_ms


async def test_waiting_for_the_captures_of_other_phones_is_told_apart_from_work(phone: World, tmp_path: Path) -> None:
    narrow = adb_gateway(phone.settings.model_copy(update={"captures": 1, "state_dir": tmp_path / "narrow"}))
    await narrow.start()
    leases = [await narrow.attach(serial, "tests", 60) for serial in phone.fleet.serials]
    quiet = SettleSpec(quiet_ms=0, limit_ms=1000)
    began = time.perf_counter()
    taken = await asyncio.gather(*(narrow.capture(lease, quiet, within()) for lease in leases * 3))
    took_ms = (time.perf_counter() - began) * 1000
    await narrow.stop()
    queued = [shot.queue_ms for shot, _, _ in taken]
    settled = [shot.settling.ms if shot.settling else 0.0 for shot, _, _ in taken]
    worked = [shot.capture_ms for shot, _, _ in taken]
    assert max(queued) > took_ms / 4
    # The last frame's work is a part of settling, too, so each is held against the whole by itself.
    for parts in (settled, worked):
        assert all(wait + part <= took_ms for wait, part in zip(queued, parts, strict=True))


# ---------------------------------------------------------------------------- what became of a key
async def test_an_action_under_way_is_recalled_with_its_receipt(phone: World) -> None:
    acting = asyncio.create_task(phone.perform("k", SLOW))
    await phone.received("k")
    lease = await phone.gateway.attach(phone.lease.serial, phone.lease.holder, 60)
    (recalled,) = await phone.gateway.recall(lease, ["k"], within())
    assert recalled == (await acting).model_copy(update={"repeated": True})
    assert recalled.status == "done"


async def test_what_was_recalled_is_not_carried_out_by_a_late_call(phone: World, other: PhoneGateway) -> None:
    """The call waits for its turn behind the recall; another waits in another gateway."""
    acting = asyncio.create_task(phone.perform("first", SLOW))
    await phone.received("first")
    recalling = asyncio.create_task(phone.gateway.recall(phone.lease, ["late"], within()))
    await asyncio.sleep(0)
    late = asyncio.create_task(phone.perform("late", TAP))
    (recalled,) = await recalling
    assert (recalled.status, recalled.repeated) == ("refused", False)
    again = recalled.model_copy(update={"repeated": True})
    assert await late == await other.perform(phone.lease, permitted(key="late", action=TAP), within()) == again
    assert (await acting).status == "done"
    assert [line.key for line in phone.ledger] == ["first"]


async def test_only_who_has_the_phone_recalls(phone: World) -> None:
    await phone.gateway.attach(phone.lease.serial, phone.lease.holder, 60)
    with pytest.raises(LeaseLost):
        await phone.gateway.recall(phone.lease, ["k"], within())
    with pytest.raises(DeadlinePassed):
        await phone.gateway.recall(phone.lease, ["k"], within(-1))


# ---------------------------------------------------------------------------- cancellation and deadlines
async def test_a_cancelled_action_runs_to_its_receipt(phone: World) -> None:
    acting = asyncio.create_task(phone.perform("k", SLOW))
    await phone.received("k")
    acting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await acting
    receipt = await phone.perform("k", SLOW)
    assert (receipt.status, receipt.repeated) == ("done", True)
    assert receipt.ms >= 1000
    assert len(phone.plain.events) == 1


async def test_an_action_that_waits_is_not_sent_once_cancelled(phone: World) -> None:
    acting = asyncio.create_task(phone.perform("first", SLOW))
    await phone.received("first")
    waiting = asyncio.create_task(phone.perform("second", TAP))
    with pytest.raises(DeadlinePassed):
        await phone.perform("third", TAP, seconds=0.2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await acting).status == "done"
    await phone.perform("fourth", TAP)
    assert [line.key for line in phone.ledger] == ["first", "fourth"]
    assert not (await phone.perform("second", TAP)).repeated


async def test_an_action_gives_the_screen_at_rest_that_it_led_to_with_its_receipt(phone: World) -> None:
    _, _, before = await phone.gateway.capture(phone.lease, None, within())
    typed = permitted(key="k", action=Type(text="tea"))
    performed, image, frame = await phone.gateway.perform_and_capture(phone.lease, typed, SettleSpec(), within())
    assert performed.receipt.status == "done"
    assert phone.plain.text == "tea"
    assert performed.screenshot is not None
    assert image is not None
    assert frame is not None
    assert performed.screenshot.content_id == image.content_id == content_id(frame.rgb()) != content_id(before.rgb())
    assert performed.screenshot.settling is not None
    assert performed.looked_ms >= performed.screenshot.settling.ms


async def test_an_action_keeps_its_receipt_where_no_picture_follows(phone: World) -> None:
    """The deadline passes while the screen is still waited for."""
    settle = SettleSpec(quiet_ms=5000, limit_ms=9000)
    tap = permitted(key="k", action=TAP)
    performed, image, frame = await phone.gateway.perform_and_capture(phone.lease, tap, settle, within(1.0))
    assert (performed.receipt.status, performed.screenshot, image, frame) == ("done", None, None, None)
    assert [line.key for line in phone.ledger] == ["k"]
    again = await phone.perform("k", TAP)
    assert again.repeated
    with pytest.raises(DeadlinePassed):
        await phone.gateway.perform_and_capture(phone.lease, permitted(key="late", action=TAP), settle, within(-1))
    assert len(phone.ledger) == 1


async def test_an_action_longer_than_its_deadline(phone: World) -> None:
    with pytest.raises(DeadlinePassed, match=r"perform on .* for e, step 0"):
        await phone.perform("k", SLOW, seconds=0.4)
    receipt = await phone.perform("k", SLOW)
    assert (receipt.status, receipt.repeated) == ("done", True)
    assert len(phone.ledger) == 1


async def test_a_deadline_that_has_passed_touches_nothing(phone: World) -> None:
    for call in (
        phone.perform("k", TAP, seconds=-1),
        phone.gateway.capture(phone.lease, None, within(-1)),
        phone.gateway.state(phone.lease, STATE, within(-1)),
    ):
        with pytest.raises(DeadlinePassed):
            await call
    assert phone.ledger == ()


async def test_stopping_lets_a_begun_action_end(phone: World, other: PhoneGateway) -> None:
    acting = asyncio.create_task(phone.perform("k", SLOW))
    await phone.received("k")
    await phone.gateway.stop()
    assert (await acting).status == "done"
    with pytest.raises(CallError):
        await phone.perform("later", TAP)
    again = await other.perform(phone.lease, permitted(key="k", action=SLOW), within())
    assert (again.status, again.repeated) == ("done", True)


async def test_stopping_lets_a_capture_end_and_no_look_follows_it(phone: World) -> None:
    await phone.gateway.capture(phone.lease, None, within())
    await phone.perform("k", TAP)
    tasks = asyncio.all_tasks()
    capturing = asyncio.create_task(phone.gateway.capture(phone.lease, SettleSpec(), within()))
    await asyncio.sleep(0)
    await phone.gateway.stop()
    assert capturing.done()
    screenshot, _, _ = capturing.result()
    assert screenshot.serial == phone.lease.serial
    assert not asyncio.all_tasks() - tasks, "whether the screen was the final one would be looked at later"


async def test_more_calls_than_admitted_are_refused(phone: World) -> None:
    narrow = adb_gateway(phone.settings, max_calls=1)
    await narrow.start()
    first = asyncio.create_task(narrow.perform(phone.lease, permitted(key="k", action=SLOW), within()))
    await phone.received("k")
    with pytest.raises(Overloaded):
        await narrow.state(phone.lease, STATE, within())
    assert (await first).status == "done"
    assert await narrow.state(phone.lease, STATE, within())
    await narrow.stop()


# ---------------------------------------------------------------------------- loss
async def test_a_phone_that_vanishes_in_an_action_leaves_it_unknown(phone: World) -> None:
    acting = asyncio.create_task(phone.perform("k", Swipe(x1=1, y1=1, x2=1, y2=200, ms=5000)))
    await phone.received("k")
    await phone.fleet.vanish(0)
    receipt = await acting
    assert (receipt.status, receipt.repeated) == ("unknown", False)
    await phone.fleet.come_back(0)
    assert (await phone.perform("k", TAP)).model_dump(exclude={"repeated"}) == receipt.model_dump(exclude={"repeated"})
    assert [line.key for line in phone.ledger] == ["k"]
    assert (await phone.perform("next", TAP)).status == "done"


async def test_a_phone_that_is_gone_was_sent_nothing_and_the_key_stays_free(phone: World) -> None:
    await phone.perform("first", TAP)
    await phone.unplug(0)
    for call in (
        phone.perform("k", TAP),
        phone.gateway.capture(phone.lease, None, within()),
        phone.gateway.reset(phone.lease, Reset(key="r", seed=1), within()),
    ):
        with pytest.raises(PhoneLost, match=phone.lease.serial):
            await call
    await phone.fleet.come_back(0)
    receipt = await phone.perform("k", TAP)
    assert (receipt.status, receipt.repeated) == ("done", False)
    assert [line.key for line in phone.ledger] == ["first", "k"]


async def test_no_adb_server(tmp_path: Path, unused_tcp_port: int) -> None:
    gateway = adb_gateway(AdbSettings(host="127.0.0.2", port=unused_tcp_port, state_dir=tmp_path))
    await gateway.start()
    with pytest.raises(PhoneLost, match="no adb server answers"):
        await gateway.attach("127.0.0.1:5555", "tests", 30)
    await gateway.stop()
    await gateway.stop()


async def test_errors_and_settings_pickle(phone: World) -> None:
    await phone.fleet.vanish(1)
    with pytest.raises(PhoneLost) as lost:
        await phone.gateway.attach(phone.fleet.serials[1], "run-b", 30)
    again = pickle.loads(pickle.dumps(lost.value))
    assert (type(again), str(again)) == (type(lost.value), str(lost.value))
    assert pickle.loads(pickle.dumps(phone.settings)) == phone.settings
