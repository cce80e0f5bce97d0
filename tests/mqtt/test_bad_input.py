"""What is wrong with the broker itself: one line and exit code 2 at the start, later a metric and another try.

What is wrong with who we are and what we ask for is in test_gateway.py and test_runs.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.deploy.telemetry.metrics.scraping import parsed, scraped, value
from tests.mqtt.broker import Mosquitto
from tests.mqtt.conftest import StartBroker
from tests.mqtt.gateway_process import GatewayProcess

RETRIED_S = 5.0
SLACK_S = 3.0
"""For a machine with much else to do."""

WRONG = {
    "name": "not valid for '127.0.0.1'",
    "expired": "certificate has expired",
    "certificate": "it may want a certificate of ours",
}
COMMANDS = ("gateway", "run")


def spoiled(start_broker: StartBroker, wrong: str) -> tuple[Mosquitto, str]:
    """A broker with which something is wrong, and its address."""
    hosts = ["elsewhere.example"] if wrong == "name" else ["127.0.0.1"]
    broker = start_broker(tls=True, hosts=hosts, expired=wrong == "expired")
    return broker, broker.certificate_url if wrong == "certificate" else broker.url


async def refused(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The one line that a command says."""
    done = await asyncio.to_thread(
        subprocess.run, command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 2, (done.stdout, done.stderr)
    said = json.loads(done.stdout)
    assert said["code"] == "bad_input"
    assert "Traceback" not in done.stderr
    assert environment["MQTT_PASSWORD"] not in done.stdout + done.stderr
    error: str = said["error"]
    assert "\n" not in error
    return error


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("command", COMMANDS)
async def test_what_is_wrong_with_a_broker_is_one_line(
    start_broker: StartBroker, adb_server: tuple[str, int], tmp_path: Path, command: str, wrong: str
) -> None:
    broker, url = spoiled(start_broker, wrong)
    gateway = GatewayProcess(broker, adb_server[1], tmp_path / "state")
    if command == "gateway":
        assert WRONG[wrong] in await refused(gateway.command(broker=url), gateway.environment())
        return
    account = broker.account("cluster")
    words = [sys.executable, "-m", "manyhands", "run", "--json", "--mllm-url", "rehearsed", "--phones", f"{url}/A/*"]
    words += ["--mqtt-ca", str(broker.ca), "--mqtt-user-env", "MQTT_USER", "--mqtt-password-env", "MQTT_PASSWORD"]
    words += ["--out", str(tmp_path / "run"), "--goal", "Turn on dark mode."]
    assert WRONG[wrong] in await refused(words, {"MQTT_USER": account.user, "MQTT_PASSWORD": account.password})
    assert not (tmp_path / "run").exists()


async def test_later_it_is_a_metric_and_another_try_every_5_seconds_at_most(
    start_broker: StartBroker, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    broker = start_broker(tls=True)
    gateway = GatewayProcess(broker, adb_server[1], tmp_path, options=("--metrics-port", "0"))
    await gateway.start()
    try:

        async def figure(name: str) -> float:
            return value(parsed(await scraped(gateway.ready["metrics"])), f"manyhands_link_{name}_total", end="A")

        async def risen(name: str, above: float) -> float:
            async with asyncio.timeout(RETRIED_S + SLACK_S):
                while (now := await figure(name)) <= above:
                    await asyncio.sleep(0.1)
            return now

        connects = await figure("connects")
        broker.stop()
        broker.expired = True
        broker.start()
        tried = await figure("failures")
        for _ in range(6):
            tried = await risen("failures", tried)
        assert await figure("connects") == connects
        broker.stop()
        broker.expired = False
        broker.start()
        await risen("connects", connects)
    finally:
        await gateway.kill()
