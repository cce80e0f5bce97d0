"""Schedules over HTTP: who may make and change them, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.schedules import ScheduleRequest, ScheduleStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from tests.service.api.running_service import RunningService

BODY: dict[str, Any] = {
    "name": "nightly",
    "when": "30 2 * * *",
    "zone": "Europe/Berlin",
    "batch": {"tasks": [{"id": "buy", "goal": "Buy milk."}]},
}


async def test_a_schedule_is_made_shown_changed_and_removed(service: RunningService) -> None:
    async with service.client() as client:
        answer = await client.post("/schedules", json=BODY)
        assert answer.status_code == 201
        made = ScheduleStatus.model_validate(answer.json())
        assert made.owner == "a-submit"
        assert len(made.next_times) == 5
        assert HOST_CLOCK.now() < made.next_times[0] < HOST_CLOCK.now() + 26 * 3600
        assert (await client.get("/schedules/s1")).json()["next_times"][1:] == list(made.next_times[1:])
        paused = (await client.post("/schedules/s1:pause")).json()
        assert (paused["paused"], paused["next_times"]) == (True, [])
        assert (await client.post("/schedules/s1:resume")).json()["paused"] is False
        changed = (await client.put("/schedules/s1", json=BODY | {"when": "every 2h"})).json()
        assert (changed["when"], changed["created_at"]) == ("every 2h", made.created_at)
        assert [one["id"] for one in (await client.get("/schedules")).json()["items"]] == ["s1"]
        assert (await client.delete("/schedules/s1")).status_code == 204
        assert (await client.get("/schedules/s1")).status_code == 404
        assert (await client.get("/schedules")).json()["items"] == []


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"when": "0 25 * * *"}, "bad hour"),
        ({"when": "hourly"}, "names no times"),
        ({"zone": "Europe/Berlim"}, "did you mean 'Europe/Berlin'"),
        ({"overlap": "cancel"}, "cancel_old"),
        ({"batch": {"tasks": []}}, "tasks"),
        ({"batch": BODY["batch"] | {"deadline": 1.0}}, "deadline_s"),
    ],
)
async def test_mistakes_are_named(service: RunningService, wrong: dict[str, Any], says: str) -> None:
    async with service.client() as client:
        await client.post("/schedules", json=BODY)
        for answer in (
            await client.post("/schedules", json=BODY | wrong),
            await client.put("/schedules/s1", json=BODY | wrong),
        ):
            assert answer.status_code == 422
            assert says in answer.text
        assert (await client.get("/schedules/s1")).json()["when"] == BODY["when"]


async def test_others_schedules_are_for_operators_to_change(service: RunningService) -> None:
    request = ScheduleRequest.model_validate(BODY)
    await service.parts.schedules.make(request, "somebody", 1.0)
    for role, allowed in ((AccessRole.READ, False), (AccessRole.SUBMIT, False), (AccessRole.OPERATE, True)):
        async with service.client(role) as client:
            assert (await client.get("/schedules/s1")).json()["owner"] == "somebody"
            answers = [
                await client.post("/schedules/s1:pause"),
                await client.put("/schedules/s1", json=BODY),
                await client.delete("/schedules/s1"),
            ]
            assert [answer.status_code != 403 for answer in answers] == [allowed] * 3
    async with service.client(AccessRole.READ) as client:
        assert (await client.post("/schedules", json=BODY)).status_code == 403


async def test_a_change_wakes_the_runner(service: RunningService) -> None:
    async with service.client() as client:
        await client.post("/schedules", json=BODY)
        assert service.woken == ["schedules"]
        await client.get("/schedules/s1")
        await client.post("/schedules/s1:pause")
        assert service.woken == ["schedules", "schedules"]


async def test_a_schedule_of_yaml_has_everything_else_in_the_query(service: RunningService) -> None:
    query = {"name": "nightly", "when": "every 2h", "overlap": "queue", "tag": ["night"], "priority": 5}
    yaml = {"Content-Type": "application/yaml"}
    async with service.client() as client:
        answer = await client.post("/schedules", content="- id: buy\n  goal: Buy milk.\n", params=query, headers=yaml)
        assert answer.status_code == 201, answer.text
        made = ScheduleStatus.model_validate(answer.json())
        wrong = await client.post("/schedules", content="- id: buy\n  gaol: x\n", params=query, headers=yaml)
        unnamed = await client.post("/schedules", content="- id: buy\n  goal: x\n", params={"name": "a"}, headers=yaml)
        both = await client.post("/schedules", json=BODY, params=query)
    assert (made.name, made.when, made.overlap, made.batch.tags, made.batch.priority) == (
        "nightly", "every 2h", "queue", ("night",), 5,
    )  # fmt: skip
    assert [task.goal for task in made.batch.tasks] == ["Buy milk."]
    assert (wrong.status_code, unnamed.status_code, both.status_code) == (422, 422, 422)
    assert "line 2" in wrong.text
    assert "when" in unnamed.text


@pytest.mark.parametrize(
    ("when", "zone", "says"),
    [
        ("0 25 * * *", "UTC", "bad hour"),
        ("hourly", "UTC", "names no times"),
        ("30 2 * * *", "Europe/Berlim", "did you mean 'Europe/Berlin'"),
    ],
)
async def test_times_are_told_before_a_schedule_is_made(
    service: RunningService, when: str, zone: str, says: str
) -> None:
    async with service.client(AccessRole.READ) as client:
        times = (await client.get("/schedules:times", params={"when": "30 2 * * *", "zone": "Europe/Berlin"})).json()
        assert (len(times["next_times"]), times["problem"]) == (5, None)
        mistake = (await client.get("/schedules:times", params={"when": when, "zone": zone})).json()
    assert mistake["next_times"] == []
    assert says in mistake["problem"]
