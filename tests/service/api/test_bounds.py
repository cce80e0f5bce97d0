"""What is too much is refused in bounds, and the service answers afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from manyhands.protocol.errors import BadFile
from manyhands.protocol.service.access import AccessRole, AuditEntry
from manyhands.service.api.audit_log import AuditWriter
from manyhands.service.api.settings import MIB, SERVICE_PREFIX, ServiceBounds, read_bounds
from manyhands.service.database.access_repository import AuditRepository
from manyhands.service.database.engine import ServiceDatabase
from tests.service.api.running_service import RunningService, running

CHUNK = b"x" * 64 * 1024
JSON = {"Content-Type": "application/json"}


async def many_bytes(count: int) -> AsyncIterator[bytes]:
    """A body whose length is not told beforehand."""
    for _ in range(count // len(CHUNK)):
        yield CHUNK


async def answers(service: RunningService) -> bool:
    async with service.client() as client:
        return (await client.get("/status")).status_code == 200


def send_until_closed(silent: socket.socket) -> None:
    """Send now and then, and read nothing, until the other side answers that the connection is gone."""
    closed = select.poll()
    closed.register(silent, 0)
    with contextlib.suppress(ConnectionError):
        while not closed.poll(50):
            silent.send(b"\r\n")


async def raw(service: RunningService, request: bytes) -> bytes:
    """Send bytes, and return all that comes until the service closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(service.url.rpartition(":")[2]))
    try:
        writer.write(request)
        await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_a_body_of_50_mb_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path, body_bytes=MIB) as service:
        async with service.client() as client:
            told = await client.post("/batches", content=b"x" * 50_000_000, headers=JSON)
            tracemalloc.start()
            untold = await client.post("/batches", content=many_bytes(50_000_000), headers=JSON)
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        for answer in (told, untold):
            assert (answer.status_code, answer.json()["type"]) == (413, "urn:manyhands:problem:too-large")
        assert most < 10 * MIB  # both the client's and the service's
        assert await answers(service)


async def test_a_length_that_is_a_lie_is_noticed(service: RunningService) -> None:
    head = f"POST /api/v1/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.secrets[AccessRole.SUBMIT]}\r\n"
    said = await raw(service, f"{head}Content-Length: -1\r\nConnection: close\r\n\r\n".encode())
    assert said.startswith(b"HTTP/1.1 400")
    assert await answers(service)


async def test_bodies_together_are_bounded(tmp_path: Path) -> None:
    async with running(tmp_path, bodies_bytes=4 * len(CHUNK)) as service:
        async with service.client() as client:
            for _ in range(3):  # what one request took, the next has again
                much = await client.post("/batches", content=many_bytes(5 * len(CHUNK)), headers=JSON)
                assert (much.status_code, much.json()["type"]) == (503, "urn:manyhands:problem:busy")
                less = await client.post("/batches", content=many_bytes(3 * len(CHUNK)), headers=JSON)
                assert less.status_code == 422


async def test_a_body_that_does_not_come_is_given_up(tmp_path: Path) -> None:
    async with running(tmp_path, body_s=0.2, request_s=0.2) as service:
        secret = service.secrets[AccessRole.SUBMIT]
        head = f"POST /api/v1/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n"
        said = await raw(service, f"{head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{".encode())
        assert said.startswith(b"HTTP/1.1 408")
        assert b"urn:manyhands:problem:too-slow" in said
        assert await answers(service)


async def test_yaml_has_a_bound_of_its_own(tmp_path: Path) -> None:
    async with running(tmp_path, yaml_bytes=2000) as service:
        async with service.client() as client:
            text = "- id: a\n  goal: " + "x" * 3000
            answer = await client.post("/batches", content=text, headers={"Content-Type": "application/yaml"})
        assert answer.status_code == 413


@pytest.mark.parametrize("bound", ["address_rate", "token_rate"])
async def test_a_flood_of_requests_is_refused(tmp_path: Path, bound: str) -> None:
    async with running(tmp_path, **{bound: 0.5}) as service:
        async with service.client(AccessRole.READ) as client:
            found = await asyncio.gather(*(client.get("/status") for _ in range(150)))
        statuses = Counter(answer.status_code for answer in found)
        assert set(statuses) == {200, 429}
        refused = next(answer for answer in found if answer.status_code == 429)
        assert refused.json()["type"] == "urn:manyhands:problem:too-many-requests"
        assert int(refused.headers["retry-after"]) >= 1
    async with running(tmp_path) as service:  # what was refused is in the log as well, in few entries
        page = await service.parts.audit.entries(None, 1000)
        logged = Counter[int]()
        for entry in page.items:
            logged[entry.status] += entry.times
        assert logged == statuses


class HeldRepository(AuditRepository):
    """Returns from the first append when it is told to, after the entries are stored."""

    def __init__(self, database: ServiceDatabase) -> None:
        super().__init__(database)
        self.stored, self.returns = asyncio.Event(), asyncio.Event()

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        await super().append(entries)
        self.stored.set()
        await self.returns.wait()


