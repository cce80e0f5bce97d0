"""More nodes of a cluster on this machine, each as ``ray start --address`` makes it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.deploy.cluster.head import Head, ray_start, short_folder


@contextmanager
def joining_node(head: Head, labels: str, **environment: str) -> Iterator[None]:
    """Have a node with ``labels`` join, whose processes have ``environment`` beside ours."""
    with short_folder() as folder:
        words = ["start", f"--address={head.address}", "--block", "--num-cpus=1", f"--labels={labels}"]
        own = {"HOME": str(folder), "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(head.token)}
        given = {**os.environ, **own, **environment}
        with ray_start([*words, f"--object-store-memory={128 << 20}"], given, folder / "node.log"):
            yield


def out_of_step(folder: Path, version: str, ahead_s: float) -> Mapping[str, str]:
    """Return an environment in which Python finds another version of manyhands, and another time."""
    about = folder / f"manyhands-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: manyhands\nVersion: {version}\n")
    (folder / "sitecustomize.py").write_text(
        f"import time\ntrue_time = time.time\ntime.time = lambda: true_time() + {ahead_s}\n"
    )
    return {"PYTHONPATH": str(folder)}
