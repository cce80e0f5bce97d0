"""A private adb server for the tests of virtual phones."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator

import adbutils
import pytest

from tests.simulator.adb_client import Adb

START_TIMEOUT_S = 20.0


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    """A real adb server on a free port, ours alone, and clients of it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "ANDROID_ADB_SERVER_PORT": str(port),
        "HOME": str(tmp_path_factory.mktemp("adb_home")),
        # No search for USB devices (3 s), emulators and phones in the network.
        "ADB_USB": "0",
        "ADB_EMU": "0",
        "ADB_MDNS": "0",
    }
    server = subprocess.Popen(
        [adbutils.adb_path(), "nodaemon", "server"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert server.poll() is None, "the adb server ended"
                assert time.monotonic() < deadline, "the adb server does not listen"
                time.sleep(0.01)
        yield Adb(port, environment)
    finally:
        server.terminate()
        server.wait(10)
