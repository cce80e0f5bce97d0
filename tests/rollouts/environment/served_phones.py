"""An environment server on virtual phones behind a real adb server, and a plain WebSocket client of it."""

from __future__ import annotations

import base64
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import adbutils
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType
from PIL import Image

from manyhands.actors.phones.leases import Leases
from manyhands.deploy.environment import OpenEnvironment, open_environment
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.tasks.task import TaskSpec, read_tasks, select
from manyhands.rollouts.environment.server import EnvironmentServer, ServerAddress
from manyhands.simulator.fleet import VirtualFleet, virtual_phones
from manyhands.simulator.suites import EVERYDAY
from tests.simulator.connecting import connect, disconnect

SIZE = (360, 800)
SECRET = "mh1_" + "s" * 43
DARK_MODE = ("Settings", "Display", "Dark mode")
"""The app to open, then the texts to tap."""


def everyday(*ids: str) -> tuple[TaskSpec, ...]:
    return select(read_tasks(EVERYDAY), ids, ())


class Client:
    """A client that says what it likes, and reads what comes."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket

    async def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        await self.socket.send_json({"type": kind, "data": data})
        return await self.read()

    async def read(self) -> dict[str, Any]:
        answer: dict[str, Any] = await self.socket.receive_json(timeout=100)
        return answer

    async def ended(self) -> bool:
        return (await self.socket.receive(timeout=100)).type in (WSMsgType.CLOSE, WSMsgType.CLOSED)

    async def play(self, app: str, *texts: str) -> dict[str, Any]:
        """Open an app, tap each text in turn, and stop; return the last answer."""
        answer = await self.ask("step", name="Open_App", app=app)
        for text in texts:
            answer = await self.ask("step", name="Tap", **place_of(answer, text))
        return await self.ask("step", name="Stop")


def place_of(answer: dict[str, Any], text: str) -> dict[str, int]:
    """The middle of the first element that is ``text``."""
    elements = answer["data"]["observation"]["elements"]
    box = next(one["box"] for one in elements if one["content"] == text)
    return {"x": (box["x1"] + box["x2"]) // 2, "y": (box["y1"] + box["y2"]) // 2}


def picture_size(answer: dict[str, Any]) -> tuple[int, int]:
    """The size of the picture in an observation."""
    with Image.open(io.BytesIO(base64.b64decode(answer["data"]["observation"]["screen_image"]))) as image:
        return image.size


@dataclass(frozen=True)
class ServedPhones:
    fleet: VirtualFleet
    server: EnvironmentServer
    opened: OpenEnvironment
    http: ClientSession
    leases: Leases
    adb: adbutils.AdbClient

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        async with self.http.ws_connect(f"{self.server.url}/ws") as socket:
            yield Client(socket)

    def episode(self, answer: dict[str, Any]) -> RecordedEpisode:
        """The recorded episode of an observation."""
        scan = RunFolder(self.opened.folder).journal(answer["data"]["metadata"]["episode"])
        assert scan is not None
        episode = episode_of(scan.records)
        assert episode is not None
        return episode

    @property
    def held(self) -> int:
        """How many phones are leased."""
        return len(self.leases.holders())


@asynccontextmanager
async def served_phones(
    adb_server: tuple[str, int],
    folder: Path,
    tasks: Sequence[TaskSpec],
    phones: int = 1,
    idle_s: float = 100.0,
    **options: Any,
) -> AsyncIterator[ServedPhones]:
    host, port = adb_server
    adb = adbutils.AdbClient(host, port)
    state = folder / "state"
    async with VirtualFleet(phones, virtual_phones(*SIZE)) as fleet:
        await connect(fleet, adb)
        settings = load_settings(
            {
                "phones": list(fleet.serials),
                "adb_port": port,
                "state_dir": state,
                "out": folder / "run",
                "episode": {"elements_wait_s": 60.0},  # all phones are in this process
                **options,
            }
        )

        async def is_allowed(secret: str) -> bool:
            return secret == SECRET

        try:
            async with open_environment(settings, tasks) as opened:
                address = ServerAddress(port=0, sessions=phones, idle_s=idle_s)
                async with EnvironmentServer(opened.environment, is_allowed, address) as server:
                    async with ClientSession(headers={"Authorization": f"Bearer {SECRET}"}) as http:
                        yield ServedPhones(fleet, server, opened, http, Leases(state), adb)
        finally:
            await disconnect(fleet, adb)
