"""What a watched batch shows, against a real service."""

from __future__ import annotations

import asyncio

from manyhands.deploy.client.async_client import AsyncClient
from manyhands.deploy.client.service_progress import ServiceProgress
from tests.deploy.client.conftest import Served
from tests.deploy.client.cut_connection import CuttingProxy


async def test_watching_goes_on_after_a_service_was_away_for_longer_than_a_command_waits(served: Served) -> None:
    proxy = CuttingProxy(served.url)
    async with proxy.serving(), AsyncClient(proxy.url, token=served.token, patience_s=0.1) as client:
        batch = await client.submit(goal="Dance.")
        watched = ServiceProgress(client, batch.id)
        following = asyncio.create_task(watched.follow())
        await proxy.seen(b"/api/v1/tasks?")  # the stream is open then
        served.begin("b1.goal-1")
        await proxy.seen(b"task.began")
        proxy.cuts = [0] * 1000
        proxy.break_all()
        async with asyncio.timeout(60):
            while [wait.what for wait in (await watched.progress()).held_up] != ["the service"]:
                await asyncio.sleep(0.01)
        proxy.cuts = []
        served.end("b1.goal-1")
        ended = await following
    assert ended is not None
    assert ended.done == 1
    assert (await watched.progress()).latest[0].task == "b1.goal-1"
