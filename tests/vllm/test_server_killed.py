"""One of two servers is lost in the middle of a run, and later in the middle of a batch."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.actors.mllm import dialect_named
from manyhands.protocol.messages import ModelCall
from tests.vllm.asking import client_of, within
from tests.vllm.conftest import Serve
from tests.vllm.many import Varied, varied
from tests.vllm.running import OF_THE_MODEL, Run
from tests.vllm.server import VllmServer

TASKS = 6
CALLS = 64
BEFORE_THE_KILL = 12


Pair = tuple[VllmServer, VllmServer]


@pytest.fixture(scope="module")
def other(serve: Serve) -> Iterator[VllmServer]:
    with serve("qwen3_vl") as server:
        yield server


@pytest.fixture
def pair(qwen3: VllmServer, other: VllmServer) -> Iterator[Pair]:
    """Two servers that answer. The one that other tests use answers again afterwards, too."""
    revive(other)
    yield qwen3, other
    revive(qwen3)


def revive(server: VllmServer) -> None:
    """Start a server again if it was killed."""
    if not server.healthy():
        server.start()
        server.wait_ready()


@pytest.mark.ray
def test_a_run_loses_no_task(pair: Pair, adb_server: tuple[str, int], tmp_path: Path) -> None:
    """The server that is killed is the first that has answered: one that phones keep to."""
    before = {server.url: answered_by(server) for server in pair}
    run = Run(
        [f"Find out what is new in app number {number}" for number in range(TASKS)], adb_server[1], tmp_path, *pair
    )
    killed: VllmServer | None = None
    try:
        while killed is None:
            assert run.process.poll() is None, f"the run ended before a server was killed:\n{run.log()}"
            killed = next((server for server in pair if answered_by(server) > before[server.url]), None)
            time.sleep(0.05)
        killed.kill()
        summary = run.summary()
    finally:
        run.stop()
    assert summary.tasks == TASKS == len(summary.by_task)
    assert {row.finished for row in summary.by_task} <= OF_THE_MODEL, summary.by_task
    alive = next(server for server in pair if server is not killed)
    assert summary.servers[alive.url].calls > 0
    assert sum(usage.errors for usage in summary.model.values()) == 0


async def test_a_batch_goes_on_at_the_other_server(pair: Pair) -> None:
    """No call is lost: those that were at the dead server are asked again at the other one."""
    kept, doomed = pair
    requests = varied(CALLS, dialect_named("qwen3-vl"), seed=9)
    answered: list[ModelCall] = []
    enough = asyncio.Event()

    async with client_of(*pair, max_in_flight=8) as client:

        async def ask(one: Varied) -> None:
            completion = await client.complete(one.role, one.prompt, one.reply, one.route, within())
            one.read(completion.text)
            answered.append(completion.call)
            by_server = Counter(call.server for call in answered)
            if len(answered) >= BEFORE_THE_KILL and by_server[doomed.url]:
                enough.set()

        async with asyncio.TaskGroup() as group:
            for one in requests:
                group.create_task(ask(one))
            await enough.wait()
            left = CALLS - len(answered)
            doomed.kill()

    assert left > CALLS / 3, "the batch was nearly over before the server was killed"
    assert len(answered) == CALLS
    by_server = Counter(call.server for call in answered)
    assert 0 < by_server[doomed.url] <= CALLS - left + 8
    assert any(call.attempts > 1 and call.server == kept.url for call in answered)
    (lost,) = [server for server in client.counts().servers if server.server == doomed.url]
    assert lost.state != "up"


def answered_by(server: VllmServer) -> float:
    """Requests that it has finished."""
    return server.metrics().get("vllm:request_success_total", 0.0)
