"""The wall: all phones at first, then what changed, each picture once."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from tests.service.api.running_service import ListedFleet, RunningService, running

FAST = 0.02
SCREEN, NEXT = "a" * 32, "b" * 32


class Wall:
    """Reads the updates of one stream, and keeps the phones as a page would."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self.phones: dict[str, dict[str, Any]] = {}
        self.bytes = 0

    async def update(self) -> dict[str, Any]:
        """Return the next update."""
        while True:
            line = await anext(self._lines)
            self.bytes += len(line)
            if line.startswith("data: "):
                break
        update: dict[str, Any] = json.loads(line.removeprefix("data: "))
        if update["is_whole"]:
            self.phones.clear()
        self.phones |= {phone["serial"]: phone for phone in update["phones"]}
        for serial in update["gone"]:
            del self.phones[serial]
        return update


@asynccontextmanager
async def watched(service: RunningService, role: AccessRole = AccessRole.READ) -> AsyncIterator[Wall]:
    async with service.client(role) as client, client.stream("GET", "/wall") as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Wall(answer.aiter_lines())


def show(service: RunningService, serial: str, **changes: Any) -> None:
    service.fleet.found[serial] = service.fleet.found[serial].model_copy(update=changes)


def write_thumbnail(folder: Path, content_id: str, jpeg: bytes) -> None:
    run = folder / "runs" / "000001_x"
    (run / "thumbnails").mkdir(parents=True, exist_ok=True)
    (run / "run.yaml").touch()
    (run / "thumbnails" / f"{content_id}.jpg").write_bytes(jpeg)


async def test_moments_of_the_wall_are_there_in_iso_8601_too(service: RunningService) -> None:
    show(service, "p1", step_since=5.0)
    async with watched(service) as wall:
        update = await wall.update()
    assert datetime.fromisoformat(update["at_iso"]).timestamp() == pytest.approx(update["at"], abs=0.002)
    assert wall.phones["p1"]["step_since_iso"] == "1970-01-01T00:00:05.000Z"
    async with httpx.AsyncClient() as client:
        schemas = (await client.get(f"{service.url}/openapi.json")).json()["components"]["schemas"]
    assert schemas["WallUpdate"]["properties"].keys() == update.keys()
    assert schemas["WallPhone"]["properties"].keys() == wall.phones["p1"].keys()
    assert "at_iso" in schemas["ServiceEvent"]["properties"]


async def test_all_phones_come_first_and_then_what_changed(tmp_path: Path) -> None:
    async with running(tmp_path, wall_s=FAST) as service, watched(service) as wall:
        first = await wall.update()
        assert first["is_whole"]
        assert [phone["serial"] for phone in first["phones"]] == ["1:5", "lab/p2", "p1"]
        show(service, "p1", phase=PhonePhase.ASIDE, reason="a broken screen")
        second = await wall.update()
        assert not second["is_whole"]
        assert [(phone["serial"], phone["phase"], phone["reason"]) for phone in second["phones"]] == [
            ("p1", "aside", "a broken screen")
        ]
        del service.fleet.found["lab/p2"]
        assert (await wall.update())["gone"] == ["lab/p2"]
        async with watched(service) as other:
            again = await other.update()
            assert (again["is_whole"], again["phones"]) == (True, [wall.phones["1:5"], wall.phones["p1"]])


async def test_a_phone_has_its_task_with_goal_batch_and_owner(tmp_path: Path) -> None:
    goal = 'Say "\u4f60\u597d" </script>\u202e\n'
    async with running(tmp_path, wall_s=FAST) as service, service.client() as client:
        await client.post("/batches", json={"tasks": [{"id": "a", "goal": goal}]})
        show(
            service,
            "p1",
            phase=PhonePhase.BUSY,
            task="b1.a",
            step=3,
            stages=("plan",),
            stage_since=5.0,
            subgoal="Open it",
        )
        async with watched(service) as wall:
            await wall.update()
            shown = wall.phones["p1"]
        assert (shown["goal"], shown["batch"], shown["owner"]) == (goal, "b1", "a-submit")
        assert (shown["stages"], shown["stage_since"], shown["subgoal"]) == (["plan"], 5.0, "Open it")
        assert wall.phones["1:5"]["goal"] == ""


