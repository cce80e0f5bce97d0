"""Stacks of running processes, taken by py-spy.

It looks from outside and stops nothing, so the processes it looks at cannot be harmed by it. A thread counts as
working where the kernel says that it runs or wants to.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from protocol.errors import BadInput, CallError

RATE_HZ = 100
"""Looks at each process in a second."""
PATIENCE_S = 20.0
"""For py-spy to find its way in a process, and to write down what it saw."""


@asynccontextmanager
async def sampled(pids: Iterable[int], folder: Path) -> AsyncIterator[None]:
    """Write the stacks of ``pids`` to ``folder/<pid>`` while the context is open: py-spy's raw format.

    Raises BadInput where py-spy is not installed or may not look into other processes.
    """
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    program = _py_spy()
    async with AsyncExitStack() as stack:
        for pid in sorted(pids):
            await stack.enter_async_context(_recorded(program, pid, folder / str(pid)))
        yield


def read_folder(folder: Path) -> dict[int, str]:
    """What was seen of each process, by pid; "" where it did nothing."""
    return {int(path.name): path.read_text("utf-8", "replace") for path in folder.iterdir()}


def _py_spy() -> str:
    beside = Path(sys.executable).with_name("py-spy")
    found = str(beside) if beside.exists() else shutil.which("py-spy")
    if found is None:
        raise BadInput("--profile needs py-spy: pip install 'manyhands[bench]'")
    return found


@asynccontextmanager
async def _recorded(program: str, pid: int, out: Path) -> AsyncIterator[None]:
    words = ("record", "--nonblocking", "--full-filenames", "--format", "raw", "--rate", str(RATE_HZ))
    await asyncio.to_thread(out.touch)
    process = await asyncio.create_subprocess_exec(
        program, *words, "--output", str(out), "--pid", str(pid), stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    try:
        await _begun(process, pid)
        yield
    finally:
        await _end(process, pid)


async def _begun(process: Process, pid: int) -> None:
    """Returns when py-spy says that it samples; it says so after it has read the process's symbols."""
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            line = await process.stdout.readline()
            if not line:
                error = (await process.stderr.read()).decode("utf-8", "replace").strip()
                raise BadInput(
                    f"--profile: py-spy cannot look into process {pid}; it needs the right to trace it "
                    f"(CAP_SYS_PTRACE, or kernel.yama.ptrace_scope=0). It said: {error}"
                )
    except TimeoutError as error:
        raise CallError(f"py-spy did not begin to sample process {pid} within {PATIENCE_S:g} s") from error


async def _end(process: Process, pid: int) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGINT)  # it then writes what it has
    try:
        async with asyncio.timeout(PATIENCE_S):
            await process.communicate()
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise CallError(f"py-spy did not write down the stacks of process {pid} within {PATIENCE_S:g} s") from error
