"""Sessions of browsers: a cookie that no script reads, that no other page can use, and that ends."""

from __future__ import annotations

import contextlib
from pathlib import Path

import httpx

from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.database.access_repository import LIFE_S, MOST_SESSIONS
from tests.service.api.running_service import RunningService, running

BATCH = {"tasks": [{"id": "a", "goal": "Do it."}]}


async def begin(service: RunningService, browser: httpx.AsyncClient, role: AccessRole = AccessRole.SUBMIT) -> str:
    """Begin a session; return the header that sets its cookie."""
    answer = await browser.post("/session", headers={"Authorization": f"Bearer {service.secrets[role]}"})
    assert answer.status_code == 201
    return answer.headers["set-cookie"]


async def test_a_browser_begins_uses_and_ends_a_session(service: RunningService) -> None:
    async with service.client(None) as browser:
        assert (await browser.get("/session")).status_code == 401
        cookie = await begin(service, browser)
        assert {"HttpOnly", "SameSite=strict", "Path=/api/"} <= {part.strip() for part in cookie.split(";")}
        assert "Secure" not in cookie
        shown = (await browser.get("/session")).json()
        assert (shown["owner"], shown["role"], shown["session"]) == ("a-submit", "submit", "c1")
        made = await browser.post("/batches", json=BATCH, headers={"Origin": service.url})
        assert (made.status_code, made.json()["owner"]) == (201, "a-submit")
        assert (await browser.get("/tokens")).status_code == 403
        kept = dict(browser.cookies)
        ended = await browser.delete("/session", headers={"Origin": service.url})
        assert ended.status_code == 204
        assert not browser.cookies
        assert (
            await browser.get("/session", headers={"Cookie": "; ".join(f"{k}={v}" for k, v in kept.items())})
        ).status_code == 401


async def test_changes_by_a_session_come_from_pages_of_the_service_alone(service: RunningService) -> None:
    port = service.url.rpartition(":")[2]
    foreign = [
        None,
        "null",
        "",
        "http://evil.example",
        f"http://evil.example:{port}",
        f"ftp://127.0.0.1:{port}",
        "http://127.0.0.1:1",
    ]
    async with service.client(None) as browser:
        await begin(service, browser)
        for origin in foreign:
            headers = {} if origin is None else {"Origin": origin}
            answer = await browser.post("/batches", json=BATCH, headers=headers)
            assert (answer.status_code, answer.json()["type"]) == (403, "urn:manyhands:problem:forbidden"), origin
            assert (await browser.get("/batches", headers=headers)).status_code == 200  # SameSite keeps other pages off
        assert (await browser.get("/batches")).json()["items"] == []
        for own in (service.url, service.url.replace("http:", "https:")):  # a proxy may encrypt
            assert (await browser.post("/batches", json=BATCH, headers={"Origin": own})).status_code == 201
    async with service.client() as program:  # a program with a token needs no origin
        assert (await program.post("/batches", json=BATCH)).status_code == 201


async def test_a_session_is_worth_no_more_than_its_token(service: RunningService) -> None:
    async with service.client(None) as browser, service.client(AccessRole.OPERATE) as operator:
        await begin(service, browser)
        again = await browser.post("/session", headers={"Origin": service.url})
        assert again.status_code == 409  # a session does not prolong itself
        await operator.delete(f"/tokens/{service.ids[AccessRole.SUBMIT]}")
        assert (await browser.get("/session")).status_code == 401


async def test_a_session_outlives_restarts_and_ends_in_time(tmp_path: Path) -> None:
    async with running(tmp_path) as service:
        async with service.client(None) as browser:
            await begin(service, browser)
        secret = next(iter(browser.cookies.values()))
    async with running(tmp_path) as again:
        found = await again.parts.sessions.find(secret, HOST_CLOCK.now())
        assert found is not None
        assert found.token.owner == "a-submit"
        assert await again.parts.sessions.find(secret, HOST_CLOCK.now() + LIFE_S + 1) is None
        for wrong in (secret[:-1], secret + "A", secret.replace("mhs1_", "mhs2_"), "mhs1_" + "A" * 43, ""):
            assert await again.parts.sessions.find(wrong, HOST_CLOCK.now()) is None


async def test_a_token_has_a_bounded_number_of_sessions(service: RunningService) -> None:
    """Whoever begins sessions again and again fills no table, and ends no session of another token."""
    async with service.client(None) as other, service.client(None) as first, service.client(None) as last:
        await begin(service, other, AccessRole.READ)
        await begin(service, first)
        for _ in range(MOST_SESSIONS - 1):
            await begin(service, last)
        assert (await first.get("/session")).status_code == 200
        await begin(service, last)
        assert (await first.get("/session")).status_code == 401
        assert (await last.get("/session")).status_code == 200
        assert (await other.get("/session")).status_code == 200


async def test_the_audit_log_names_sessions_and_no_secret(service: RunningService) -> None:
    async with service.client(None) as browser:
        await begin(service, browser, AccessRole.OPERATE)
        await browser.post("/phones/p1:aside", json={"reason": "broken"}, headers={"Origin": service.url})
        secret = next(iter(browser.cookies.values()))
        entries = (await browser.get("/audit")).json()["items"]
    token = service.ids[AccessRole.OPERATE]
    assert [(one["owner"], one["token"], one["path"]) for one in entries] == [
        ("a-operate", f"{token}/c1", "/api/v1/phones/p1:aside"),
        ("a-operate", token, "/api/v1/session"),
    ]
    assert secret not in str(entries)


async def test_the_streams_of_an_ended_session_end(service: RunningService) -> None:
    async with service.client(None) as browser, service.client(AccessRole.SUBMIT) as program:
        await begin(service, browser)
        async with browser.stream("GET", "/events") as own, program.stream("GET", "/events") as other:
            lines, others = own.aiter_lines(), other.aiter_lines()
            assert (await anext(lines)).startswith(":")
            assert (await anext(others)).startswith(":")
            await browser.delete("/session", headers={"Origin": service.url})
            with contextlib.suppress(httpx.TransportError):
                assert [line async for line in lines if line.startswith("data")] == []
            await program.post("/batches", json=BATCH)
            async for line in others:
                if line.startswith("data"):
                    break
