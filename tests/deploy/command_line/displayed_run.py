"""Show a canned run by the live display until a line comes in. It is a program of its own, for pseudo-terminals."""

from __future__ import annotations

import asyncio
import sys
import time

from manyhands.deploy.command_line.display import RunDisplay
from manyhands.deploy.command_line.output import log_to_terminal, text_console
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.progress import EpisodeProgress, RunProgress, RunWait, TasksDone
from manyhands.protocol.runs.results import EpisodeResult

PHONES = 30


def canned_progress() -> RunProgress:
    """Return the progress of a run whose texts are hostile."""
    running = tuple(
        EpisodeProgress(
            episode=f"e{number}",
            task=f"task-{number}",
            serial=f"phone-{number}",
            step=number,
            doing="\x1b[2J\u202e会议时间" * 40,
            stages=("decide",),
            stage_since=time.time() - number,
        )
        for number in range(PHONES)
    )
    failed = EpisodeResult(
        episode="r",
        task="bad\x1b[31m",
        serial="p",
        attempt=1,
        ending=Ending.STEP_LIMIT,
        reason="no way\x1b]0;title\x07" * 40,
        steps=40,
        verified=False,
        rubrics={},
        started_at=1.0,
        ended_at=61.0,
    )
    return RunProgress(
        total=90,
        waiting=50,
        running=running,
        done=TasksDone.of([failed]),
        latest=(failed,),
        away=(RunWait(what="phone \x1b[5m", since=time.time(), reason="gone"),),
        phones=40,
    )


async def _main() -> None:
    async def ask() -> RunProgress:
        return canned_progress()

    log_to_terminal()
    display = RunDisplay(text_console(), ask, "runs/r")
    shown = asyncio.create_task(display.run())
    await asyncio.to_thread(sys.stdin.readline)
    shown.cancel()
    await asyncio.gather(shown, return_exceptions=True)
    display.finish(canned_progress())
    text_console().print("the end")


if __name__ == "__main__":
    asyncio.run(_main())
