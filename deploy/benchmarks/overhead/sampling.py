"""Stacks of running processes, taken by py-spy.

It reads a process from outside and stops nothing, so it cannot harm what it looks at. A thread counts as working while
the kernel lists it as running or runnable.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.task_groups import first_error
from manyhands.protocol.errors import BadInput, CallError

RATE_HZ = 100
"""Looks at each process in a second."""
PATIENCE_S = 20.0
"""How long py-spy may take to begin, and to write its samples."""


@dataclass(frozen=True, slots=True)
class _Recorder:
    """A py-spy at work."""

    pid: int
    """The process that it looks at."""
    process: Process


@asynccontextmanager
async def sampled(pids: Iterable[int], folder: Path) -> AsyncIterator[None]:
    """Write the stacks of ``pids`` to ``folder/<pid>`` while the context is open: py-spy's raw format.

    Raises BadInput where py-spy is not installed or may not look into other processes, CallError where it fails later.
    """
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    program = py_spy()
    recorders: list[_Recorder] = []
    try:
        for pid in sorted(pids):
            recorders.append(_Recorder(pid, await _started(program, pid, folder / str(pid))))
        with first_error():
            async with asyncio.TaskGroup() as group:
                for recorder in recorders:
                    group.create_task(_begun(recorder))
        yield
        with first_error():
            async with asyncio.TaskGroup() as group:
                for recorder in recorders:
                    recorder.process.send_signal(signal.SIGINT)  # it then writes what it has
                    group.create_task(_ended(recorder))
    finally:
        for recorder in recorders:
            if recorder.process.returncode is None:
                recorder.process.kill()
                await recorder.process.wait()


def read_folder(folder: Path) -> dict[int, str]:
    """Read the samples of each process, by pid; "" where it did nothing."""
    return {int(path.name): path.read_text("utf-8", "replace") for path in folder.iterdir()}


def py_spy() -> str:
    """Return the path of py-spy. Raises BadInput where it is not installed."""
    beside = Path(sys.executable).with_name("py-spy")
    found = str(beside) if beside.exists() else shutil.which("py-spy")
    if found is None:
        raise BadInput("--profile needs py-spy: pip install 'manyhands[bench]'")
    return found


async def _started(program: str, pid: int, out: Path) -> Process:
    words = ("record", "--nonblocking", "--full-filenames", "--format", "raw", "--rate", str(RATE_HZ))
    await asyncio.to_thread(out.touch)
    return await asyncio.create_subprocess_exec(
        program, *words, "--output", str(out), "--pid", str(pid), stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )


async def _begun(recorder: _Recorder) -> None:
    """Wait until py-spy prints that it samples, which it does once it has read the process's symbols."""
    process = recorder.process
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            if await process.stdout.readline():
                return
            output = await process.stderr.read()
    except TimeoutError as error:
        raise CallError(f"py-spy did not begin to sample process {recorder.pid} within {PATIENCE_S:g} s") from error
    raise BadInput(
        f"--profile: py-spy cannot look into process {recorder.pid}; it needs the right to trace it (CAP_SYS_PTRACE, "
        f"or kernel.yama.ptrace_scope=0). It printed: {_line(output)}"
    )


async def _ended(recorder: _Recorder) -> None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            _, output = await recorder.process.communicate()
    except TimeoutError as error:
        raise CallError(f"py-spy did not write the stacks of process {recorder.pid} within {PATIENCE_S:g} s") from error
    if recorder.process.returncode != 0:
        raise CallError(
            f"py-spy failed on process {recorder.pid} (exit code {recorder.process.returncode}): {_line(output)}"
        )


def _line(output: bytes) -> str:
    return " ".join(output.decode("utf-8", "replace").split())
