"""A Ray of a run's own starts also where the machine has too much else to do for it at first."""

from __future__ import annotations

import asyncio
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
    async with joined_ray(None, []) as node:
        print(node, flush=True)

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
