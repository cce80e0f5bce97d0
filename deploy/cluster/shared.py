"""Share the one Ray of this process among all its fleets: open it for the first, end it after the last."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import ray

from manyhands.deploy.cluster.connection import find_mode, join
from manyhands.deploy.cluster.death import Listener, listeners, started_here, until_ended, until_silent
from manyhands.deploy.cluster.local import start_local
from manyhands.deploy.cluster.object_store import StoreSize, bytes_of, free_memory, gib, store_bytes, store_for
from manyhands.protocol.errors import BadInput, CallError
from manyhands.protocol.screens.geometry import Size


class StartedRay(Protocol):
    """End a Ray that was started or joined. Both methods may block."""

    def kill(self) -> None:
        """Kill all processes of a dead Ray that were started here."""

    def end(self) -> None:
        """Shut Ray down in order and remove what it wrote. If a cluster was joined, only leave it."""


Handlers = Mapping[signal.Signals, Any]
"""Signal handlers, as ``signal.getsignal`` returns them."""
Start = Callable[[], StartedRay]
"""Starts or joins a Ray. May block."""
_log = logging.getLogger(__name__)


class RayThread:
    """Start a Ray, keep it until ``end`` is called, and end it, all on one thread.

    All happens on one thread because Linux ends Ray's processes together with the thread that started them. The thread
    is a daemon: if the start of Ray hangs, it blocks neither an event loop nor the end of this process.
    """

    def __init__(self, start: Start, before: RayThread | None) -> None:
        """Start the thread. It first waits until the Ray of ``before`` has ended."""
        self.opened: Future[None] = Future()
        """Set when Ray has started, or with the error of the start."""
        self.ended: Future[None] = Future()
        """Set when nothing is left of Ray."""
        self._start = start
        self._started: StartedRay | None = None
        self._before: RayThread | None = before
        self._ending = threading.Event()
        threading.Thread(target=self._keep, name="ray", daemon=True).start()

    @property
    def is_ending(self) -> bool:
        """Return whether ``end`` was called."""
        return self._ending.is_set()

    def end(self) -> None:
        """End Ray as soon as it has started. Return at once."""
        self._ending.set()

    def kill(self) -> None:
        """Kill the processes of a Ray that is already dead; ``end`` must still be called. Blocks."""
        if self._started is not None and not self.ended.done():
            self._started.kill()

    def _keep(self) -> None:
        if self._before is not None:
            self._before.ended.result()
            self._before = None
        try:
            self._started = self._start()
        except BaseException as error:  # noqa: BLE001 - ``opened`` raises it for whoever waits
            self.opened.set_exception(error)
            self.ended.set_result(None)
            return
        self.opened.set_result(None)
        self._ending.wait()
        try:
            self._started.end()
        except Exception:  # noqa: BLE001 - others wait only for its end
            _log.exception("this process's Ray did not end in order")
        finally:
            self.ended.set_result(None)


START_S = 180.0
"""Seconds to start a local Ray, or to remove it, on a busy machine."""
JOIN_S = 30.0
"""Seconds to join a cluster after the trial has succeeded."""
ABANDON_S = 1.0
"""Seconds to wait for the end of a cancelled attempt to join. An attempt that lasts longer ends with this process."""
HANDLERS_S = 0.05
"""Seconds after which signal handlers that Ray may have replaced are put back."""
_STORE = "object_store_memory"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _SharedRay:
    """Count the users of this process's Ray. Fleets may run on several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: RayThread | None = None
        """The thread of the Ray in use, or of the last one."""
        self._users = 0
        self._promised = 0
        """Bytes of the object store that all fleets together may need."""
        self._address: str | None = None
        self._is_programs = False
        """Whether the user's program started Ray itself. Then this module does not end that Ray."""

    def enter(self, address: str | None, needed: int, start: Start) -> RayThread:
        """Add a user of Ray. For the first user, start Ray."""
        with self._lock:
            if self._thread is None or self._thread.is_ending:
                self._users = self._promised = 0
                self._address = address
                self._thread = RayThread(partial(self._started, start), self._thread)
            self._users += 1
            self._promised += needed
            return self._thread

    def leave(self, thread: RayThread, needed: int) -> None:
        """Remove a user. After the last one, end the Ray that was started here."""
        with self._lock:
            if thread is not self._thread:
                return  # that Ray was dead, and another has replaced it
            self._users -= 1
            self._promised -= needed
            if self._users == 0:
                thread.end()

    def check(self, address: str | None) -> str:
        """Return this node's id. Raises BadInput if ``address`` means another Ray, or if the store is too small."""
        context = ray.get_runtime_context()
        node, there = str(context.get_node_id()), str(context.gcs_address)
        with self._lock:
            if not self._is_meant(address, there):
                whose = f"the one at {there}" if self._is_programs or self._address else "a local one of their own"
                raise BadInput(
                    f"{'a local Ray' if address is None else f'--ray-address {address}'}: this program has a Ray "
                    f"already, {whose}, and can have no second one; give all its fleets the same address"
                )
            needed = store_bytes(self._promised)
        size = sum(int(each["Resources"].get(_STORE, 0)) for each in ray.nodes() if each["NodeID"] == node)
        if size < needed:
            raise BadInput(
                f"the phones of this program's fleets hold up to {gib(needed)} of screenshots at a time, and its Ray "
                f"has an object store of {gib(size)}: start the largest fleet first, or Ray with "
                f"--object-store-memory {needed}"
            )
        return node

    def is_own(self) -> bool:
        """Return whether the Ray in use was started here, for this process alone."""
        with self._lock:
            return self._address is None and not self._is_programs

    def _started(self, start: Start) -> StartedRay:
        self._is_programs = ray.is_initialized()
        return _ProgramsRay() if self._is_programs else start()

    def _is_meant(self, address: str | None, there: str) -> bool:
        if address is None:
            return self._is_programs or self._address is None
        if self._is_programs:
            return address == "auto" or _reachable(address) == there
        return self._address is not None and (address == self._address or _reachable(address) == there)


