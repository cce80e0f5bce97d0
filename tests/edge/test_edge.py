"""With nothing installed but Manyhands itself and its extra ``edge``: phones are listed, looked at and touched."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import adbutils
import pytest

from manyhands.protocol.screens.actions import AtomicAction, Enter, OpenApp, Tap, Type
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.simulator.connecting import connect, disconnect

ENVIRONMENT = Path(__file__).parents[2] / ".venv-edge"
HANDS = Path(__file__).parent / "hands.py"
TEXT = "Grüße aus 北京, 100%s"


@pytest.fixture
async def fleet(adb_server: tuple[str, int]) -> AsyncIterator[VirtualFleet]:
    """One virtual phone, connected to a real adb server."""
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(1, lambda seed: VirtualPhone(seed, 720, 1600, 280)) as phones:
        await connect(phones, client)
        yield phones
        await disconnect(phones, client)


def centre(phone: VirtualPhone, content: str) -> Tap:
    box = next(box for said, box in phone.layout() if said == content)
    return Tap(x=round(box.x + box.w / 2), y=round(box.y + box.h / 2))


async def test_phones_are_listed(fleet: VirtualFleet, adb_server: tuple[str, int]) -> None:
    process = await asyncio.create_subprocess_exec(
        ENVIRONMENT / "bin" / "manyhands",
        *("phones", "--json", "--adb-port", str(adb_server[1])),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, complaint = await process.communicate()
    assert process.returncode == 0, complaint.decode()
    assert [(row["serial"], row["state"]) for row in json.loads(out)] == [(fleet.serials[0], "device")]


async def test_a_phone_is_looked_at_and_touched(
    fleet: VirtualFleet, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    phone = fleet.endpoints[0].phone.device
    assert isinstance(phone, VirtualPhone)
    process = await asyncio.create_subprocess_exec(
        ENVIRONMENT / "bin" / "python",
        *(HANDS, str(adb_server[1]), tmp_path / "state", fleet.serials[0], "content://manyhands.simulator/apps"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    told, heard = process.stdin, process.stdout
    assert told is not None
    assert heard is not None

    async def carry_out(action: AtomicAction) -> None:
        told.write(action.model_dump_json().encode() + b"\n")
        said = json.loads(await heard.readline())
        assert said.pop("jpeg") > 5000
        assert said == {"receipt": ["done", ""], "size": [720, 1600], "whole": True}

    await carry_out(OpenApp(app="Messages"))
    await carry_out(centre(phone, "Alice Carter"))
    await carry_out(centre(phone, "Text message"))
    await carry_out(Type(text=TEXT))
    await carry_out(Enter())
    told.close()
    assert await process.wait() == 0
    assert TEXT in json.dumps(phone.state(), ensure_ascii=False)


def test_nothing_else_is_installed() -> None:
    listed = subprocess.run(
        [ENVIRONMENT / "bin" / "python", "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {row["name"] for row in json.loads(listed.stdout)}
    assert "manyhands" in names
    assert names & {"ray", "openai", "aiohttp", "rapidocr", "onnxruntime", "torch"} == set()
