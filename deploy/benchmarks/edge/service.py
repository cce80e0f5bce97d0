"""Run one of our serving commands as a process that can be killed, frozen and started again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from manyhands.protocol import secure_files
from manyhands.protocol.errors import BadInput, CallError

READY_S = 60.0
STOP_S = 20.0


class Service:
    """Run ``manyhands WORDS --json`` while the context is open. It must print one JSON line when it serves."""

    def __init__(self, words: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        """Prepare. ``environment``: variables in addition to those of this process, such as a password."""
        self._words = tuple(words)
        self._log = log
        self._environment = {**os.environ, **(environment or {})}
        self._process: asyncio.subprocess.Process | None = None
        self.ready: dict[str, Any] = {}

    async def __aenter__(self) -> Self:
        secure_files.make_folder(self._log.parent)
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def pid(self) -> int:
        if self._process is None:
            raise CallError(f"manyhands {self._words[0]} was not started")
        return self._process.pid

    async def start(self) -> None:
        """Start the command, or start it again; return when it serves. Raises BadInput, CallError."""
        with secure_files.open_to_append(self._log) as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "manyhands",
                *self._words,
                "--json",
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=self._environment,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(READY_S):
                line = await self._process.stdout.readline()
        except TimeoutError as error:
            raise CallError(
                f"manyhands {self._words[0]} does not serve after {READY_S:.0f} s; see {self._log}"
            ) from error
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict) or "error" in value:
            said = value["error"] if isinstance(value, dict) else self._last_words() or "it printed nothing"
            raise BadInput(f"manyhands {self._words[0]}: {said}")
        self.ready = value

    async def kill(self) -> None:
        """Kill the process at once."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()

    async def stop(self) -> None:
        """Stop the process in order; kill it if that takes too long."""
        if self._process is None:
            return
        for end in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, TimeoutError):
                if self._process.returncode is None:
                    self._process.send_signal(end)
                async with asyncio.timeout(STOP_S):
                    await self._process.wait()
                    return

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1].removeprefix("error: ") if lines else ""
