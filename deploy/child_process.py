"""Run other programs: a child that lives as long as its context, or a program that is to end by itself."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from manyhands.protocol.errors import BadInput, CallError
from manyhands.protocol.utilities import secure_files

READY_S = 60.0
STOP_S = 10.0
_TAIL_BYTES = 16384


class ChildProcess:
    """Run a command while the context is open. What it writes to standard error is appended to ``log``.

    It has a process group of its own: a terminal's Ctrl-C reaches only this process, which stops its children in
    order. If it reads standard input, it ends when that closes, so it never outlives this process.
    """

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        output: Path | None = None,
        ends_with_stdin: bool = True,
        ready_s: float = READY_S,
        stop_s: float = STOP_S,
    ) -> None:
        """Prepare.

        ``name``: the command in messages. ``environment``: variables in addition to those of this process. ``output``:
        a file for standard output; without one, the command prints a JSON line within ``ready_s`` seconds when it is
        ready. ``stop_s``: the seconds after its standard input closed until SIGTERM, and from there until SIGKILL.
        """
        self.name = name
        self.log = log
        self.ready: dict[str, Any] = {}
        """The JSON object that the command printed when it was ready."""
        self._words = tuple(words)
        self._environment = {**os.environ, **(environment or {})}
        self._output = output
        self._ends_with_stdin = ends_with_stdin
        self._ready_s = ready_s
        self._stop_s = stop_s
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def returncode(self) -> int | None:
        """Return the exit code; minus the number of a signal that ended it, None as long as it runs."""
        return self._running.returncode

    @property
    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise CallError(f"{self.name} was not started")
        return self._process

    async def start(self) -> None:
        """Start the command, or start it again; return when it is ready. Raises BadInput, CallError."""
        secure_files.make_folder(self.log.parent)
        with contextlib.ExitStack() as files:
            output = PIPE if self._output is None else files.enter_context(secure_files.open_to_write(self._output))
            self._process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=PIPE if self._ends_with_stdin else DEVNULL,
                stdout=output,
                stderr=files.enter_context(secure_files.open_to_append(self.log)),
                env=self._environment,
                start_new_session=True,
            )
        if self._output is not None:
            return
        try:
            async with asyncio.timeout(self._ready_s):
                await self._become_ready()
        except TimeoutError as error:
            await self.stop()
            raise CallError(f"{self.name} was not ready within {self._ready_s:.0f} s; see {self.log}") from error
        except BaseException:
            await self.stop()
            raise

    async def _become_ready(self) -> None:
        self.ready = await self.read_json()
        if "error" in self.ready:
            raise BadInput(f"{self.name}: {self.ready['error']}")

    async def read_line(self) -> bytes:
        """Return the next line that it prints; wait for it without limit. Raises BadInput, CallError if it ended."""
        stdout = self._running.stdout
        assert stdout is not None
        line = await stdout.readline()
        if line:
            return line
        code, words = await self._running.wait(), self.last_words() or "it printed nothing"
        if code == 2:  # as all of our commands end after bad input
            raise BadInput(words.removeprefix("error: "))
        raise CallError(f"{self.name} ended with exit code {code}: {words} ({self.log})")

    async def read_json(self) -> dict[str, Any]:
        """Return the next line that it prints as JSON; wait for it without limit. Raises BadInput, CallError."""
        line = await self.read_line()
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                return value
        raise CallError(f"{self.name} printed {line!r}, which is no JSON object; see {self.log}")

    async def write_line(self, line: str) -> None:
        """Write a line to its standard input."""
        stdin = self._running.stdin
        assert stdin is not None
        stdin.write(line.encode() + b"\n")
        await stdin.drain()

    def last_words(self) -> str:
        """Return the last line of the log that is not empty."""
        with contextlib.suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - _TAIL_BYTES))
            lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
            return next((line for line in reversed(lines) if line), "")
        return ""

    async def wait(self) -> int:
        """Wait until it has ended, and return its exit code."""
        return await self._running.wait()

    async def kill(self) -> None:
        """Kill it with SIGKILL, and nothing that it has started."""
        with contextlib.suppress(ProcessLookupError):
            self._running.kill()
        await self._running.wait()

    async def stop(self) -> None:
        """Ask it to end, at last by SIGKILL, and wait until it has ended."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        for ask in (*((None,) if self._ends_with_stdin else ()), process.terminate, process.kill):
            with contextlib.suppress(ProcessLookupError, TimeoutError):
                if ask is not None and process.returncode is None:
                    ask()
                async with asyncio.timeout(self._stop_s):
                    await process.wait()
                    return


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Hold how a program ended, and what it printed."""

    code: int
    output: str
    errors: str


async def run_program(
    *words: str, seconds: float = 60.0, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> ProgramResult:
    """Run a program to its end. It has no standard input, and is killed when its time is over or we are cancelled.

    ``environment``: variables in addition to those of this process. ``folder``: its working folder. Raises OSError if
    it cannot be started, TimeoutError.
    """
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, **(environment or {})},
        cwd=folder,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    assert process.returncode is not None
    return ProgramResult(process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"))


class SidecarProcess(ChildProcess):
    """Run ``python -m MODULE ARGS``, which prints one JSON line when it is ready and ends when its stdin closes."""

    def __init__(
        self, module: str, arguments: Sequence[str], log: Path, ready_s: float = READY_S, stop_s: float = STOP_S
    ) -> None:
        words = (sys.executable, "-m", module, *arguments, "--json", "--until-stdin-closes")
        super().__init__(module, words, log, ready_s=ready_s, stop_s=stop_s)
