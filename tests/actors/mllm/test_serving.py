"""How a client lives with its servers: health, queues, priorities, and what is asked when it starts."""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import ModelClient, Prompt, dialect_named
from manyhands.actors.mllm.load.admission import READ_EVERY_S
from manyhands.protocol.errors import BadInput, ModelRefused, ModelUnreachable, SpeculationRefused
from manyhands.protocol.messages import CallContext, ModelCall, ModelCounts
from manyhands.protocol.roles.role import NoteReply, Role
from manyhands.protocol.screens.geometry import Size
from tests.actors.mllm.model_servers import Drop, Fail, Hang, Hold, ModelServer, Say, completion, serving, settings_for
from tests.actors.mllm.test_model_client import client_of

PROMPT = Prompt(system="The system text.", content=("The question.",))
NOTES = '{"notes": "kept"}'
AT_ONCE = {"wait_s": 0, "ramp_s": 0}
BUSY = "vllm:num_requests_waiting 50\nvllm:num_requests_running 4\nvllm:kv_cache_usage_perc 0.5\n"


async def ask(client: ModelClient, role: Role = Role.NOTE, route: str = "phone-1", seconds: float = 20.0) -> ModelCall:
    context = CallContext(episode="e", step=0, deadline=time.time() + seconds)
    return (await client.complete(role, PROMPT, NoteReply, route, context)).call


async def until(client: ModelClient, holds: Callable[[ModelCounts], bool]) -> ModelCounts:
    """The client's counts once they are so; they change by what happens in the background."""
    async with asyncio.timeout(10):
        while not holds(counts := client.counts()):
            await asyncio.sleep(0.01)
    return counts


def states(counts: ModelCounts) -> list[str]:
    return [server.state for server in counts.servers]


# ---------------------------------------------------------------------------- health
async def test_a_server_that_broke_is_asked_for_its_health_and_comes_back_with_that() -> None:
    async with serving(ModelServer(Drop())) as server:
        server.pages["/health"] = (503, "")
        async with client_of(server, max_attempts=100) as client:
            asking = asyncio.create_task(ask(client))
            await until(client, lambda counts: states(counts) == ["out"] and server.asked["/health"] >= 2)
            server.script[0] = Say(NOTES)
            server.pages["/health"] = (200, "")
            assert (await asking).reply == NOTES
            assert states(client.counts()) == ["up"]


async def test_while_one_is_out_no_request_goes_there() -> None:
    async with serving(ModelServer(*[Fail(500)] * 2, Say(NOTES))) as one, serving(ModelServer(Say(NOTES))) as two:
        one.pages["/health"] = (503, "")
        async with client_of(one, two) as client:
            routes = [str(number) for number in range(20)]
            used = [(await ask(client, route=route)).server for route in routes]
            assert set(used) == {two.url}
            assert len(one.received) == 2
            one.pages["/health"] = (200, "")
            await until(client, lambda counts: states(counts) == ["up", "up"])
            assert {(await ask(client, route=route)).server for route in routes} == {one.url, two.url}


async def test_a_single_error_takes_the_only_server_out_for_nobody() -> None:
    async with serving(ModelServer(Fail(500), Say(NOTES))) as server:
        server.pages["/health"] = (200, "")
        async with client_of(server) as client:
            call = await ask(client)
            assert (call.attempts, call.reply, call.away) == (2, NOTES, ())
            assert states(client.counts()) == ["up"]
            assert server.asked["/health"] == 0


async def test_a_500_is_asked_again_at_the_same_server_with_the_bytes() -> None:
    picture = ModelImage(content_id="a" * 32, jpeg=b"\xff\xd8 a picture")
    prompt = Prompt(system="The system text.", content=("The question.", picture))
    async with serving(ModelServer(Say(NOTES))) as one, serving(ModelServer(Say(NOTES))) as two:
        one.pages["/health"] = two.pages["/health"] = (200, "")
        async with client_of(one, two) as client:
            favourite = (await ask(client)).server
            erring, other = (one, two) if favourite == one.url else (two, one)
            erring.script.appendleft(Fail(500, "Internal server error"))
            context = CallContext(episode="e", step=0, deadline=time.time() + 20)
            call = (await client.complete(Role.NOTE, prompt, NoteReply, "phone-1", context)).call
            assert (call.attempts, call.server, call.reply) == (2, erring.url, NOTES)
            assert (await ask(client)).server == favourite
    first, again = (one.body for one in erring.received[1:3])
    assert first == again
    assert base64.b64encode(picture.jpeg) in again
    assert (other.received, erring.asked["/health"]) == ([], 0)


