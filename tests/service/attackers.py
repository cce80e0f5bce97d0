"""Attack a service, each attack with the least right that can reach it: a token, its model's replies, or its files."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
from aiohttp import ClientSession, web

from manyhands.protocol.tasks.task import read_tasks
from tests.deploy.fleet.killed_runs import SUITE
from tests.service.test_killed_service import Service

IDLE, SLOW = 1100, 140
"""How many idle connections and slow bodies are held open."""
PAUSE_S, ROUND_S, AWAY_S = 0.1, 10.0, 60.0
"""Pauses: between equal requests, between rounds of costly attacks, and between moves of the database."""
SPARSE = 20 * 2**30
DEGENERATE = "Repeat one sign without end."
"""The goal whose model calls get degenerate replies."""
WRONG = frozenset({"moved 201", "control ended", "operators 0"})
"""What no attack may be answered, beside status 500."""
REPLIES = (
    "*" * 49_000,
    " " * 49_000,
    "<think>" + "Verdict: A\n" * 360_000 + "</think>\nAction: press_back()",
    "{" * 40_000,
    "<tool_call>" * 4_000,
)
BEYOND = 10**30
PROVIDER = "content://a/b"
BODIES: tuple[tuple[str, bytes], ...] = (
    *(
        ("application/json", json.dumps({"tasks": [{"id": "a", "goal": "g", **task}]}).encode())
        for task in (
            {"reset_seed": BEYOND},
            {"check": {"source": PROVIDER, "holds": {"path": "a", "equals": BEYOND}}},
            {"tags": ["x"] * 120_000},
            {"check": {"source": PROVIDER, "holds": {"any": [{"path": "a", "exists": True}] * 40_000}}},
            {f"gaol{number}": 1 for number in range(50_000)},
            {"answer": {"schema": {"type": "string", "pattern": "^(?:" + "|".join("." * 20) + ")*!$"}}},
        )
    ),
    (
        "application/json",
        json.dumps(
            {
                "tasks": [
                    {
                        "id": f"t{number}",
                        "goal": "g",
                        "check": {"holds": {"answer": {"matches": f"(?:[a-z ]{{1,100}}){{1,10}}{number}"}}},
                    }
                    for number in range(480)
                ]
            }
        ).encode(),
    ),
    ("application/json", b'{"tasks":[' + b"[]," * 400_000 + b"[]]}"),
    (
        "application/yaml",
        b"- id: a\n  goal: g\n  variables: {a: " + b"x" * 9000 + b"}\n  hints: '" + b"${a}" * 90_000 + b"'\n",
    ),
    ("application/yaml", b"- [" + b"a," * 200_000 + b"]\n"),
)


def short_task() -> dict[str, Any]:
    """Return a task that the rehearsed model carries out, in the API's form."""
    task = next(one for one in read_tasks(SUITE) if one.id == "dark_mode")
    return {**task.model_dump(mode="json", by_alias=True, exclude_defaults=True), "id": "dark"}


def api_client(url: str, secret: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {secret}"}
    return httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=120)


async def ask(client: httpx.AsyncClient, method: str, path: str, **content: Any) -> httpx.Response:
    """Send a request until the service has time for it, whatever it answers then."""
    while True:
        with contextlib.suppress(httpx.TransportError):
            answer = await client.request(method, path, **content)
            if answer.status_code not in (429, 503):
                return answer
        await asyncio.sleep(1)


@contextlib.asynccontextmanager
async def spoil(model: str) -> AsyncIterator[str]:
    """Serve a model that answers the goal DEGENERATE with degenerate replies. Another one answers other requests."""
    replies = itertools.cycle(REPLIES)

    async def answer(request: web.Request) -> web.Response:
        body = await request.read()
        if DEGENERATE.encode() in body:
            choice = {"index": 0, "message": {"role": "assistant", "content": next(replies)}, "finish_reason": "stop"}
            return web.json_response({"id": "c", "object": "chat.completion", "created": 0, "choices": [choice]})
        headers = {
            key: value for key, value in request.headers.items() if key.lower() not in ("host", "content-length")
        }
        address = model.removesuffix("/v1") + request.path_qs
        async with session.request(request.method, address, data=body, headers=headers) as upstream:
            return web.Response(body=await upstream.read(), status=upstream.status, content_type=upstream.content_type)

    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    async with ClientSession() as session:
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        finally:
            await runner.cleanup()


