"""Attack a service with tokens of the least right, and measure what another owner gets meanwhile.

``python -m tests.deploy.service.attacks --minutes 15`` starts a service of its own at 127.0.0.1, with two virtual
phones and the rehearsed model, and prints the figures as JSON. It attacks nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
import uuid
from asyncio.subprocess import DEVNULL, PIPE
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from manyhands.protocol.tasks import read_tasks
from tests.deploy.fleet.killed_runs import SUITE

MOST_MIB, MOST_P99_S = 1024, 2.0
IDLE, SLOW = 1100, 140
"""How many idle connections and slow bodies are held open."""
PAUSE_S, ROUND_S, START_S, END_S = 0.1, 10.0, 600.0, 900.0
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


@dataclass(slots=True)
class AttackFigures:
    """Count what the attackers were answered, and what the other owner got."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """How long each request of the other owner took."""
    refused: Counter[int | str] = field(default_factory=Counter)
    """The answers to the other owner that are no success, and how many connections were closed on him."""
    most_mib: float = 0.0
    tasks: int = 0
    verified: int = 0

    @property
    def p99_s(self) -> float:
        return sorted(self.seconds)[int(0.99 * (len(self.seconds) - 1))]

    def as_json(self) -> dict[str, Any]:
        return {
            "tasks": self.tasks,
            "verified": self.verified,
            "requests": len(self.seconds),
            "p99_s": round(self.p99_s, 3),
            "worst_s": round(max(self.seconds), 3),
            "refused": dict(self.refused),
            "most_mib": round(self.most_mib),
            "attackers": dict(self.statuses),
        }


@contextlib.asynccontextmanager
async def serving(folder: Path, adb_port: int) -> AsyncIterator[tuple[str, psutil.Process]]:
    """Run a service in a process of its own. Give its address."""
    fleet = ("--phones", "virtual:2", "--mllm-url", "rehearsed", "--adb-port", str(adb_port))
    words = ("serve", *fleet, "--folder", str(folder), "--port", "0", "--json")
    log = folder.parent / "service.log"
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "manyhands", *words, stdin=DEVNULL, stdout=PIPE, stderr=errors, env={**os.environ}
        )
        try:
            assert process.stdout is not None
            line = await asyncio.wait_for(process.stdout.readline(), START_S)
            assert line, log.read_text()[-2000:]
            yield str(json.loads(line)["url"]), psutil.Process(process.pid)
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def attack(folder: Path, adb_port: int, seconds: float) -> AttackFigures:
    """Attack a service for some seconds, and return the figures when the other owner's tasks have ended."""
    figures = AttackFigures()
    async with serving(folder, adb_port) as (url, process), contextlib.AsyncExitStack() as stack:
        secret = await asyncio.to_thread((folder / "token").read_text)
        async with _client(url, secret.strip()) as admin:
            mallory, anna = [
                (await admin.post("/tokens", json={"owner": owner, "role": "submit"})).json()["secret"]
                for owner in ("mallory", "anna")
            ]
            async with asyncio.timeout(START_S):
                while not (await admin.get("/status")).json()["is_ready"]:
                    await asyncio.sleep(1)
        bad = await stack.enter_async_context(_client(url, mallory))
        nobody = await stack.enter_async_context(_client(url, "no-token"))
        good = await stack.enter_async_context(_client(url, anna))
        await bad.post("/batches", json={"tasks": [{"id": f"t{number}", "goal": "g"} for number in range(10_000)]})
        await bad.post("/batches/b1:cancel")
        attacks: tuple[Callable[[], Awaitable[Any]], ...] = (
            lambda: _send_bodies(bad, figures),
            lambda: _count(figures, "retry", bad.post("/batches/b1:retry")),
            lambda: _count(figures, "cancel", bad.post("/batches/b1:cancel")),
            lambda: _count(figures, "no token", nobody.get(f"/batches/b{time.monotonic_ns()}")),
            lambda: _hold(url, b"", IDLE),
            lambda: _hold(url, _slow_head(mallory), SLOW),
        )
        until = time.monotonic() + seconds
        async with asyncio.timeout(seconds + END_S), asyncio.TaskGroup() as group:
            for one in attacks:
                group.create_task(_repeat(one, until))
            watching = group.create_task(_watch_memory(process, figures))
            await _work(good, figures, until)
            watching.cancel()
    return figures