_SHARED_RAY = _SharedRay()


class _ProgramsRay:
    """Represent a Ray that the user's program started, and leave it alone."""

    def kill(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class JoinedRay:
    """Give one user access to the Ray of this process."""

    node: str
    """This node's id."""
    is_own: bool
    """Whether this process started this Ray. If such a Ray dies, another can be started in its place."""
    _thread: RayThread
    _listeners: Sequence[Listener]

    async def until_dead(self) -> str:
        """Wait until Ray is dead, and return why."""
        return await (until_silent(self._listeners) if self._listeners else until_ended(started_here()))

    def kill(self) -> None:
        """Kill what is left of a dead Ray, so that nothing of it runs beside another Ray. Blocks."""
        self._thread.kill()

    def give_up(self) -> None:
        """End a dead Ray for all its users. The next ``enter`` starts another. Return at once."""
        self._thread.end()


@asynccontextmanager
async def joined_ray(address: str | None, sizes: Sequence[Size]) -> AsyncIterator[JoinedRay]:
    """Start or join Ray while the context is open, with an object store for screens of ``sizes``.

    Raises BadInput if a cluster cannot be joined, if another Ray is in use, and if memory is too small.
    """
    # Ray warns that it uses tokens and leaves signals to us. Neither is a fault, so do not show it.
    logging.getLogger("ray").setLevel(logging.ERROR)
    namespace, needed = f"manyhands-{secrets.token_hex(6)}", bytes_of(sizes)
    start: Start
    if address is None:
        start = partial(start_local, namespace, partial(_own_store, needed, len(sizes)))
    elif ray.is_initialized():
        start = partial(
            _lost_ray, address
        )  # not called while that Ray exists; ``check`` tells whether it is the right one
    else:
        start = partial(join, address, namespace, await find_mode(address))
    limit_s, patience_s = (START_S, START_S) if address is None else (JOIN_S, ABANDON_S)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    thread = _SHARED_RAY.enter(address, needed, start)
    try:
        await wait_open(thread, limit_s, handlers)
        node = await asyncio.to_thread(_SHARED_RAY.check, address)
        watched = await asyncio.to_thread(listeners)
        patience_s = START_S
        yield JoinedRay(node, _SHARED_RAY.is_own(), thread, watched)
    finally:
        _SHARED_RAY.leave(thread, needed)
        if thread.is_ending:
            await asyncio.wait({asyncio.wrap_future(thread.ended)}, timeout=patience_s)


async def wait_open(thread: RayThread, limit_s: float, handlers: Handlers) -> None:
    """Wait for the start, and keep a program's signal handlers. Raises its error, CallError if it takes too long.

    Amid its start, Ray installs a handler of its own, for which SIGTERM is a crash: this process would end at once,
    with a trace of its stack. So the handlers are put back again and again.
    """
    give_up_at, opened = time.monotonic() + limit_s, asyncio.wrap_future(thread.opened)
    opened.add_done_callback(lambda done: done.exception())  # else asyncio prints it, if nobody waits any more
    while not opened.done():
        await asyncio.wait({opened}, timeout=HANDLERS_S)
        _put_back(handlers)
        if not opened.done() and time.monotonic() > give_up_at:
            raise CallError(f"Ray did not start within {limit_s:.0f} s")
    opened.result()


def _put_back(handlers: Handlers) -> None:
    """Install signal handlers again; Python lets only the main thread do that."""
    if threading.current_thread() is threading.main_thread():
        for number, handler in handlers.items():
            if handler is not None:
                signal.signal(number, handler)


def check_resources(setting: str, resource: str, amount: float, address: str | None) -> None:
    """Raise BadInput if actors ask for more than a local Ray has: Ray would let these actors wait for ever.

    Do nothing for a cluster that is joined, because a cluster may grow.
    """
    there = ray.cluster_resources().get(resource, 0.0)
    if address is None and amount > there:
        raise BadInput(f"{setting}: the actors ask for {amount:g} {resource} in all, this machine has {there:g}")


def _own_store(needed: int, phones: int, folder: Path) -> StoreSize:
    return store_for(needed, phones, free_memory(folder))


def _reachable(address: str) -> str:
    """Return the address as Ray writes it, with the name by which others know this machine."""
    host, _, port = address.rpartition(":")
    try:
        own = socket.gethostbyname(host).startswith("127.")
    except OSError:
        return address
    return f"{ray.util.get_node_ip_address()}:{port}" if own else address


def _lost_ray(address: str) -> StartedRay:
    raise BadInput(f"--ray-address {address}: the Ray that this program had has just ended; try again")
