"""While no server of a model answers, calls wait for one; real servers that go and come back."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from manyhands.actors.mllm import ModelClient
from manyhands.actors.mllm.load import monitor as health_monitor
from manyhands.protocol.errors import ModelAway, SpeculationRefused
from manyhands.protocol.messages import CallContext, ModelCall
from manyhands.protocol.roles.role import NoteReply, Role
from tests.actors.mllm.model_servers import Hang, ModelServer, Say, serving, settings_for
from tests.actors.mllm.test_model_client import client_of, free_port
from tests.actors.mllm.test_serving import AT_ONCE, NOTES, PROMPT, until


async def ask(client: ModelClient, seconds: float = 20.0, **context: object) -> ModelCall:
    told = CallContext.model_validate({"episode": "e", "step": 0, "deadline": time.time() + seconds, **context})
    return (await client.complete(Role.NOTE, PROMPT, NoteReply, "phone-1", told)).call


@asynccontextmanager
async def client_at(port: int, **others: object) -> AsyncIterator[ModelClient]:
    """A client of a server that is not there yet."""
    absent = ModelServer()
    absent.url = f"http://127.0.0.1:{port}/v1"
    client = ModelClient(settings_for(absent, **others))
    await client.start()
    try:
        yield client
    finally:
        await client.stop()


async def test_a_call_outlasts_a_restart_whatever_attempts_it_may_make() -> None:
    port = free_port()
    async with client_at(port, max_attempts=1) as client:
        asking = [asyncio.create_task(ask(client)) for _ in range(3)]
        await until(client, lambda counts: counts.away_since is not None)
        await asyncio.sleep(1.5)  # longer than a few attempts would take
        assert not any(call.done() for call in asking)
        before = time.time()
        async with serving(ModelServer(Say(NOTES)), port) as server:
            calls = await asyncio.gather(*asking)
            counts = client.counts()
    assert len(server.received) == 3
    assert {(call.reply, call.attempts) for call in calls} == {(NOTES, 1)}
    for call in calls:
        ((began, ended),) = call.away
        assert began < before < ended
        assert ended - began > 1.4
    assert (counts.away_since, counts.away_why) == (None, "")


async def test_one_of_several_servers_is_enough() -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        absent = ModelServer()
        absent.url = f"http://127.0.0.1:{free_port()}/v1"
        async with client_of(absent, server, max_attempts=1) as client:
            for route in range(6):
                told = CallContext(episode="e", step=0, deadline=time.time() + 20)
                call = (await client.complete(Role.NOTE, PROMPT, NoteReply, str(route), told)).call
                assert (call.server, call.attempts, call.away) == (server.url, 1, ())


async def test_a_call_of_little_patience_says_since_when_nobody_answers() -> None:
    began = time.time()
    async with client_at(free_port()) as client:
        for _ in range(2):
            with pytest.raises(ModelAway, match=r"no model server answers: http://127.0.0.1:\d+/v1 cannot be") as away:
                await ask(client, patience_s=0.3)
            assert began <= away.value.since <= time.time()
        assert away.value.calls == ()  # nothing was sent
        counts = client.counts()
        assert time.time() - began < 5
    assert counts.away_since == pytest.approx(away.value.since, abs=0.01)
    assert "cannot be reached" in counts.away_why
    assert pickle.loads(pickle.dumps(away.value)).since == away.value.since
    assert not away.value.is_busy


async def test_without_a_patience_of_its_own_it_waits_until_its_deadline() -> None:
    began = time.time()
    async with client_at(free_port()) as client:
        with pytest.raises(ModelAway):
            await ask(client, seconds=0.5)
    assert time.time() - began == pytest.approx(0.5, abs=0.4)


async def test_a_call_that_was_with_the_server_when_it_died_tells_that_it_was_sent() -> None:
    async with client_at(port := free_port()) as client:
        async with serving(ModelServer(Hang()), port) as server:
            asking = asyncio.create_task(ask(client, patience_s=0.3))
            await server.next_arrival()
        with pytest.raises(ModelAway) as away:
            await asking
    (call,) = away.value.calls
    assert (call.attempts, call.reply, len(call.away)) == (1, None, 1)
    assert away.value.since - 0.1 < call.away[0][0]


async def test_nothing_is_asked_ahead_of_time_meanwhile() -> None:
    async with client_at(free_port(), speculation=AT_ONCE) as client:
        with pytest.raises(ModelAway):
            await ask(client, patience_s=0.0)
        with pytest.raises(SpeculationRefused, match="no model server answers"):
            await ask(client, speculative=True)
        assert client.counts().refused_speculation == 1


class Stopped(ModelServer):
    """A server whose process hangs: connections are taken, and nothing is ever answered while it is stopped."""

    def __init__(self) -> None:
        super().__init__(Say(NOTES))
        self.stopped = asyncio.Event()
        self.goes_on = asyncio.Event()
        self.pages["/health"] = (200, "")

    async def page(self, request: web.Request) -> web.Response:
        await self._hold()
        return await super().page(request)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        held = self.stopped.is_set()
        if held:
            self.arrived.set()
        await self._hold()
        return await super().complete(request)

    async def _hold(self) -> None:
        if self.stopped.is_set():
            await self.goes_on.wait()


async def test_calls_that_are_with_a_server_which_hangs_are_sent_again_once_one_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health_monitor, "_TIMEOUT_S", 0.2)
    monkeypatch.setattr(health_monitor, "GONE_S", 0.5)
    async with serving(Stopped()) as server:
        server.stopped.set()
        async with client_of(server) as client:
            with pytest.raises(ModelAway) as away:
                await ask(client, patience_s=0.2)
            (call,) = away.value.calls
            assert (call.attempts, call.reply) == (1, None)
            asking = asyncio.create_task(ask(client))
            await until(client, lambda counts: counts.away_since is not None)
            server.goes_on.set()
            server.stopped.clear()
            assert (await asking).reply == NOTES