class Attackers:
    """Attack a service by tokens of Mallory's. ``statuses`` counts what each attack was answered.

    His second name is Malcolm: the tasks of Mallory that must run would wait behind the thousands that he retries.
    """

    def __init__(self, service: Service, statuses: Counter[str], stack: contextlib.AsyncExitStack) -> None:
        self._service = service
        self._statuses = statuses
        self._stack = stack
        self._mallory = self._reader = self._nobody = self._malcolm = httpx.AsyncClient()
        self._operators: list[tuple[str, httpx.AsyncClient]] = []
        """The ids of the tokens that may operate, with their clients."""
        self._moving = asyncio.Lock()
        """Held by an attack that moves files of the service, or kills it."""

    async def prepare(self, secret: str, owner: str) -> str:
        """Make all tokens by the service's first one, ``secret``, and revoke it. Return that of another owner."""
        root = await self._client(secret)
        async with asyncio.timeout(600):
            while not (await ask(root, "GET", "/status")).json()["is_ready"]:
                await asyncio.sleep(1)
        _, token = await _make_token(root, owner, "submit")
        self._mallory, self._malcolm, self._reader = [
            await self._client((await _make_token(root, *grant))[1])
            for grant in (("mallory", "submit"), ("malcolm", "submit"), ("mallory", "read"))
        ]
        self._nobody = await self._client("no-token")
        first = (await ask(root, "GET", "/tokens/self")).json()["id"]
        for _ in range(2):
            await self._add_operator(root)
        await ask(self._operators[0][1], "DELETE", f"/tokens/{first}")
        tasks = [{"id": f"t{number}", "goal": "g"} for number in range(10_000)]
        await ask(self._mallory, "POST", "/batches", json={"tasks": tasks})
        await ask(self._mallory, "POST", "/batches/b1:cancel")
        return token

    async def attack(self, seconds: float, kills: int) -> None:
        """Attack for some seconds, and kill the service so often, at equal distances."""
        mallory = self._mallory
        attacks: tuple[tuple[Callable[[], Awaitable[Any]], float], ...] = (
            (self._send_bodies, PAUSE_S),
            (lambda: self._count("retry", mallory.post("/batches/b1:retry")), PAUSE_S),
            (lambda: self._count("cancel", mallory.post("/batches/b1:cancel")), PAUSE_S),
            (lambda: self._count("no token", self._nobody.get(f"/batches/b{time.monotonic_ns()}")), PAUSE_S),
            (lambda: self._hold(b"", IDLE), PAUSE_S),
            (lambda: self._hold(_slow_head(mallory), SLOW), PAUSE_S),
            (self._read_sparse_journal, ROUND_S),
            (self._revoke_each_other, ROUND_S),
            (self._move_database, AWAY_S),
        )
        until = time.monotonic() + seconds
        async with asyncio.TaskGroup() as group:
            for attack, pause_s in attacks:
                group.create_task(_repeat(attack, pause_s, until))
            for _ in range(kills):
                await asyncio.sleep(seconds / (kills + 1))
                await self._kill_during_takeover()

    async def _send_bodies(self) -> None:
        for kind, body in BODIES:
            headers = {"Content-Type": kind}
            await self._count("bodies", self._mallory.post("/batches", content=body, headers=headers))

    async def _hold(self, start: bytes, count: int) -> None:
        """Open connections from another address of this machine, send a start of a request, and hold them a while."""
        port = httpx.URL(self._service.url).port
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(count):
                _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
                stack.callback(writer.close)
                writer.write(start)
            await asyncio.sleep(ROUND_S)

    async def _read_sparse_journal(self) -> None:
        """Let a task end by degenerate replies, make its journal sparse and 20 GB long, and ask for what it says."""
        batch = await self._submit({"id": "endless", "goal": DEGENERATE})
        task: dict[str, Any] = {"phase": ""}
        while task["phase"] != "ended":
            await asyncio.sleep(1)
            task = (await ask(self._reader, "GET", f"/tasks/{batch}.endless")).json()
        self._statuses[f"degenerate {task['ending']}"] += 1
        episode = task["episode"]
        for journal in self._service.folder.glob(f"runs/*/episodes/{episode}/journal.mh"):
            os.truncate(journal, SPARSE)
        for path in (
            *(f"/batches/{batch}/results?format={form}" for form in ("json", "html", "junit")),
            *(f"/episodes/{episode}{page}" for page in ("", "/report", "/steps", "/steps/0/calls")),
        ):
            await self._count("sparse", self._reader.get(path))

    async def _revoke_each_other(self) -> None:
        """Let the only two tokens that may operate revoke each other at once. One must remain; it makes another."""
        (first, one), (second, other) = self._operators
        await asyncio.gather(ask(one, "DELETE", f"/tokens/{second}"), ask(other, "DELETE", f"/tokens/{first}"))
        answers = [(operator, await ask(operator[1], "GET", "/tokens/self")) for operator in self._operators]
        self._operators = [operator for operator, answer in answers if answer.is_success]
        self._statuses[f"operators {len(self._operators)}"] += 1
        if len(self._operators) == 1:
            await self._add_operator(self._operators[0][1])

    async def _move_database(self) -> None:
        """Move the database away, send a batch that must not be accepted now, and put it back."""
        async with self._moving:
            files = sorted(self._service.folder.glob("service.db*"))
            aside = self._service.folder / "aside"
            aside.mkdir(exist_ok=True)
            for file in files:
                file.rename(aside / file.name)
            try:
                await self._count("moved", self._mallory.post("/batches", json={"tasks": [{"id": "a", "goal": "g"}]}))
            finally:
                for file in reversed(files):  # the log before the database
                    (aside / file.name).rename(file)

    async def _kill_during_takeover(self) -> None:
        """Take over an episode, kill the service, start it again, and ask who controls the episode."""
        batch = await self._submit(short_task())
        episode = ""
        while not episode:
            task = (await ask(self._malcolm, "GET", f"/tasks/{batch}.dark")).json()
            taken = task["phase"] == "running" and await ask(
                self._malcolm, "POST", f"/episodes/{task['episode']}:take-over"
            )
            if taken and taken.is_success:
                episode = task["episode"]
            elif task["phase"] == "ended":
                batch = await self._submit(short_task())
            await asyncio.sleep(PAUSE_S)
        async with self._moving:
            await self._service.kill()
            await self._service.start()
        phase = ""
        while phase not in ("taken_over", "ended"):
            with contextlib.suppress(httpx.TransportError):
                answer = await self._malcolm.get(f"/episodes/{episode}/control")
                phase = answer.json()["phase"] if answer.is_success else str(answer.status_code)
                self._statuses[f"control {phase}"] += 1
            await asyncio.sleep(1)
        await ask(self._malcolm, "POST", f"/episodes/{episode}:stop")

    async def _submit(self, task: dict[str, Any]) -> str:
        """Submit a batch of one task of Malcolm's. Return its id."""
        return str((await ask(self._malcolm, "POST", "/batches", json={"tasks": [task]})).json()["id"])

    async def _count(self, name: str, request: Awaitable[httpx.Response]) -> None:
        self._statuses[f"{name} {(await request).status_code}"] += 1

    async def _client(self, secret: str) -> httpx.AsyncClient:
        return await self._stack.enter_async_context(api_client(self._service.url, secret))

    async def _add_operator(self, by: httpx.AsyncClient) -> None:
        id, secret = await _make_token(by, "mallory", "operate")
        self._operators.append((id, await self._client(secret)))


async def _make_token(by: httpx.AsyncClient, owner: str, role: str) -> tuple[str, str]:
    """Return the id and the secret of a new token."""
    grant = (await ask(by, "POST", "/tokens", json={"owner": owner, "role": role})).json()
    return grant["id"], grant["secret"]


async def _repeat(attack: Callable[[], Awaitable[Any]], pause_s: float, until: float) -> None:
    while time.monotonic() < until:
        with contextlib.suppress(httpx.HTTPError, OSError):
            await attack()
        await asyncio.sleep(min(pause_s, max(0.0, until - time.monotonic())))


def _slow_head(client: httpx.AsyncClient) -> bytes:
    head = "POST /api/v1/batches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
    return f"{head}Authorization: {client.headers['Authorization']}\r\n\r\n{{".encode()
