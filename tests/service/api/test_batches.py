"""Batches over HTTP: submitted in JSON and YAML, once for each key, and changed by their owners."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.batches import BatchStatus, TaskStatus
from tests.service.api.running_service import RunningService
from tests.service.database.work import end

TASKS = [{"id": "buy", "goal": "Buy milk."}, {"id": "call", "goal": "Call Emma."}]
YAML = {"Content-Type": "application/yaml"}


async def submit(service: RunningService, **given: Any) -> BatchStatus:
    async with service.client() as client:
        answer = await client.post("/batches", json={"tasks": TASKS, **given})
    assert answer.status_code == 201, answer.text
    return BatchStatus.model_validate(answer.json())


def failed(task: str) -> EpisodeResult:
    return EpisodeResult(
        episode=f"{task}-1-abc", task=task, serial="p1", attempt=1, ending=Ending.STEP_LIMIT, reason="too many steps",
        steps=3, verified=None, rubrics={}, started_at=1.0, ended_at=2.0,
    )  # fmt: skip


async def test_a_batch_is_stored_and_shown(service: RunningService) -> None:
    made = await submit(service, name="evening", tags=["night"], priority=5)
    assert (made.id, made.owner, made.tasks, made.waiting) == ("b1", "a-submit", 2, 2)
    async with service.client(AccessRole.READ) as client:
        assert BatchStatus.model_validate((await client.get("/batches/b1")).json()) == made
        page = (await client.get("/batches", params={"tag": "night", "owner": "a-submit"})).json()
        assert [batch["id"] for batch in page["items"]] == ["b1"]
        assert page["next_cursor"] is None
        task = TaskStatus.model_validate((await client.get("/tasks/b1.buy")).json())
    assert (task.batch, task.goal, task.priority) == ("b1", "Buy milk.", 5)


async def test_lists_come_in_parts(service: RunningService) -> None:
    await submit(service, tasks=[{"id": f"t{number}", "goal": "Do it."} for number in range(7)])
    found: list[str] = []
    async with service.client(AccessRole.READ) as client:
        cursor: dict[str, str] = {}
        while True:
            page = (await client.get("/tasks", params={"batch": "b1", "limit": 3, **cursor})).json()
            found += [task["id"] for task in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
    assert found == [f"b1.t{number}" for number in range(7)]


async def test_a_file_of_tasks_is_a_batch(service: RunningService) -> None:
    text = "defaults: {attempts: 2}\ntasks:\n- id: dark\n  goal: Turn on ${what}.\n  variables: {what: dark mode}\n"
    query = {"name": "from a file", "priority": 3, "tag": ["a", "b"], "phones": "model=pixel"}
    async with service.client() as client:
        answer = await client.post("/batches", content=text, headers=YAML, params=query)
        task = (await client.get("/tasks/b1.dark")).json()
    made = BatchStatus.model_validate(answer.json())
    assert (made.name, made.priority, made.tags, made.phones) == ("from a file", 3, ("a", "b"), "model=pixel")
    assert task["goal"] == "Turn on dark mode."


async def test_mistakes_in_a_file_have_their_lines(service: RunningService) -> None:
    text = "- id: dark\n  gaol: Turn on dark mode.\n- id: dark\n  goal: Again.\n  attempts: 99\n"
    async with service.client() as client:
        answer = await client.post("/batches", content=text, headers=YAML)
    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (422, "urn:manyhands:problem:invalid")
    assert problem["mistakes"] == [
        "line 2: task 1 (dark): unknown key 'gaol'; did you mean 'goal'?",
        "line 3: task 2 (dark): task 1 (dark) has this id, too",
        "line 5: task 2 (dark): attempts: must be at most 20, not 99",
    ]


async def test_mistakes_in_json_have_their_places(service: RunningService) -> None:
    async with service.client() as client:
        answer = await client.post("/batches", json={"tasks": [{"id": "a", "goal": ""}], "prority": 1})
    assert answer.status_code == 422
    assert answer.json()["mistakes"] == [
        "tasks.0.goal: must not be empty",
        "unknown key 'prority'; did you mean 'priority'?",
    ]


@pytest.mark.parametrize(
    ("content", "media_type", "status"),
    [
        (b"{", "application/json", 422),
        (b"", "application/json", 422),
        (b"[" * 100_000, "application/json", 422),
        (b"{}", "text/plain", 415),
        (b"[1", "application/yaml", 422),
        (b"\xff\xfe", "application/yaml", 400),
        (b"a: &a [*a, *a]", "application/yaml", 422),
    ],
)  # fmt: skip
async def test_a_body_that_is_none_is_refused(
    service: RunningService, content: bytes, media_type: str, status: int
) -> None:
    async with service.client() as client:
        answer = await client.post("/batches", content=content, headers={"Content-Type": media_type})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "given",
    [
        '"limits": {"wall_s": Infinity}',
        '"limits": {"wall_s": 1e999}',
        '"check": {"source": "content://e/s", "holds": {"path": "a", "at_least": NaN}}',
        '"check": {"source": "content://e/s", "holds": {"path": "a", "equals": -1e999}}',
        '"answer": {"schema": {"type": "number", "minimum": NaN}}',
    ],
)
async def test_what_the_database_could_not_give_back_is_refused(service: RunningService, given: str) -> None:
    body = f'{{"tasks": [{{"id": "a", "goal": "Do it.", {given}}}]}}'
    schedule = f'{{"name": "n", "when": "every 5m", "batch": {body}}}'
    async with service.client() as client:
        for path, content in (("/batches", body), ("/schedules", schedule)):
            answer = await client.post(path, content=content, headers={"Content-Type": "application/json"})
            assert (answer.status_code, answer.json()["type"]) == (422, "urn:manyhands:problem:invalid")
        text = "- {id: a, goal: Do it., limits: {wall_s: .inf}}"
        assert (await client.post("/batches", content=text, headers=YAML)).status_code == 422
    assert await service.parts.batches.not_handed_over(10) == ()


async def test_odd_texts_are_kept(service: RunningService) -> None:
    async with service.client() as client:
        body = {"tasks": [{"id": "a", "goal": "NUL \0, \u2028 and 🤖", "check": {"holds": deep(100)}}]}
        assert (await client.post("/batches", json=body)).status_code == 201
    (group,) = await service.parts.batches.not_handed_over(10)
    assert group.tasks[0].goal == "NUL \0, \u2028 and 🤖"


def deep(levels: int) -> dict[str, Any]:
    """Return a predicate within a predicate, and so on."""
    return {"not": deep(levels - 1)} if levels else {"answer": {"contains": "x"}}


async def test_a_key_makes_one_batch(service: RunningService) -> None:
    key = {"Idempotency-Key": "k-1"}
    async with service.client() as client:
        first = await client.post("/batches", json={"tasks": TASKS}, headers=key)
        again = await client.post("/batches", json={"tasks": TASKS}, headers=key)
        other = await client.post("/batches", json={"tasks": TASKS[:1]}, headers=key)
        page = (await client.get("/batches")).json()
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert first.json()["id"] == again.json()["id"]
    assert first.headers["location"] == "/api/v1/batches/b1"
    assert other.json()["type"] == "urn:manyhands:problem:conflict"
    assert len(page["items"]) == 1


async def test_the_fleet_is_told_what_the_database_knows(service: RunningService) -> None:
    await submit(service)
    await service.parts.batches.not_handed_over(10)
    async with service.client() as client:
        paused = (await client.post("/batches/b1:pause")).json()
        assert (paused["phase"], service.fleet.held) == ("paused", {"b1.buy", "b1.call"})
        resumed = (await client.post("/tasks/b1.buy:resume")).json()
        assert (resumed["phase"], service.fleet.held) == ("waiting", {"b1.call"})
        assert (await client.post("/tasks/b1.buy:pause")).json()["phase"] == "paused"
        assert (await client.post("/batches/b1:resume")).json()["phase"] == "open"
        await client.post("/tasks/b1.buy:cancel")
        await client.post("/batches/b1:cancel", params={"reason": "not needed"})
    assert service.fleet.held == set()
    assert service.fleet.cancelled == {"b1.buy": "not needed", "b1.call": "not needed"}


async def test_what_failed_is_tried_again(service: RunningService) -> None:
    await submit(service)
    await service.parts.batches.not_handed_over(10)
    await end(service.parts.batches, failed("b1.buy"))
    async with service.client() as client:
        assert (await client.post("/tasks/b1.call:retry")).status_code == 409
        again = await client.post("/batches/b1:retry")
        assert (again.status_code, [task["id"] for task in again.json()]) == (201, ["b1.buy.r2"])
        assert (await client.post("/batches/b1:retry")).status_code == 409
        await service.parts.batches.not_handed_over(10)
        await end(service.parts.batches, failed("b1.buy.r2"))
        once_more = await client.post("/tasks/b1.buy.r2:retry")
    assert (once_more.status_code, once_more.json()["phase"]) == (201, "waiting")


async def test_only_owners_and_operators_change_a_batch(service: RunningService) -> None:
    await submit(service)
    async with service.client(AccessRole.OPERATE) as client:
        assert (await client.post("/batches", json={"tasks": TASKS})).status_code == 201
        assert (await client.post("/tasks/b1.buy:cancel")).status_code == 200
    async with service.client() as client:
        for path in ("/batches/b2:cancel", "/batches/b2:pause", "/tasks/b2.buy:cancel", "/tasks/b2.buy:retry"):
            answer = await client.post(path)
            assert (answer.status_code, answer.json()["type"]) == (403, "urn:manyhands:problem:forbidden")
    async with service.client(AccessRole.READ) as client:
        assert (await client.post("/batches", json={"tasks": TASKS})).status_code == 403
        assert (await client.post("/batches/b1:cancel")).status_code == 403


@pytest.mark.parametrize("path", ["/batches/b9", "/tasks/b9.x", "/episodes/none-1-abc", "/phones/none", "/nothing"])
async def test_what_is_not_there_is_a_problem(service: RunningService, path: str) -> None:
    async with service.client() as client:
        answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_another_method_is_refused_with_those_there_are(service: RunningService) -> None:
    async with service.client() as client:
        answer: httpx.Response = await client.delete("/batches")
    assert (answer.status_code, answer.json()["type"]) == (405, "urn:manyhands:problem:method-not-allowed")
    assert set(answer.headers["allow"].split(", ")) & {"GET", "POST"}


async def test_a_priority_is_changed_by_the_owner_and_told_to_the_fleet(service: RunningService) -> None:
    async with service.client() as client:
        await client.post("/batches", json={"tasks": [{"id": "a", "goal": "g"}, {"id": "b", "goal": "g"}]})
        changed = await client.post("/batches/b1:priority", json={"priority": 7})
        assert (changed.status_code, changed.json()["priority"]) == (200, 7)
        task = await client.post("/tasks/b1.b:priority", json={"priority": -3})
        assert (task.status_code, task.json()["priority"]) == (200, -3)
        assert (await client.post("/batches/b1:priority", json={"priority": 101})).status_code == 422
        assert (await client.post("/batches/b9:priority", json={"priority": 1})).status_code == 404
    assert service.fleet.priorities == {"b1.a": 7, "b1.b": -3}
    async with service.client(AccessRole.READ) as reader:
        assert (await reader.post("/batches/b1:priority", json={"priority": 1})).status_code == 403


async def test_texts_are_searched_in_all_tasks_and_batches_the_newest_first(service: RunningService) -> None:
    await submit(service, name="Evening shop", tags=["Müll"])
    await submit(service, name="100%", tasks=[{"id": "dark", "goal": "Öffne die Küche."}])
    assert await end(service.parts.batches, failed("b1.buy"))

    async def ids(place: str, text: str) -> list[str]:
        async with service.client(AccessRole.READ) as client:
            answer = await client.get(
                place, params={"text": text, **({"newest_first": True} if "t" in place[1:2] else {})}
            )
        assert answer.status_code == 200, answer.text
        return [one["id"] for one in answer.json()["items"]]

    assert await ids("/tasks", "MILK") == ["b1.buy"]
    assert await ids("/tasks", "küche") == ["b2.dark"]
    assert await ids("/tasks", "b") == ["b2.dark", "b1.call", "b1.buy"]
    assert await ids("/tasks", "%") == []
    assert await ids("/batches", "shop") == await ids("/batches", "mül") == await ids("/batches", "B1") == ["b1"]
    assert await ids("/batches", "%") == ["b2"]
    assert await ids("/batches", "a-submit") == ["b2", "b1"]


async def test_all_batches_are_cancelled_at_once_by_an_operator_everybodys(service: RunningService) -> None:
    await submit(service)
    await submit(service)
    async with service.client(AccessRole.OPERATE) as client:
        await client.post("/batches", json={"tasks": TASKS})
        await client.post("/batches/b2:pause")
    async with service.client(AccessRole.READ) as client:
        assert (await client.post("/batches:cancel")).status_code == 403
    async with service.client() as client:
        own = (await client.post("/batches:cancel", params={"reason": "fire"})).json()
        assert [(batch["id"], batch["phase"], batch["waiting"]) for batch in own] == [
            ("b1", "cancelled", 0), ("b2", "cancelled", 0),
        ]  # fmt: skip
        assert (await client.get("/tasks/b2.buy")).json()["reason"] == "fire"
        assert (await client.get("/batches/b3")).json()["phase"] == "open"
    async with service.client(AccessRole.OPERATE) as client:
        assert [batch["id"] for batch in (await client.post("/batches:cancel")).json()] == ["b3"]
        assert (await client.post("/batches:cancel")).json() == []
