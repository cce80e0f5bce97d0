"""Floods at their full size: 10,000 requests and 5,000 streams, while the service has its usual bounds."""

from __future__ import annotations

import asyncio
import contextlib
import re
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from manyhands.protocol.service.access import AccessRole
from manyhands.service.api.settings import MIB, ServiceBounds
from tests.service.api.running_service import RunningService, running

USUAL = {name: field.default for name, field in ServiceBounds.model_fields.items()}
STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")


def request(service: RunningService, path: str) -> bytes:
    secret = service.secrets[AccessRole.READ]
    return f"GET /api/v1{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\r\n".encode()


async def answers(service: RunningService) -> bool:
    """Tell whether the service answers, once the rates allow it again."""
    async with service.client(AccessRole.OPERATE) as client:
        while (answer := await client.get("/status")).status_code == 429:
            await asyncio.sleep(int(answer.headers["retry-after"]))
    return answer.status_code == 200


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_ten_thousand_requests(tmp_path: Path) -> None:
    async with running(tmp_path, **USUAL) as service:
        port = int(service.url.rpartition(":")[2])
        asked = request(service, "/status")

        async def send(count: int) -> Counter[bytes]:
            """Send requests one behind the other, without waiting for their answers."""
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(asked * count)
            found = Counter[bytes]()
            rest = b""
            while found.total() < count and (data := await reader.read(65536)):
                statuses = list(STATUS.finditer(rest + data))
                found.update(status[1] for status in statuses)
                rest = (rest + data)[statuses[-1].end() if statuses else 0 :][-16:]
            writer.close()
            return found

        tracemalloc.start()
        found = sum(await asyncio.gather(*(send(200) for _ in range(50))), Counter[bytes]())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found.total() == 10_000
        assert set(found) <= {b"200", b"429", b"503"}
        assert most < 100 * MIB
        assert await answers(service)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_five_thousand_streams(tmp_path: Path) -> None:
    async with running(tmp_path, **USUAL) as service:
        port = int(service.url.rpartition(":")[2])
        asked = request(service, "/events")
        found = Counter[bytes]()
        opened: list[asyncio.StreamWriter] = []

        async def open_stream() -> None:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                opened.append(writer)
                writer.write(asked)
                found[(await reader.readexactly(12))[-3:]] += 1

        for _ in range(50):
            await asyncio.gather(*(open_stream() for _ in range(100)))
        assert 0 < found[b"200"] <= USUAL["token_streams"]
        assert set(found) <= {b"200", b"429", b"503"}
        for writer in opened:
            writer.close()
        assert await answers(service)
