"""Run one ``vllm serve`` process under a reaper, which ends the process and all its children."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from manyhands.deploy import process_reaper
from manyhands.protocol import secure_files
from manyhands.protocol.errors import CallError

_GRACE_S = 20.0
_STARTED_TIMEOUT_S = 30.0
_STOP_TIMEOUT_S = 40.0
_TAIL_BYTES = 16384


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """Hold the command of one server. ``host`` and ``port``: where the server's health is checked.

    ``secrets``: more environment variables, whose values are never shown.
    """

    name: str
    argv: tuple[str, ...]
    host: str
    port: int
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        """Return the base URL of the server's OpenAI API."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"


class ServerProcess:
    """Run a server and its workers while the context is open. Their output goes to ``log``."""

    def __init__(self, command: ServerCommand, log: Path) -> None:
        self.command = command
        self.log = log
        self.pid = 0
        self._reaper: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        secure_files.make_folder(self.log.parent)
        with secure_files.open_to_append(self.log) as log:
            self._reaper = await asyncio.create_subprocess_exec(
                *process_reaper.COMMAND,
                "run",
                str(_GRACE_S),
                *self.command.argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**os.environ, **self.command.env, **self.command.secrets},
                # A terminal's Ctrl-C must reach only the supervisor, which ends the servers in order.
                start_new_session=True,
            )
        try:
            self.pid = await self._read_pid(self._reaper)
        except BaseException:
            await self._stop(self._reaper)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reaper is not None:
            await self._stop(self._reaper)

    async def wait(self) -> int:
        """Wait until the server ends. Return its exit code, or 128 + n after signal n."""
        assert self._reaper is not None
        return await self._reaper.wait()

    def last_words(self) -> str:
        """Return the last line of the log that is not empty."""
        with contextlib.suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - _TAIL_BYTES))
            lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
            return next((line for line in reversed(lines) if line), "")
        return ""

    async def _read_pid(self, reaper: asyncio.subprocess.Process) -> int:
        assert reaper.stdout is not None
        try:
            async with asyncio.timeout(_STARTED_TIMEOUT_S):
                line = await reaper.stdout.readline()
        except TimeoutError as error:
            raise CallError(
                f"{self.command.name}: its reaper did not start within {_STARTED_TIMEOUT_S:.0f} s"
            ) from error
        if not line.strip().isdigit():
            await reaper.wait()
            raise CallError(f"{self.command.name} could not be started: {self.last_words() or self.command.argv[0]}")
        return int(line)

    async def _stop(self, reaper: asyncio.subprocess.Process) -> None:
        """Close the reaper's input and wait. The reaper kills what does not end."""
        if reaper.stdin is not None:
            reaper.stdin.close()
        for insist in (None, reaper.terminate, reaper.kill):
            with contextlib.suppress(ProcessLookupError, TimeoutError):
                if insist is not None and reaper.returncode is None:
                    insist()
                async with asyncio.timeout(_STOP_TIMEOUT_S):
                    await reaper.wait()
                    return
