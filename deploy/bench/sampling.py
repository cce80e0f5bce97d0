"""A profiler for processes that Ray starts: their stacks, written down after every few milliseconds of CPU time.

The kernel sends SIGPROF to whichever thread has used up the interval, and Python's ``faulthandler`` writes that
thread's stack from the signal handler itself: no thread of ours has to wait for the interpreter, so short work
between two waits of an event loop is seen as often as it runs. What it costs is in docs/overhead.md.
"""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

INTERVAL_S = 0.004
"""The usual tick of a kernel; asking for less gives no more."""
WORKER_SETUP = "deploy.bench.sampling.begin_in_worker"
"""For ``Fleet(worker_setup=...)``."""
_VARIABLE = "MH_SAMPLES"


def begin(folder: Path) -> None:
    """Write this process's stacks to ``folder/<pid>`` from now on."""
    file = (folder / str(os.getpid())).open("ab", buffering=0)
    faulthandler.register(signal.SIGPROF, file, all_threads=False)  # it keeps the file open
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)


def begin_in_worker() -> None:
    """Called by Ray in each worker, which has its environment from the process that started Ray."""
    folder = os.environ.get(_VARIABLE)
    if folder is not None:
        begin(Path(folder))


@contextmanager
def sampled(folder: Path) -> Iterator[None]:
    """This process, and the workers that it starts meanwhile, are sampled into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[_VARIABLE] = str(folder)
    begin(folder)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        faulthandler.unregister(signal.SIGPROF)
        del os.environ[_VARIABLE]


def sizes(folder: Path) -> Mapping[int, int]:
    """How much each process has written so far, by pid: a moment, for ``between``."""
    return {int(path.name): path.stat().st_size for path in folder.iterdir()}


def between(folder: Path, begin: Mapping[int, int], end: Mapping[int, int]) -> Mapping[int, str]:
    """What each process wrote between two moments, by pid."""
    texts: dict[int, str] = {}
    for pid, size in end.items():
        with (folder / str(pid)).open("rb") as file:
            file.seek(begin.get(pid, 0))
            texts[pid] = file.read(size - begin.get(pid, 0)).decode("utf-8", "replace")
    return texts
