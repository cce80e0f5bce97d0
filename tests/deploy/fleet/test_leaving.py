"""A program's own error within an open fleet: it is what the program gets, and what we stop beside it says nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.evaluation.summary import summarise
from manyhands.protocol.base import Ending

PROGRAM = """
import asyncio, sys
from manyhands import Fleet, StepBegan

async def watch(fleet, at_work):
    seen = []
    async for event in fleet.events():
        seen.append(type(event).__name__)
        if isinstance(event, StepBegan):
            at_work.set()
    return seen

async def main():
    # Slow, so that the task is at work when the error comes.
    given = dict(phones=["virtual:1"], mllm_url=["rehearsed"], rehearsal={"latency_s": {"plan": 60}})
    ways = dict(adb_port=int(sys.argv[1]), out=sys.argv[2], on_start=print)
    async with Fleet(**given, **ways) as fleet:
        at_work = asyncio.Event()
        main.watcher = asyncio.create_task(watch(fleet, at_work))
        task = asyncio.create_task(fleet.run("Turn on dark mode."))
        await at_work.wait()
        try:
            raise ValueError("the program's own")
        finally:
            task.add_done_callback(lambda done: print("cancelled", done.cancelled(), flush=True))
            main.fleet = fleet

async def closed():
    try:
        await main()
    except ValueError:
        print(await main.watcher, flush=True)
        try:
            await main.fleet.run("Turn on dark mode.")
        except RuntimeError as error:
            print(error, flush=True)
        raise

asyncio.run(closed())
"""


@pytest.mark.timeout(400)
def test_an_error_of_the_program_is_its_own_and_what_was_running_is_cancelled(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(adb_server[1]), str(out)], capture_output=True, text=True, timeout=380
    )
    assert ended.returncode == 1
    told = ended.stderr.splitlines()
    assert told[0].startswith("Traceback")
    assert told[-1] == "ValueError: the program's own"
    assert [line for line in told if line.startswith("Traceback")] == told[:1], ended.stderr
    assert not [line for line in told if not line.startswith((" ", "Traceback", "ValueError"))], ended.stderr
    assert ended.stdout.splitlines() == [
        "Checking settings and model servers",
        "Starting Ray",
        "Starting 1 virtual phone",
        "Starting the rehearsed model",
        "Starting the actors",
        "cancelled True",
        "['TaskBegan', 'StepBegan', 'TaskEnded']",
        "the fleet is not open: call this within async with Fleet(...) as fleet",
    ]
    (row,) = summarise(out).by_task
    assert row.finished is Ending.CANCELLED