async def test_a_service_that_stops_while_it_stores_entries_stores_them_once(tmp_path: Path) -> None:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    store = HeldRepository(database)
    writer = AuditWriter(store, 100)
    running_writer = asyncio.create_task(writer.run())
    scope = {"method": "GET", "path": "/status", "client": ("127.0.0.1", 1), "state": {}, "headers": []}
    await writer.add(scope, 200)
    await store.stored.wait()
    running_writer.cancel()
    await asyncio.sleep(0)  # the cancellation arrives while the entries are stored
    store.returns.set()
    await asyncio.gather(running_writer, return_exceptions=True)
    assert [entry.path for entry in (await store.entries(None, 10)).items] == ["/status"]
    await database.close()


async def test_requests_at_once_are_bounded(tmp_path: Path) -> None:
    async with running(tmp_path, requests=2) as service:
        async with service.client() as client:
            found = await asyncio.gather(*(client.get("/batches") for _ in range(80)))
        assert {answer.status_code for answer in found} <= {200, 503}
        assert await answers(service)


async def test_connections_are_bounded(tmp_path: Path) -> None:
    async with running(tmp_path, connections=20, request_s=100) as service:
        port = int(service.url.rpartition(":")[2])
        opened = await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(100)))
        ends = [asyncio.create_task(reader.read()) for reader, _ in opened]
        while sum(end.done() for end in ends) < 80:  # the idle ones make room
            await asyncio.wait([end for end in ends if not end.done()], return_when=asyncio.FIRST_COMPLETED)
        assert await answers(service)
        for _, writer in opened:
            writer.close()
        await asyncio.gather(*ends, return_exceptions=True)


async def test_a_connection_beyond_those_that_are_busy_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path, connections=2) as service:
        head = (
            "GET /api/v1/events HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {service.secrets[AccessRole.READ]}\r\n\r\n"
        )
        port = int(service.url.rpartition(":")[2])
        busy = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        for reader, writer in busy:
            writer.write(head.encode())
            assert b" 200 " in await reader.readline()
        said = await raw(service, b"")
        assert said.startswith(b"HTTP/1.1 503")
        assert b"urn:manyhands:problem:busy" in said
        for _, writer in busy:
            writer.close()


async def test_heads_that_never_end_are_cut_off(tmp_path: Path) -> None:
    async with running(tmp_path, request_s=0.1) as service:
        assert await raw(service, b"GET /api/v1/status HTTP/1.1\r\nHost: x\r\n") == b""
        assert await raw(service, b"") == b""
        assert await answers(service)


async def test_heads_that_are_too_long_are_refused(tmp_path: Path) -> None:
    async with running(tmp_path, heads_bytes=2000) as service:
        said = await raw(service, b"GET /api/v1/status HTTP/1.1\r\nX: " + b"x" * 200_000)
        assert said == b"" or said.startswith(b"HTTP/1.1 400")
        assert await answers(service)


@pytest.mark.parametrize(
    "noise", [b"\x16\x03\x01\x02\x00\x01\x00", b"\0" * 100_000, b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\n"]
)
async def test_what_is_no_http_is_refused(tmp_path: Path, noise: bytes) -> None:
    async with running(tmp_path, request_s=0.2) as service:
        said = await raw(service, noise)
        assert said == b"" or said.startswith(b"HTTP/1.1 4")
        assert await answers(service)


async def test_a_client_that_reads_no_answer_is_cut_off(tmp_path: Path) -> None:
    async with running(tmp_path, stall_s=0.1) as service:
        async with service.client() as client:
            tasks = [{"id": f"t{number}", "goal": "Do it. " * 500} for number in range(1000)]
            assert (await client.post("/batches", json={"tasks": tasks})).status_code == 201
        secret = service.secrets[AccessRole.READ]
        request = f"GET /api/v1/tasks?limit=1000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", int(service.url.rpartition(":")[2]))) as silent:
            silent.sendall(request.encode() * 20)
            await asyncio.to_thread(send_until_closed, silent)
        assert await answers(service)


def test_bounds_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANYHANDS_SERVICE_BODY_BYTES", "5000")
    assert read_bounds().body_bytes == 5000
    monkeypatch.setenv("MANYHANDS_SERVICE_BODY_BYTES", "many")
    monkeypatch.setenv("MANYHANDS_SERVICE_STREAM", "3")
    with pytest.raises(BadFile) as refused:
        read_bounds()
    assert refused.value.mistakes == (
        "unknown variable MANYHANDS_SERVICE_STREAM; did you mean 'MANYHANDS_SERVICE_STREAMS'?",
        "MANYHANDS_SERVICE_BODY_BYTES: must be a whole number, not 'many'",
    )
    assert ServiceBounds.model_fields["connections"].description


def test_the_page_lists_every_bound() -> None:
    page = (Path(__file__).parents[3] / "docs" / "service.md").read_text(encoding="utf-8")
    for name, field in ServiceBounds.model_fields.items():
        text = " ".join((field.description or "").split())
        assert f"| `{SERVICE_PREFIX}{name.upper()}` | {field.default:,} | {text} |" in page
