"""Ten thousand messages through a broker that loses, doubles, swaps, delays by up to five minutes and flips bits."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.protocol.errors import CallError, LeaseLost, ManyhandsError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Receipt, SettleSpec
from manyhands.protocol.screens.actions import Tap
from tests.actors.edge.edge_world import client_settings
from tests.actors.edge.memory_broker import as_sent
from tests.actors.edge.site_world import SITE, SiteWorld, site_world
from tests.permitted import permitted
from tests.virtual_clock import VirtualClock, run_virtual

MESSAGES = 10_000
LONGEST_DELAY_S = 300.0
BEHIND_S = 40.0
"""How far the clock of who asks is behind that of the site."""
PHONES = tuple(f"usb-{number}" for number in range(12))


class BehindClock(VirtualClock):
    """The clock of who asks."""

    def now(self) -> float:
        return super().now() - BEHIND_S


class Storm:
    """Decides what becomes of each message, and keeps what it spoiled."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.passed = 0
        self.spoiled: set[bytes] = set()
        self.came_spoiled = 0

    def __call__(self, topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        chance = self._chance
        self.passed += 1
        for _ in range(chance.choices((0, 1, 2, 4), (15, 50, 30, 5))[0]):
            late = chance.random() < 0.4
            yield chance.uniform(0, LONGEST_DELAY_S if late else 0.2), self._flipped(data) if late else data
            if not late and chance.random() < 0.05:
                yield chance.uniform(0, 0.2), self._flipped(data, always=True)

    def _flipped(self, data: bytes, always: bool = False) -> bytes:
        if not data or (not always and self._chance.random() < 0.7):
            return data
        place = self._chance.randrange(8 * len(data))
        changed = bytearray(data)
        changed[place // 8] ^= 1 << place % 8
        self.spoiled.add(bytes(changed))
        return bytes(changed)

    def came(self, data: bytes) -> None:
        self.came_spoiled += data in self.spoiled


@dataclass
class Driver:
    """Carries out one action after another on a phone, and asks what became of each that it got no answer for."""

    client: MqttGateway
    serial: str
    chance: random.Random
    issued: dict[str, float] = field(default_factory=dict)
    """The deadline of each key by the clock of the site, in the order in which they were asked for."""
    told: dict[str, Receipt] = field(default_factory=dict)
    _open: str | None = None
    _lease: Lease | None = None

    async def drive(self, done: asyncio.Event) -> None:
        while not done.is_set():
            try:
                await self._step()
            except LeaseLost:
                self._lease = None
            except (ManyhandsError, TimeoutError):
                await asyncio.sleep(1)

    async def _step(self) -> None:
        if self._lease is None:
            self._lease = await self.client.attach(f"{SITE}/{self.serial}", f"run-{self.serial}", 90)
        if self._open is None:
            key = self._open = f"{self.serial}:{len(self.issued)}"
            patience_s = self.chance.uniform(2, 30)
            context = self._context(self.chance.choice([patience_s, patience_s, 200]))
            self.issued[key] = context.deadline + BEHIND_S
            async with asyncio.timeout(patience_s + 0.1):  # whoever is cancelled asks what became of it, too
                self.told[key] = await self._performed(permitted(key=key, action=Tap(x=1, y=2)), context)
        else:
            self._lease = await self.client.renew(self._lease, 90)
            (self.told[self._open],) = await self.client.recall(self._lease, [self._open], self._context(60))
        self._open = None

    async def _performed(self, perform: Perform, context: CallContext) -> Receipt:
        assert self._lease is not None
        if self.chance.random() < 0.2:
            return (await self.client.perform_and_capture(self._lease, perform, SettleSpec(), context))[0].receipt
        return await self.client.perform(self._lease, perform, context)

    def _context(self, seconds: float) -> CallContext:
        return CallContext(episode=self.serial, step=len(self.issued), deadline=BehindClock().now() + seconds)


def assert_right(site: SiteWorld, driver: Driver) -> None:
    """Each key came to the phone once at most, in time, not behind a newer one; and all that was told is true."""
    ledger, order = site.shelf.by_serial[driver.serial].ledger, list(driver.issued)
    keys = [line.key for line in ledger]
    assert max(Counter(keys).values()) == 1
    assert keys == [key for key in order if key in set(keys)]
    late = {line.key: line.at - driver.issued[line.key] for line in ledger if line.at > driver.issued[line.key] + 0.01}
    assert late == {}
    done = {key for key, receipt in driver.told.items() if receipt.status == "done"}
    refused = {key for key, receipt in driver.told.items() if receipt.status == "refused"}
    assert done <= set(keys)
    assert not refused & set(keys)
    assert {receipt.status for receipt in driver.told.values()} <= {"done", "refused", "unknown"}


@pytest.mark.parametrize("seed", [16, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (17, 18, 19))])
def test_no_key_twice_none_overtaken_or_late_and_what_is_spoiled_is_counted(seed: int) -> None:
    async def main() -> None:
        async with site_world(PHONES, lease_s=90.0) as site:
            client = MqttGateway(client_settings(), lambda *_: site.broker.link(), BehindClock())
            await client.start()
            storm = Storm(random.Random(seed))
            drivers = [Driver(client, serial, random.Random(f"{seed}{serial}")) for serial in PHONES]
            site.broker.faults, site.broker.delivered = storm, storm.came
            done = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                for driver in drivers:
                    group.create_task(driver.drive(done))
                for part in range(1, 5):
                    while storm.passed < MESSAGES * part / 4:
                        await asyncio.sleep(1)
                    if part < 4:
                        await site.killed_and_started_again()
                done.set()
            await asyncio.sleep(2 * LONGEST_DELAY_S)
            site.broker.faults = as_sent
            await asyncio.sleep(2 * LONGEST_DELAY_S)  # now all has arrived that ever will
            for driver in drivers:
                assert_right(site, driver)
            links = site.broker.made
            assert sum(link.counts.malformed for link in links) == storm.came_spoiled > 100
            assert sum(link.counts.repeats for link in links) > 100
            assert sum(link.counts.late + link.counts.overtaken for link in links) > 30
            assert sum(len(driver.told) for driver in drivers) > 500
            with pytest.raises(CallError):  # nobody waits for anything any more
                await asyncio.wait_for(_stopped(client), 60)

    run_virtual(main())


async def _stopped(client: MqttGateway) -> None:
    await client.stop()
    await client.phones()
