"""The stream of events: nothing is missing and nothing comes twice, in bounds."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.api.event_feed import EventFeed
from manyhands.service.database.event_repository import EventFilter
from tests.service.api.running_service import RunningService, running


def step(number: int, batch: str = "b1", text: str = "") -> ServiceEvent:
    return ServiceEvent(
        id=0,
        at=float(number),
        kind=EventKind.TASK_STEP,
        batch=batch,
        task=f"{batch}.a",
        data={"step": number, "text": text},
    )


@asynccontextmanager
async def stream(service: RunningService, last: int | None = None, **query: Any) -> AsyncIterator[AsyncIterator[str]]:
    """Open a stream, and give its lines. The first one, a comment, has come."""
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    async with service.client(AccessRole.READ, **headers) as client:
        async with client.stream("GET", "/events", params=query) as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            lines = answer.aiter_lines()
            assert (await anext(lines)).startswith(":")
            yield lines


async def take(lines: AsyncIterator[str], count: int) -> list[dict[str, Any]]:
    """Read events, and check that each says its number."""
    found: list[dict[str, Any]] = []
    number = 0
    while len(found) < count:
        line = await anext(lines)
        if line.startswith("id: "):
            number = int(line.removeprefix("id: "))
        if line.startswith("data: "):
            found.append(json.loads(line.removeprefix("data: ")))
            assert found[-1]["id"] == number
    return found


async def until_cut(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Give the lines that come until the service closes the connection, in whatever way."""
    with contextlib.suppress(httpx.TransportError):
        async for line in lines:
            yield line


def steps(events: Sequence[dict[str, Any]]) -> list[int]:
    return [event["data"]["step"] for event in events]


async def test_a_stream_begins_with_what_was_missed_and_goes_on(service: RunningService) -> None:
    await service.parts.events.append([step(number) for number in range(1200)])
    async with stream(service, after=0) as lines:
        assert steps(await take(lines, 1200)) == list(range(1200))
        await service.parts.events.append([step(number) for number in range(1200, 1300)])
        assert steps(await take(lines, 100)) == list(range(1200, 1300))
    async with stream(service, last=1250) as lines:
        assert steps(await take(lines, 50)) == list(range(1250, 1300))


async def test_without_a_number_a_stream_begins_now(service: RunningService) -> None:
    await service.parts.events.append([step(0)])
    async with stream(service) as lines:
        await service.parts.events.append([step(1)])
        assert steps(await take(lines, 1)) == [1]


async def test_a_stream_begins_after_events_that_no_stream_was_given_yet(service: RunningService) -> None:
    feed = EventFeed(service.parts.events, 10)
    before = await feed.position()
    await service.parts.events.append([step(0)])  # the feed, which nothing runs, does not know of it
    subscription = feed.subscribe(EventFilter(), None)
    async with contextlib.aclosing(subscription.parts(1.0)) as parts:
        assert await anext(parts) == ()
        assert subscription.position == before + 1


async def test_events_that_come_while_streams_catch_up_come_once(service: RunningService) -> None:
    """Many streams catch up at different places while events are appended."""

    async def read(after: int) -> list[int]:
        async with stream(service, after=after) as lines:
            return steps(await take(lines, 600 - after))

    async def append() -> None:
        for first in range(300, 600, 10):
            await service.parts.events.append([step(number) for number in range(first, first + 10)])

    await service.parts.events.append([step(number) for number in range(300)])
    readers = [asyncio.create_task(read(after)) for after in (0, 100, 299, 300)]
    await append()
    for after, reader in zip((0, 100, 299, 300), readers, strict=True):
        assert await reader == list(range(after, 600))


async def test_streams_have_what_they_ask_for(service: RunningService) -> None:
    await service.parts.events.append([step(0, "b1"), step(1, "b2")])
    async with stream(service, after=0, batch="b2") as lines:
        await service.parts.events.append([step(2, "b1"), step(3, "b2")])
        assert steps(await take(lines, 2)) == [1, 3]
    ended = ServiceEvent(id=0, at=1.0, kind=EventKind.BATCH_ENDED, batch="b1", data={"step": 9})
    await service.parts.events.append([ended])
    async with stream(service, after=0, kind=["batch.ended", "batch.accepted"]) as lines:
        assert steps(await take(lines, 1)) == [9]


async def test_a_quiet_stream_has_a_heartbeat(tmp_path: Path) -> None:
    async with running(tmp_path, heartbeat_s=0.05) as service:
        async with stream(service) as lines:
            for _ in range(9):  # each comment has the number behind which the stream goes on, and an empty line
                assert (await anext(lines)) in ("", ": still here", "id: 0")


async def test_a_slow_reader_is_cut_off_and_misses_nothing(tmp_path: Path) -> None:
    async with running(tmp_path, stream_events=20, stall_s=1000) as service:
        text = "x" * 20_000
        async with service.client(AccessRole.READ) as client:
            async with client.stream("GET", "/events", params={"after": 0}) as slow:
                assert slow.status_code == 200
                streams = service.parts.events
                for first in range(0, 600, 15):  # more than the system's buffers take, and than the stream may lag
                    await streams.append([step(number, text=text) for number in range(first, first + 15)])
                lines = [line async for line in until_cut(slow.aiter_lines()) if line.startswith("data: ")]
        found = steps([json.loads(line.removeprefix("data: ")) for line in lines])
        assert found == list(range(len(found)))
        assert len(found) < 600
        async with stream(service, last=len(found)) as lines:
            assert steps(await take(lines, 600 - len(found))) == list(range(len(found), 600))


async def test_open_streams_are_bounded(tmp_path: Path) -> None:
    async with running(tmp_path, streams=4, token_streams=3) as service:
        async with stream(service), stream(service), stream(service):
            async with service.client(AccessRole.READ) as client:
                of_token = await client.get("/events")
                assert (of_token.status_code, of_token.json()["type"]) == (
                    429,
                    "urn:manyhands:problem:too-many-requests",
                )
            async with service.client(AccessRole.SUBMIT) as client:
                async with client.stream("GET", "/events") as fourth:
                    assert fourth.status_code == 200
                    many = await asyncio.gather(*(client.get("/events") for _ in range(50)))
                    assert {answer.status_code for answer in many} == {503}
                    assert (await client.get("/status")).status_code == 200
        async with service.client(AccessRole.READ) as client:
            while True:  # the service learns of closed streams in its own time
                async with client.stream("GET", "/events") as again:
                    if again.status_code == 200:
                        break


async def test_the_streams_of_a_revoked_token_end(service: RunningService) -> None:
    async with stream(service) as lines:
        async with service.client(AccessRole.OPERATE) as client:
            await client.delete(f"/tokens/{service.ids[AccessRole.READ]}")
        assert [line async for line in until_cut(lines) if line.startswith("data")] == []


async def test_streams_end_when_the_service_stops(tmp_path: Path) -> None:
    async with running(tmp_path) as service:
        client = service.client(AccessRole.READ)
        answer = await client.send(client.build_request("GET", "/events"), stream=True)
        lines = answer.aiter_lines()
        assert (await anext(lines)).startswith(":")
    assert [line async for line in lines if line.startswith("data")] == []
    await client.aclose()


@pytest.mark.parametrize("query", ["after=-1", "after=x", "kind=none", "after=99999999999999999999"])
async def test_a_wrong_query_is_a_problem(service: RunningService, query: str) -> None:
    async with service.client(AccessRole.READ) as client:
        answer = await client.get(f"/events?{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
