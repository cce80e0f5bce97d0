"""Webhooks over HTTP: operators alone make them, the secret is shown once, dead letters can be sent again."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.webhooks import DEFAULT_KINDS, DeliveryPhase, WebhookGrant
from manyhands.service.database.deliveries import AttemptOutcome
from tests.service.api.running_service import RunningService

BODY: dict[str, Any] = {"url": "https://example.org/hook", "name": "chat"}


async def test_a_webhook_is_made_shown_changed_and_removed(service: RunningService) -> None:
    async with service.client(AccessRole.OPERATE) as client:
        answer = await client.post("/webhooks", json=BODY)
        assert answer.status_code == 201
        made = WebhookGrant.model_validate(answer.json())
        assert made.secret.startswith("whsec_")
        assert made.kinds == DEFAULT_KINDS
        shown = await client.get("/webhooks/w1")
        assert shown.json() == made.model_dump(mode="json", exclude={"secret"})
        assert made.secret not in (await client.get("/webhooks")).text + shown.text
        changed = (await client.put("/webhooks/w1", json=BODY | {"kinds": ["task.ended"]})).json()
        assert changed["kinds"] == ["task.ended"]
        assert (await client.post("/webhooks/w1:pause")).json()["paused"] is True
        assert (await client.post("/webhooks/w1:resume")).json()["paused"] is False
        assert service.woken == ["webhooks"] * 3
        assert (await client.delete("/webhooks/w1")).status_code == 204
        assert (await client.get("/webhooks/w1")).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"url": "ftp://example.org/"}, "http://HOST/PATH"),
        ({"url": "http://169.254.169.254/latest"}, "169.254.169.254"),
        ({"url": "http://[fe80::1]/"}, "fe80::1"),
        ({"kinds": ["task.step"]}, "task.step"),
        ({"kinds": []}, "kinds"),
        ({"secret": "mine"}, "secret"),
    ],
)
async def test_mistakes_of_webhooks_are_named(service: RunningService, wrong: dict[str, Any], says: str) -> None:
    async with service.client(AccessRole.OPERATE) as client:
        answer = await client.post("/webhooks", json=BODY | wrong)
    assert answer.status_code == 422
    assert says in answer.text


async def test_webhooks_are_for_operators(service: RunningService) -> None:
    async with service.client(AccessRole.OPERATE) as client:
        await client.post("/webhooks", json=BODY)
    async with service.client(AccessRole.SUBMIT) as client:
        for method, path in (
            ("GET", "/webhooks"),
            ("POST", "/webhooks"),
            ("GET", "/webhooks/w1"),
            ("PUT", "/webhooks/w1"),
            ("DELETE", "/webhooks/w1"),
            ("POST", "/webhooks/w1:pause"),
            ("GET", "/webhooks/w1/deliveries"),
            ("POST", "/webhooks/w1:resend"),
        ):
            assert (await client.request(method, path, json=BODY)).status_code == 403, path


async def test_dead_letters_are_listed_and_sent_again(service: RunningService) -> None:
    webhooks = service.parts.webhooks
    async with service.client(AccessRole.OPERATE) as client:
        await client.post("/webhooks", json=BODY)
        await service.parts.events.append(
            [ServiceEvent(id=0, at=5.0, kind=EventKind.PHONE_ASIDE, phone=phone) for phone in ("p1", "p2", "p3")]
        )
        await webhooks.collect(6.0, 100)
        waiting = (await client.get("/webhooks/w1/deliveries", params={"phase": "waiting"})).json()["items"]
        assert [one["kind"] for one in waiting] == ["phone.aside"] * 3
        for one in waiting[:2]:
            await webhooks.record(
                AttemptOutcome(one["id"], "w1", 7.0, DeliveryPhase.DEAD, None, 500, "it answered 500")
            )
        dead = (await client.get("/webhooks/w1/deliveries", params={"phase": "dead"})).json()["items"]
        assert [(one["http_status"], one["problem"]) for one in dead] == [(500, "it answered 500")] * 2
        assert (await client.get("/webhooks/w1")).json()["dead"] == 2
        resend = "/webhooks/w1:resend"
        first = (await client.post(resend, json={"deliveries": [dead[0]["id"], "msg_unknown"]})).json()
        rest = (await client.post(resend, json={})).json()
        assert (first, rest) == ({"deliveries": 1}, {"deliveries": 1})
        assert (await client.get("/webhooks/w1")).json()["waiting"] == 3
        assert (await client.post("/webhooks/w9:resend", json={})).status_code == 404
