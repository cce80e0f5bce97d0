"""Processes of the simulator and of commands, for tests of how they end."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psutil

SLACK_S = 4.0
"""For a machine with much else to do."""


@asynccontextmanager
async def started(*arguments: str, **options: Any) -> AsyncIterator[tuple[asyncio.subprocess.Process, dict[str, Any]]]:
    """``python -m ARGUMENTS --json`` once it is ready, and what it said. Whatever it left is killed at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *arguments,
        "--json",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        **options,
    )
    assert process.stdout is not None
    family = [psutil.Process(process.pid)]
    try:
        ready = json.loads(await process.stdout.readline())
        family += children(process.pid)
        yield process, ready
    finally:
        end_all(family)
        await process.wait()


def children(pid: int) -> list[psutil.Process]:
    return list(psutil.Process(pid).children(recursive=True))


async def all_gone(processes: list[psutil.Process], within_s: float) -> None:
    """Wait until none of the processes runs."""
    async with asyncio.timeout(within_s):
        while any(map(_runs, processes)):
            await asyncio.sleep(0.02)


def end_all(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # also where another one has its id by now
            process.kill()


def _runs(process: psutil.Process) -> bool:
    try:
        status: str = process.status()
    except psutil.NoSuchProcess:  # it may end at any time, also between two questions
        return False
    return process.is_running() and status != psutil.STATUS_ZOMBIE
