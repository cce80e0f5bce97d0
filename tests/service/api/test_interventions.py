"""Who may intervene in an episode over HTTP, and what the service asks its fleet then."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.errors import InterventionRefused
from manyhands.protocol.phones import Receipt
from manyhands.protocol.policy import ConsentQuestion, Effect, allow
from manyhands.protocol.runs.interventions import (
    AnswerQuestion,
    EpisodeControl,
    EpisodePhase,
    HandBackEpisode,
    Intervention,
    PauseEpisode,
    PersonAction,
    ShowControl,
    StopEpisode,
)
from manyhands.protocol.screens.actions import Back, Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.service.access import AccessRole, TokenRequest
from manyhands.protocol.service.interventions import ConsentStatus
from manyhands.service.client.async_client import AsyncClient
from manyhands.service.client.http_connection import ServiceRefused
from tests.service.api.running_service import RunningService
from tests.service.api.test_episodes import BUY, write_runs
from tests.service.api.test_schedules import BODY
from tests.service.database.work import begin, end, result

RUNS = "b1.buy-1-aaaa"
SCREEN = "a" * 32


@pytest.fixture
async def steered(service: RunningService) -> RunningService:
    """A service whose fleet runs an episode of the submitter's task."""
    async with service.client() as client:
        assert (await client.post("/batches", json={"tasks": [{"id": "buy", "goal": "Buy."}]})).status_code == 201
    receipt = Receipt(key=f"{RUNS}:3:1:0", status="done", sent_at=1.0, ms=1.0)
    service.fleet.controls[RUNS] = EpisodeControl(
        episode=RUNS, task="b1.buy", serial="p1", phase=EpisodePhase.TAKEN_OVER, by="ann", since=1.0, ends_at=601.0,
        screen=SCREEN, size=Size(width=720, height=1280), person_actions=2, receipt=receipt,
    )  # fmt: skip
    return service


def asked(service: RunningService) -> list[Intervention]:
    return [one for one in service.fleet.asked if not isinstance(one, ShowControl)]


async def test_a_client_pauses_takes_over_acts_and_hands_back(steered: RunningService) -> None:
    async with AsyncClient(steered.url, token=steered.secrets[AccessRole.SUBMIT]) as client:
        found = await client.control(RUNS)
        assert (found.phase, found.by, found.width, found.human_actions) == (EpisodePhase.TAKEN_OVER, "ann", 720, 2)
        await client.pause_episode(RUNS, reason="a look")
        await client.resume_episode(RUNS)
        await client.take_over(RUNS)
        answer = await client.act(RUNS, Tap(x=1, y=2), SCREEN, idempotency_key="k")
        assert (answer.key, answer.status, answer.control.screen) == (f"{RUNS}:3:1:0", "done", SCREEN)
        await client.hand_back(RUNS)
    owner = "a-submit"
    pause, _, _, act, back = asked(steered)
    assert pause == PauseEpisode(by=owner, reason="a look")
    assert act == PersonAction(by=owner, request="k", screen=SCREEN, action=Tap(x=1, y=2))
    assert back == HandBackEpisode(by=owner)


async def test_to_allow_an_action_needs_the_role_approve(steered: RunningService) -> None:
    verdict = allow(Tap(x=1, y=2), "may pay", effect=Effect.PAY).model_copy(update={"decision": "ask"})
    consent = ConsentQuestion(verdict=verdict, app="Shop", target_digest="s", screen=SCREEN)
    steered.fleet.controls[RUNS] = steered.fleet.controls[RUNS].model_copy(update={"consent": consent})
    for role in AccessRole:
        async with AsyncClient(steered.url, token=steered.secrets[role]) as client:
            question = (await client.control(RUNS)).consent
            assert question == ConsentStatus.of(consent)
            if role is AccessRole.APPROVE:
                await client.answer_episode(RUNS, None, allows=question.id)
                continue
            with pytest.raises(ServiceRefused, match=r"approve|submit"):
                await client.answer_episode(RUNS, None, allows=question.id)
    (answer,) = asked(steered)
    assert isinstance(answer, AnswerQuestion)
    assert answer.allows == consent.id


async def test_a_task_that_allows_effects_needs_the_role_approve(service: RunningService) -> None:
    tasks = [{"id": "buy", "goal": "Buy.", "allow": ["pay:Shop"]}]
    for role, status in ((AccessRole.SUBMIT, 403), (AccessRole.OPERATE, 403), (AccessRole.APPROVE, 201)):
        async with service.client(role) as client:
            assert (await client.post("/batches", json={"tasks": tasks})).status_code == status
            schedule = BODY | {"name": f"s-{role}", "batch": {"tasks": tasks}}
            assert (await client.post("/schedules", json=schedule)).status_code == status


async def test_a_client_answers_what_the_agent_asks_or_declines(steered: RunningService) -> None:
    steered.fleet.controls[RUNS] = EpisodeControl(
        episode=RUNS, task="b1.buy", serial="p1", phase=EpisodePhase.PAUSED, by="the agent", question="Which?",
        since=1.0, ends_at=1801.0,
    )  # fmt: skip
    async with AsyncClient(steered.url, token=steered.secrets[AccessRole.SUBMIT]) as client:
        found = await client.control(RUNS)
        assert (found.question, found.by, found.ends_at) == ("Which?", "the agent", 1801.0)
        await client.answer_episode(RUNS, "The second.")
        await client.answer_episode(RUNS, None)
    assert asked(steered) == [AnswerQuestion(by="a-submit", text=text) for text in ("The second.", None)]
    async with steered.client() as client:
        for body in ({}, {"text": ""}, {"text": "a" * 4001}, {"text": 5}, {"text": "a", "by": "ann"}):
            assert (await client.post(f"/episodes/{RUNS}:answer", json=body)).status_code == 422, body
    assert len(asked(steered)) == 2


