"""``POST /batches:check``: what a submission would be answered, and nothing is stored."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.tasks.task_size import MOST_STEPS_OF_TASKS
from manyhands.protocol.tasks.value_tests import pattern_size
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from tests.service.api.running_service import RunningService

YAML = {"Content-Type": "application/yaml"}


async def test_a_batch_without_mistakes_is_counted(service: RunningService) -> None:
    async with service.client() as client:
        answer = await client.post(
            "/batches:check", content="- id: a\n  goal: Do it.\n- {id: b, goal: Do that.}\n", headers=YAML
        )
        assert answer.json() == {"tasks": 2, "deadline_warning": None, "mistakes": [], "unmatched": []}
        assert (await client.get("/batches")).json()["items"] == []
    async with service.client(AccessRole.READ) as reader:
        assert (await reader.post("/batches:check", json={"tasks": []})).status_code == 403


async def test_mistakes_have_their_lines(service: RunningService) -> None:
    text = "- id: a\n  goal: Do it.\n- id: a\n  gaol: Do that.\n"
    async with service.client() as client:
        yaml = (await client.post("/batches:check", content=text, headers=YAML)).json()
        plain = (await client.post("/batches:check", json={"tasks": [{"id": "a", "goal": ""}], "nmae": "x"})).json()
        broken = (await client.post("/batches:check", content="- id: [\n", headers=YAML)).json()
        none = await client.post("/batches:check", content=b"\xff", headers=YAML)
    assert yaml["tasks"] == 0
    assert {mistake["line"] for mistake in yaml["mistakes"]} >= {3, 4}
    assert any("gaol" in mistake["text"] for mistake in yaml["mistakes"])
    assert not any(mistake["text"].startswith("line") for mistake in yaml["mistakes"])
    assert {mistake["line"] for mistake in plain["mistakes"]} == {None}
    assert broken["mistakes"][0]["line"] is not None
    assert none.status_code == 400


async def test_a_task_by_the_hand_of_another_is_a_mistake(service: RunningService) -> None:
    tasks = [{"id": "a", "goal": "Do it.", "by_hand": "b-operate"}]
    async with service.client() as client:
        checked = (await client.post("/batches:check", json={"tasks": tasks})).json()
    [mistake] = checked["mistakes"]
    assert (checked["tasks"], mistake["line"], "b-operate" in mistake["text"]) == (0, None, True)


@pytest.mark.parametrize(
    ("batch", "task", "expected"),
    [
        ("", "", []),
        ("model=pixel", "", []),
        ("model=nokia", "", [{"task": None, "phones": "model=nokia"}]),
        ("", "model=nokia", [{"task": "b", "phones": "model=nokia"}]),
    ],
)
async def test_selectors_without_phones_are_named(
    service: RunningService, batch: str, task: str, expected: list[object]
) -> None:
    tasks = [{"id": "a", "goal": "Do it."}, {"id": "b", "goal": "Do it.", "phones": task}]
    async with service.client() as client:
        found = (await client.post("/batches:check", json={"tasks": tasks, "phones": batch})).json()
    assert (found["tasks"], found["unmatched"]) == (2, expected)


async def test_a_deadline_that_cannot_be_met_is_said(service: RunningService) -> None:
    asked = {"tasks": [{"id": "a", "goal": "Do it."}], "phones": "model=nokia", "deadline": HOST_CLOCK.now() + 60}
    async with service.client() as client:
        found = (await client.post("/batches:check", json=asked)).json()
    assert "no phone" in found["deadline_warning"]


BEYOND = 10**30
PROVIDER = "content://a/b"
LARGE_PATTERNS = [f"(?:[a-z ]{{1,100}}){{1,10}}{number}" for number in range(480)]
"""Patterns of 8,000 steps each, or 3,000 if case counts. Compiling all takes seconds."""
LARGE_TESTS = [{"answer": {"matches": pattern}} for pattern in LARGE_PATTERNS]
MISFITS: dict[str, dict[str, object]] = {
    "check.holds.any.2.answer.matches": {"check": {"holds": {"any": LARGE_TESTS}}},
    "rubrics.1.holds.answer.matches": {
        "check": {"holds": LARGE_TESTS[0]},
        "rubrics": [{"name": f"{number}", "holds": test} for number, test in enumerate(LARGE_TESTS[1:])],
    },
    "answer.schema.anyOf.6.pattern": {
        "answer": {"schema": {"anyOf": [{"type": "string", "pattern": one} for one in LARGE_PATTERNS[:100]]}}
    },
    "reset_seed": {"reset_seed": BEYOND},
    "check.holds.equals": {"check": {"source": PROVIDER, "holds": {"path": "a", "equals": BEYOND}}},
    "check.holds.count_at_least": {"check": {"source": PROVIDER, "holds": {"path": "a", "count_at_least": -BEYOND}}},
    "human_steps": {"human_steps": BEYOND},
    "answer.schema.maximum": {"answer": {"schema": {"type": "integer", "maximum": BEYOND}}},
    "tags": {"tags": ["x"] * 60_000},
    "check": {"check": {"source": PROVIDER, "holds": {"any": [{"path": "a", "exists": True}] * 5_000}}},
    "": {"apps": ["x" * 600_000]},
}


@pytest.mark.parametrize("place", MISFITS)
async def test_a_task_that_no_message_can_hold_is_refused_with_its_place(service: RunningService, place: str) -> None:
    batch = {"tasks": [{"id": "a", "goal": "Do it."}, {"id": "b", "goal": "Do it.", **MISFITS[place]}]}
    schedule = {"name": "n", "when": "every 1h", "batch": batch}
    at = f"tasks.1.{place}" if place else "tasks.1"
    async with service.client() as client:
        answer = await client.post("/batches", json=batch)
        checked = (await client.post("/batches:check", json=batch)).json()
        yaml = await client.post("/batches", content=json.dumps(batch["tasks"]), headers=YAML)
        planned = await client.post("/schedules", json=schedule)
        assert (await client.get("/batches")).json()["items"] == []
    assert (answer.status_code, yaml.status_code, planned.status_code) == (422, 422, 422)
    assert answer.json()["mistakes"][0].startswith(f"{at}: ")
    assert checked["mistakes"][0]["text"] == answer.json()["mistakes"][0]
    assert f"task 2 (b): {place}" in yaml.json()["mistakes"][0]
    assert planned.json()["mistakes"][0].startswith(f"batch.{at}: ")


async def test_a_body_of_too_many_patterns_is_refused_at_the_first_one_too_many(service: RunningService) -> None:
    tasks = [{"id": f"t{number}", "goal": "g", "check": {"holds": test}} for number, test in enumerate(LARGE_TESTS)]
    batch, last = {"tasks": tasks}, MOST_STEPS_OF_TASKS // pattern_size(LARGE_PATTERNS[0], ignore_case=True)
    async with service.client() as client:
        answer = await client.post("/batches", json=batch)
        yaml = await client.post("/batches", content=json.dumps(tasks), headers=YAML)
        same = await client.post("/batches", json={"tasks": [{**task, "check": tasks[0]["check"]} for task in tasks]})
    assert (answer.status_code, yaml.status_code, same.status_code) == (422, 422, 201)
    (mistake,) = answer.json()["mistakes"]
    assert mistake.startswith(f"tasks.{last}.check.holds.answer.matches: with this pattern")
    assert f"task {last + 1} (t{last}): check.holds.answer.matches" in yaml.json()["mistakes"][0]


UNKNOWN = {f"gaol{number}": 1 for number in range(60_000)}
FLAWED: dict[str, dict[str, object]] = {
    "a task": {"tasks": [{"id": "a", "goal": "g", **UNKNOWN}]},
    "tasks": {"tasks": [{"id": "a", "gaol": "g", "tags": [1] * 9000}] * 200},
    "the batch": {"tasks": [{"id": "a", "goal": "g"}], **UNKNOWN},
    "brackets": {"tasks": [[]] * 500_000, "tags": [[]] * 100_000},
}


@pytest.mark.parametrize("where", FLAWED)
async def test_a_body_of_many_mistakes_names_some_of_them_in_little_memory(service: RunningService, where: str) -> None:
    content = json.dumps(FLAWED[where])
    tracemalloc.start()
    async with service.client() as client:
        answer = await client.post("/batches", content=content, headers={"Content-Type": "application/json"})
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert answer.status_code in (413, 422)
    assert len(answer.json()["mistakes"]) <= 101
    assert most < 150 * 2**20
