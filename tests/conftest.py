"""Fixtures of the whole session."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import ray
from adbutils import adb_path
from hypothesis import HealthCheck, settings

from manyhands.deploy.cluster.tokens import own_token, reread

if TYPE_CHECKING:
    from manyhands.service.http_server import TlsFiles

# Under nohup the signal is ignored, and whoever inherits that heeds it; tests close terminals without it.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Ray gives its actors the least priority of all: beside other tests on few cores theirs would hardly ever run.
os.environ.setdefault("RAY_worker_niceness", "0")

# How long an example takes says how busy the machine is. The examples are the same in every run, so that a change
# alone turns a test red; `make test-explore` draws others, and more of them.
settings.register_profile(
    "fixed", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True, max_examples=30
)
settings.register_profile(
    "explore", settings.get_profile("fixed"), derandomize=False, max_examples=100, print_blob=True
)
settings.load_profile("fixed")

_ENDS_AT = pytest.StashKey[float]()
"""When no test begins any more, by the monotonic clock."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, default=math.inf, help="Begin no test after so many minutes.")
    parser.addoption("--shuffle", default="", help="Order the files of slow tests by this text, such as a commit.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_ENDS_AT] = time.monotonic() + 60 * config.getoption("--minutes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that would begin too late. Its fixtures do not begin either."""
    if time.monotonic() > item.config.stash[_ENDS_AT]:
        pytest.skip("the --minutes are over")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Spread the slow tests, file by file, over all others: each process gets some, and none is left for the end."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    rest = [item for item in items if not item.get_closest_marker("slow")]
    files = [list(group) for _, group in itertools.groupby(slow, key=lambda item: item.path)]
    if shuffle := config.getoption("--shuffle"):
        files.sort(key=lambda group: hashlib.sha256(f"{shuffle} {group[0].path.name}".encode()).digest())
    bounds = [len(rest) * number // max(1, len(files)) for number in range(len(files) + 1)]
    items[:] = []
    for group, (start, end) in zip(files, itertools.pairwise(bounds), strict=True):
        items += [*group, *rest[start:end]]
    if not files:
        items += rest


@pytest.fixture(scope="session")
def ray_local() -> Iterator[str]:
    """A local Ray of this test session; its namespace."""
    namespace = "manyhands-tests"
    # Ray's sockets lie in it, and their paths have 107 bytes at most.
    with tempfile.TemporaryDirectory(prefix="mht-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        with own_token(Path(folder)):
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, namespace=namespace, _temp_dir=folder)
        yield namespace
        ray.shutdown(wait_for_processes=True)
        reread()


@pytest.fixture(scope="session")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A real adb server of this test session on a free port, with a home of its own: (host, port)."""
    host = "127.0.0.1"
    with socket.create_server((host, 0)) as free:
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("adb")
    environment = {**os.environ, "HOME": str(home), "ADB_MDNS": "0", "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554"}
    environment.pop("ANDROID_ADB_SERVER_PORT", None)
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [adb_path(), "-P", str(port), "server", "nodaemon"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
        )
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection((host, port), timeout=1).close()
                break
            except OSError:
                assert server.poll() is None, (home / "server.log").read_text()
                assert time.monotonic() < deadline, "the adb server does not listen"
                time.sleep(0.02)
        yield host, port
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def tls(tmp_path: Path) -> TlsFiles:
    """A certificate for 127.0.0.1, signed by itself."""
    from manyhands.service.http_server import TlsFiles  # it needs libraries that take seconds to import

    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: nothing makes a certificate")
    made = TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"),
            *("-keyout", str(made.key), "-out", str(made.certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return made
