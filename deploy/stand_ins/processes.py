"""Run stand-ins as processes that end with this process, however it ends."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from manyhands.deploy.child_process import READY_S, STOP_S, ChildProcess


class SidecarProcess(ChildProcess):
    """Run ``python -m MODULE ARGS``, which prints one JSON line when it is ready and ends when its stdin closes."""

    def __init__(
        self, module: str, arguments: Sequence[str], log: Path, ready_s: float = READY_S, stop_s: float = STOP_S
    ) -> None:
        words = (sys.executable, "-m", module, *arguments, "--json", "--until-stdin-closes")
        super().__init__(module, words, log, ready_s=ready_s, stop_s=stop_s)
