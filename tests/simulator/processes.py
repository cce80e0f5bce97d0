"""Processes of the simulator and of commands, for tests of how they end."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
        for member in family:
            if member.is_running():
                member.kill()
        await process.wait()


def children(pid: int) -> list[psutil.Process]:
    return list(psutil.Process(pid).children(recursive=True))


async def all_gone(processes: list[psutil.Process], within_s: float) -> None:
    """Wait until none of the processes runs."""
    async with asyncio.timeout(within_s):
        while any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes):
            await asyncio.sleep(0.02)
