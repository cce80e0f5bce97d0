"""What an owner that was killed has left of its Ray ends, and nothing else does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.deploy.cluster.head import short_folder

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")

OWNER = """
import subprocess, sys, os
from manyhands.deploy.cluster.local import PrivateFolder

folder = PrivateFolder()
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
log = (folder.path / "log").open("w+")
marked = subprocess.Popen([sys.executable, "-c", deaf], stdout=log, env={**os.environ, **folder.mark})
# A title is written over the command line, and may go on over the environment.
titled = subprocess.Popen(["ray::Titled", "600"], executable="/bin/sleep", stdout=log)
# Programs that have only one of the two: of a user who looks into the folder, and of another thread of the owner.
looks = subprocess.Popen(["sleep", "600"], stdout=log)
beside = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, env={**os.environ, **folder.mark})
while "deaf" not in (folder.path / "log").read_text():
    pass
print(folder.path, folder._reaper.pid, marked.pid, titled.pid, looks.pid, beside.pid, flush=True)
if sys.stdin.readline():
    folder.remove()
    print(folder.path.exists(), marked.poll(), titled.poll(), flush=True)
"""


def wait_until(true: Callable[[], bool], limit_s: float) -> None:
    give_up_at = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < give_up_at, "it did not come true"
        time.sleep(0.05)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Owner:
    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWNER],
            env={**os.environ, "RAY_TMPDIR": str(root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        folder, *pids = self.process.stdout.readline().split()
        self.folder = Path(folder)
        self.reaper, self.marked, self.titled, self.looks, self.beside = map(int, pids)

    @property
    def has_left_nothing(self) -> bool:
        return not self.folder.exists() and not lives(self.marked) and not lives(self.titled)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.kill()
        for pid in (self.reaper, self.marked, self.titled, self.looks, self.beside):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@contextmanager
def owner(root: Path) -> Iterator[Owner]:
    made = Owner(root)
    try:
        yield made
    finally:
        made.close()


def test_what_a_killed_owner_has_left_ends_and_only_that() -> None:
    with short_folder() as root, owner(root) as killed, owner(root) as other:
        killed.kill()
        wait_until(lambda: killed.has_left_nothing and not lives(killed.reaper), 10)
        assert lives(killed.looks)
        assert lives(killed.beside)
        assert other.folder.is_dir()
        assert lives(other.marked)
        assert lives(other.reaper)


def test_where_the_reaper_was_killed_too_the_next_one_does_its_work() -> None:
    with short_folder() as root, owner(root) as killed:
        os.kill(killed.reaper, signal.SIGKILL)
        killed.kill()
        assert killed.folder.is_dir()
        with owner(root) as after:
            wait_until(lambda: killed.has_left_nothing, 10)
            assert after.folder.is_dir()
            assert lives(after.marked)


def test_an_owner_that_ends_in_order_leaves_nothing_either() -> None:
    with short_folder() as root, owner(root) as ends:
        out, _ = ends.process.communicate("end\n", timeout=20)
        assert out == f"False {-signal.SIGKILL} {-signal.SIGTERM}\n"
        assert list(root.iterdir()) == []
        assert not lives(ends.reaper)
