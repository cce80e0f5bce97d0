"""What type checkers say of the public API. Nothing here runs: ``make types`` reads it, with mypy and pyright.

A line that is wrong on purpose says so with ``type: ignore``; both checkers complain where it is right after all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

from manyhands import (
    AsyncClient,
    BatchResult,
    BatchStatus,
    Client,
    EpisodeResult,
    Fleet,
    PhoneTransport,
    RoleModel,
    RunEvent,
    RunProgress,
    RunSummary,
    ServiceEvent,
    TaskEnded,
    TaskSpec,
    TaskStatus,
)
from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.phone.virtual_phone import VirtualPhone


async def results_have_their_types() -> None:
    async with Fleet(phones=["virtual:1"], mllm_url=("rehearsed",)) as fleet:
        assert_type(fleet, Fleet)
        result = await fleet.run("Turn on dark mode.")
        assert_type(result, EpisodeResult)
        assert_type(result.steps, int)
        assert_type(result.verified, bool | None)
        assert_type(await fleet.run(TaskSpec(id="a", goal="b")), EpisodeResult)
        batch = await fleet.run_batch([])
        assert_type(batch, BatchResult)
        assert_type(batch[0], EpisodeResult)
        assert_type(await fleet.progress(), RunProgress)
        assert_type(fleet.summary(), RunSummary)
        async for event in fleet.events():
            assert_type(event, RunEvent)
            if isinstance(event, TaskEnded):
                assert_type(event.result, EpisodeResult)
        assert_type(fleet.folder, Path)
        await fleet.run(5)  # type: ignore[arg-type]


def keywords_are_known() -> None:
    Fleet(out="runs/one", episode={"schedule": "serial"}, models={"plan": RoleModel(temperature=0.5)}, hosts=2)
    VirtualFleet(2, lambda seed: VirtualPhone(seed, 720, 1600))
    Fleet(phone=["virtual:1"])  # type: ignore[call-arg]
    Fleet(hosts="two")  # type: ignore[arg-type]
    Fleet(mllm_url=8000)  # type: ignore[arg-type]


def adb_is_one_way_to_reach_phones() -> None:
    transport: PhoneTransport = AdbTransport(AdbSettings(port=5038))
    Fleet(make_transport=lambda settings: transport)
    Fleet(make_transport=transport)  # type: ignore[arg-type]


def a_client_has_types_of_its_own() -> None:
    with Client("http://127.0.0.1:8008", token="secret") as client:
        batch = client.submit(goal="Turn on dark mode.", priority=2)
        assert_type(batch, BatchStatus)
        assert_type(client.wait(batch, timeout_s=60), BatchStatus)
        assert_type(client.tasks(batch=batch), Iterator[TaskStatus])
        assert_type(client.events(after=0), Iterator[ServiceEvent])
        assert_type(client.remove_schedule("s1"), None)
        client.submit(gaol="Turn on dark mode.")  # type: ignore[call-arg]
        client.wait(5)  # type: ignore[arg-type]


async def a_client_for_asyncio_has_the_same_methods() -> None:
    async with AsyncClient() as client:
        assert_type(await client.submit([TaskSpec(id="a", goal="b")]), BatchStatus)
        async for task in client.tasks():
            assert_type(task, TaskStatus)
        async for event in client.events():
            assert_type(event, ServiceEvent)
