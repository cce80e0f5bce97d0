"""Episodes, screens and results, as the journals in the run folders tell them."""

from __future__ import annotations

import asyncio
import csv
import io
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml
from junitparser.xunit2 import JUnitXml as JUnitXmlOfSurefire
from PIL import Image

from manyhands.protocol.base import Ending
from manyhands.protocol.journals.journal import encode, scan
from manyhands.protocol.messages import PartialReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.api.routes import episodes
from tests.evaluation.run_records import (
    ID,
    acted,
    call,
    captured,
    decided,
    ended,
    perceived,
    planned,
    sent,
    span,
    started,
    write_run,
)
from tests.service.api.running_service import RunningService
from tests.service.database.work import end

BUY, CALL, LATE = "b1.buy-1-aaaa", "b1.call-1-bbbb", "b1.call.r2-1-cccc"


def task(id: str) -> TaskSpec:
    return TaskSpec(id=id, goal=f"Do {id}.")


def write_runs(runs: Path) -> None:
    """Two runs: the first has the tasks of a batch, the second a retry of one of them."""
    first, second = runs / "20260101-000000_service", runs / "20260102-000000_service"
    for folder in (first, second):
        folder.mkdir(parents=True)
    write_run(
        first,
        {"run_id": "first"},
        {
            BUY: [
                started(BUY, task("b1.buy"), at=10),
                captured(0, span(10, 11)),
                perceived(0, span(11, 12)),
                planned(0, span(12, 13), call(Role.PLAN, 100)),
                decided(0, span(13, 14), call(Role.DECIDE, 50)),
                sent(0, "k", at=14),
                acted(0, span(14, 15)),
                captured(1, span(16, 17)),
                ended(20, steps=1, answer="=cmd|milk"),
            ],
            CALL: [started(CALL, task("b1.call"), at=12), ended(30, Ending.STEP_LIMIT, steps=40, reason="too long")],
        },
    )
    (first / "screens").mkdir()
    Image.new("RGB", (200, 400), "red").save(first / "screens" / f"{ID}.png")
    write_run(second, {"run_id": "second"}, {LATE: [started(LATE, task("b1.call.r2"), at=50), ended(60, steps=2)]})


def result(task: str, episode: str, ending: Ending) -> EpisodeResult:
    return EpisodeResult(
        episode=episode, task=task, serial="p", attempt=1, ending=ending, reason="why", steps=1, verified=None,
        rubrics={}, started_at=1.0, ended_at=2.0,
    )  # fmt: skip


@pytest.fixture
async def ended_batch(service: RunningService) -> RunningService:
    """A batch of three tasks, all ended; one was cancelled before a phone had it, another was retried."""
    write_runs(service.parts.runs)
    batches = service.parts.batches
    async with service.client() as client:
        tasks = [{"id": id, "goal": f"Do {id}."} for id in ("buy", "call", "never")]
        assert (await client.post("/batches", json={"tasks": tasks, "name": "errands"})).status_code == 201
        await client.post("/tasks/b1.never:cancel", params={"reason": "not needed"})
        await batches.not_handed_over(10)
        await end(batches, result("b1.buy", BUY, Ending.FINISHED))
        await end(batches, result("b1.call", CALL, Ending.STEP_LIMIT))
        assert (await client.post("/tasks/b1.call:retry")).status_code == 201
        await batches.not_handed_over(10)
        await end(batches, result("b1.call.r2", LATE, Ending.FINISHED))
    return service


async def test_an_episode_is_shown_with_its_steps(ended_batch: RunningService) -> None:
    async with ended_batch.client(AccessRole.READ) as client:
        shown = (await client.get(f"/episodes/{BUY}")).json()
        page = (await client.get(f"/episodes/{BUY}/steps", params={"limit": 1})).json()
        rest = (await client.get(f"/episodes/{BUY}/steps", params={"cursor": page["next_cursor"]})).json()
    assert (shown["task"], shown["ending"], shown["steps"], shown["phone"]) == ("b1.buy", "finished", 1, "p")
    (step,) = page["items"]
    assert (step["step"], step["action"], step["screen"], step["screen_after"]) == (0, "Home", ID, ID)
    assert (step["model_calls"], step["input_tokens"]) == (2, 150)
    assert [later["step"] for later in rest["items"]] == [1]
    assert rest["next_cursor"] is None


async def test_episodes_of_every_run_are_found(ended_batch: RunningService) -> None:
    async with ended_batch.client(AccessRole.READ) as client:
        assert (await client.get(f"/episodes/{LATE}")).json()["task"] == "b1.call.r2"
        for id in ("b1.buy-2-aaaa", "..", "%2e%2e%2fb1", "b1%00"):
            assert (await client.get(f"/episodes/{id}")).status_code in (404, 422)


