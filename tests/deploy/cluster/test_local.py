"""A Ray of a run's own starts also where the machine has too much else to do for it at first."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE

import psutil
import pytest

from tests.deploy.cluster.head import short_folder

OWNER = """
import asyncio, logging
from manyhands.deploy.cluster.shared import joined_ray

async def main():
    logging.basicConfig()
    async with joined_ray(None, []) as joined:
        print(joined.node, flush=True)

asyncio.run(main())
"""


ARENAS = """
import asyncio, os, ray
from manyhands.deploy.cluster.shared import joined_ray

async def main():
    async with joined_ray(None, []):
        print(await ray.remote(lambda: os.environ["MALLOC_ARENA_MAX"]).options(num_cpus=0).remote())

asyncio.run(main())
"""


@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.parametrize(("said", "used"), [({}, "2"), ({"MALLOC_ARENA_MAX": "5"}, "5")])
async def test_actors_keep_their_freed_memory_in_few_arenas(said: dict[str, str], used: str) -> None:
    without = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ARENAS, stdin=DEVNULL, stdout=PIPE, env={**without, **said}
    )
    out, _ = await process.communicate()
    assert out.decode().strip() == used


def raylets(root: str) -> list[psutil.Process]:
    found = psutil.process_iter(["cmdline"])
    return [
        process
        for process in found
        if (process.info["cmdline"] or [""])[0].endswith("raylet") and root in " ".join(process.info["cmdline"])
    ]


LISTENING = """
import asyncio, json, os, sys
import psutil, ray
from manyhands.benchmarks.chaos.processes import RunProcesses
from manyhands.deploy.cluster.shared import joined_ray

def ended(): pass

async def main():
    async with joined_ray(None, []):
        await ray.remote(ended).options(num_cpus=0).remote()  # a worker is there
        processes = RunProcesses(sys.argv[1])
        processes.driver = os.getpid()
        found = []
        while not any("monitor.py" in name for name, _ in found):  # it serves the metrics page
            await asyncio.sleep(0.1)
            found = listening(processes)
        print(json.dumps(found))

def listening(processes):
    ours = {process.pid: " ".join(process.cmdline()) for process in processes.everything()}
    sockets = psutil.net_connections("inet")
    return [(ours[one.pid], one.laddr.ip) for one in sockets if one.status == "LISTEN" and one.pid in ours]

asyncio.run(main())
"""


@pytest.mark.slow
async def test_a_ray_of_ones_own_listens_on_loopback_alone() -> None:
    with short_folder() as root:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", LISTENING, str(root), stdin=DEVNULL, stdout=PIPE, stderr=PIPE,
            env={**os.environ, "RAY_TMPDIR": str(root)},
        )  # fmt: skip
        said, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    addresses = [ipaddress.ip_address(found) for _, found in json.loads(said)]
    loopback = [getattr(address, "ipv4_mapped", None) or address for address in addresses]
    assert loopback
    assert all(address.is_loopback for address in loopback), said


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_a_ray_whose_node_does_not_come_up_in_time_is_started_anew() -> None:
    with short_folder() as root:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", OWNER, stdin=DEVNULL, stdout=PIPE, stderr=PIPE,
            env={**os.environ, "RAY_TMPDIR": str(root)},
        )  # fmt: skip
        while not (first := await asyncio.to_thread(raylets, str(root))):
            assert process.returncode is None
            await asyncio.sleep(0.02)
        first[0].send_signal(signal.SIGSTOP)
        said, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        assert len(said.decode().strip()) == 56, "the id of its node"
        assert "Ray did not start, and is tried again" in errors.decode()
        assert raylets(str(root)) == []
        assert list(root.iterdir()) == []
