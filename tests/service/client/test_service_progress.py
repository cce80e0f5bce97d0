"""What a watched batch shows, against a real service."""

from __future__ import annotations

import asyncio

from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.service.client.async_client import AsyncClient
from manyhands.service.client.service_progress import ServiceProgress
from tests.service.client.conftest import Served
from tests.service.client.cut_connection import CuttingProxy


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


async def test_what_phones_do_and_the_goals_of_their_tasks_are_shown(served: Served) -> None:
    async with AsyncClient(served.url, token=served.token) as client:
        batch = await client.submit(goal="Dance.")
        watched = ServiceProgress(client, batch.id)
        following = asyncio.create_task(watched.follow())
        served.service.fleet.found["p1"] = PhoneStatus(
            serial="p1",
            phase=PhonePhase.BUSY,
            task="b1.goal-1",
            step=4,
            doing="Put on music",
            stages=("decide",),
            stage_since=7.0,
        )
        served.service.fleet.found["p2"] = PhoneStatus(serial="p2", phase=PhonePhase.AWAY, reason="it is off")
        served.begin("b1.goal-1")
        async with asyncio.timeout(60):
            while not (progress := await watched.progress()).running or not progress.running[0].stages:
                await asyncio.sleep(0.01)
            while not watched.goals:
                await asyncio.sleep(0.01)
        (running,) = progress.running
        assert (running.step, running.stages, running.stage_since) == (4, ("decide",), 7.0)
        assert running.doing == "Put on music"
        assert watched.goals == {"b1.goal-1": "Dance."}
        assert [(wait.what, wait.reason) for wait in progress.away] == [("phone p2", "it is off")]
        assert progress.phones == 4
        served.end("b1.goal-1")
        await following
