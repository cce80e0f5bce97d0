"""Start a local Ray of this process, in a private folder that goes with that Ray, even if the process is killed."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import ray
from ray._private import ray_constants

from manyhands.deploy import process_reaper
from manyhands.deploy.cluster.death import started_here, why_dead
from manyhands.deploy.cluster.logs import init_silently, resume_printing
from manyhands.deploy.cluster.object_store import SHARED_MEMORY, StoreSize, gib
from manyhands.deploy.cluster.tokens import environment, own_token, reread
from manyhands.protocol.errors import BadInput, CallError
from manyhands.protocol.utilities import secure_files

LONGEST_ROOT = 25
"""Longest path above the folder, in bytes. Ray's sockets lie in it, and a socket's path has at most 107 bytes."""
_REAPER_S = 20.0


class PrivateFolder:
    """Make a folder that only its owner can enter, with a reaper that clears it if this process ends first."""

    def __init__(self) -> None:
        """Make the folder. Raises BadInput if there is no place for it, OSError if it cannot be made."""
        self.path = Path(tempfile.mkdtemp(prefix=process_reaper.PREFIX, dir=_root()))
        try:
            self._owner = _locked(self.path / process_reaper.OWNER)
            self._reaper = _reaper_of(self.path)
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    @property
    def mark(self) -> dict[str, str]:
        """Return the environment variable that marks this folder's Ray processes for the reaper."""
        return {process_reaper.MARK: str(self.path)}

    def kill(self) -> None:
        """Kill all processes of this folder's Ray at once."""
        process_reaper.kill(str(self.path))

    def remove(self) -> None:
        """Remove the folder, after ending what is left of its Ray."""
        if not process_reaper.clear(str(self.path)):
            _log.warning("%s stays behind, or something of its Ray", self.path)
        assert self._reaper.stdin is not None
        self._reaper.stdin.close()
        try:
            self._reaper.wait(_REAPER_S)
        except subprocess.TimeoutExpired:
            self._reaper.kill()
            self._reaper.wait()
        os.close(self._owner)


def _reaper_of(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*process_reaper.COMMAND, "ray", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _locked(path: Path) -> int:
    """Make a file and lock it until this process ends.

    The file gets the name ``path`` only after it is locked, so nobody finds an unlocked file there.
    """
    part = path.with_suffix(".part")
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
    fcntl.flock(file, fcntl.LOCK_EX)
    part.replace(path)
    return file


def _root() -> str:
    """Return the parent of the folder: RAY_TMPDIR, or the temporary folder if sockets fit. Raises BadInput."""
    root = os.environ.get("RAY_TMPDIR")
    if root is None:
        usual = tempfile.gettempdir()
        return usual if len(os.fsencode(usual)) <= LONGEST_ROOT else "/tmp"
    if len(os.fsencode(root)) > LONGEST_ROOT:
        raise BadInput(f"RAY_TMPDIR={root}: too long for Ray's sockets, which leave {LONGEST_ROOT} bytes for it")
    if not os.path.isdir(root):
        raise BadInput(f"RAY_TMPDIR={root}: is no folder")
    return root


_INSIDE = "r"
"""The folder for Ray inside the private folder.

Ray makes its folder accessible to everybody, so it lies in a private one.
"""
_FREE_PORTS = {"AUTOSCALER_METRIC_PORT": "0", "DASHBOARD_METRIC_PORT": "0"}
"""Let Ray's own processes choose free ports. With their fixed ports, a second Ray on the machine would fail."""
_LOOPBACK = {ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0"}
"""Allow no other node to join, so that all processes listen on 127.0.0.1 only.

This is Ray's default on macOS and Windows. Without it, Ray's metrics page would be open to the network, and that page
asks for no token.
"""
_ARENAS = "MALLOC_ARENA_MAX"
_FEW_ARENAS = "2"
"""Limit glibc's memory arenas.

An actor has forty threads. By default, glibc gives a process up to eight arenas for each core, and arenas hardly ever
shrink. With this default, a gateway grew by 11 % in 20,000 steps (docs/ray.md).
"""
TRIES = 3
_log = logging.getLogger(__name__)


class LocalRay:
    """Hold a Ray of this process and the private folder in which it runs."""

    def __init__(self, folder: PrivateFolder) -> None:
        self._folder = folder

    def kill(self) -> None:
        """Kill all processes of this Ray at once."""
        self._folder.kill()

    def end(self) -> None:
        """Shut Ray down in order, and remove the folder."""
        try:
            if why_dead(started_here()) is not None:
                self.kill()  # an orderly end takes longer: live processes would wait for the dead one
            ray.shutdown(wait_for_processes=True)
            reread()
        finally:
            resume_printing()
            self._folder.remove()


def start_local(namespace: str, store_in: Callable[[Path], StoreSize]) -> LocalRay:
    """Start a Ray. Blocks. ``store_in`` plans Ray's object store, given a folder on the disk that it may use.

    Raises BadInput if memory does not suffice or the folder is unfit, and CallError if Ray does not start.
    """
    for tries in range(1, TRIES + 1):
        try:
            return _start(namespace, store_in)
        except Exception as error:
            # Ray waits 30 s for its own processes, which is too short on a busy machine. Then it raises a plain
            # Exception.
            if type(error) is not Exception:
                raise
            if tries == TRIES:
                message = f"Ray did not start, {TRIES} times: {error} (a run that was begun can be resumed later)"
                raise CallError(message) from error
            _log.warning("Ray did not start, and is tried again: %s", error)
    raise AssertionError


def _start(namespace: str, store_in: Callable[[Path], StoreSize]) -> LocalRay:
    folder = PrivateFolder()
    started = LocalRay(folder)
    inside = folder.path / _INSIDE
    try:
        inside.mkdir()
        store = store_in(folder.path)
        if store.in_file:
            _log.warning(
                "%s is too small for %s of screenshots: they are kept in a file in %s, which is slower "
                "(docker run --shm-size makes it larger)", SHARED_MEMORY, gib(store.size_bytes), folder.path.parent
            )  # fmt: skip
        values = {_ARENAS: os.environ.get(_ARENAS, _FEW_ARENAS), **_FREE_PORTS, **_LOOPBACK, **folder.mark}
        with own_token(folder.path), environment(values), _on_loopback(), _without_hangups():
            init_silently(
                address="local",
                namespace=namespace,
                include_dashboard=False,
                object_store_memory=store.size_bytes,
                _temp_dir=str(inside),
                _plasma_directory=str(inside) if store.in_file else None,
            )
    except BaseException:
        started.end()
        raise
    return started


@contextlib.contextmanager
def _on_loopback() -> Iterator[None]:
    """Make Ray use 127.0.0.1 as this node's address. In this process, Ray read the variable when it was imported."""
    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


@contextlib.contextmanager
def _without_hangups() -> Iterator[None]:
    """Block SIGHUP, so that processes that are started in the context outlive the terminal and can close journals.

    SIGINT need not be blocked, because Ray itself handles Ctrl-C.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
