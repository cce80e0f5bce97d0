"""A whole service in a process of its own: virtual phones behind a real adb server, and the rehearsed model."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"


@dataclass(frozen=True)
class RealService:
    """A service that runs; its URL and its first token."""

    url: str
    token: str

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the answer to a GET, or to a POST of a body."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{self.url}/api/v1{path}", content, headers), timeout=30) as answer:
            return json.load(answer)

    def steps_of(self, episode: str) -> list[int]:
        """Return the numbers of the steps that the service knows of an episode."""
        return [step["step"] for step in self.ask(f"/episodes/{episode}/report")["steps"]]


@contextmanager
def run_real_service(folder: Path, phones: int) -> Iterator[RealService]:
    """Run a service in a folder until the context ends. It prints its URL before its phones are ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    adb = subprocess.check_output([PYTHON, "-c", "import adbutils; print(adbutils.adb_path())"], text=True).strip()
    environment = {**os.environ, "HOME": str(folder), "ADB_MDNS": "0", "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554"}
    words = ["--phones", f"virtual:{phones}", "--mllm-url", "rehearsed", "--adb-port", port, "--port", "0", "--json"]
    command = [PYTHON, "-m", "manyhands", "serve", "--folder", folder / "service", *words]
    with subprocess.Popen(
        [adb, "-P", port, "server", "nodaemon"], env=environment, stderr=subprocess.DEVNULL
    ) as server:
        state = {**os.environ, "MANYHANDS_STATE_DIR": str(folder / "state")}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=state) as process:
            assert process.stdout is not None
            try:
                url = json.loads(process.stdout.readline())["url"]
                yield RealService(url, Path(folder, "service", "token").read_text().strip())
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=120)
                server.kill()
