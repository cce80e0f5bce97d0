"""Joining a cluster: nobody there, somebody silent, a token that is missing, wrong or right."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.cluster.head import Head, ray_head

pytestmark = [pytest.mark.ray, pytest.mark.timeout(180)]

JOIN = """
import asyncio, sys
import ray
from manyhands.deploy.cluster.shared import joined_ray

@ray.remote
def double(number):
    return 2 * number

async def main():
    async with joined_ray(sys.argv[1], []) as joined:
        print(ray.get(double.remote(21)), len(joined.node))

asyncio.run(main())
"""


def command(address: str, port: int, out: Path) -> list[str]:
    words = ["run", "--goal", "Turn on dark mode.", "--phones", "virtual:1", "--mllm-url", "rehearsed", "--json"]
    words += ["--adb-port", str(port), "--ray-address", address, "--out", str(out)]
    return [sys.executable, "-m", "manyhands", *words]


def without_tokens(home: Path) -> dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if "RAY_AUTH" not in name}, "HOME": str(home)}


def refused(address: str, port: int, tmp_path: Path, **environment: str) -> str:
    """What a run says that is refused: one line, exit code 2."""
    done = subprocess.run(
        command(address, port, tmp_path / "out"),
        capture_output=True,
        text=True,
        timeout=120,
        env={**without_tokens(tmp_path), **environment},
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines() == []
    return str(json.loads(done.stdout)["error"])


def test_nobody_there(adb_server: tuple[str, int], tmp_path: Path) -> None:
    started = time.monotonic()
    said = refused("127.0.0.1:1", adb_server[1], tmp_path)
    assert said.startswith("--ray-address 127.0.0.1:1: nobody listens there")
    assert not (tmp_path / "out").exists()  # the same command may be given again
    assert time.monotonic() - started < 100  # ten seconds, and what Python takes to start on a busy machine


def test_sigterm_ends_a_run_at_once_that_waits_for_somebody_silent(adb_server: tuple[str, int], tmp_path: Path) -> None:
    with socket.create_server(("", 0), backlog=64) as silent:
        silent.settimeout(60)
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        process = subprocess.Popen(
            command(address, adb_server[1], tmp_path / "out"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=without_tokens(tmp_path),
        )
        kept = [silent.accept(), silent.accept()]  # the second one is Ray's
        told = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 130
        assert time.monotonic() - told < 5
        for connection, _ in kept:
            connection.close()


@pytest.fixture(scope="module")
def head() -> Iterator[Head]:
    with ray_head() as head:
        yield head


def test_a_missing_or_wrong_token_is_said_in_one_line(head: Head, adb_server: tuple[str, int], tmp_path: Path) -> None:
    port = adb_server[1]
    assert "the cluster asks for a token, and there is none here" in refused(head.address, port, tmp_path / "no")
    wrong = refused(head.address, port, tmp_path / "wrong", RAY_AUTH_TOKEN="7" * 64)
    assert "the cluster does not take the token of RAY_AUTH_TOKEN" in wrong
    off = refused(head.address, port, tmp_path / "off", RAY_AUTH_MODE="disabled")
    assert "RAY_AUTH_MODE=disabled says to show none" in off


def test_the_right_token_is_shown_where_it_is_asked_for(head: Head, tmp_path: Path) -> None:
    environment = {**without_tokens(tmp_path), "RAY_AUTH_TOKEN_PATH": str(head.token)}
    done = subprocess.run(
        [sys.executable, "-c", JOIN, head.address], capture_output=True, text=True, timeout=120, env=environment
    )
    assert (done.stdout, done.stderr) == ("42 56\n", "")
