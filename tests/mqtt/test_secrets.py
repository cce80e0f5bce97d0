"""A fleet types a secret on eight phones, one behind a broker, is killed meanwhile and goes on: no byte has the value.

Searched are the files of the run and of Ray, what commands print, prompts, all that passes between the broker and those
who use it, command lines, the phones' dumps, the memory of every process of the run but the gateways, which type the
value, and core dumps of these.
"""

from __future__ import annotations

import asyncio
import copy
import signal
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import adbutils
import psutil
import pytest

from manyhands.benchmarks.chaos.edge import Wire
from manyhands.benchmarks.chaos.processes import RunProcesses, name_of
from manyhands.benchmarks.testbed import HOST, OwnAdbServer
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.roles.sections import Section
from manyhands.protocol.screens.actions import Type
from manyhands.simulator.fleet import VirtualFleet
from tests.deploy.cluster.head import short_folder
from tests.deploy.fleet.killed_runs import Command, Workplace
from tests.deploy.fleet.sign_in import NAME, VALUE, Customer, make_phone, write_settings, write_tasks
from tests.deploy.scripted_model import scripted_model
from tests.mqtt.conftest import StartBroker
from tests.mqtt.gateway_process import GatewayProcess
from tests.process_memory import core_dumps, leaves_core, memory_of
from tests.secret_search import find, find_in, find_in_files, watched
from tests.simulator.bank_phone import BankPhone
from tests.simulator.connecting import connect, disconnect

HERE = 7
"""So many phones are at the run's own adb server, and one is at the site's."""
FIRST = 3
"""So many phones have typed when the run is killed."""
WAIT_S = 900.0
STAGES = ("plan", "decide", "act", "capture", "perceive", "verify", "note")
DUMPS = ("activity", "activity broadcasts", "window", "input_method", "input", "notification", "package")


@dataclass
class HesitantCustomer(Customer):
    """Types the secret on the first phones alone until all may go on. Whoever has typed it waits with the next step."""

    may_go_on: threading.Event = field(default_factory=threading.Event)
    before: int = 0
    """How many agents were about to type."""
    after: int = 0
    """How many have."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, reply: str, sections: Mapping[Section, str]) -> dict[str, Any]:
        answer = super().__call__(reply, sections)
        if "action" in answer and not self.may_go_on.is_set():
            with self._lock:
                types = answer["action"]["name"] == "Type"
                self.before += types
                has_typed = sections.get(Section.HISTORY, "").count("outcome:") == 3
                self.after += has_typed
                waits = has_typed or (types and self.before > FIRST)
            if waits:
                self.may_go_on.wait(WAIT_S)
        return answer


class WireTap(Wire):
    """Carries bytes to a broker and back, and keeps them."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.carried: list[bytearray] = []

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = bytearray()
        self.carried.append(own)
        while data := await reader.read(1 << 16):
            own += data
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def bank_phones(port: int, count: int) -> AsyncIterator[VirtualFleet]:
    server = adbutils.AdbClient(HOST, port)
    async with VirtualFleet(count, make_phone) as fleet:
        await connect(fleet, server)
        try:
            yield fleet
        finally:
            await disconnect(fleet, server)


def passwords(fleets: Sequence[VirtualFleet]) -> list[str]:
    """What the banks of all phones were given, or the fields of those that have not signed in hold."""
    phones = [endpoint.phone.device for fleet in fleets for endpoint in fleet.endpoints]
    return [_entered(phone) for phone in phones if isinstance(phone, BankPhone)]


def _entered(phone: BankPhone) -> str:
    bank = phone.state()["bank"]["entered"]
    return str(bank["password"] if bank else phone.fields["password"])


async def until_some_have_typed(model: HesitantCustomer, run: Command) -> None:
    """Return once some phones have typed, and all others are about to."""
    async with asyncio.timeout(WAIT_S):
        while model.before <= HERE or model.after < FIRST:
            assert not run.ended.done(), run.ended.result().errors
            await asyncio.sleep(0.1)


def find_in_memory(processes: Sequence[psutil.Process]) -> list[str]:
    """The processes whose memory has the value; a core dump of them would have it."""
    found = []
    for process in processes:
        encodings = set[str]()
        with suppress(FileNotFoundError, ProcessLookupError):  # idle workers end by themselves
            encodings.update(name for part in memory_of(process.pid) for name in find(VALUE, part))
        found += [f"{name_of(process)}: {name}" for name in sorted(encodings)]
    return found


