"""What a core dump of a process would hold, read while the process runs: its own pages, without files that it maps."""

from __future__ import annotations

import array
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import psutil

PAGE = os.sysconf("SC_PAGE_SIZE")
PART = 1 << 24
END_S = 60.0
_PRESENT = 3 << 62
"""The bits of a page in memory, or in swap."""


def memory_of(pid: int) -> Iterator[bytes]:
    """The memory of a process, in parts that overlap by a page. Pages that nobody has touched are left out."""
    maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines()
    with Path(f"/proc/{pid}/mem").open("rb", 0) as memory, Path(f"/proc/{pid}/pagemap").open("rb", 0) as pages:
        for place, rights, _, _, inode, *names in (line.split(maxsplit=5) for line in maps):
            is_file = inode != "0" and rights[1] != "w"
            if rights[0] != "r" or is_file or names[:1] in (["[vvar]"], ["[vvar_vclock]"], ["[vsyscall]"]):
                continue
            first, last = (int(edge, 16) // PAGE for edge in place.split("-"))
            for start, end in _present(pages.fileno(), first, last):
                yield from _read(memory.fileno(), start * PAGE, end * PAGE)


def _present(pages: int, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The runs of pages that are there."""
    for begin in range(first, last, PART // 8):
        entries = array.array("Q", os.pread(pages, 8 * (min(last, begin + PART // 8) - begin), 8 * begin))
        number = begin
        for is_there, run in groupby(entries, lambda entry: bool(entry & _PRESENT)):
            count = sum(1 for _ in run)
            if is_there:
                yield number, number + count
            number += count


def _read(memory: int, start: int, end: int) -> Iterator[bytes]:
    for begin in range(start, end, PART):
        try:
            yield os.pread(memory, min(end, begin + PART + PAGE) - begin, begin)
        except OSError:  # it was given back meanwhile
            continue


@contextmanager
def core_dumps() -> Iterator[None]:
    """Let processes that begin meanwhile leave core dumps of any size, unless they forbid it themselves."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def leaves_core(process: psutil.Process, by: signal.Signals) -> bool:
    """End a process by a signal that dumps its core, and return whether it has left one in its folder."""
    folder = Path(process.cwd())
    before = set(folder.glob("core*"))
    process.send_signal(by)
    give_up_at = time.monotonic() + END_S
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < give_up_at, f"process {process.pid} does not end"
        time.sleep(0.05)
    return set(folder.glob("core*")) != before
