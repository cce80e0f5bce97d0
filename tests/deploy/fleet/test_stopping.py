"""Signals to a command: the first one stops it in order, whatever becomes of what it says."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = """
import asyncio, signal, sys
from manyhands.deploy.command_line.output import carry_out

async def main():
    print("begun", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        loop, again = asyncio.get_running_loop(), asyncio.Event()
        print("cleaning up", flush=True)
        loop.add_reader(sys.stdin, again.set)
        await again.wait()
        print("clean", flush=True)

carry_out(main, False)
"""


@pytest.mark.parametrize("stderr", ["/dev/null", "/dev/full"])
def test_a_second_signal_does_not_cut_the_clean_up_short(stderr: str) -> None:
    if not Path(stderr).exists():
        pytest.skip(f"this system has no {stderr}")
    with Path(stderr).open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "cleaning up\n"
    process.send_signal(signal.SIGINT)
    process.stdin.write("go on\n")
    process.stdin.close()
    assert process.stdout.readline() == "clean\n"
    assert process.wait(60) == 130
    process.stdout.close()
