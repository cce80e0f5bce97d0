"""What a phone has done: its tasks and its log, the newest first."""

from __future__ import annotations

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.events import EventKind, ServiceEvent
from tests.deploy.service.api.running_service import RunningService
from tests.deploy.service.database.work import begin


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
    for phone in ("p1", "lab/p2"):
        events = [ServiceEvent(id=0, at=1.0, kind=kind, phone=phone, data={"reason": phone}) for kind in kinds]
        await service.parts.events.append(events)
    async with service.client(AccessRole.READ) as client:
        found = (await client.get("/phones/p1/log")).json()["items"]
    assert [(event["kind"], event["data"]["reason"]) for event in found] == [("phone.back", "p1"), ("phone.away", "p1")]
