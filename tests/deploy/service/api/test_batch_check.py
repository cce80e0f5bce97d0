"""``POST /batches:check``: what a submission would be answered, and nothing is stored."""

from __future__ import annotations

import pytest

from manyhands.protocol.host_clock import HOST_CLOCK
from manyhands.protocol.service.access import AccessRole
from tests.deploy.service.api.running_service import RunningService

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
