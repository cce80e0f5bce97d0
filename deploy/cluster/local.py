"""A local Ray of this process, with a private folder that is removed with it."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import ray

from manyhands.deploy.cluster.logs import QUIET, set_silent
from manyhands.deploy.cluster.object_store import SHARED_MEMORY, Store, gib
from manyhands.deploy.cluster.ray_thread import End
from manyhands.deploy.cluster.tokens import environment, own_token, reread
from manyhands.protocol.errors import BadInput

PREFIX = "mh-ray-"
LONGEST_ROOT = 25
"""Longest path above the folder, in bytes: Ray's sockets lie in it, and a socket's path has 107 at most."""
_INSIDE = "r"
"""Ray opens the folder that it is given to everybody, so it lies within a private one."""
_REMOVE_S = 10.0
_POLL_S = 0.1
_FREE_PORTS = {"AUTOSCALER_METRIC_PORT": "0", "DASHBOARD_METRIC_PORT": "0"}
"""Ray's own processes listen at fixed ports, which a second Ray on the machine would find in use."""
_log = logging.getLogger(__name__)


def start_local(namespace: str, store_in: Callable[[Path], Store]) -> End:
    """Start a Ray and return a function that ends it; ``store_in`` plans its object store for the folder's disk.

    Raises BadInput where memory does not suffice, or the folder is unfit. Blocks.
    """
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_root()))
    inside = folder / _INSIDE
    try:
        inside.mkdir()
        store = store_in(folder)
        if store.in_file:
            _log.warning(
                "%s is too small for %s of screenshots: they are kept in a file in %s, which is slower "
                "(docker run --shm-size makes it larger)", SHARED_MEMORY, gib(store.size_bytes), folder.parent
            )  # fmt: skip
        set_silent(True)
        with own_token(folder), environment(_FREE_PORTS), _without_hangups():
            ray.init(
                address="local",
                namespace=namespace,
                include_dashboard=False,
                object_store_memory=store.size_bytes,
                _temp_dir=str(inside),
                _plasma_directory=str(inside) if store.in_file else None,
                **QUIET,
            )
    except BaseException:
        _end(folder)
        raise
    return lambda: _end(folder)


def _end(folder: Path) -> None:
    try:
        ray.shutdown(wait_for_processes=True)
        reread()
    finally:
        set_silent(False)
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove the folder; processes that Ray's own had started may still write to it while they end."""
    give_up_at = time.monotonic() + _REMOVE_S
    while True:
        try:
            return shutil.rmtree(folder)
        except FileNotFoundError:  # what was listed has gone since, or all of it
            if not folder.exists():
                return None
        except OSError as error:
            if time.monotonic() > give_up_at:
                _log.warning("%s stays behind: %s", folder, error)
                return None
            time.sleep(_POLL_S)


def _root() -> str:
    """Return the parent of Ray's folder: RAY_TMPDIR, or the temporary folder if sockets fit. Raises BadInput."""
    asked = os.environ.get("RAY_TMPDIR")
    if asked is None:
        usual = tempfile.gettempdir()
        return usual if len(os.fsencode(usual)) <= LONGEST_ROOT else "/tmp"
    if len(os.fsencode(asked)) > LONGEST_ROOT:
        raise BadInput(f"RAY_TMPDIR={asked}: too long for Ray's sockets, which leave {LONGEST_ROOT} bytes for it")
    if not os.path.isdir(asked):
        raise BadInput(f"RAY_TMPDIR={asked}: is no folder")
    return asked


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