async def test_a_second_500_is_the_servers_and_is_not_repeated_for_ever() -> None:
    async with serving(ModelServer(Fail(500))) as server:
        server.pages["/health"] = (200, "")
        async with client_of(server, max_attempts=3) as client:
            with pytest.raises(ModelUnreachable, match="3 attempts"):
                await ask(client)
            assert len(server.received) == 3
            await until(client, lambda counts: server.asked["/health"] >= 1)


async def test_after_two_errors_a_phone_asks_elsewhere_and_returns_to_its_server() -> None:
    async with serving(ModelServer(Say(NOTES))) as one, serving(ModelServer(Say(NOTES))) as two:
        one.pages["/health"] = two.pages["/health"] = (200, "")
        async with client_of(one, two) as client:
            favourite = (await ask(client)).server
            erring, other = (one, two) if favourite == one.url else (two, one)
            erring.script.extendleft([Fail(500)] * 2)
            call = await ask(client)
            assert (call.attempts, call.server, call.away) == (3, other.url, ())
            await until(client, lambda counts: erring.asked["/health"] == 1)
            assert states(client.counts()) == ["up", "up"]
            async with asyncio.timeout(10):
                while (await ask(client)).server != favourite:
                    pass


async def test_a_server_that_is_started_again_is_used_again() -> None:
    async with serving(ModelServer(Say(NOTES))) as two:
        two.pages["/health"] = (200, "")
        async with serving(ModelServer(Say(NOTES))) as one:
            port = int(one.url.split(":")[2].split("/")[0])
            client = ModelClient(settings_for(one, two))
            await client.start()
        routes = [str(number) for number in range(12)]
        assert {(await ask(client, route=route)).server for route in routes} == {two.url}
        again = ModelServer(Say(NOTES))
        again.pages["/health"] = (200, "")
        async with serving(again, port):
            await until(client, lambda counts: states(counts) == ["up", "up"])
            assert {(await ask(client, route=route)).server for route in routes} == {again.url, two.url}
        await client.stop()


async def test_a_full_queue_is_no_illness_but_a_dead_engine_is() -> None:
    async with serving(ModelServer(Fail(503, headers={"Retry-After": "1"}), Say(NOTES))) as server:
        server.pages["/health"] = (200, "")
        async with client_of(server) as client:
            asking = asyncio.create_task(ask(client))
            await until(client, lambda counts: states(counts) == ["cooling"] and server.asked["/health"] == 1)
            assert client.counts().cap < 64
            assert (await asking).attempts == 2

            server.script[0] = Fail(503)
            server.pages["/health"] = (503, "")
            asking = asyncio.create_task(ask(client))
            await until(client, lambda counts: states(counts) == ["out"])
            server.script[0] = Say(NOTES)
            server.pages["/health"] = (200, "")
            await asking
            assert states(client.counts()) == ["up"]


async def test_stopping_ends_what_runs_in_the_background() -> None:
    async with serving(ModelServer(Drop())) as server:
        server.pages["/health"] = (503, "")
        before = asyncio.all_tasks()
        async with client_of(server, max_attempts=1) as client:
            with pytest.raises(ModelUnreachable):
                await ask(client)
            await until(client, lambda counts: states(counts) == ["out"])
        assert {task for task in asyncio.all_tasks() - before if "HealthMonitor" in repr(task)} == set()


# ---------------------------------------------------------------------------- queues
async def test_the_cap_follows_the_servers_queue() -> None:
    async with serving(ModelServer(Hang())) as server:
        server.pages["/metrics"] = (200, BUSY)
        async with client_of(server, max_in_flight=10) as client:
            asking = asyncio.create_task(ask(client))
            counts = await until(client, lambda counts: counts.cap == 7)
            (seen,) = counts.servers
            assert (seen.waiting, seen.running, seen.cache_usage, seen.in_flight) == (50, 4, 0.5, 1)
            began = asyncio.get_running_loop().time()
            await until(client, lambda counts: counts.cap == 4)
            assert READ_EVERY_S / 2 < asyncio.get_running_loop().time() - began < READ_EVERY_S * 3
            asking.cancel()


