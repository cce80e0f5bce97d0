"""Attack a service with tokens of the least right, and measure what another owner gets meanwhile.

``python -m tests.service.attacks --minutes 15`` starts a service of its own at 127.0.0.1, with two virtual
phones and the rehearsed model. It prints its progress and, at the end, the figures as JSON. It attacks nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.deploy.fleet.killed_runs import workplace
from tests.service.attackers import PAUSE_S, WRONG, Attackers, api_client, short_task, spoil
from tests.service.test_killed_service import Service

MOST_MIB, MOST_P99_S = 1024, 2.0
START_S, END_S, REPORT_S = 600.0, 900.0, 10.0


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
        return sorted(self.seconds)[int(0.99 * (len(self.seconds) - 1))] if self.seconds else 0.0

    @property
    def wrong(self) -> list[str]:
        """What the attackers were answered and must not be."""
        return sorted(name for name in self.statuses if name in WRONG or name.endswith(" 500"))

    @property
    def is_good(self) -> bool:
        within = self.most_mib < MOST_MIB and self.p99_s < MOST_P99_S
        return within and self.verified == self.tasks > 0 and not self.wrong

    def as_json(self) -> dict[str, Any]:
        return {
            "is_good": self.is_good,
            "tasks": self.tasks,
            "verified": self.verified,
            "requests": len(self.seconds),
            "p99_s": round(self.p99_s, 3),
            "worst_s": round(max(self.seconds, default=0.0), 3),
            "refused": dict(self.refused),
            "most_mib": round(self.most_mib),
            "wrong": self.wrong,
            "attackers": dict(sorted(self.statuses.items())),
        }


async def attack(folder: Path, adb_port: int, seconds: float, kills: int = 0, out: Path | None = None) -> AttackFigures:
    """Attack a service for some seconds, and return the figures when the other owner's tasks have ended.

    ``kills``: how often the service is killed meanwhile. ``out``: a file that holds the figures so far.
    """
    figures = AttackFigures()
    async with contextlib.AsyncExitStack() as stack:
        place = await stack.enter_async_context(workplace(folder, adb_port, 2))
        place.model = await stack.enter_async_context(spoil(place.model))
        service = Service(place, folder / "service")
        async with asyncio.timeout(START_S):
            await service.start()
            secret = await asyncio.to_thread((service.folder / "token").read_text)
            attackers = Attackers(service, figures.statuses, stack)
            anna = await attackers.prepare(secret.strip(), "anna")
        client = await stack.enter_async_context(api_client(service.url, anna))
        async with asyncio.timeout(seconds + END_S), asyncio.TaskGroup() as group:
            watching = [
                group.create_task(_watch_memory(service, figures)),
                group.create_task(_report(figures, out)),
            ]
            attacking = group.create_task(attackers.attack(seconds, kills))
            await _work(client, figures, attacking)
            for task in watching:
                task.cancel()
        await service.stop()
    return figures


async def _attack_until_stopped(
    folder: Path, adb_port: int, seconds: float, kills: int, out: Path | None
) -> AttackFigures:
    """Attack as ``attack`` does. SIGTERM ends it, with all that it has started."""
    attacking = asyncio.create_task(attack(folder, adb_port, seconds, kills, out))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, attacking.cancel)
    return await attacking


async def _watch_memory(service: Service, figures: AttackFigures) -> None:
    while True:
        with contextlib.suppress(psutil.Error):  # it was killed
            figures.most_mib = max(figures.most_mib, psutil.Process(service.pid).memory_info().rss / 2**20)
        await asyncio.sleep(PAUSE_S)


async def _report(figures: AttackFigures, out: Path | None) -> None:
    """Print the figures so far, and write them to the file, again and again."""
    began = time.monotonic()
    while True:
        await asyncio.sleep(REPORT_S)
        line = f"{time.monotonic() - began:.0f} s: {figures.verified} of {figures.tasks} tasks verified"
        others = f"p99 {figures.p99_s:.2f} s, {figures.most_mib:.0f} MiB, refused {dict(figures.refused)}"
        print(f"{line}, {others}, wrong {figures.wrong}", file=sys.stderr, flush=True)  # noqa: T201
        await asyncio.to_thread(_write, figures, out)


def _write(figures: AttackFigures, out: Path | None) -> None:
    if out is not None:
        part = out.with_name(out.name + ".part")
        part.write_text(json.dumps(figures.as_json(), indent=2) + "\n")
        part.replace(out)


async def _ask(client: httpx.AsyncClient, figures: AttackFigures, method: str, path: str, **content: Any) -> Any:
    """Ask as the other owner does, until it is answered. Each request counts.

    Under attack, an idle connection makes room for others, so a request may find its connection closed.
    """
    key = {"Idempotency-Key": uuid.uuid4().hex}
    while True:
        began = time.monotonic()
        try:
            answer = await client.request(method, path, headers=key, **content)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            figures.refused["closed"] += 1
            await asyncio.sleep(PAUSE_S)
            continue
        figures.seconds.append(time.monotonic() - began)
        if answer.is_success:
            return answer.json()
        figures.refused[answer.status_code] += 1
        await asyncio.sleep(1)


async def _work(client: httpx.AsyncClient, figures: AttackFigures, attacking: asyncio.Task[None]) -> None:
    """Submit one task after another while the attack lasts, and look at each until it has ended."""
    while figures.tasks == 0 or not attacking.done():
        batch = await _ask(client, figures, "POST", "/batches", json={"tasks": [short_task()]})
        figures.tasks += 1
        task: dict[str, Any] = {"phase": ""}
        while task["phase"] != "ended":
            await asyncio.sleep(PAUSE_S)
            task = await _ask(client, figures, "GET", f"/tasks/{batch['id']}.dark")
        figures.verified += task["verified"] is True


def main() -> int:
    parser = argparse.ArgumentParser(description="Attack a service of one's own, and print what another owner gets.")
    parser.add_argument("--minutes", type=float, default=3.0, help="How long, at most 60.")
    parser.add_argument("--adb-port", type=int, default=5037, help="The adb server at which virtual phones register.")
    parser.add_argument("--kills", type=int, default=1, help="How often the service is killed meanwhile.")
    parser.add_argument("--out", type=Path, help="A JSON file that holds the figures, brought up to date each 10 s.")
    options = parser.parse_args()
    seconds = 60 * min(60.0, options.minutes)
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(
            _attack_until_stopped(Path(folder), options.adb_port, seconds, options.kills, options.out)
        )
    _write(figures, options.out)
    print(json.dumps(figures.as_json()))  # noqa: T201
    return 0 if figures.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
