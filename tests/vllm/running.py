"""``manyhands run`` as a user starts it: two virtual phones, a private adb server, tiny random models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.run_summary import RunSummary
from tests.vllm.server import MAX_PIXELS, VllmServer

PHONES = 2
MAX_STEPS = 4
LONGEST_S = 420
OF_THE_MODEL = frozenset(
    {Ending.FINISHED, Ending.IMPOSSIBLE, Ending.STEP_LIMIT, Ending.FAILURE_LIMIT, Ending.REPEAT_LIMIT}
)
"""How a task may end where phones, servers and our own parts work."""


class Run:
    """A run under way; its folder is ``out``."""

    def __init__(
        self,
        goals: list[str],
        adb_port: int,
        folder: Path,
        *servers: VllmServer,
        profile: str = "e",
        extra: Sequence[str] = (),
    ) -> None:
        self.out = folder / "run"
        options = ["--phones", f"virtual:{PHONES}", "--max-steps", str(MAX_STEPS), "--max-pixels", str(MAX_PIXELS)]
        options += ["--adb-port", str(adb_port), "--out", str(self.out), "--json"]
        options += ["--profile", profile, "--dialect", "qwen3-vl"]
        options += [word for server in servers for word in ("--mllm-url", server.url)]
        options += extra
        options += [word for goal in goals for word in ("--goal", goal)]
        self._log = folder / "run.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "manyhands", "run", *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "MANYHANDS_STATE_DIR": str(folder / "state")},
            )

    def summary(self) -> RunSummary:
        """When it has ended."""
        try:
            said, _ = self.process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self.stop()
            raise AssertionError(f"the run did not end in {LONGEST_S} s:\n{self.log()}") from None
        assert self.process.returncode in (0, 1), f"{said.decode()}\n{self.log()}"
        told = json.loads(said)
        told.pop("out")
        return RunSummary.model_validate(told)

    def stop(self) -> None:
        """As Ctrl-C does: the run gives its phones back."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)

    def log(self) -> str:
        return self._log.read_text(errors="replace")[-4000:]