async def test_what_models_write_is_shown(ended_batch: RunningService) -> None:
    async with ended_batch.client(AccessRole.READ) as client:
        assert (await client.get(f"/episodes/{BUY}/writing")).json() == {"calls": []}
        ended_batch.fleet.texts[BUY] = [PartialReply(role=Role.PLAN, since=5.0, text='{"plan": "Op')]
        shown = (await client.get(f"/episodes/{BUY}/writing")).json()
    since = {"since": 5.0, "since_iso": "1970-01-01T00:00:05.000Z"}
    assert shown == {"calls": [{"role": "plan", "agent": "planner", **since, "text": '{"plan": "Op'}]}


async def test_a_running_episode_grows(ended_batch: RunningService) -> None:
    journal = ended_batch.parts.runs / "20260101-000000_service" / "episodes" / BUY / "journal.mh"
    whole = journal.read_bytes()
    journal.write_bytes(whole[: len(whole) // 2])
    async with ended_batch.client(AccessRole.READ) as client:
        assert (await client.get(f"/episodes/{BUY}")).json()["ended_at"] is None
        journal.write_bytes(whole)
        assert (await client.get(f"/episodes/{BUY}")).json()["ended_at"] == 20


async def test_a_screen_that_is_named_before_its_picture_is_written_is_waited_for(
    ended_batch: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episodes, "PICTURE_WAITS_S", itertools.repeat(0.01))  # however slow the machine is
    picture = ended_batch.parts.runs / "20260101-000000_service" / "screens" / f"{ID}.png"
    later = picture.rename(picture.with_suffix(".later"))
    ended_batch.fleet.found["p1"] = PhoneStatus(
        serial="p1", phase=PhonePhase.BUSY, task="b1.buy", episode=BUY, screen="2" * 32
    )
    async with ended_batch.client(AccessRole.READ) as client:
        small = asyncio.create_task(client.get(f"/episodes/{BUY}/screens/{ID}", params={"width": 50}))
        whole = asyncio.create_task(client.get(f"/episodes/{BUY}/screens/{ID}"))
        while ended_batch.fleet.listings < 3:  # the requests have found that the picture is not there
            await asyncio.sleep(0)
        later.rename(picture)
        assert ((await small).status_code, (await whole).status_code) == (200, 200)


async def test_a_screen_that_is_named_before_the_journal_has_it_is_waited_for(
    ended_batch: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episodes, "PICTURE_WAITS_S", itertools.repeat(0.01))
    journal = ended_batch.parts.runs / "20260101-000000_service" / "episodes" / BUY / "journal.mh"
    whole = journal.read_bytes()
    started = scan(whole).records[0]
    journal.write_bytes(encode(started, BUY, None, 0, 1))
    # By the time at which the page asks, the phone shows another screen.
    ended_batch.fleet.found["p1"] = PhoneStatus(
        serial="p1", phase=PhonePhase.BUSY, task="b1.buy", episode=BUY, screen="2" * 32
    )
    async with ended_batch.client(AccessRole.READ) as client:
        picture = asyncio.create_task(client.get(f"/episodes/{BUY}/screens/{ID}", params={"width": 50}))
        while ended_batch.fleet.listings < 3:
            await asyncio.sleep(0)
        journal.write_bytes(whole)
        assert (await picture).status_code == 200


async def test_a_screen_that_nobody_names_is_missing_after_a_while(
    ended_batch: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episodes, "PICTURE_WAITS_S", (0.01, 0.01))
    ended_batch.fleet.found["p1"] = PhoneStatus(serial="p1", phase=PhonePhase.BUSY, task="b1.buy", episode=BUY)
    async with ended_batch.client(AccessRole.READ) as client:
        assert (await client.get(f"/episodes/{BUY}/screens/{'1' * 32}")).status_code == 404


async def test_screens_come_whole_and_small(ended_batch: RunningService) -> None:
    async with ended_batch.client(AccessRole.READ) as client:
        whole = await client.get(f"/episodes/{BUY}/screens/{ID}")
        small = await client.get(f"/episodes/{BUY}/screens/{ID}", params={"width": 50})
        again = await client.get(f"/episodes/{BUY}/screens/{ID}", params={"width": 50})
        other = await client.get(f"/episodes/{BUY}/screens/{'1' * 32}")
        elsewhere = await client.get(f"/episodes/{CALL}/screens/{ID}")
        wrong = await client.get(f"/episodes/{BUY}/screens/..%2f..%2frun.yaml")
    assert Image.open(io.BytesIO(whole.content)).size == (200, 400)
    assert Image.open(io.BytesIO(small.content)).size == (50, 100)
    assert small.content == again.content
    assert "immutable" in whole.headers["cache-control"]
    assert [answer.status_code for answer in (other, elsewhere)] == [404, 404]
    assert wrong.status_code in (404, 422)


async def test_a_damaged_screen_is_no_defect(ended_batch: RunningService) -> None:
    (ended_batch.parts.runs / "20260101-000000_service" / "screens" / f"{ID}.png").write_bytes(b"no picture")
    async with ended_batch.client(AccessRole.READ) as client:
        answer = await client.get(f"/episodes/{BUY}/screens/{ID}", params={"width": 50})
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:manyhands:problem:not-found")


async def results(service: RunningService, form: str) -> Any:
    async with service.client(AccessRole.READ) as client:
        answer = await client.get("/batches/b1/results", params={"format": form})
    assert answer.status_code == 200, answer.text
    return answer


async def test_results_have_a_row_for_each_task(ended_batch: RunningService) -> None:
    rows = (await results(ended_batch, "json")).json()
    shown = [(row["id"], row["verdict"], row["finished"], row["run"]) for row in rows]
    assert shown == [
        ("b1.buy", "passed", "finished", "first"),
        ("b1.call", "failed", "step_limit", "first"),
        ("b1.never", "cancelled", "cancelled", "first"),
        ("b1.call.r2", "passed", "finished", "second"),
    ]
    assert rows[2]["reason"] == "not needed"
    assert rows[0]["batch"] == "b1"


async def test_results_come_in_every_form(ended_batch: RunningService) -> None:
    table = list(csv.DictReader(io.StringIO((await results(ended_batch, "csv")).text)))
    assert [row["id"] for row in table] == ["b1.buy", "b1.call", "b1.never", "b1.call.r2"]
    assert table[0]["answer"].startswith("'=")  # no formula
    lines = (await results(ended_batch, "jsonl")).text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in table]
    suites = JUnitXml.fromstring((await results(ended_batch, "junit")).content)
    assert (suites.tests, suites.failures, suites.skipped) == (3, 0, 1)
    page = await results(ended_batch, "html")
    assert "b1.call" in page.text
    assert "sandbox" in page.headers["content-security-policy"]


async def test_junit_names_cases_as_they_were_submitted_and_screens_can_be_fetched(ended_batch: RunningService) -> None:
    [suite] = JUnitXmlOfSurefire.fromstring((await results(ended_batch, "junit")).content)
    cases = {case.name: case for case in suite}
    assert [(suite.name, case.classname, name) for name, case in cases.items()] == [
        ("errands", "errands", "buy"),
        ("errands", "errands", "never"),
        ("errands", "errands", "call"),
    ]
    [flaky] = cases["call"].flaky_failures()  # type: ignore[attr-defined]
    assert (flaky.type, flaky.message) == ("step_limit", "step_limit: too long")
    address = str(cases["buy"].system_out).partition("[[ATTACHMENT|")[2].partition("]]")[0]
    async with ended_batch.client(AccessRole.READ) as client:
        answer = await client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")


async def test_junit_has_one_case_for_a_task_that_was_retried_twice(ended_batch: RunningService) -> None:
    async with ended_batch.client() as client:
        assert (await client.post("/tasks/b1.call:retry")).json()["id"] == "b1.call.r3"
    await end(ended_batch.parts.batches, result("b1.call.r3", LATE, Ending.STEP_LIMIT))
    [suite] = JUnitXmlOfSurefire.fromstring((await results(ended_batch, "junit")).content)
    assert [case.name for case in suite] == ["buy", "never", "call"]


async def test_a_batch_without_results_has_no_rows(service: RunningService) -> None:
    write_runs(service.parts.runs)
    async with service.client() as client:
        await client.post("/batches", json={"tasks": [{"id": "a", "goal": "Do it."}]})
        assert (await client.get("/batches/b1/results")).json() == []
        assert (await client.get("/batches/b2/results")).status_code == 404


async def test_a_damaged_run_folder_is_no_mistake_of_the_client(ended_batch: RunningService) -> None:
    for path in ended_batch.parts.runs.glob("*/run.yaml"):
        path.write_text("{", encoding="utf-8")
    async with ended_batch.client() as client:
        answer = await client.get("/batches/b1/results")
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:manyhands:problem:busy")
    assert "run.yaml" not in answer.text


async def test_a_report_has_the_steps_from_a_number_on_and_comes_once(service: RunningService) -> None:
    write_runs(service.parts.runs)
    async with service.client(AccessRole.READ) as client:
        whole = await client.get(f"/episodes/{BUY}/report")
        assert [step["step"] for step in whole.json()["steps"]] == [0, 1]
        assert len(whole.json()["steps"][0]["calls"]) == 2
        late = await client.get(f"/episodes/{BUY}/report", params={"from": 1})
        assert ([step["step"] for step in late.json()["steps"]], late.json()["first_step"]) == ([1], 1)
        tag = {"If-None-Match": whole.headers["etag"]}
        again = await client.get(f"/episodes/{BUY}/report", headers=tag)
        assert (again.status_code, again.content) == (304, b"")
        with (service.parts.runs / "20260101-000000_service" / "episodes" / BUY / "journal.mh").open("ab") as journal:
            journal.write(b"more")
        assert (await client.get(f"/episodes/{BUY}/report", headers=tag)).status_code == 200
        assert (await client.get("/episodes/none/report")).status_code == 404


async def test_the_calls_of_a_step_have_their_contents(service: RunningService) -> None:
    write_runs(service.parts.runs)
    async with service.client(AccessRole.READ) as client:
        found = (await client.get(f"/episodes/{BUY}/steps/0/calls")).json()
        assert (found["step"], [one["number"] for one in found["calls"]]) == (0, [0, 1])
        assert (await client.get(f"/episodes/{BUY}/steps/7/calls")).status_code == 404
