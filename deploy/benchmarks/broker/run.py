"""Send requests to sites behind a broker at a steady rate, and measure what their processes use."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.clock import RealClock
from manyhands.actors.edge.cluster.remote_site import RemoteSite, RequestFields
from manyhands.actors.edge.link import IncomingMessage
from manyhands.actors.edge.mqtt_link import MqttLink
from manyhands.actors.edge.picture_chunks import PictureAssembly
from manyhands.actors.edge.settings import BrokerAddress, BrokerSettings, RepeatSettings
from manyhands.deploy.benchmarks.broker.figures import (
    BrokerFigures,
    LatencyFigures,
    ProcessFigures,
    ProcessSample,
    sample_process,
)
from manyhands.deploy.benchmarks.broker.sites import SitesLoad, serials
from manyhands.deploy.benchmarks.edge.world import CLUSTER, PASSWORD, USER, Account, OwnBroker
from manyhands.deploy.cluster.tokens import environment
from manyhands.protocol.actions import Tap
from manyhands.protocol.edge.messages import (
    AttachReply,
    AttachRequest,
    CaptureReply,
    CaptureRequest,
    EdgeReply,
    PerformRequest,
    PictureChunk,
    PictureInfo,
    ReceiptReply,
)
from manyhands.protocol.errors import CallError, ManyhandsError
from manyhands.protocol.phones import Lease, Perform

Ask = Callable[[], Awaitable[list[float]]]
"""Sends one request. Returns the list to which its duration must be added."""
CLIENT = "bench"
ANSWER_S = 10.0
WARM_S = 5.0
"""Seconds of sending before the measurement begins."""
BUSY_PHONES = 100
"""How many phones get requests, in turn. The other phones only exist."""
CHANGES_S = 10.0
"""Phones that come or go in a second, at all sites together."""


@dataclass(frozen=True, slots=True)
class BrokerLoad:
    """Say what is requested, and how often."""

    phones: int
    sites: int
    commands_s: float
    pictures_s: float
    picture_bytes: int
    seconds: float
    out: Path

    @property
    def site_names(self) -> tuple[str, ...]:
        return tuple(f"site-{number + 1}" for number in range(self.sites))


class _BenchmarkClient:
    """Send requests to sites as the cluster's gateway does, but look at no picture."""

    def __init__(self, load: BrokerLoad, broker: BrokerSettings) -> None:
        self.link = MqttLink(f"manyhands-{CLIENT}", broker)
        self.sites = {
            name: RemoteSite(name, CLIENT, self.link, RepeatSettings(), RealClock()) for name in load.site_names
        }
        self.told = 0
        self._coming: dict[str, tuple[PictureAssembly, asyncio.Event]] = {}

    async def start(self) -> None:
        for site in self.sites.values():
            topics = site.topics
            await self.link.subscribe(topics.replies(CLIENT), topics.pictures(CLIENT))
            await self.link.subscribe(topics.presence, topics.all_phone_states)
        await self.link.start(self)

    async def on_connect(self) -> None:
        for site in self.sites.values():
            site.resend_all()

    def on_message(self, message: IncomingMessage) -> None:
        body = message.packet.envelope.body
        if isinstance(body, EdgeReply):
            self.sites[message.topic.site].receive_reply(body, message.packet.envelope.sent_at)
        elif isinstance(body, PictureChunk):
            assembly, came = self._of(body.picture)
            assembly.add(body, message.packet.data)
            came.set()
        else:
            self.told += 1

    def _of(self, picture: str) -> tuple[PictureAssembly, asyncio.Event]:
        return self._coming.setdefault(picture, (PictureAssembly(), asyncio.Event()))

    async def picture(self, picture: PictureInfo) -> bytes:
        """Return a picture when all its chunks have arrived."""
        async with asyncio.timeout(ANSWER_S):
            while self._of(picture.name)[0].missing(picture):
                came = self._of(picture.name)[1]
                came.clear()
                await came.wait()
        return self._coming.pop(picture.name)[0].join(picture)


