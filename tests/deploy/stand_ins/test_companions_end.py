"""``manyhands rehearse`` and ``simulate`` leave nothing behind: a signal, SIGKILL, a terminal that closes."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import sys
import termios
from pathlib import Path

import psutil
import pytest

from manyhands.simulator.serving.shutdown import STOP_S
from tests.simulator.processes import SLACK_S, all_gone, children, end_all, started

REHEARSE = ("manyhands", "rehearse")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_the_rehearsed_model_ends_with_its_command(number: signal.Signals) -> None:
    async with started(*REHEARSE) as (process, _):
        family = children(process.pid)
        assert len(family) == 2, "the model and its OCR worker"
        process.send_signal(number)
        await all_gone([psutil.Process(process.pid), *family], STOP_S + SLACK_S)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_virtual_phones_end_with_their_command(number: signal.Signals, adb_server: tuple[str, int]) -> None:
    command = ("manyhands", "simulate", "--phones", "2", "--size", "360x800", "--adb-port", str(adb_server[1]))
    async with started(*command) as (process, ready):
        assert len(ready["serials"]) == 2
        family = children(process.pid)
        assert len(family) == 1
        process.send_signal(number)
        await all_gone([psutil.Process(process.pid), *family], STOP_S + SLACK_S)


async def test_nothing_stays_when_the_terminal_is_closed(tmp_path: Path) -> None:
    """A real terminal, whose other end closes: the system sends SIGHUP, and what is written then fails."""
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", *REHEARSE, stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_terminal
    )
    os.close(theirs)
    family = [psutil.Process(process.pid)]
    try:
        said = b""
        while b"Ctrl-C" not in said:
            said += await asyncio.to_thread(os.read, ours, 1000)
        family += children(process.pid)
        assert len(family) == 3
        os.close(ours)
        await all_gone(family, STOP_S + SLACK_S)
    finally:
        end_all(family)
        await process.wait()
