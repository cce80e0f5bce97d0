"""A real ``vllm serve`` on the CPU, behind the reaper that ends it should the tests be killed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.deploy import process_reaper

MAX_PIXELS = 1_048_576
"""The cap on a picture's pixels: a 1080x2400 screenshot becomes 987 tokens for Qwen3-VL."""
MAX_IMAGES = 4
CONTEXT = 16_384
SEQUENCES = 16
QUEUE = 32
"""Requests that run or wait; the next one is answered 503."""
START_TIMEOUT_S = 400.0
GRACE_S = 20.0
STOP_TIMEOUT_S = GRACE_S + 20.0
_SHARED = re.compile(r"/dev/shm/(?:psm_|sem\.mp-)\S+")
_LONGEST_LINE = 300
_SAMPLE = re.compile(r"(vllm:[a-z_]+)(?:\{[^}]*\})? ([0-9.eE+-]+|NaN)$")


class NotStarted(RuntimeError):
    """The server ended before it was healthy, or took too long; holds the end of its log."""


@dataclass(slots=True)
class VllmServer:
    """One server of one tiny random model. Start it, wait until it is ready, stop it."""

    model: Path
    vllm: Path
    log: Path
    cache: Path
    """What servers of one environment need not find out again, such as what a model class can do."""
    dtype: str = "float32"
    port: int = field(default_factory=lambda: free_port())
    _reaper: subprocess.Popen[bytes] | None = None
    _pid: int = 0

    @property
    def url(self) -> str:
        """The base of its OpenAI API."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        """Starts it and returns at once."""
        environment = {
            **os.environ,
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "DO_NOT_TRACK": "1",
            "VLLM_HOST_IP": "127.0.0.1",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            # Otherwise each server binds its threads to the same cores as the one beside it.
            "VLLM_CPU_OMP_THREADS_BIND": "nobind",
            "VLLM_CACHE_ROOT": str(self.cache),
        }
        with self.log.open("wb") as log:
            self._reaper = subprocess.Popen(
                [
                    *process_reaper.COMMAND,
                    "run",
                    str(GRACE_S),
                    str(self.vllm),
                    "serve",
                    str(self.model),
                    *self._flags(),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        assert self._reaper.stdout is not None
        self._pid = int(self._reaper.stdout.readline())

    def wait_ready(self) -> None:
        """Until it answers /health. Raises NotStarted with the end of its log."""
        assert self._reaper is not None
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.healthy():
            if self._reaper.poll() is not None or time.monotonic() > deadline:
                raise NotStarted(f"{self.model.name} on port {self.port}:\n{self.log_end()}")
            time.sleep(0.2)

    def healthy(self) -> bool:
        try:
            self._get("/health")
        except OSError:
            return False
        return True

    def metrics(self) -> Mapping[str, float]:
        """/metrics by name, summed over labels."""
        found: dict[str, float] = {}
        for line in self._get("/metrics").splitlines():
            sample = _SAMPLE.match(line)
            if sample:
                found[sample[1]] = found.get(sample[1], 0.0) + float(sample[2])
        return found

    def kill(self) -> None:
        """SIGKILL to it and all that it started, as when a machine is lost."""
        assert self._reaper is not None
        shared = shared_memory(self._pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        self._reaper.wait(STOP_TIMEOUT_S)
        for path in shared:  # a lost machine leaves none of it; we do
            path.unlink(missing_ok=True)

    def stop(self) -> None:
        """Ends it and all that it started."""
        if self._reaper is not None:
            assert self._reaper.stdin is not None
            self._reaper.stdin.close()
            self._reaper.wait(STOP_TIMEOUT_S)

    def log_end(self, lines: int = 30) -> str:
        last = self.log.read_text(errors="replace").splitlines()[-lines:]
        return "\n".join(line[:_LONGEST_LINE] for line in last)

    def _flags(self) -> list[str]:
        """As Manyhands starts servers, with small limits so that tests reach them."""
        return [
            *("--host", "127.0.0.1", "--port", str(self.port), "--served-model-name", self.model.name),
            *("--dtype", self.dtype, "--enforce-eager", "--max-model-len", str(CONTEXT)),
            *("--limit-mm-per-prompt", json.dumps({"image": MAX_IMAGES, "video": 0})),
            *("--mm-processor-kwargs", json.dumps({"min_pixels": 65_536, "max_pixels": MAX_PIXELS})),
            *("--structured-outputs-config", json.dumps({"backend": "guidance", "disable_any_whitespace": True})),
            *("--scheduling-policy", "priority", "--max-num-seqs", str(SEQUENCES)),
            *("--max-num-queued-reqs", str(QUEUE)),
            *("--enable-prefix-caching", "--enable-prompt-tokens-details", "--disable-uvicorn-access-log"),
            *("--logprobs-mode", "processed_logprobs", "--enable-scale-out"),  # what test_token_ids.py needs
        ]

    def _get(self, path: str) -> str:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return str(answer.read().decode())


def shared_memory(group: int) -> set[Path]:
    """The files in shared memory that the processes of a group have open."""
    found: set[str] = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getpgid(int(folder.name)) == group:
                found.update(_SHARED.findall((folder / "maps").read_text()))
    return set(map(Path, found))


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