async def test_the_cap_follows_requests_whose_pictures_the_server_still_prepares() -> None:
    async with serving(ModelServer(Hang())) as server:
        server.pages["/metrics"] = (200, "vllm:num_requests_waiting 0\nvllm:num_requests_running 2\n")
        async with client_of(server, max_in_flight=20) as client:
            asking = [asyncio.create_task(ask(client, route=str(number))) for number in range(20)]
            counts = await until(client, lambda counts: counts.cap < 20)
            (seen,) = counts.servers
            assert (seen.waiting, seen.running, seen.in_flight) == (0, 2, 20)
            for one in asking:
                one.cancel()


async def test_a_server_without_metrics_is_asked_for_them_once() -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        async with client_of(server) as client:
            for _ in range(3):
                await ask(client)
            await until(client, lambda counts: server.asked["/metrics"] == 1)
            assert (client.counts().cap, client.counts().servers[0].waiting) == (64, None)


async def test_a_decision_goes_before_notes_that_wait_longer() -> None:
    release = asyncio.Event()
    async with serving(ModelServer(Hold(release, NOTES))) as server:
        async with client_of(server, max_in_flight=1) as client, asyncio.TaskGroup() as group:
            for role in (Role.NOTE, Role.NOTE, Role.REFLECT, Role.DECIDE):
                group.create_task(ask(client, role))
                await asyncio.sleep(0)
            await until(client, lambda counts: counts.waiting == 3)
            release.set()
    sent = [received.json.get("priority", 0) for received in server.received]
    assert sent == [20, 0, 5, 20]


# ---------------------------------------------------------------------------- priorities
async def test_a_speculative_call_goes_after_all_others() -> None:
    async with serving(ModelServer(Say(NOTES))) as server, client_of(server, speculation=AT_ONCE) as client:
        now = CallContext(episode="e", step=0, deadline=time.time() + 20)
        for context in (now.model_copy(update={"speculative": True}), now):
            await client.complete(Role.DECIDE, PROMPT, NoteReply, "phone-1", context)
        await ask(client)
    speculative, decision, note = (received.json.get("priority", 0) for received in server.received)
    assert decision < note < speculative


async def test_a_speculative_call_is_sent_at_once_or_not_at_all() -> None:
    later = CallContext(episode="e", step=0, deadline=time.time() + 20, speculative=True)
    release = asyncio.Event()
    async with serving(ModelServer(Hold(release, NOTES))) as server:
        async with client_of(server, speculation=AT_ONCE, max_in_flight=2) as client:
            asking = asyncio.create_task(ask(client))
            await server.next_arrival()
            with pytest.raises(
                SpeculationRefused, match="speculative note call refused: 1 of 2 calls in flight"
            ) as refused:
                await client.complete(Role.NOTE, PROMPT, NoteReply, "phone-1", later)
            release.set()
            await asking
            await client.complete(Role.NOTE, PROMPT, NoteReply, "phone-1", later)
            counts = client.counts()
    assert (refused.value.calls, counts.refused_speculation, counts.speculation_share) == ((), 1, 1.0)
    assert [one.calls for one in counts.calls] == [2]
    assert len(server.received) == 2


async def test_no_speculation_while_the_servers_have_a_queue() -> None:
    later = CallContext(episode="e", step=0, deadline=time.time() + 20, speculative=True)
    async with serving(ModelServer(Hang())) as server:
        server.pages["/metrics"] = (200, BUSY)
        async with client_of(server, speculation={"ramp_s": 0}) as client:
            asking = asyncio.create_task(ask(client))
            await until(client, lambda counts: counts.servers[0].waiting == 50)
            with pytest.raises(SpeculationRefused, match="0% of such calls"):
                await client.complete(Role.NOTE, PROMPT, NoteReply, "phone-1", later)
            asking.cancel()


async def test_a_server_that_does_not_schedule_by_priority_is_asked_without(caplog: pytest.LogCaptureFixture) -> None:
    refusal = Fail(400, "Got priority 20 but Priority scheduling is not enabled.")
    async with serving(ModelServer(refusal, Say(NOTES))) as server:
        async with client_of(server) as client:
            with caplog.at_level(logging.WARNING):
                first = await ask(client)
                second = await ask(client)
    assert [received.json.get("priority") for received in server.received] == [20, None, None]
    assert ("priority" in first.request, first.attempts, second.attempts) == (False, 1, 1)
    assert [record for record in caplog.messages if "does not schedule by priority" in record] == caplog.messages
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("said", "todo"),
    [
        ("At most 2 image(s) may be provided in one prompt. (parameter=image)", "--limit-mm-per-prompt"),
        ("This model's maximum context length is 8192 tokens. However, your prompt contains", "--max-model-len"),
    ],
)
async def test_a_refusal_says_what_to_do(said: str, todo: str) -> None:
    async with serving(ModelServer(Fail(400, said))) as server:
        async with client_of(server) as client:
            with pytest.raises(ModelRefused, match=todo) as refused:
                await ask(client)
    assert refused.value.calls[0].error == str(refused.value)


