"""A Ray cluster of one node, as ``ray start --head`` makes it: in a home and a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

RAY = (sys.executable, "-m", "ray.scripts.scripts")
READY_S = 120.0


@dataclass(frozen=True)
class Head:
    address: str
    token: Path


@contextmanager
def short_folder() -> Iterator[Path]:
    """Ray's sockets lie in it, and their paths have 107 bytes at most."""
    folder = Path(tempfile.mkdtemp(prefix="mht-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def ray_head() -> Iterator[Head]:
    """A head that asks for a token; its home has one, as one that a local run of Ray had left there."""
    with short_folder() as folder:
        token = folder / ".ray" / "auth_token"
        token.parent.mkdir()
        token.write_text("5" * 64)
        port = _port_below_the_workers()
        environment = {**os.environ, "HOME": str(folder), "RAY_TMPDIR": str(folder), "RAY_AUTH_MODE": "token"}
        words = ["start", "--head", "--block", f"--port={port}", "--num-cpus=1", "--include-dashboard=false"]
        own = {"AUTOSCALER_METRIC_PORT": "0", "DASHBOARD_METRIC_PORT": "0"}
        with ray_start([*words, f"--object-store-memory={512 << 20}"], environment | own, folder / "head.log"):
            yield Head(f"127.0.0.1:{port}", token)


@contextmanager
def ray_start(words: Sequence[str], environment: Mapping[str, str], log: Path) -> Iterator[None]:
    """Have what ``ray start WORDS`` starts, once it says that it runs; ``log``: where it says so."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*RAY, *words, "--disable-usage-stats"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + READY_S
        while "Ray runtime started" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _port_below_the_workers() -> int:
    """Ray wants 10002 to 19999 for workers."""
    for port in range(6400, 6500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("no port is free")