def _client(url: str, secret: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {secret}"}
    return httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=120)


async def _repeat(one: Callable[[], Awaitable[Any]], until: float) -> None:
    while time.monotonic() < until:
        with contextlib.suppress(httpx.HTTPError, OSError):
            await one()
        await asyncio.sleep(PAUSE_S)


async def _count(figures: AttackFigures, name: str, asked: Awaitable[httpx.Response]) -> None:
    figures.statuses[f"{name} {(await asked).status_code}"] += 1


async def _send_bodies(client: httpx.AsyncClient, figures: AttackFigures) -> None:
    for kind, body in BODIES:
        await _count(figures, "bodies", client.post("/batches", content=body, headers={"Content-Type": kind}))


def _slow_head(secret: str) -> bytes:
    head = "POST /api/v1/batches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
    return f"{head}Authorization: Bearer {secret}\r\n\r\n{{".encode()


async def _hold(url: str, sent: bytes, count: int) -> None:
    """Open connections from another address of this machine, send a beginning, and hold them for some seconds."""
    port = httpx.URL(url).port
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(count):
            _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
            stack.callback(writer.close)
            writer.write(sent)
        await asyncio.sleep(ROUND_S)


async def _watch_memory(process: psutil.Process, figures: AttackFigures) -> None:
    while True:
        figures.most_mib = max(figures.most_mib, process.memory_info().rss / 2**20)
        await asyncio.sleep(PAUSE_S)


async def _ask(client: httpx.AsyncClient, figures: AttackFigures, method: str, path: str, **given: Any) -> Any:
    """Ask as the other owner does, until it is answered. Each request counts.

    Under attack, an idle connection makes room for others, so a request may find its connection closed.
    """
    key = {"Idempotency-Key": uuid.uuid4().hex}
    while True:
        began = time.monotonic()
        try:
            answer = await client.request(method, path, headers=key, **given)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            figures.refused["closed"] += 1
            continue
        figures.seconds.append(time.monotonic() - began)
        if answer.is_success:
            return answer.json()
        figures.refused[answer.status_code] += 1
        await asyncio.sleep(1)


async def _work(client: httpx.AsyncClient, figures: AttackFigures, until: float) -> None:
    """Submit one task after another, and look at each until it has ended."""
    while figures.tasks == 0 or time.monotonic() < until:
        batch = await _ask(client, figures, "POST", "/batches", json={"tasks": [_task()]})
        figures.tasks += 1
        task: dict[str, Any] = {"phase": ""}
        while task["phase"] != "ended":
            await asyncio.sleep(PAUSE_S)
            task = await _ask(client, figures, "GET", f"/tasks/{batch['id']}.dark")
        figures.verified += task["verified"] is True


def _task() -> dict[str, Any]:
    task = next(one for one in read_tasks(SUITE) if one.id == "dark_mode")
    return {**task.model_dump(mode="json", by_alias=True, exclude_defaults=True), "id": "dark"}


def main() -> int:
    parser = argparse.ArgumentParser(description="Attack a service of one's own, and print what another owner gets.")
    parser.add_argument("--minutes", type=float, default=3.0, help="How long, at most 60.")
    parser.add_argument("--adb-port", type=int, default=5037, help="The adb server at which virtual phones register.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(attack(Path(folder) / "service", given.adb_port, 60 * min(60.0, given.minutes)))
    print(json.dumps(figures.as_json()))  # noqa: T201
    is_good = figures.verified == figures.tasks and figures.most_mib < MOST_MIB and figures.p99_s < MOST_P99_S
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