# ---------------------------------------------------------------------------- counts
async def test_calls_are_counted_by_role_and_server() -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 640}}
    script = (Say(NOTES, usage), Fail(500), Say(NOTES, usage), Fail(400), Hang())
    async with serving(ModelServer(*script)) as server:
        async with client_of(server) as client:
            await ask(client, Role.NOTE)
            await ask(client, Role.NOTE)
            with pytest.raises(ModelRefused):
                await ask(client, Role.PLAN)
            asking = asyncio.create_task(ask(client, Role.PLAN))
            await until(client, lambda counts: counts.in_flight == 1 and len(server.received) == 5)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            plan, note = sorted(client.counts().calls, key=lambda one: one.role, reverse=True)
    assert (plan.role, plan.calls, plan.errors, plan.cancelled) == (Role.PLAN, 2, {"model_refused": 1}, 1)
    assert (note.role, note.server, note.calls, note.errors, note.retries) == (Role.NOTE, server.url, 2, {}, 1)
    assert (note.input_tokens, note.output_tokens, note.cached_tokens) == (1800, 24, 1280)
    assert note.latency_ms > 0


# ---------------------------------------------------------------------------- starting
@pytest.mark.parametrize(("temperature", "version", "refused"), [(0.5, "0.32.0+cpu", True), (0.0, "0.32.0+cpu", False)])
async def test_sampling_that_kills_the_cpu_engine_is_refused(temperature: float, version: str, refused: bool) -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        server.pages["/version"] = (200, f'{{"version": "{version}"}}')
        client = ModelClient(settings_for(server, temperature=temperature))
        if refused:
            with pytest.raises(BadInput, match="set temperature to 0"):
                await client.start()
        else:
            await client.start()
            await client.stop()


@pytest.mark.parametrize("page", [(404, ""), (200, "not json"), (200, '{"version": "0.33.0"}')])
async def test_other_servers_may_be_sampled_from(page: tuple[int, str]) -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        server.pages["/version"] = page
        async with client_of(server, temperature=0.7) as client:
            await ask(client)
    assert server.received[0].json["temperature"] == 0.7


class Resizing(ModelServer):
    """A server that counts tokens as vLLM does: text, and a picture with a mark on either side."""

    def __init__(self, cap: int) -> None:
        super().__init__(Say(NOTES))
        self.pages["/version"] = (200, '{"version": "0.33.0"}')
        self._cap = cap

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        parts = body["messages"][-1]["content"]
        dialect = dialect_named("qwen2.5-vl", self._cap)
        picture = dialect.image_tokens(Size(width=1080, height=2400)) + 2
        tokens = 10 + sum(picture for part in parts if part["type"] == "image_url")
        return web.json_response(completion(Say("x", {"prompt_tokens": tokens, "completion_tokens": 1})))


@asynccontextmanager
async def resizing(cap: int) -> AsyncIterator[ModelServer]:
    async with serving(Resizing(cap)) as server:
        yield server


@pytest.mark.parametrize(("ours", "fits"), [(1_048_576, True), (2_000_000, False), (None, False)])
async def test_a_server_that_resizes_pictures_otherwise_is_refused(ours: int | None, fits: bool) -> None:
    async with resizing(1_048_576) as server:
        client = ModelClient(settings_for(server, dialect="qwen2.5-vl", max_pixels=ours))
        if fits:
            await client.start()
            await client.stop()
        else:
            with pytest.raises(BadInput, match=r"1,016,064 pixels \(1296 tokens\).*max_pixels"):
                await client.start()


async def test_relative_coordinates_need_no_such_check() -> None:
    async with resizing(1_048_576) as server:
        async with client_of(server, dialect="qwen3-vl", max_pixels=2_000_000):
            assert server.asked["/version"] == 0
