"""Equal questions of many phones are one, and an answer reaches the phones that were listed, and no other."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from manyhands.protocol.runs.interventions import AnswerQuestion, EpisodeControl, EpisodePhase
from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.fleet import PhonePhase
from manyhands.protocol.service.interventions import ConsentStatus
from manyhands.service.client.async_client import AsyncClient
from manyhands.service.client.http_connection import ServiceRefused
from tests.service.api.running_service import RunningService, phone

PHONES = 200
TWENTY, FORTY = (f"Tap 'Pay' in Shop may pay (the greatest amount shown: {amount}). Allow it?" for amount in (20, 40))


def consent_of(serial: str) -> str:
    return f"{int(serial):016x}"


@pytest.fixture
async def asking(service: RunningService) -> RunningService:
    """A service with 200 phones whose agents ask to pay 20, and one whose agent asks to pay 40."""
    serials = [f"{number:03d}" for number in range(PHONES + 1)]
    tasks = [{"id": serial, "goal": "Buy the ticket."} for serial in serials]
    async with service.client() as client:
        assert (await client.post("/batches", json={"tasks": tasks})).status_code == 201
    service.fleet.found.clear()
    for serial in serials:
        ask(service, serial, FORTY if serial == serials[-1] else TWENTY)
    return service


def ask(service: RunningService, serial: str, question: str) -> None:
    episode = f"b1.{serial}-1-aaaa"
    service.fleet.found[serial] = phone(serial).model_copy(
        update={
            "phase": PhonePhase.BUSY, "task": f"b1.{serial}", "episode": episode, "is_paused": True,
            "held_by": "the agent", "held_since": 100.0 + int(serial), "question": question,
            "consent": ConsentStatus(id=consent_of(serial), screen="a" * 32),
        }
    )  # fmt: skip
    service.fleet.controls[episode] = EpisodeControl(
        episode=episode, task=f"b1.{serial}", serial=serial, phase=EpisodePhase.PAUSED
    )


def told(service: RunningService) -> Iterable[tuple[str, str | None]]:
    """Yield the episodes that were told an answer, each with the question that the answer allows."""
    for episode, intervention in zip(service.fleet.asked_of, service.fleet.asked, strict=True):
        assert isinstance(intervention, AnswerQuestion)
        assert intervention.by in ("a-approve", "a-submit")
        yield episode, intervention.allows


async def test_equal_questions_are_one_and_another_amount_asks_apart(asking: RunningService) -> None:
    async with AsyncClient(asking.url, token=asking.secrets[AccessRole.APPROVE]) as client:
        found = await client.attention()
        assert (found.open, len(found.held)) == (2, PHONES + 1)
        many, one = await client.approvals()
        assert found.approvals == (many, one)
        assert (len(many.episodes), many.question) == (PHONES, TWENTY)
        assert (len(one.episodes), one.question) == (1, FORTY)
        outcomes = await client.allow_approval(many.id)
        assert [(outcome.episode, outcome.problem) for outcome in outcomes] == [(e.episode, "") for e in many.episodes]
    assert sorted(told(asking)) == [(e.episode, consent_of(e.serial)) for e in many.episodes]


async def test_a_phone_that_joins_is_not_allowed_what_was_listed_without_it(asking: RunningService) -> None:
    async with AsyncClient(asking.url, token=asking.secrets[AccessRole.APPROVE]) as client:
        many, one = await client.approvals()
        ask(asking, one.episodes[0].serial, TWENTY)
        for late in (many.id, one.id, "0" * 16):
            with pytest.raises(ServiceRefused, match="list the approvals again"):
                await client.allow_approval(late)
        assert list(told(asking)) == []
        (all_of_them,) = await client.approvals()
        assert len(all_of_them.episodes) == PHONES + 1


async def test_an_episode_that_is_over_does_not_hold_up_the_others(asking: RunningService) -> None:
    async with AsyncClient(asking.url, token=asking.secrets[AccessRole.APPROVE]) as client:
        many = (await client.approvals())[0]
        gone = many.episodes[7]
        del asking.fleet.controls[gone.episode]
        outcomes = await client.allow_approval(many.id)
        assert [one.serial for one in outcomes if one.problem] == [gone.serial]


async def test_to_allow_needs_the_role_and_to_decline_ones_own_task(asking: RunningService) -> None:
    for role in AccessRole:
        async with AsyncClient(asking.url, token=asking.secrets[role]) as client:
            many, _ = await client.approvals()
            if role is not AccessRole.APPROVE:
                with pytest.raises(ServiceRefused, match=r"approve|submit"):
                    await client.allow_approval(many.id)
    assert list(told(asking)) == []
    async with AsyncClient(asking.url, token=asking.secrets[AccessRole.SUBMIT]) as client:
        await client.decline_approval(many.id)
    assert {allows for _, allows in told(asking)} == {None}
    async with asking.client() as http:
        assert (await http.get("/audit")).status_code == 403, "who asked is told to operators alone"
    async with asking.client(AccessRole.OPERATE) as http:
        entries = (await http.get("/audit")).json()["items"]
    paths = {(entry["path"], entry["owner"], entry["status"]) for entry in entries}
    assert (f"/api/v1/approvals/{many.id}:decline", "a-submit", 200) in paths
    assert (f"/api/v1/approvals/{many.id}:allow", "a-operate", 403) in paths
