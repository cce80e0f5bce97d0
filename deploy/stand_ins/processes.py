"""Run stand-ins as processes that end with this process, however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from manyhands.protocol import secure_files
from manyhands.protocol.errors import BadInput, CallError

READY_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0


class SidecarProcess:
    """Run ``python -m MODULE ARGS``, which prints one JSON line when it is ready and ends when its stdin closes.

    Its stdin closes when this process ends, so it never outlives this process. Its other output goes to ``log``.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        log: Path,
        ready_timeout_s: float = READY_TIMEOUT_S,
        stop_timeout_s: float = STOP_TIMEOUT_S,
    ) -> None:
        """Prepare the process.

        The process gets SIGTERM ``stop_timeout_s`` seconds after its stdin has closed, and SIGKILL after the same time
        again.
        """
        self._module = module
        self._ready_timeout_s = ready_timeout_s
        self._stop_timeout_s = stop_timeout_s
        self._arguments = tuple(arguments)
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self.ready: dict[str, Any] = {}

    async def __aenter__(self) -> Self:
        secure_files.make_folder(self._log.parent)
        with secure_files.open_to_append(self._log) as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self._module,
                *self._arguments,
                "--json",
                "--until-stdin-closes",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                # A terminal's Ctrl-C reaches the whole process group. The sidecar must run until we close its stdin.
                start_new_session=True,
            )
        try:
            self.ready = await self._wait_ready()
        except BaseException:
            await self._stop(self._process)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None:
            await self._stop(self._process)

    @property
    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise CallError(f"{self._module} was not started")
        return self._process

    @property
    def pid(self) -> int:
        return self._running.pid

    async def tell(self, line: str) -> None:
        """Write a control line to its stdin."""
        stdin = self._running.stdin
        assert stdin is not None
        stdin.write(line.encode() + b"\n")
        await stdin.drain()

    async def _wait_ready(self) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._ready_timeout_s):
                return await self.hear()
        except TimeoutError as error:
            limit_s = self._ready_timeout_s
            raise CallError(f"{self._module} was not ready within {limit_s:.0f} s; see {self._log}") from error

    async def hear(self) -> dict[str, Any]:
        """Return the next JSON line that the process prints; wait for it without limit. Raises BadInput, CallError."""
        process = self._running
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            await process.wait()
            raise self._failure(process.returncode)
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise CallError(f"{self._module} printed {line!r}, which is no JSON object; see {self._log}")
        return value

    def _failure(self, code: int | None) -> Exception:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        last = lines[-1] if lines else "it printed nothing"
        if code == 2:
            return BadInput(last.removeprefix("error: "))
        return CallError(f"{self._module} ended with exit code {code}: {last} ({self._log})")

    async def _stop(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is not None:
            process.stdin.close()
        for stop in (None, process.terminate, process.kill):
            with contextlib.suppress(ProcessLookupError, TimeoutError):
                if stop is not None and process.returncode is None:
                    stop()
                async with asyncio.timeout(self._stop_timeout_s):
                    await process.wait()
                    return
