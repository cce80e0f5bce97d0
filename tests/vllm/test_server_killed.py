"""One of two servers is lost in the middle of a batch, and later in the middle of a run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from actors.mllm import dialect_named
from protocol.messages import ModelCall
from tests.vllm.asking import client_of, within
from tests.vllm.conftest import Serve
from tests.vllm.many import Varied, varied
from tests.vllm.server import VllmServer

CALLS = 64
BEFORE_THE_KILL = 12


@pytest.fixture
def doomed(serve: Serve) -> Iterator[VllmServer]:
    with serve("qwen3_vl") as server:
        yield server


async def test_a_batch_goes_on_at_the_other_server(qwen3: VllmServer, doomed: VllmServer) -> None:
    """No call is lost: those that were at the dead server are asked again at the other one."""
    requests = varied(CALLS, dialect_named("qwen3-vl"), seed=9)
    answered: list[ModelCall] = []
    enough = asyncio.Event()

    async with client_of(qwen3, doomed, max_in_flight=8) as client:

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
    assert any(call.attempts > 1 and call.server == qwen3.url for call in answered)
    (lost,) = [server for server in client.counts().servers if server.server == doomed.url]
    assert lost.state != "up"
