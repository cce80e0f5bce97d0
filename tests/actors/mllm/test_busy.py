"""A server that is too busy, or paused while it gets other weights, is waited for; in virtual time."""

from __future__ import annotations

import asyncio
import pickle
import time

import pytest

from manyhands.actors.mllm import ModelClient
from manyhands.protocol.errors import DeadlinePassed, ModelAway, ModelUnreachable
from manyhands.protocol.messages import CallContext, ModelCall
from manyhands.protocol.roles.role import NoteReply, Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from tests.actors.mllm.model_servers import Fail, Hang, ModelServer, Say, serving
from tests.actors.mllm.test_model_client import NOTES, PROMPT, client_of
from tests.virtual_clock import run_virtual

REAL = time.monotonic
CUT = Say('{"notes": "ke', finish_reason="abort")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of the loop is that of the client."""

    def monotonic() -> float:
        try:
            return asyncio.get_running_loop().time()
        except RuntimeError:
            return REAL()

    monkeypatch.setattr(time, "monotonic", monotonic)
    monkeypatch.setattr(HOST_CLOCK, "_monotonic", monotonic)
    monkeypatch.setattr(HOST_CLOCK, "_zero_at", 1_700_000_000.0)


def now() -> float:
    return asyncio.get_running_loop().time()


async def ask(
    client: ModelClient, seconds: float, patience_s: float | None = None, route: str = "phone-1"
) -> ModelCall:
    deadline = HOST_CLOCK.now() + seconds
    context = CallContext(episode="e", step=0, deadline=deadline, patience_s=patience_s)
    return (await client.complete(Role.NOTE, PROMPT, NoteReply, route, context)).call


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("busy", [Fail(429, headers={"Retry-After": "90"}), Fail(503, headers={"Retry-After": "90"})])
def test_a_pause_of_minutes_is_waited_out_as_the_server_asks(busy: Fail) -> None:
    async def main() -> None:
        async with serving(ModelServer(*[busy] * 3, Say(NOTES))) as server, client_of(server, max_attempts=1) as client:
            call = await ask(client, 600.0)
            assert (call.reply, call.attempts, len(server.received)) == (NOTES, 4, 4)
            assert 270 <= now() < 275
            assert sum(end - begin for begin, end in call.away) == pytest.approx(270, abs=3)

    run_virtual(main())


@pytest.mark.usefixtures("clock")
def test_no_other_call_asks_before_the_time_that_the_server_named() -> None:
    async def main() -> None:
        paused = Fail(429, headers={"Retry-After": "60"})
        async with serving(ModelServer(paused, Say(NOTES))) as server, client_of(server) as client:
            first = asyncio.create_task(ask(client, 300.0))
            await server.next_arrival()
            await asyncio.sleep(5.0)
            others = [asyncio.create_task(ask(client, 300.0, route=str(route))) for route in range(5)]
            await asyncio.sleep(50.0)
            assert len(server.received) == 1
            assert {(await call).reply for call in (first, *others)} == {NOTES}
            assert 60 <= now() < 62

    run_virtual(main())


@pytest.mark.usefixtures("clock")
def test_a_call_of_little_patience_says_since_when_the_server_is_paused() -> None:
    async def main() -> None:
        async with serving(ModelServer(Fail(503))) as server, client_of(server, max_attempts=1) as client:
            began = HOST_CLOCK.now()
            for _ in range(30):
                with pytest.raises(ModelAway, match="takes requests now") as away:
                    await ask(client, 60.0, patience_s=2.0)
                assert away.value.calls == ()
            assert away.value.since == pytest.approx(began, abs=1)
            assert 60 <= now() < 120
            assert len(server.received) < 20  # at ever longer distances, up to 8 s
            server.script[0] = Say(NOTES)
            assert (await ask(client, 60.0)).reply == NOTES

    run_virtual(main())


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("answer", [Fail(429), Fail(503)])
def test_a_wait_at_a_busy_server_is_told_from_an_outage(answer: Fail) -> None:
    async def main() -> None:
        async with serving(ModelServer(answer, Say(NOTES))) as server, client_of(server) as client:
            with pytest.raises(ModelAway) as away:
                await ask(client, 60.0, patience_s=0.5)
            assert pickle.loads(pickle.dumps(away.value)).is_busy
            call = await ask(client, 60.0)
            assert call.is_busy
            assert call.away
            assert not (await ask(client, 60.0)).is_busy

    run_virtual(main())


@pytest.mark.usefixtures("clock")
def test_a_reply_that_a_pause_broke_off_is_asked_for_again_and_never_read() -> None:
    async def main() -> None:
        script = (CUT, Fail(503), Say(NOTES))
        async with serving(ModelServer(*script)) as server, client_of(server, max_attempts=1) as client:
            call = await ask(client, 60.0)
            assert (call.reply, call.attempts) == (NOTES, 3)
            assert client.counts().calls[0].errors == {}

    run_virtual(main())


@pytest.mark.usefixtures("clock")
def test_a_busy_server_is_no_reason_to_fail_and_a_broken_one_is() -> None:
    async def main() -> None:
        busy = [Fail(429)] * 12
        async with serving(ModelServer(*busy, Fail(501))) as server, client_of(server, max_attempts=2) as client:
            with pytest.raises(ModelUnreachable, match="501") as failed:
                await ask(client, 900.0)
            assert failed.value.calls[0].attempts == len(server.received) == len(busy) + 2
        async with serving(ModelServer(Fail(429), Hang())) as server, client_of(server) as client:
            with pytest.raises(DeadlinePassed):
                await ask(client, 30.0)

    run_virtual(main())


@pytest.mark.usefixtures("clock")
def test_while_one_server_is_paused_another_one_serves_and_none_that_has_refused() -> None:
    async def main() -> None:
        paused = ModelServer(Fail(503, headers={"Retry-After": "60"}), Say(NOTES))
        async with serving(paused), serving(ModelServer(Fail(400, "too long"))) as refusing:
            async with client_of(paused, refusing) as client:
                calls = [await ask(client, 300.0, route=str(route)) for route in range(6)]
                assert {call.server for call in calls} == {paused.url}
                assert len(paused.received) == len(calls) + 1
        async with serving(ModelServer(Fail(503, headers={"Retry-After": "60"}), Say(NOTES))) as one:
            async with serving(ModelServer(Say(NOTES))) as two, client_of(one, two) as client:
                began = now()
                for route in range(12):
                    await ask(client, 300.0, route=str(route))
                assert now() - began < 30
                assert (len(one.received), len(two.received)) == (1, 12)

    run_virtual(main())