@pytest.mark.slow
@pytest.mark.timeout(2400)
async def test_no_byte_of_a_killed_fleet_has_the_value(
    start_broker: StartBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, requests, model = tmp_path / "work", list[bytes](), HesitantCustomer()
    work.mkdir()
    monkeypatch.chdir(work)
    episode = {"elements": "accessibility", "logcat": True, "deadlines": dict.fromkeys(STAGES, 2 * WAIT_S)}
    settings = write_settings(work, tmp_path / "bank.txt", episode=episode)
    tasks = write_tasks(work, HERE + 1)
    broker = start_broker(tls=False)
    account = broker.account("cluster")
    monkeypatch.setenv("U", account.user)
    monkeypatch.setenv("P", account.password)
    async with AsyncExitStack() as stack:
        stack.enter_context(core_dumps())
        url, ray = stack.enter_context(scripted_model(model, requests)), stack.enter_context(short_folder())
        stack.callback(model.may_go_on.set)
        adb, adb_of_site = [await stack.enter_async_context(OwnAdbServer()) for _ in range(2)]
        ports = {adb.port: HERE, adb_of_site.port: 1}
        fleets = [await stack.enter_async_context(bank_phones(port, count)) for port, count in ports.items()]
        wire = WireTap(broker.host, broker.port)
        await stack.enter_async_context(wire)
        tapped = copy.copy(broker)
        tapped.port = wire.port
        with (work / "site.log").open("wb") as log:
            site = GatewayProcess(
                tapped, adb_of_site.port, work / "site", options=("--config", str(settings)), errors=log
            )
            await site.start()
        stack.push_async_callback(site.kill)
        seen = await stack.enter_async_context(watched(VALUE, ray))

        place = Workplace(work, ray, adb.port, fleets[0].serials, url)
        phones = ",".join((*place.serials, f"{tapped.url}/A/{fleets[1].serials[0]}"))
        named = ("--phones", phones, "--mqtt-user-env", "U", "--mqtt-password-env", "P")
        where = (*named, "--adb-port", str(adb.port), "--mllm-url", url)
        run = await place.command("run", str(tasks), "--config", str(settings), "--out", str(work / "run"), *where)
        stack.push_async_callback(run.kill_tree)
        await until_some_have_typed(model, run)
        assert sorted(passwords(fleets)) == [""] * (HERE + 1 - FIRST) + [VALUE] * FIRST
        processes = RunProcesses(ray)
        processes.driver = run.process.pid
        everything = processes.everything()
        (gateway,) = (one for one in everything if name_of(one) == "PhoneGateway")
        others = [one for one in everything if one != gateway]
        assert {"EpisodeHost", "MqttGateway", "Operator"} <= set(map(name_of, others))
        in_memory = await asyncio.to_thread(find_in_memory, others)
        cores = [await asyncio.to_thread(leaves_core, gateway, signal.SIGABRT)]
        await run.kill_tree()
        model.may_go_on.set()

        resumed = await place.command("resume", str(work / "run"))
        stack.push_async_callback(resumed.kill_tree)
        done = await resumed.ended
        assert passwords(fleets) == [VALUE] * (HERE + 1)
        devices = [
            adbutils.AdbClient(HOST, port).device(serial)
            for port, fleet in zip(ports, fleets, strict=True)
            for serial in fleet.serials
        ]
        dumps = [await asyncio.to_thread(one.shell, f"dumpsys {name}") for one in devices for name in DUMPS]
        assert site.process is not None
        cores.append(await asyncio.to_thread(leaves_core, psutil.Process(site.process.pid), signal.SIGABRT))
        assert site.process.stdout is not None
        told = await site.process.stdout.read()
    assert (done.code, done.value["verified"]) == (0, HERE + 1), done.errors
    journals = RunFolder(work / "run").journals.values()
    records = [record for journal in journals for record in journal.records]
    typed = [one.action.text for one in records if isinstance(one, ActionSent) and isinstance(one.action, Type)]
    assert typed == [NAME] * (HERE + 1)
    killed = run.ended.result()
    printed = [text.encode() for outcome in (killed, done) for text in (outcome.out, outcome.errors)]
    assert any(NAME.encode() in data for data in wire.carried)
    assert any(NAME.encode() in request for request in requests)
    assert (
        find_in(VALUE, [told, *printed, *requests, *map(bytes, wire.carried), *(dump.encode() for dump in dumps)]) == []
    )
    assert find_in_files(VALUE, work, broker.folder.path) == []
    assert (seen, in_memory, cores) == ([], [], [False, False])
