"""Start a local Ray of this process, in a private folder."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import ray
from ray._private import ray_constants

from manyhands.deploy.cluster.death import started_here, why_dead
from manyhands.deploy.cluster.logs import init_silently, resume_printing
from manyhands.deploy.cluster.object_store import SHARED_MEMORY, StoreSize, gib
from manyhands.deploy.cluster.private_folder import PrivateFolder
from manyhands.deploy.cluster.tokens import environment, own_token, reread
from manyhands.protocol.errors import CallError

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
