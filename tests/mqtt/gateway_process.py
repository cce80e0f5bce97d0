"""`manyhands gateway` of a test, in a process of its own that can be killed and started again, and who asks it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.edge.mqtt_link import MqttLink
from manyhands.actors.edge.settings import BrokerSettings, MqttGatewaySettings
from tests.mqtt.broker import Mosquitto

READY_S = 60.0
PROGRAM = (sys.executable, "-m", "manyhands")


@dataclass
class GatewayProcess:
    """Serves site A with the credentials of ``account``."""

    broker: Mosquitto
    adb_port: int
    state: Path
    account: str = "A"
    program: Sequence[str] = PROGRAM
    options: Sequence[str] = ()
    ready: dict[str, Any] = field(default_factory=dict)
    """What it said once it served."""
    process: asyncio.subprocess.Process | None = None
    errors: IO[bytes] | None = None
    """Where its stderr goes, if not to ours."""

    def command(self, **replaced: str) -> tuple[str, ...]:
        """Its command line; options may be replaced, by their names."""
        given = {
            "site": "A",
            "broker": self.broker.url,
            "mqtt-user-env": "MQTT_USER",
            "mqtt-password-env": "MQTT_PASSWORD",
            "adb-port": str(self.adb_port),
            "state-dir": str(self.state),
            "reset-provider": "content://manyhands.simulator",
            "label-provider": "content://manyhands.simulator/apps",
        }
        if self.broker.ca is not None:
            given["mqtt-ca"] = str(self.broker.ca)
        given |= {name.replace("_", "-"): value for name, value in replaced.items()}
        named = [part for name, value in given.items() for part in (f"--{name}", value)]
        return (*self.program, "gateway", *named, *self.options, "--json")

    def environment(self, **replaced: str) -> dict[str, str]:
        account = self.broker.account(self.account)
        return {**os.environ, "MQTT_USER": account.user, "MQTT_PASSWORD": account.password, **replaced}

    async def start(self) -> None:
        """Return once it serves."""
        self.process = await asyncio.create_subprocess_exec(
            *self.command(), stdout=asyncio.subprocess.PIPE, stderr=self.errors, env=self.environment()
        )
        assert self.process.stdout is not None
        async with asyncio.timeout(READY_S):
            self.ready = json.loads(await self.process.stdout.readline())

    async def end(self, by: signal.Signals = signal.SIGTERM) -> int:
        """End it, and return its exit code."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(by)
        return await self.process.wait()

    async def kill(self) -> None:
        await self.end(signal.SIGKILL)


@asynccontextmanager
async def asking(broker: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MqttGateway]:
    """A gateway of the cluster, with the credentials of its user."""
    account = broker.account("cluster")
    monkeypatch.setenv("CLUSTER_USER", account.user)
    monkeypatch.setenv("CLUSTER_PASSWORD", account.password)
    at = BrokerSettings(
        host=broker.host, port=broker.port, ca=broker.ca, user_env="CLUSTER_USER", password_env="CLUSTER_PASSWORD"
    )
    made = MqttGatewaySettings(broker=at, sites=("A",))
    gateway = MqttGateway(made, lambda settings, name: MqttLink(name, settings.broker, settings.link))
    await gateway.start()
    try:
        yield gateway
    finally:
        await gateway.stop()