async def test_a_stopped_episode_cancels_its_task(steered: RunningService) -> None:
    async with steered.client() as client:
        answer = await client.post(f"/episodes/{RUNS}:stop", params={"reason": "wrong account"})
    assert answer.status_code == 200
    assert asked(steered) == [StopEpisode(by="a-submit", reason="wrong account")]
    assert steered.fleet.cancelled == {"b1.buy": "stopped by a-submit: wrong account"}


async def test_only_the_owner_of_the_task_and_operators_may_intervene(steered: RunningService) -> None:
    other = await steered.parts.tokens.make(_token("ben"), 1.0)
    async with steered.client(AccessRole.READ) as client:
        assert (await client.get(f"/episodes/{RUNS}/control")).status_code == 200
        assert (await client.post(f"/episodes/{RUNS}:pause")).status_code == 403
        assert (await client.post(f"/episodes/{RUNS}:answer", json={"text": "x"})).status_code == 403
    async with steered.client(None, Authorization=f"Bearer {other.secret}") as client:
        for path in ("pause", "resume", "stop", "take-over", "hand-back"):
            assert (await client.post(f"/episodes/{RUNS}:{path}")).status_code == 403, path
        assert (await client.post(f"/episodes/{RUNS}:answer", json={"text": "x"})).status_code == 403
        assert (await _act(client, {"name": "Back"})).status_code == 403
    assert asked(steered) == []
    async with steered.client(AccessRole.OPERATE) as client:
        assert (await client.post(f"/episodes/{RUNS}:hand-back")).status_code == 200
    assert asked(steered) == [HandBackEpisode(by="a-operate", is_operator=True)]


async def test_what_is_no_action_is_refused(steered: RunningService) -> None:
    async with steered.client() as client:
        for action in ({"name": "Answer", "text": "x"}, {"name": "Stop"}, {"name": "rm"}, {"x": 1}, {"name": "Tap"}):
            assert (await _act(client, action)).status_code == 422, action
        assert (await client.post(f"/episodes/{RUNS}/actions", json=_body({"name": "Back"}))).status_code == 422
    assert asked(steered) == []


async def test_an_episode_that_does_not_run_is_a_conflict_or_unknown(steered: RunningService) -> None:
    async with steered.client() as client:
        assert (await client.get("/episodes/other/control")).status_code == 404
        assert (await client.post("/episodes/other:pause")).status_code == 404


async def test_an_episode_that_waits_for_its_host_runs_and_others_have_ended(steered: RunningService) -> None:
    write_runs(steered.parts.runs)
    steered.fleet.controls.clear()
    journal = steered.parts.runs / "20260101-000000_service" / "episodes" / BUY / "journal.mh"
    async with steered.client() as client:
        ended = (await client.get(f"/episodes/{BUY}/control")).json()
        journal.write_bytes(journal.read_bytes()[: journal.stat().st_size // 2])
        cut_off = (await client.get(f"/episodes/{BUY}/control")).json()
        found = steered.fleet.found
        found["p1"] = found["p1"].model_copy(update={"task": "b1.buy", "episode": BUY})
        waits = (await client.get(f"/episodes/{BUY}/control")).json()
        assert (await client.post(f"/episodes/{BUY}:pause")).status_code == 409
    assert (ended["phase"], ended["ending"]) == ("ended", "finished")
    assert (cut_off["phase"], cut_off["ending"]) == ("ended", None)
    assert waits["phase"] == "running"


async def test_an_episode_that_is_not_resumed_yet_is_tried_again(steered: RunningService) -> None:
    write_runs(steered.parts.runs)
    steered.fleet.controls.clear()
    journal = steered.parts.runs / "20260101-000000_service" / "episodes" / BUY / "journal.mh"
    journal.write_bytes(journal.read_bytes()[: journal.stat().st_size // 2])
    assert await begin(steered.parts.batches, "b1.buy", BUY, "p1", 1.0)
    async with steered.client() as client:
        for answer in (
            await client.get(f"/episodes/{BUY}/control"),
            await client.post(f"/episodes/{BUY}:pause"),
            await client.post(f"/episodes/{BUY}:hand-back"),
        ):
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        await end(steered.parts.batches, result("b1.buy", episode=BUY))
        assert (await client.get(f"/episodes/{BUY}/control")).json()["phase"] == "ended"
        assert (await client.post(f"/episodes/{BUY}:pause")).status_code == 409


async def test_what_the_phase_does_not_allow_is_a_conflict(steered: RunningService, monkeypatch: Any) -> None:
    async def refuse(episode: str, asked: Intervention) -> EpisodeControl:
        if isinstance(asked, PersonAction | AnswerQuestion):
            raise InterventionRefused("the phone shows another screen now")
        return steered.fleet.controls[episode]

    monkeypatch.setattr(steered.fleet, "intervene", refuse)
    async with steered.client() as client:
        answer = await _act(client, Back().model_dump())
        late = await client.post(f"/episodes/{RUNS}:answer", json={"text": "x"})
    assert (answer.status_code, answer.json()["detail"]) == (409, "the phone shows another screen now")
    assert late.status_code == 409


def _body(action: dict[str, Any]) -> dict[str, Any]:
    return {"screen": SCREEN, "action": action}


async def _act(client: Any, action: dict[str, Any]) -> Any:
    return await client.post(f"/episodes/{RUNS}/actions", json=_body(action), headers={"Idempotency-Key": "k"})


def _token(owner: str) -> TokenRequest:
    return TokenRequest(owner=owner)
