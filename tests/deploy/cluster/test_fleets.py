"""Fleets of one process share a Ray, and leave nothing of it behind; a Ray that was there before is left alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.cluster.head import short_folder

pytestmark = [pytest.mark.ray, pytest.mark.timeout(280)]

TWO_FLEETS = """
import asyncio, json, os, sys
from contextlib import asynccontextmanager
from pathlib import Path
import adbutils, ray
from manyhands import Fleet
from manyhands.evaluation.report.report_folder import write_report
from manyhands.simulator.fleet import VirtualFleet, virtual_phones

folder, port = Path(sys.argv[1]), int(sys.argv[2])
GIVEN = dict(phones=["virtual:1"], mllm_url=["rehearsed"], virtual={"size": "540x1200"}, adb_port=port)

@asynccontextmanager
async def emulator(settings, logs):
    client = adbutils.AdbClient(port=port)
    async with VirtualFleet(1, virtual_phones(540, 1200)) as phones:
        await asyncio.to_thread(client.connect, phones.serials[0])
        yield settings.model_copy(update={"phones": phones.serials})
        await asyncio.to_thread(client.disconnect, phones.serials[0])

async def main():
    async with Fleet(**GIVEN, out=folder / "one" / "run") as one:
        # The same name of a run, for names of actors are made of it. Its phone is started by a sidecar of its own.
        own = {**GIVEN, "phones": (), "sidecars": [emulator]}
        async with Fleet(**own, out=folder / "two" / "run") as two:
            results = await asyncio.gather(one.run("Turn on dark mode."), two.run("Turn on dark mode."))
            said = [result.ending for result in results]
        said.append((await one.run("Turn on dark mode.")).ending)
        sessions = [path.stat().st_mode & 0o777 for path in Path(os.environ["RAY_TMPDIR"]).iterdir()]
        write_report(one.folder)
    print(json.dumps([said, sessions, ray.is_initialized()]))

asyncio.run(main())
"""

CANCELLED_WHILE_CLOSING = """
import asyncio, json, sys
from pathlib import Path
from manyhands.deploy.fleet.fleet import Fleet

async def main():
    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    fleet = Fleet(phones=["virtual:1"], mllm_url=["rehearsed"], adb_port=port, out=folder / "run")
    await fleet.__aenter__()
    closing = asyncio.create_task(fleet.__aexit__(None, None, None))
    while not closing.done():  # as by one signal after another
        await asyncio.wait({closing}, timeout=0.05)
        closing.cancel()
    print(json.dumps(closing.cancelled()))

asyncio.run(main())
"""

THE_PROGRAMS_OWN = """
import asyncio, json
import ray
from manyhands.deploy.cluster.shared import joined_ray
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Size

async def node_of(address, phones=0):
    async with joined_ray(address, [Size(width=1080, height=2400)] * phones) as joined:
        return joined.node

async def refusal(address, phones=0):
    try:
        return await node_of(address, phones)
    except BadInput as error:
        return str(error)

async def main():
    async with joined_ray(None, []):
        other = await refusal("127.0.0.1:1")
        many = await refusal(None, 1000)
        first = ray.is_initialized()
    said = [first, ray.is_initialized()]
    context = ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 28)
    own = ray.get_runtime_context()
    same = [await node_of(address) == own.get_node_id() for address in (None, "auto", own.gcs_address)]
    print(json.dumps([said, same, ray.is_initialized(), other, many, await refusal("127.0.0.1:1")]))

asyncio.run(main())
"""


def run(script: str, *words: str, home: Path, temporary: Path) -> tuple[object, str]:
    """What the script says as JSON, and what is said beside it; its umask is the usual one."""
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if "RAY_AUTH" not in name}
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        timeout=240,
        umask=0o022,
        env={**environment, "HOME": str(home), "RAY_TMPDIR": str(temporary)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *others, last = done.stdout.splitlines()
    return json.loads(last), "\n".join([*others, done.stderr])


@pytest.mark.slow
def test_two_fleets_at_once_and_nothing_is_left_of_their_ray(adb_server: tuple[str, int], tmp_path: Path) -> None:
    with short_folder() as temporary:
        said, beside = run(TWO_FLEETS, str(tmp_path), str(adb_server[1]), home=tmp_path / "home", temporary=temporary)
        assert said == [["finished"] * 3, [0o700], False]
        assert beside == ""
        assert list(temporary.iterdir()) == []
        assert not (tmp_path / "home" / ".ray").exists()
    for folder in (tmp_path / "one" / "run", tmp_path / "two" / "run"):
        found = sorted(folder.rglob("*"))
        assert {"journal.mh", "run.yaml", "rehearsed_model.log"} <= {path.name for path in found}
        open_to_others = [path for path in [folder, *found] if path.stat().st_mode & 0o077]
        assert open_to_others == []
    names = {path.name for path in (tmp_path / "one" / "run").iterdir()}
    assert {"summary.json", "report.html", "ledgers"} <= names


@pytest.mark.slow
def test_a_fleet_that_is_cancelled_while_it_closes_leaves_nothing_behind(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    with short_folder() as temporary:
        words = (str(tmp_path), str(adb_server[1]))
        said, beside = run(CANCELLED_WHILE_CLOSING, *words, home=tmp_path / "home", temporary=temporary)
        assert (said, beside) == (True, "")
        assert list(temporary.iterdir()) == []


def test_the_programs_own_ray_is_used_and_left_alone(tmp_path: Path) -> None:
    with short_folder() as temporary:
        said, _ = run(THE_PROGRAMS_OWN, home=tmp_path / "home", temporary=temporary)
    assert isinstance(said, list)
    ended, same, there, other, many, another = said
    assert ended == [True, False]
    assert same == [True, True, True]
    assert there
    assert "--ray-address 127.0.0.1:1: this program has a Ray already, a local one of their own" in other
    assert "hold up to" in many
    assert "this program has a Ray already, the one at" in another
