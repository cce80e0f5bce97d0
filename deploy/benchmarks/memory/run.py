"""Read and search a large memory, in a process that holds its memory service and nothing else."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import psutil

from manyhands.actors.memory.contents import MemoryContents
from manyhands.actors.memory.memory_service import MemoryService, MemorySettings
from manyhands.deploy.benchmarks.memory.figures import MemoryTimes
from manyhands.deploy.benchmarks.memory.lessons import NEEDED, many_shortcuts, many_tips
from manyhands.deploy.benchmarks.testbed import everyday
from manyhands.protocol.errors import BadInput
from manyhands.protocol.lessons import FLEET, ShortcutUse


async def measure(folder: Path, times: int) -> MemoryTimes:
    """Make a memory in ``folder``, and let a separate process measure it. Raises BadInput if that fails."""
    path, goals = folder / "memory.sqlite", [task.goal for task in everyday(tuple(NEEDED))]
    await asyncio.to_thread(fill, path)
    words = (sys.executable, "-m", __spec__.name, str(path), str(times), *goals)
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    written, _ = await process.communicate()
    if process.returncode != 0:
        raise BadInput(f"the memory service's process ended with {process.returncode}")
    return MemoryTimes.model_validate_json(written)


def fill(path: Path) -> None:
    """Write a large memory. Raises BadInput if the file exists already."""
    if path.exists():
        raise BadInput(f"{path}: there is a memory already; name another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    contents = MemoryContents(path)
    try:
        contents.add(FLEET, many_tips(), many_shortcuts())
    finally:
        contents.close()


async def timed(path: Path, times: int, goals: Sequence[str]) -> MemoryTimes:
    """Measure each call ``times`` times, in this process."""
    service = MemoryService(MemorySettings(path=path))
    await service.start()
    try:
        whole = await service.known([FLEET])
        routine = whole.shortcuts[-1]
        most = len(whole.tips) + len(whole.shortcuts)
        searches, snapshots, changed = [], [], []
        for number in range(times):
            goal = goals[number % len(goals)]
            searches.append(await _ms(partial(service.search, [FLEET], goal, most)))
            snapshots.append(await _ms(partial(service.known, [FLEET])))
            use = ShortcutUse(
                shortcut=f"{routine.id}@{routine.version}", episode="bench", step=number, outcome="worked"
            )
            await service.used(use)
            changed.append(await _ms(partial(service.known, [FLEET])))
    finally:
        await service.stop()
    return MemoryTimes(
        tips=len(whole.tips),
        shortcuts=len(whole.shortcuts),
        search_ms=tuple(searches),
        snapshot_ms=tuple(snapshots),
        changed_ms=tuple(changed),
        resident_mib=psutil.Process().memory_info().rss / 2**20,
    )


async def _ms(ask: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await ask()
    return (time.perf_counter() - began) * 1000


def main(words: Sequence[str]) -> None:
    """Print the measurement as JSON. Arguments: file, times, goals."""
    path, times, *goals = words
    sys.stdout.write(asyncio.run(timed(Path(path), int(times), goals)).model_dump_json())


if __name__ == "__main__":
    main(sys.argv[1:])
