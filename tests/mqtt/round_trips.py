"""Measure what Nagle's algorithm and delayed acknowledgements cost a message at QoS 1, by broker and client.

python -m tests.mqtt.round_trips
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aiomqtt

from manyhands.deploy.mosquitto.configuration import LOOPBACK, find_program, free_port
from tests.mqtt.clients import NO_DELAY

TIMES = 40


async def measured(port: int, size: int, client_no_delay: bool) -> float:
    """Return the milliseconds (median) of a request with ``size`` bytes and a reply of 300."""
    options = NO_DELAY if client_no_delay else []

    def client() -> aiomqtt.Client:
        return aiomqtt.Client(LOOPBACK, port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=options)

    took: list[float] = []
    async with client() as one, client() as other:
        await one.subscribe("to/one", 1)
        await other.subscribe("to/other", 1)
        for _ in range(TIMES):
            began = time.perf_counter()
            await one.publish("to/other", bytes(size), 1)
            await anext(aiter(other.messages))
            await other.publish("to/one", bytes(300), 1)
            await anext(aiter(one.messages))
            took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


def main() -> None:
    for broker_no_delay in (False, True):
        port = free_port()
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "mosquitto.conf"
            lines = [f"set_tcp_nodelay {str(broker_no_delay).lower()}", f"listener {port} {LOOPBACK}"]
            config.write_text("\n".join([*lines, "allow_anonymous true", ""]))
            broker = subprocess.Popen([find_program().path, "-c", str(config)], stderr=subprocess.DEVNULL)
            try:
                time.sleep(1)
                for client_no_delay in (False, True):
                    for size in (300, 257_000):
                        ms = asyncio.run(measured(port, size, client_no_delay))
                        said = (
                            f"broker {broker_no_delay!s:5} client {client_no_delay!s:5} {size:7} bytes {ms:6.1f} ms\n"
                        )
                        sys.stdout.write(said)
            finally:
                broker.terminate()
                broker.wait()


if __name__ == "__main__":
    main()
