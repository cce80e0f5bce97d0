"""A run types a secret, and no byte that it leaves, sends or shows has the value; a secret that lacks begins no run."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import adbutils
import pytest

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.screens.actions import Type
from manyhands.simulator.fleet import VirtualFleet
from tests.deploy.cluster.head import short_folder
from tests.deploy.fleet.sign_in import NAME, VALUE, Customer, make_phone, write_settings, write_tasks
from tests.deploy.scripted_model import scripted_model
from tests.secret_search import find_in, find_in_files, forms_of, watched
from tests.simulator.connecting import connect, disconnect

DUMPS = ("activity", "activity broadcasts", "window", "input_method", "input", "notification", "package")


@asynccontextmanager
async def bank_phones(adb_server: tuple[str, int], count: int) -> AsyncIterator[VirtualFleet]:
    server = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(count, make_phone) as fleet:
        await connect(fleet, server)
        try:
            yield fleet
        finally:
            await disconnect(fleet, server)


async def manyhands(*words: object, ray: Path | None = None) -> tuple[int, bytes, bytes]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "manyhands", *map(str, words), "--json"),
        env={**os.environ, **({} if ray is None else {"RAY_TMPDIR": str(ray)})},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out, errors


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_no_byte_of_a_run_has_the_value(adb_server: tuple[str, int], tmp_path: Path) -> None:
    work, requests = tmp_path / "work", list[bytes]()
    work.mkdir()
    settings, tasks = write_settings(work, tmp_path / "bank.txt"), write_tasks(work)
    with scripted_model(Customer(), requests) as url, short_folder() as ray:
        async with bank_phones(adb_server, 1) as fleet, watched(VALUE, ray) as seen:
            (serial,) = fleet.serials
            where = ("--phones", serial, "--adb-port", adb_server[1], "--mllm-url", url)
            command = ("run", tasks, "--config", settings, "--out", work / "run", *where)
            code, out, errors = await manyhands(*command, ray=ray)
            device = adbutils.AdbClient(*adb_server).device(serial)
            dumps = [await asyncio.to_thread(device.shell, f"dumpsys {name}") for name in DUMPS]
    assert code == 0, errors.decode()
    assert json.loads(out)["verified"] == 1  # the phone has the value, and the check was told the name
    (journal,) = RunFolder(work / "run").journals.values()
    typed = [one.action.text for one in journal.records if isinstance(one, ActionSent) and isinstance(one.action, Type)]
    assert typed == [NAME]
    assert any(NAME.encode() in request for request in requests)
    assert find_in(VALUE, [out, errors, *requests, *(dump.encode() for dump in dumps)]) == []
    assert find_in_files(VALUE, work) == []
    assert seen == []


def test_the_search_finds_what_it_is_to_find(tmp_path: Path) -> None:
    forms = forms_of(VALUE)
    (tmp_path / "file").write_bytes(b"\n".join(forms.values()))
    assert len(find_in_files(VALUE, tmp_path)) == len(forms)
    assert find_in(VALUE, [json.dumps({"a": VALUE}).encode(), b"nothing"])


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("name", "mode", "why"),
    [
        (NAME, 0o644, "secret bank: others may read"),
        ("{{secret:pin}}", 0o600, "secret pin: nobody has declared it"),
    ],
)
async def test_a_secret_that_lacks_begins_no_run(
    adb_server: tuple[str, int], tmp_path: Path, name: str, mode: int, why: str
) -> None:
    secret, requests = tmp_path / "bank.txt", list[bytes]()
    settings, tasks = write_settings(tmp_path, secret), write_tasks(tmp_path, name=name)
    secret.chmod(mode)
    with scripted_model(Customer(), requests) as url:
        async with bank_phones(adb_server, 1) as fleet:
            where = ("--phones", fleet.serials[0], "--adb-port", adb_server[1], "--mllm-url", url)
            code, out, _ = await manyhands("run", tasks, "--config", settings, "--out", tmp_path / "run", *where)
            assert not fleet.endpoints[0].phone.ledger.lines
    line = str(json.loads(out)["error"])
    assert (code, why in line, len(line.splitlines())) == (2, True, 1), line
    assert not (tmp_path / "run").exists()  # it ended before it started Ray