class _Load:
    """Send each request at its time, even if earlier ones are still unanswered."""

    def __init__(self, load: BrokerLoad, asking: _BenchmarkClient) -> None:
        self._load = load
        self._asking = asking
        self._leases: list[tuple[RemoteSite, Lease]] = []
        self._step = 0
        self.measuring = False
        self.commands: list[float] = []
        self.pictures: list[float] = []
        self.failed = 0

    async def attach(self) -> None:
        """Get leases on the phones that will get requests."""
        named = serials(self._load.phones // self._load.sites)
        sites = tuple(self._asking.sites.values())
        for number in range(min(BUSY_PHONES, self._load.phones)):
            site = sites[number % len(sites)]
            serial = named[number // len(sites) % len(named)]

            def create(fields: RequestFields, serial: str = serial) -> AttachRequest:
                return AttachRequest(serial=serial, holder="bench", ttl_s=3600, **fields)

            attaching = site.specify(create, AttachReply, f"attaching {serial}", serial)
            attached = await site.call(attaching, time.time() + ANSWER_S)
            self._leases.append((site, attached.reply.lease))

    async def send(self, seconds: float) -> None:
        """Send for so many seconds, then wait for the last answers."""
        async with asyncio.TaskGroup() as group:
            for rate, ask in ((self._load.commands_s, self._command), (self._load.pictures_s, self._picture)):
                group.create_task(self._steadily(rate, ask, seconds))

    async def _steadily(self, rate: float, ask: Ask, seconds: float) -> None:
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number in range(int(rate * seconds)):
                await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
                group.create_task(self._one(ask))

    async def _one(self, ask: Ask) -> None:
        began, measuring = time.perf_counter(), self.measuring
        try:
            waits = await ask()
        except (ManyhandsError, TimeoutError):
            self.failed += measuring
        else:
            if measuring:
                waits.append(time.perf_counter() - began)

    def _next(self) -> tuple[RemoteSite, Lease, int]:
        self._step += 1
        return *self._leases[self._step % len(self._leases)], self._step

    async def _command(self) -> list[float]:
        site, lease, step = self._next()

        def create(fields: RequestFields) -> PerformRequest:
            perform = Perform(key=f"bench:{lease.epoch}:{site.name}:{step}", action=Tap(x=1, y=2))
            return PerformRequest(lease=lease, episode="bench", step=step, perform=perform, **fields)

        command = site.specify(create, ReceiptReply, "a command", lease.serial)
        await site.call(command, time.time() + ANSWER_S)
        return self.commands

    async def _picture(self) -> list[float]:
        site, lease, step = self._next()

        def create(fields: RequestFields) -> CaptureRequest:
            return CaptureRequest(lease=lease, episode="bench", step=step, settle=None, **fields)

        picture = site.specify(create, CaptureReply, "a picture", lease.serial)
        captured = await site.call(picture, time.time() + ANSWER_S)
        await self._asking.picture(captured.reply.picture)
        return self.pictures


async def measure(load: BrokerLoad, say: Callable[[str], None]) -> BrokerFigures:
    """Run the measurement. Raises BadInput, also if no broker is installed, and CallError."""
    async with OwnBroker(load.out / "broker", load.site_names, load.out / "logs" / "broker.log") as own:
        address = BrokerAddress.of(own.url)
        broker = BrokerSettings(host=address.host, port=address.port, tls=address.tls, ca=Path(own.ca))
        broker = broker.model_copy(update={"user_env": USER, "password_env": PASSWORD})
        account = own.account(CLUSTER)
        with environment(account.variables):
            asking = _BenchmarkClient(load, broker)
            async with _sites(load, broker, own.account) as pids:
                await asking.start()
                try:
                    sending = _Load(load, asking)
                    await sending.attach()
                    say(f"{load.phones} phones at {load.sites} sites behind {own.url}; {load.seconds:.0f} s")
                    await sending.send(WARM_S)
                    sending.measuring = True
                    before, told = _samples_of([[own.pid], pids]), asking.told
                    began = time.monotonic()
                    await sending.send(load.seconds)
                    after = _samples_of([[own.pid], pids])
                    seconds = time.monotonic() - began
                finally:
                    await asking.link.stop()
    counts = asking.link.counts
    return BrokerFigures(
        seconds=round(seconds, 1),
        broker=ProcessFigures.between(before[0], after[0]),
        gateways=ProcessFigures.between(before[1], after[1]),
        commands=LatencyFigures.of(sending.commands),
        pictures=LatencyFigures.of(sending.pictures),
        failed=sending.failed,
        states_told=asking.told - told,
        repeats=counts.repeats,
        malformed=counts.malformed,
        bytes_in=counts.bytes_in,
        bytes_out=counts.bytes_out,
    )


def _samples_of(groups: list[list[int]]) -> list[ProcessSample]:
    """Return, for each group of process ids, what its processes have used in sum."""
    found = [[sample_process(pid) for pid in pids] for pids in groups]
    return [ProcessSample(one[0].at, sum(each.cpu_s for each in one), sum(each.rss for each in one)) for one in found]


@asynccontextmanager
async def _sites(
    load: BrokerLoad, broker: BrokerSettings, account: Callable[[str], Account]
) -> AsyncIterator[list[int]]:
    """Run the sites while the context is open, each in a process of its own; yield the process ids."""
    processes: list[asyncio.subprocess.Process] = []
    try:
        for name in load.site_names:
            told = SitesLoad(
                sites=(name,),
                phones=load.phones // load.sites,
                picture_bytes=load.picture_bytes,
                changes_s=CHANGES_S / load.sites,
                broker=broker,
                state_dir=load.out / "state",
            )
            words = [sys.executable, "-m", "manyhands.deploy.benchmarks.broker.sites", told.model_dump_json()]
            with environment(account(name).variables):
                process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
            processes.append(process)
            assert process.stdout is not None
            if await process.stdout.readline() != b"ready\n":
                raise CallError(f"the gateway of {name} did not start")
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            if process.returncode is None:
                process.terminate()
        await asyncio.gather(*(process.wait() for process in processes))
