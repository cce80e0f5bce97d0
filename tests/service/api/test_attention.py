"""What needs a person: failures by cause, dismissed and retried; phones and models that are away."""

from __future__ import annotations

from pathlib import Path

from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import EpisodeEnded
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.service.api.running_service import RunningService, running
from tests.service.database.work import begin, end

CHECK = {"source": "content://example/state", "holds": {"path": "dark", "equals": True}}
TASKS = {"tasks": [{"id": name, "goal": "Do it."} for name in "abcde"]}


async def fail(
    service: RunningService, task: str, reason: str, ending: Ending = Ending.STEP_LIMIT, at: float = 5.0
) -> None:
    result = EpisodeResult(
        episode=f"{task}-1-x",
        task=task,
        serial="p1",
        attempt=1,
        ending=ending,
        reason=reason,
        steps=3,
        verified=None,
        rubrics={},
        started_at=1.0,
        ended_at=at,
    )
    await begin(service.parts.batches, task, f"{task}-1-x", "p1", 1.0)
    assert await end(service.parts.batches, result)


async def test_failures_are_grouped_by_cause(service: RunningService) -> None:
    async with service.client() as client:
        await client.post("/batches", json=TASKS)
        await fail(service, "b1.a", 'no item "Milk" after 3 tries', at=5.0)
        await fail(service, "b1.b", 'no item "Bread" after 12 tries', at=9.0)
        await fail(service, "b1.c", "the phone was lost", at=7.0)
        await fail(service, "b1.d", "cancelled", Ending.CANCELLED)
        await fail(service, "b1.e", "done", Ending.FINISHED)
        service.fleet.found["p1"] = service.fleet.found["p1"].model_copy(
            update={"phase": PhonePhase.AWAY, "reason": "offline", "phase_since": 3.0}
        )
        found = (await client.get("/attention")).json()
    first, second = found["causes"]
    assert (first["count"], first["tasks"], first["first_at"], first["last_at"]) == (2, ["b1.b", "b1.a"], 5.0, 9.0)
    assert (first["reason"], first["pattern"]) == ('no item "Bread" after 12 tries', "no item # after # tries")
    assert first["episodes"] == ["b1.b-1-x", "b1.a-1-x"]
    assert second["tasks"] == ["b1.c"]
    at = {"since": 3.0, "since_iso": "1970-01-01T00:00:03.000Z"}
    assert found["phones"] == [{"serial": "p1", "phase": "away", "reason": "offline", **at}]
    assert (found["models"], found["open"]) == ([], 3)


async def test_a_failed_check_is_the_reason_and_the_cause(service: RunningService) -> None:
    unmet = UnmetTest(expected="dark is true", found="false")
    words = ("Everything that the goal asks for is done.", "Dark mode is on.")
    async with service.client() as client:
        await client.post("/batches", json=TASKS)
        for task, said in zip(("a", "b"), words, strict=True):
            ended = EpisodeEnded(
                at=5.0, ending=Ending.FINISHED, reason=f"planner: {said}", steps=3, verified=False, rubrics={},
                unmet=(unmet,),
            )  # fmt: skip
            spec = TaskSpec.model_validate({"id": f"b1.{task}", "goal": "Do it.", "check": CHECK})
            about = {"attempt": 1, "in_vain": 0, "failure": "", "started_at": 1.0}
            result = EpisodeResult.of(ended, episode=f"b1.{task}-1-x", task=spec, serial="p1", **about)
            assert await end(service.parts.batches, result)
        [cause] = (await client.get("/attention")).json()["causes"]
        shown = (await client.get("/tasks/b1.a")).json()
    reason = "its check does not hold: expected dark is true; found false"
    assert (cause["reason"], cause["verified"], cause["tasks"]) == (reason, False, ["b1.b", "b1.a"])
    assert (shown["reason"], shown["verified"], shown["is_done"]) == (reason, False, False)


async def test_a_cause_says_how_many_of_its_tasks_the_reader_may_change(service: RunningService) -> None:
    async with service.client() as client:
        await client.post("/batches", json=TASKS)
    async with service.client(AccessRole.OPERATE) as client:
        await client.post("/batches", json=TASKS)
    for task in ("b1.a", "b1.b", "b2.a"):
        await fail(service, task, "the phone was lost")
    for role, count in ((AccessRole.READ, 0), (AccessRole.SUBMIT, 2), (AccessRole.OPERATE, 3)):
        async with service.client(role) as client:
            (cause,) = (await client.get("/attention")).json()["causes"]
            assert (cause["count"], cause["changeable"]) == (3, count)
            dismissal = await client.post(f"/attention/{cause['id']}:dismiss") if count == 0 else None
            assert dismissal is None or dismissal.status_code == 403


