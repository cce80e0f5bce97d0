"""A local Ray of this process, in a private folder."""

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
"""Ray opens the folder that it is given to everybody, so it lies within a private one."""
_FREE_PORTS = {"AUTOSCALER_METRIC_PORT": "0", "DASHBOARD_METRIC_PORT": "0"}
"""Ray's own processes listen at fixed ports, which a second Ray on the machine would find in use."""
_LOOPBACK = {ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0"}
"""No other node can join, so all listen on 127.0.0.1, as Ray itself has it on macOS and Windows; else its metrics page,
which asks for no token, is open to the network."""
_ARENAS = "MALLOC_ARENA_MAX"
_FEW_ARENAS = "2"
"""An actor has forty threads. glibc gives them arenas of their own, up to eight a core, which hardly ever shrink: a
gateway grew by 11 % in 20,000 steps (docs/ray.md)."""
TRIES = 3
_log = logging.getLogger(__name__)


class LocalRay:
    """A Ray of this process, in a folder of its own."""

    def __init__(self, folder: PrivateFolder) -> None:
        self._folder = folder

    def kill(self) -> None:
        """End all its processes at once."""
        self._folder.kill()

    def end(self) -> None:
        """End it in order, and remove the folder."""
        try:
            if why_dead(started_here()) is not None:
                self.kill()  # in order it takes longer: what lives waits for what is dead
            ray.shutdown(wait_for_processes=True)
            reread()
        finally:
            resume_printing()
            self._folder.remove()


def start_local(namespace: str, store_in: Callable[[Path], StoreSize]) -> LocalRay:
    """Start a Ray; ``store_in`` plans its object store for the folder's disk.

    Raises BadInput where memory does not suffice, or the folder is unfit; CallError where it does not start. Blocks.
    """
    for tries in range(1, TRIES + 1):
        try:
            return _start(namespace, store_in)
        except Exception as error:
            # Ray waits 30 s for its own processes, which may be too short on a machine that has much else to do, and
            # raises what has no type of its own.
            if type(error) is not Exception:
                raise
            if tries == TRIES:
                said = f"Ray did not start, {TRIES} times: {error} (a run that was begun can be resumed later)"
                raise CallError(said) from error
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
    """Make Ray take 127.0.0.1 for this node's address: here it has read the variable when it was imported."""
    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


@contextlib.contextmanager
def _without_hangups() -> Iterator[None]:
    """Let processes that are started meanwhile outlive the terminal, so that journals are closed before they end.

    Ray itself takes care of Ctrl-C.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
