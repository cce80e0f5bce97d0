"""Who may do what: tokens, roles, and the log of every request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from manyhands.protocol.errors import CallError
from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.fleet import ServiceStatus
from tests.service.api.running_service import ListedFleet, RunningService


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer wrong", "Basic YTpi", "Bearer mh1_" + "A" * 43, "Bearer " + "A" * 5000],
)
async def test_without_a_valid_token_nothing_is_told(service: RunningService, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    async with service.client(None, **headers) as client:
        for path in ("/status", "/batches", "/no/such/path", "/events"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["type"]) == (401, "urn:manyhands:problem:no-token")
            assert answer.headers["www-authenticate"].startswith("Bearer")
        assert (await client.post("/batches", json={})).status_code == 401


ALLOWED: list[tuple[str, str, dict[str, Any] | None, AccessRole]] = [
    ("GET", "/status", None, AccessRole.READ),
    ("GET", "/phones", None, AccessRole.READ),
    ("GET", "/tokens/self", None, AccessRole.READ),
    ("POST", "/batches", {"tasks": [{"id": "a", "goal": "Do it."}]}, AccessRole.SUBMIT),
    ("GET", "/tokens", None, AccessRole.OPERATE),
    ("GET", "/audit", None, AccessRole.OPERATE),
    ("POST", "/phones/p1:aside", {"reason": "broken"}, AccessRole.OPERATE),
    ("POST", "/phones/p1:release", None, AccessRole.OPERATE),
    ("POST", "/phones/p1:labels", {"labels": {}}, AccessRole.OPERATE),
    ("POST", "/tokens", {"owner": "eve", "role": "read"}, AccessRole.OPERATE),
]


async def test_roles_allow_what_they_say(service: RunningService) -> None:
    for role in AccessRole:
        async with service.client(role) as client:
            for method, path, body, needed in ALLOWED:
                answer = await client.request(method, path, json=body)
                assert (answer.status_code == 403) is not role.allows(needed), (role, path, answer.text)
                assert answer.status_code in (200, 201, 403)


async def test_a_token_is_shown_once_and_revoked_for_ever(service: RunningService) -> None:
    async with service.client(AccessRole.OPERATE) as client:
        made = (await client.post("/tokens", json={"owner": "eve", "role": "submit"})).json()
        listed = await client.get("/tokens")
        assert made["secret"] not in listed.text
        async with service.client(None, Authorization=f"Bearer {made['secret']}") as eve:
            assert (await eve.get("/tokens/self")).json()["owner"] == "eve"
            assert (await client.delete(f"/tokens/{made['id']}")).json()["revoked_at"] is not None
            assert (await eve.get("/tokens/self")).status_code == 401
        assert (await client.delete("/tokens/t999")).status_code == 404


async def test_nobody_gives_more_than_they_have(service: RunningService) -> None:
    async with service.client(AccessRole.OPERATE) as client:
        answer = await client.post("/tokens", json={"owner": "eve", "role": "approve"})
        assert answer.status_code == 403
        own = (await client.get("/tokens/self")).json()["id"]
        assert (await client.delete(f"/tokens/{own}")).status_code == 409


async def test_every_request_is_in_the_audit_log(service: RunningService) -> None:
    async with service.client() as client:
        await client.post("/batches", json={"tasks": [{"id": "a", "goal": "Do it."}]})
        await client.post("/batches", json={})
        await client.post("/phones/p1:aside", json={"reason": "broken"})
    async with service.client(None) as client:
        await client.post("/batches", json={}, params={"secret": "do-not-log"})
    async with service.client(AccessRole.OPERATE) as client:
        await client.post("/phones/p1:aside", json={"reason": "broken"})  # its own entry is stored before its answer
        entries = (await client.get("/audit")).json()["items"]
        of_owner = (await client.get("/audit", params={"owner": "a-submit"})).json()["items"]
    shown = [(entry["owner"], entry["method"], entry["path"], entry["status"]) for entry in reversed(entries)]
    assert shown == [
        ("a-submit", "POST", "/api/v1/batches", 201),
        ("a-submit", "POST", "/api/v1/batches", 422),
        ("a-submit", "POST", "/api/v1/phones/p1:aside", 403),
        ("", "POST", "/api/v1/batches", 401),
        ("a-operate", "POST", "/api/v1/phones/p1:aside", 200),
    ]
    assert {entry["address"] for entry in entries} == {"127.0.0.1"}
    assert "do-not-log" not in str(entries)
    assert len(of_owner) == 3


async def test_looks_are_in_the_log_when_the_service_stops(tmp_path: Path) -> None:
    from tests.service.api.running_service import running

    async with running(tmp_path) as service:
        async with service.client(AccessRole.READ) as client:
            for _ in range(20):
                assert (await client.get("/status")).status_code == 200
    async with running(tmp_path) as service:
        page = await service.parts.audit.entries(None, 100, "a-read")
    assert [entry.path for entry in page.items] == ["/api/v1/status"] * 20


class BrokenFleet(ListedFleet):
    """Fails in two ways."""

    async def status(self) -> ServiceStatus:
        raise ZeroDivisionError("a defect at /secret/path")

    async def models(self) -> Any:
        raise CallError("no answer from 10.0.0.1")


async def test_a_defect_shows_nothing_of_itself(service: RunningService) -> None:
    service.fleet.__class__ = BrokenFleet
    async with service.client() as client:
        defect, silent = await client.get("/status"), await client.get("/models")
        assert (await client.get("/phones")).status_code == 200
    assert (defect.status_code, defect.json()["type"]) == (500, "urn:manyhands:problem:internal")
    assert (silent.status_code, silent.headers["retry-after"]) == (503, "5")
    for answer in (defect, silent):
        assert not any(word in answer.text for word in ("secret", "Traceback", "10.0.0.1", "ZeroDivision"))


async def test_every_answer_has_the_headers_that_protect_browsers(service: RunningService) -> None:
    async with service.client() as client:
        answers = [await client.get("/status"), await client.get("/none"), await client.post("/batches", json={})]
        answers.append(await httpx.AsyncClient(timeout=100).get(f"{service.url}/docs"))
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


async def test_phones_are_changed_by_operators(service: RunningService) -> None:
    async with service.client(AccessRole.OPERATE) as client:
        aside = (await client.post("/phones/lab/p2:aside", json={"reason": "a broken screen"})).json()
        assert (aside["phase"], aside["reason"]) == ("aside", "a broken screen")
        assert (await client.get("/phones/lab/p2")).json() == aside
        assert (await client.get("/phones/1:5")).json()["phase"] == "free"
        late = await client.post("/phones/p1:reserve", json={"owner": "eve", "until": 1.0})
        assert (late.status_code, late.json()["mistakes"]) == (422, ["until: must be in the future"])
        reserved = (await client.post("/phones/p1:reserve", json={"owner": "eve", "until": 9e9})).json()
        assert (reserved["reserved_for"], reserved["reserved_until"]) == ("eve", 9e9)
        assert (await client.post("/phones/p1:release")).json()["phase"] == "free"
        labelled = await client.post("/phones/p1:labels", json={"labels": {"rack": "3"}})
        assert labelled.json()["labels"] == {"rack": "3"}
        assert (await client.post("/phones/p9:release")).status_code == 404
        assert (await client.post("/phones/site/p7:attach")).json()["serial"] == "site/p7"
        assert (await client.post("/phones/site/p7:detach")).status_code == 204
        assert (await client.get("/phones/site/p7")).status_code == 404
