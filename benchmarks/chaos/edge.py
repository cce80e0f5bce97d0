"""Run a site behind a broker that does not belong to the run.

The broker, the link and the gateway can be taken away.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from manyhands.benchmarks.chaos.processes import listener, send
from manyhands.benchmarks.edge_testbed import CLUSTER, PASSWORD, USER, OwnBroker, gateway_words, serving_command
from manyhands.benchmarks.testbed import HOST
from manyhands.deploy.child_process import ChildProcess
from manyhands.protocol.errors import CallError
from manyhands.protocol.phones import WHOLE_SITE

SITE = "lab"
FROZEN_S = 40.0
CUT_S = 60.0
BACK_S = 30.0
"""Seconds that a killed broker may take to be there again."""
_READ = 65536
_POLL_S = 0.1


class Wire:
    """Carry bytes between a gateway and its broker. While the link is cut, nothing passes and neither side is told."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._whole = asyncio.Event()
        self._whole.set()
        self._server: asyncio.Server | None = None
        self._carrying: set[asyncio.Task[None]] = set()
        self.port = 0

    async def __aenter__(self) -> Wire:
        self._server = await asyncio.start_server(self._joined, HOST, 0)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._carrying:
            task.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    async def cut_for(self, seconds: float) -> None:
        """Carry nothing for so many seconds.

        What was sent meanwhile arrives afterwards, as on a real link that comes back.
        """
        self._whole.clear()
        try:
            await asyncio.sleep(seconds)
        finally:
            self._whole.set()

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carrying.add(task)
        try:
            await self._whole.wait()
            far_reader, far_writer = await asyncio.open_connection(*self._to)
            try:
                await self._both(self._carry(reader, far_writer), self._carry(far_reader, writer))
            finally:
                far_writer.close()
        except (OSError, asyncio.CancelledError):
            pass  # the connection ends with either side, or when this object closes
        finally:
            writer.close()
            self._carrying.discard(task)

    async def _both(self, *ways: Any) -> None:
        """Carry in both directions until one side has ended."""
        tasks = {asyncio.create_task(way) for way in ways}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_READ):
            await self._whole.wait()
            writer.write(data)
            await writer.drain()


class Edge:
    """Hold a broker, a site's gateway, and the link between them."""

    def __init__(self, broker: OwnBroker, wire: Wire, gateway: ChildProcess) -> None:
        self._broker = broker
        self._wire = wire
        self._gateway = gateway
        self.settings: Mapping[str, Any] = {
            "mqtt_ca": broker.ca,
            "mqtt_user_env": USER,
            "mqtt_password_env": PASSWORD,
        }
        """The settings by which a run reaches the broker."""
        self.environment = broker.account(CLUSTER).variables
        """The environment variables with the run's name and password at the broker."""
        self.phones = f"{broker.url}/{SITE}{WHOLE_SITE}"

    async def kill_broker(self) -> None:
        """Kill the broker, and wait until its supervisor has started it again. Raises CallError."""
        killed = await asyncio.to_thread(self._listening)
        if killed is None or not send(killed, signal.SIGKILL):
            raise CallError("no broker listens")
        give_up_at = time.monotonic() + BACK_S
        while (await asyncio.to_thread(self._listening)) in (None, killed):
            if time.monotonic() > give_up_at:
                raise CallError(f"the broker was not started again in {BACK_S:.0f} s")
            await asyncio.sleep(_POLL_S)

    async def freeze_broker(self) -> None:
        """Stop the broker for FROZEN_S: connections stay open, nothing is answered. Raises CallError."""
        frozen = await asyncio.to_thread(self._listening)
        if frozen is None or not send(frozen, signal.SIGSTOP):
            raise CallError("no broker listens")
        try:
            await asyncio.sleep(FROZEN_S)
        finally:
            send(frozen, signal.SIGCONT)

    async def cut_link(self) -> None:
        """Cut the link between gateway and broker for CUT_S."""
        await self._wire.cut_for(CUT_S)

    async def kill_gateway(self, away_s: float) -> None:
        """Kill the gateway, and start it again after ``away_s`` seconds."""
        await self._gateway.kill()
        await asyncio.sleep(away_s)
        await self._gateway.start()

    def _listening(self) -> psutil.Process | None:
        port = urlsplit(self._broker.url).port
        assert port is not None
        with contextlib.suppress(psutil.Error):
            return listener(port)
        return None


@asynccontextmanager
async def open_edge(adb_port: int, out: Path) -> AsyncIterator[Edge]:
    """Start a broker and a gateway to phones of an adb server while the context is open. Raises BadInput, CallError."""
    logs = out / "logs"
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(OwnBroker(out / "broker", (SITE,), logs / "broker.log"))
        at = urlsplit(broker.url)
        wire = await stack.enter_async_context(Wire(str(at.hostname), int(at.port or 0)))
        words = gateway_words(SITE, broker, adb_port, out / "state", f"{at.scheme}://{at.hostname}:{wire.port}")
        gateway = serving_command(words, logs / "gateway.log", broker.account(SITE).variables)
        yield Edge(broker, wire, await stack.enter_async_context(gateway))
