"""What a phone has done: its tasks and its log, the newest first."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import httpx
import pytest

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.events import EventKind, ServiceEvent
from tests.service.api import running_service
from tests.service.api.running_service import RunningService
from tests.service.database.work import begin


async def test_the_tasks_of_a_phone_come_the_newest_first(service: RunningService) -> None:
    async with service.client() as client:
        tasks = [{"id": name, "goal": "Do it."} for name in "abc"]
        await client.post("/batches", json={"tasks": tasks})
        for name in "abc":
            await begin(service.parts.batches, f"b1.{name}", f"e-{name}", "lab/p2", 1.0)
        first = (await client.get("/phones/lab/p2/tasks", params={"limit": 2})).json()
        rest = (await client.get("/phones/lab/p2/tasks", params={"cursor": first["next_cursor"]})).json()
        assert [task["id"] for task in (*first["items"], *rest["items"])] == ["b1.c", "b1.b", "b1.a"]
        assert (await client.get("/phones/p1/tasks")).json()["items"] == []
        log = (await client.get("/phones/lab/p2/log")).json()["items"]
        assert [(event["kind"], event["task"]) for event in log] == [("task.began", f"b1.{name}") for name in "cba"]


async def test_the_log_of_a_phone_has_no_steps(service: RunningService) -> None:
    kinds = [EventKind.PHONE_AWAY, EventKind.TASK_STEP, EventKind.PHONE_BACK]
    for serial in ("p1", "lab/p2"):
        events = [ServiceEvent(id=0, at=1.0, kind=kind, phone=serial, data={"reason": serial}) for kind in kinds]
        await service.parts.events.append(events)
    async with service.client(AccessRole.READ) as client:
        found = (await client.get("/phones/p1/log")).json()["items"]
    assert [(event["kind"], event["data"]["reason"]) for event in found] == [("phone.back", "p1"), ("phone.away", "p1")]


async def test_a_phone_shows_its_screen_also_without_a_task(service: RunningService) -> None:
    async with service.client(AccessRole.READ) as client:
        first = await client.get("/phones/p1/picture")
        assert (first.status_code, first.headers["content-type"], first.content) == (200, "image/jpeg", b"p1")
        assert (await client.get("/phones/lab/p2/picture")).content == b"lab/p2"
        for _ in range(5):
            assert (await client.get("/phones/p1/picture")).content == b"p1"
        assert (await client.get("/phones/p9/picture")).status_code == 404
        service.fleet.silent.add("1:5")
        away = await client.get("/phones/1:5/picture")
    assert (away.status_code, "offline" in away.text) == (503, True)
    assert service.fleet.looks == [(serial, "phone://picture") for serial in ("p1", "lab/p2", "1:5")]


async def test_a_serial_may_have_blanks_and_brackets(service: RunningService) -> None:
    serial = "adb-X1Y2 (2)._adb-tls-connect._tcp"
    service.fleet.found[serial] = running_service.phone(serial)
    async with service.client() as client:
        assert (await client.get(f"/phones/{serial}")).json()["serial"] == serial
        assert (await client.get(f"/phones/{serial}/picture")).content == serial.encode()
        taken = await client.post(f"/phones/{serial}:take-over")
        assert taken.status_code == 201, taken.text
        assert (await client.get("/phones/a%7Fb")).status_code == 422
    (group,) = await service.parts.batches.not_handed_over(10)
    assert group.tasks[0].phones == f"serial={serial}"


async def test_a_person_takes_a_phone_over_without_a_task_of_the_agent(service: RunningService) -> None:
    async with service.client() as client:
        answer = await client.post("/phones/lab/p2:take-over")
        assert answer.status_code == 201, answer.text
        task = answer.json()
        assert (task["owner"], task["priority"], task["goal"]) == ("a-submit", 100, "a-submit uses the phone.")
        assert (await client.post("/phones/p9:take-over")).status_code == 404
        assert (await client.post("/phones/lab/p2:take-over")).json()["id"] == task["id"]
        other = {"id": "a", "goal": "x", "by_hand": "b-operate"}
        assert (await client.post("/batches", json={"tasks": [other]})).status_code == 422
        assert (await client.post("/batches", json={"tasks": [other | {"by_hand": "a-submit"}]})).status_code == 201
    async with service.client(AccessRole.READ) as client:
        assert (await client.post("/phones/p1:take-over")).status_code == 403
    (group, *_) = await service.parts.batches.not_handed_over(10)
    (spec,) = group.tasks
    assert (spec.by_hand, spec.phones) == ("a-submit", "serial=lab/p2")


async def test_a_person_has_one_open_task_by_hand_for_each_phone(service: RunningService) -> None:
    async with service.client() as client, service.client(AccessRole.OPERATE) as other:

        async def ask(one: httpx.AsyncClient, serial: str) -> str:
            return str((await one.post(f"/phones/{serial}:take-over")).json()["id"])

        assert set(await asyncio.gather(*(ask(client, "p1") for _ in range(5)))) == {"b1.by-hand"}
        assert (await ask(client, "lab/p2"), await ask(other, "p1")) == ("b2.by-hand", "b3.by-hand")
        await client.post("/tasks/b1.by-hand:cancel")
        assert [await ask(client, "p1") for _ in range(2)] == ["b4.by-hand"] * 2


@pytest.mark.parametrize("serial", ["a,b", "a,serial=a", "a=b", "a>1"])
async def test_a_phone_that_no_selector_chooses_is_not_waited_for(service: RunningService, serial: str) -> None:
    service.fleet.found[serial] = running_service.phone(serial)
    async with service.client() as client:
        refused = await client.post(f"/phones/{quote(serial)}:take-over")
    assert (refused.status_code, serial in refused.json()["detail"]) == (409, True)
