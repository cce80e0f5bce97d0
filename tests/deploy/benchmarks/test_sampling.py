"""The sampler on a real process: busy functions are seen for as long as they are busy, idle ones are not."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from manyhands.deploy.benchmarks.overhead.samples import read_stacks
from manyhands.deploy.benchmarks.overhead.sampling import read_folder, sampled
from manyhands.protocol.errors import BadInput, CallError

WORK = """
import sys, threading, time

def busy(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(range(1000))

def idle():
    event.wait()

event = threading.Event()
threading.Thread(target=idle).start()
print("ready", flush=True)
for line in sys.stdin:
    busy(float(line))
    print("done", flush=True)
event.set()
"""

FAILING = """
import os, signal

def fail(*_):
    os.write(2, b"disk full")
    os._exit(7)

signal.signal(signal.SIGINT, fail)
print("sampling", flush=True)
while True:
    signal.pause()
"""


async def test_cpu_time_is_seen_where_it_is_used(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", WORK, stdin=PIPE, stdout=PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    try:
        async with sampled([process.pid], tmp_path / "samples"):
            process.stdin.write(b"0.5\n")
            assert await process.stdout.readline() == b"done\n"
    except BadInput as error:  # where only a parent may trace its children, as Ubuntu has it
        pytest.skip(str(error))
    finally:
        process.stdin.close()
        await process.wait()
    texts = read_folder(tmp_path / "samples")
    assert set(texts) == {process.pid}
    seen = dict.fromkeys(("busy", "idle"), 0)
    for stack, times in read_stacks(texts[process.pid]).items():
        for name in seen:
            seen[name] += times * any(place.function.endswith(f":{name}") for place in stack)
    # Half a second of CPU at 100 looks a second; the looks come late where the machine has other things to do.
    assert seen["busy"] > 10
    assert seen["idle"] == 0


async def test_a_process_that_is_not_there_is_said(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await process.wait()
    with pytest.raises(BadInput, match=f"cannot look into process {process.pid}"):
        async with sampled([process.pid], tmp_path / "samples"):
            pytest.fail("nothing was there to sample")


async def test_a_sampler_that_fails_on_the_way_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "py-spy"
    program.write_text(f"#!{sys.executable}\n{FAILING}")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(CallError, match=r"exit code 7\): disk full"):
        async with sampled([1], tmp_path / "samples"):
            pass
