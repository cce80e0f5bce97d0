"""`manyhands gateway` needs little: no Ray, no OCR, no model client, and less than 120 MB with 20 idle phones."""

from __future__ import annotations

import asyncio
import sys
import time
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import adbutils
import pytest

from manyhands.actors.frames import content_id
from manyhands.deploy.mosquitto.configuration import find_program
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import CallContext
from manyhands.simulator.fleet import VirtualFleet
from tests.mqtt.broker import Mosquitto
from tests.mqtt.gateway_process import GatewayProcess, asking
from tests.simulator.connecting import connect, disconnect
from tests.simulator.plain_device import PlainDevice

PHONES = 20
MOST_MB = 120
ENVIRONMENT = Path(__file__).parents[2] / ".venv-edge"
FOREIGN = {"ray", "onnxruntime", "openai", "rapidocr", "aiohttp", "torch", "matplotlib"}
"""What the cluster needs, and a machine with phones does not."""


@pytest.fixture
async def fleet(adb_server: tuple[str, int]) -> AsyncIterator[VirtualFleet]:
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(PHONES, PlainDevice) as phones:
        await connect(phones, client)
        yield phones
        await disconnect(phones, client)


@pytest.fixture
def broker(tmp_path: Path) -> Mosquitto:
    try:
        find_program()
    except BadInput as error:
        pytest.skip(str(error))
    return Mosquitto(tmp_path / "broker", tls=True, sites=["A"])


def most_mb(pid: int) -> float:
    """The most memory that a process has had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1000


async def scraped(url: str) -> str:
    def get() -> str:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=20) as answer:
            return str(answer.read(), "utf-8")

    return await asyncio.to_thread(get)


@pytest.mark.parametrize("python", [str(ENVIRONMENT / "bin" / "python"), sys.executable], ids=["edge", "all"])
async def test_a_gateway_of_20_idle_phones_is_small_and_imports_only_what_it_needs(
    python: str,
    broker: Mosquitto,
    fleet: VirtualFleet,
    adb_server: tuple[str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where all that the cluster needs is installed beside it."""
    imports = tmp_path / "imports"
    with imports.open("wb") as errors:
        program = (python, "-X", "importtime", "-m", "manyhands")
        gateway = GatewayProcess(broker, adb_server[1], tmp_path / "state", program=program, errors=errors)
        gateway.options = ("--metrics-port", "0")
        try:
            broker.start()
            await gateway.start()
            assert gateway.process is not None
            assert len(gateway.ready["phones"]) == PHONES
            figures = await scraped(gateway.ready["metrics"])
            assert f'manyhands_site_phones{{site="A",state="device"}} {PHONES}.0' in figures
            assert most_mb(gateway.process.pid) < MOST_MB
            async with asking(broker, monkeypatch) as asker:
                lease = await asker.attach(f"A/{fleet.serials[0]}", "tests", 30)
                context = CallContext(episode="e", step=0, deadline=time.time() + 30)
                shot, _, frame = await asker.capture(lease, None, context)
                assert shot.content_id == content_id(frame.rgb())
        finally:
            await gateway.kill()
            broker.kill()
    modules = {line.rpartition("|")[2].strip() for line in imports.read_text(errors="replace").splitlines()}
    assert {"manyhands.actors.edge.site_server", "aiomqtt", "cv2"} <= modules
    assert {module for module in modules if module.partition(".")[0] in FOREIGN} == set()
    assert "manyhands.actors.edge.mqtt_gateway" not in modules