async def test_a_picture_comes_once_for_each_screen_and_stream(tmp_path: Path) -> None:
    write_thumbnail(tmp_path, SCREEN, b"first")
    async with running(tmp_path, wall_s=FAST) as service:
        show(service, "p1", screen=SCREEN)
        async with watched(service) as wall:
            await wall.update()
            assert base64.b64decode(wall.phones["p1"]["thumbnail"]) == b"first"
            show(service, "p1", screen=SCREEN, step=4)
            await wall.update()
            assert (wall.phones["p1"]["step"], wall.phones["p1"]["thumbnail"]) == (4, None)
            show(service, "p1", screen=NEXT)  # its picture is written after the update that names it
            await wall.update()
            assert (wall.phones["p1"]["screen"], wall.phones["p1"]["thumbnail"]) == (NEXT, None)
            write_thumbnail(tmp_path, NEXT, b"second")
            await wall.update()
            assert base64.b64decode(wall.phones["p1"]["thumbnail"]) == b"second"
            async with watched(service) as other:
                await other.update()
                assert base64.b64decode(other.phones["p1"]["thumbnail"]) == b"second"


class CountingFleet(ListedFleet):
    """Counts how often its phones are looked at."""

    looks = 0

    async def phones(self) -> Sequence[PhoneStatus]:
        CountingFleet.looks += 1
        if CountingFleet.looks == 3:
            raise ZeroDivisionError("a defect")
        return await super().phones()


async def test_nobody_looks_at_phones_while_nobody_watches(tmp_path: Path) -> None:
    async with running(tmp_path, wall_s=FAST) as service:
        service.fleet.__class__ = CountingFleet
        async with service.client() as client:
            await client.get("/status")
        assert CountingFleet.looks == 0
        async with watched(service) as wall, watched(service) as other:
            await asyncio.gather(wall.update(), other.update())
            for number in range(5):  # a look that fails by a defect ends no stream
                show(service, "p1", step=number)
                while wall.phones["p1"]["step"] != number:
                    await wall.update()
        seen = CountingFleet.looks
        async with watched(service) as again:
            await again.update()
        assert CountingFleet.looks <= seen + 4


async def test_an_unread_stream_has_the_newest_state_and_no_history(tmp_path: Path) -> None:
    async with running(tmp_path, wall_s=0.005) as service:
        write_thumbnail(tmp_path, SCREEN, b"x" * 200_000)
        async with watched(service) as wall, watched(service) as reader:
            await wall.update()
            await reader.update()
            for number in range(60):  # 16 MB of pictures for a client that does not read
                content_id = f"{number:032x}"
                write_thumbnail(tmp_path, content_id, b"y" * 200_000)
                show(service, "p1", step=number, screen=content_id)
                while reader.phones["p1"]["step"] != number or reader.phones["p1"]["thumbnail"] is None:
                    await reader.update()
            while wall.phones["p1"]["step"] != 59 or wall.phones["p1"]["thumbnail"] is None:
                await wall.update()
        assert wall.bytes < reader.bytes


@pytest.mark.parametrize("role", [AccessRole.READ, AccessRole.OPERATE])
async def test_streams_of_the_wall_are_bounded(tmp_path: Path, role: AccessRole) -> None:
    async with running(tmp_path, wall_s=FAST, token_streams=1) as service:
        async with watched(service, role) as wall:
            await wall.update()
            async with service.client(role) as client:
                assert (await client.get("/wall")).status_code == 429


async def test_figures_say_since_when_they_are_kept(service: RunningService) -> None:
    async with service.client(AccessRole.READ) as client:
        found = (await client.get("/figures")).json()
        assert (found["points"], found["every_s"]) == ([], 10.0)
        assert found["since"] > 1e9
        assert (await client.get("/figures", params={"after": "x"})).status_code == 422