async def test_paused_and_taken_over_episodes_need_a_person(service: RunningService) -> None:
    async with service.client() as client:
        await client.post("/batches", json=TASKS)
        for serial, task, since, taken in (("p1", "b1.a", 9.0, None), ("p2", "b1.b", 4.0, "ben")):
            service.fleet.found[serial] = PhoneStatus(
                serial=serial,
                phase=PhonePhase.BUSY,
                task=task,
                episode=f"{task}-1-x",
                held_by=taken or "anna",
                held_since=since,
                taken_over_by=taken,
                is_paused=taken is None,
                question="" if taken else "Which?",
            )
        found = (await client.get("/attention")).json()
    first, second = found["held"]
    assert (first["episode"], first["by"], first["since"], first["is_paused"]) == ("b1.b-1-x", "ben", 4.0, False)
    assert (second["task"], second["goal"], second["serial"], second["is_paused"]) == ("b1.a", "Do it.", "p1", True)
    assert (first["question"], second["question"]) == ("", "Which?")
    assert found["open"] == 2


async def test_a_dismissal_outlives_restarts_and_ends_with_the_next_failure(tmp_path: Path) -> None:
    async with running(tmp_path) as service, service.client() as client:
        await client.post("/batches", json=TASKS)
        await fail(service, "b1.a", "no item 1")
        [cause] = (await client.get("/attention")).json()["causes"]
        assert (await client.post(f"/attention/{cause['id']}:dismiss")).status_code == 204
        assert (await client.get("/attention")).json()["causes"] == []
        assert (await client.post(f"/attention/{cause['id']}:dismiss")).status_code == 404
    async with running(tmp_path) as service, service.client(AccessRole.OPERATE) as client:
        assert (await client.get("/attention")).json()["causes"] == []
        await fail(service, "b1.b", "no item 2")
        [again] = (await client.get("/attention")).json()["causes"]
        assert (again["id"], again["tasks"]) == (cause["id"], ["b1.b"])


async def test_a_cause_is_retried(service: RunningService) -> None:
    async with service.client() as client:
        await client.post("/batches", json=TASKS)
        for name in "ab":
            await fail(service, f"b1.{name}", f"no item {name}1")
        [cause] = (await client.get("/attention")).json()["causes"]
        made = await client.post(f"/attention/{cause['id']}:retry")
        assert (made.status_code, {task["retry_of"] for task in made.json()}) == (201, {"b1.a", "b1.b"})
        assert (await client.get("/attention")).json()["causes"] == []
        assert service.fleet.wakes >= 2


async def test_others_may_look_and_not_change(service: RunningService) -> None:
    async with service.client(AccessRole.OPERATE) as operator:
        await operator.post("/batches", json=TASKS)
        await fail(service, "b1.a", "no item")
    async with service.client() as client, service.client(AccessRole.READ) as reader:
        [cause] = (await reader.get("/attention")).json()["causes"]
        for act in ("dismiss", "retry"):
            assert (await client.post(f"/attention/{cause['id']}:{act}")).status_code == 403
            assert (await reader.post(f"/attention/{cause['id']}:{act}")).status_code == 403
    async with service.client(AccessRole.OPERATE) as operator:
        assert (await operator.post(f"/attention/{cause['id']}:dismiss")).status_code == 204
        assert (await operator.get("/attention/nope:dismiss")).status_code in (404, 405)


async def test_more_failures_than_are_counted_are_told_and_come_later(tmp_path: Path) -> None:
    async with running(tmp_path, most_failures=2) as service, service.client() as client:
        await client.post("/batches", json=TASKS)
        for name in "ab":
            await fail(service, f"b1.{name}", "no item")
        assert not (await client.get("/attention")).json()["has_more"]
        await fail(service, "b1.c", "no item")
        found = (await client.get("/attention")).json()
        [cause] = found["causes"]
        assert (cause["count"], cause["tasks"], found["has_more"]) == (2, ["b1.c", "b1.b"], True)
        await client.post(f"/attention/{cause['id']}:dismiss")
        found = (await client.get("/attention")).json()
        assert ([cause["tasks"] for cause in found["causes"]], found["has_more"]) == ([["b1.a"]], False)
