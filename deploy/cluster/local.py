"""A local Ray of this process, in a private folder."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import ray

from manyhands.deploy.cluster.logs import init_silently, resume_printing
from manyhands.deploy.cluster.object_store import SHARED_MEMORY, Store, gib
from manyhands.deploy.cluster.private_folder import PrivateFolder
from manyhands.deploy.cluster.ray_thread import End
from manyhands.deploy.cluster.tokens import environment, own_token, reread
from manyhands.protocol.errors import CallError

_INSIDE = "r"
"""Ray opens the folder that it is given to everybody, so it lies within a private one."""
_FREE_PORTS = {"AUTOSCALER_METRIC_PORT": "0", "DASHBOARD_METRIC_PORT": "0"}
"""Ray's own processes listen at fixed ports, which a second Ray on the machine would find in use."""
_ARENAS = "MALLOC_ARENA_MAX"
_FEW_ARENAS = "2"
"""An actor has forty threads. glibc gives them arenas of their own, up to eight a core, which hardly ever shrink: a
gateway grew by 11 % in 20,000 steps (docs/ray.md)."""
TRIES = 3
_log = logging.getLogger(__name__)


def start_local(namespace: str, store_in: Callable[[Path], Store]) -> End:
    """Start a Ray and return a function that ends it; ``store_in`` plans its object store for the folder's disk.

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


def _start(namespace: str, store_in: Callable[[Path], Store]) -> End:
    folder = PrivateFolder()
    inside = folder.path / _INSIDE
    try:
        inside.mkdir()
        store = store_in(folder.path)
        if store.in_file:
            _log.warning(
                "%s is too small for %s of screenshots: they are kept in a file in %s, which is slower "
                "(docker run --shm-size makes it larger)", SHARED_MEMORY, gib(store.size_bytes), folder.path.parent
            )  # fmt: skip
        values = {_ARENAS: os.environ.get(_ARENAS, _FEW_ARENAS), **_FREE_PORTS, **folder.mark}
        with own_token(folder.path), environment(values), _without_hangups():
            init_silently(
                address="local",
                namespace=namespace,
                include_dashboard=False,
                object_store_memory=store.size_bytes,
                _temp_dir=str(inside),
                _plasma_directory=str(inside) if store.in_file else None,
            )
    except BaseException:
        _end(folder)
        raise
    return lambda: _end(folder)


def _end(folder: PrivateFolder) -> None:
    try:
        ray.shutdown(wait_for_processes=True)
        reread()
    finally:
        resume_printing()
        folder.remove()


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
