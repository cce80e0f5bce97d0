"""One client gets a share of the service: others are answered whatever it does."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.service.access import AccessRole
from tests.service.api.running_service import RunningService, running
from tests.service.database.work import end, result


async def open_connections(
    service: RunningService, stack: AsyncExitStack, count: int, address: str
) -> list[asyncio.StreamReader]:
    """Open connections from an address of this machine, and send nothing."""
    readers = []
    for _ in range(count):
        port = int(service.url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        stack.callback(writer.close)
        readers.append(reader)
    return readers


async def test_slow_bodies_of_one_token_hold_up_no_other(tmp_path: Path) -> None:
    async with running(tmp_path, requests=20, token_requests=4, body_s=100) as service, AsyncExitStack() as stack:
        head = (
            "POST /api/v1/batches HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {service.secrets[AccessRole.SUBMIT]}\r\n"
            "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        )
        port = int(service.url.rpartition(":")[2])
        readers = []
        for _ in range(20):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            writer.write(head.encode())
            readers.append(reader)
        refused = [asyncio.create_task(reader.readline()) for reader in readers]
        for line in asyncio.as_completed(refused):
            assert b" 429 " in await line
            if sum(one.done() for one in refused) == 16:
                break
        async with service.client(AccessRole.READ) as other:
            assert (await other.get("/batches")).status_code == 200
        for one in refused:
            one.cancel()


async def test_idle_connections_make_room(tmp_path: Path) -> None:
    async with running(tmp_path, connections=20, address_connections=10) as service, AsyncExitStack() as stack:
        idle = await open_connections(service, stack, 10, "127.0.0.2")
        more = await open_connections(service, stack, 5, "127.0.0.2")
        for reader in idle[:5]:
            assert await reader.read() == b""  # closed, and not refused
        for number in range(3, 8):
            await open_connections(service, stack, 5, f"127.0.0.{number}")
        async with service.client(AccessRole.READ) as other:
            assert (await other.get("/batches")).status_code == 200
        assert len(more) == 5


async def test_requests_without_a_token_share_entries_of_the_audit_log(tmp_path: Path) -> None:
    async with running(tmp_path) as service:
        async with service.client(None) as client:
            for number in range(300):
                assert (await client.get(f"/batches/b{number}")).status_code == 401
    async with running(tmp_path) as service:
        entries = (await service.parts.audit.entries(limit=1000)).items
    unknown = [one for one in entries if one.status == 401]
    assert sum(one.times for one in unknown) == 300
    assert len(unknown) < 50


async def test_retries_are_stored_in_parts_and_end_after_some(tmp_path: Path) -> None:
    async with running(tmp_path) as service:
        batches = service.parts.batches
        tasks = [{"id": f"t{number}", "goal": "g"} for number in range(250)]
        async with service.client() as client:
            await client.post("/batches", json={"tasks": tasks})
            await batches.record_results([result(f"b1.t{number}", Ending.STEP_LIMIT) for number in range(250)])
            retrying = asyncio.create_task(client.post("/batches/b1:retry"))
            seen = set[int]()
            while not retrying.done():
                seen.add((await batches.batch("b1")).tasks)
                await asyncio.sleep(0)
            assert len((await retrying).json()) == 250
            assert seen & {350, 450}  # others see the parts, and may write between them
            assert (await client.post("/batches/b1:retry")).status_code == 409
            await client.post("/batches", json={"tasks": [{"id": "t", "goal": "g"}]})
            last = "b2.t"
            for number in range(2, 21):
                await end(batches, result(last, Ending.STEP_LIMIT))
                last = (await client.post(f"/tasks/{last}:retry")).json()["id"]
                assert last == f"b2.t.r{number}"
            await end(batches, result(last, Ending.STEP_LIMIT))
            answer = await client.post(f"/tasks/{last}:retry")
            assert answer.status_code == 409
            assert "20 times" in answer.json()["detail"]
            [cause] = (await client.get("/attention")).json()["causes"]
            for path in ("/batches/b2:retry", f"/attention/{cause['id']}:retry"):
                assert (await client.post(path)).status_code == 409


@pytest.mark.parametrize("by_cause", [False, True])
async def test_a_task_that_was_tried_too_often_holds_up_no_retry(tmp_path: Path, by_cause: bool) -> None:
    async with running(tmp_path) as service:
        batches = service.parts.batches
        async with service.client() as client:
            await client.post("/batches", json={"tasks": [{"id": f"t{number}", "goal": "g"} for number in range(150)]})
            await batches.record_results([result(f"b1.t{number}", Ending.STEP_LIMIT) for number in range(150)])
            last = "b1.t120"
            for _ in range(2, 21):
                last = (await client.post(f"/tasks/{last}:retry")).json()["id"]
                await end(batches, result(last, Ending.STEP_LIMIT))
            [cause] = (await client.get("/attention")).json()["causes"]
            answer = await client.post(f"/attention/{cause['id']}:retry" if by_cause else "/batches/b1:retry")
        assert answer.status_code == 201
        assert {task["retry_of"] for task in answer.json()} == {f"b1.t{n}" for n in range(150)} - {"b1.t120"}
