"""A Ray that ``mllm --on ray`` starts: beside any other Ray of the machine, and with no token in the home folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.deploy.cluster.head import Head, ray_head, short_folder

pytestmark = [pytest.mark.ray, pytest.mark.timeout(280)]

START = """
import sys
from pathlib import Path
import ray
from manyhands.deploy.serving.ray_serve import connect

connect(None, Path(sys.argv[1]))
ray.get(ray.remote(lambda: 1).remote())
ray.shutdown()
"""


@contextmanager
def frozen_store(head: Head) -> Iterator[None]:
    """Have the global control store of somebody else's Ray stopped: whoever asks it waits for good."""
    word = f"--gcs_server_port={head.address.rpartition(':')[2]}"
    (store,) = (process for process in psutil.process_iter(["cmdline"]) if word in (process.info["cmdline"] or ()))
    store.suspend()
    try:
        yield
    finally:
        store.resume()


@pytest.mark.slow
def test_a_ray_is_started_beside_others_and_keeps_its_token_in_a_folder_that_goes(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    with ray_head() as other, frozen_store(other), short_folder() as ray_folder:
        environment = {**os.environ, "HOME": str(tmp_path), "RAY_TMPDIR": str(ray_folder)}
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_ADDRESS"):
            environment.pop(name, None)
        said = tmp_path / "said.txt"
        with said.open("w") as file:  # no pipe: a process of Ray that ends a little later would hold it open
            done = subprocess.run(
                [sys.executable, "-c", START, str(kept)], env=environment, stdout=file, stderr=file, timeout=240
            )
    assert done.returncode == 0, said.read_text()
    assert [path.name for path in kept.iterdir()] == ["auth_token"]
    assert not (tmp_path / ".ray" / "auth_token").exists()
