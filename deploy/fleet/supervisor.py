"""Keep a run's Ray and actors open, replace them if the run's own Ray dies, and show them to monitoring."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from manyhands.actors.dispatch.deadlines import finish
from manyhands.deploy.cluster.shared import JoinedRay, joined_ray
from manyhands.deploy.fleet.runtime import FleetRuntime
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.telemetry.metrics_endpoint import RunMetrics
from manyhands.protocol.errors import CallError, RayLost
from manyhands.protocol.runs.progress import RunProgress, RunWait
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

T = TypeVar("T")

RESTARTS, WELL_S = 5, 60.0
"""How many times in a row a dead Ray may be replaced. A Ray that ran for more than WELL_S seconds resets the count."""
NOTICE_S = 2.0
"""Seconds to wait, after a call failed, for news that Ray is dead. The call may fail before the death is noticed."""
PARTING_S, PARTINGS = 2.0, 3
"""Seconds that a call to a dead Ray may take to end after a cancellation, and how often it is cancelled."""
_log = logging.getLogger(__name__)


class _Dead(Exception):
    """Signal that Ray has died; the message is the reason."""


class RaySupervisor:
    """Keep Ray and a runtime on it open, and replace both when Ray dies.

    First, all processes of the dead Ray are killed, so that none can touch a phone or a journal. Then tasks continue
    from their journals, as with ``manyhands resume``.
    """

    def __init__(self, address: str | None) -> None:
        """``address``: the cluster to join, whose death ends the run; None for a Ray of this process."""
        self._address = address
        self._ray: JoinedRay | None = None
        self._sizes: Sequence[Size] = ()
        self._make: Callable[[str], FleetRuntime] | None = None
        self._opened: Callable[[FleetRuntime], None] | None = None
        self._rays, self._runtimes = AsyncExitStack(), AsyncExitStack()
        self._restarting = asyncio.Lock()
        self._generation = self._restarts = 0
        self._since = 0.0
        self._runtime: FleetRuntime | None = None
        self.wait: RunWait | None = None
        """What the run waits for while Ray is being replaced."""

    @property
    def runtime(self) -> FleetRuntime | None:
        """Return the present actors; None before they have been planned."""
        return self._runtime

    async def open_ray(self, sizes: Sequence[Size]) -> str:
        """Open Ray with room for screens of these sizes; return this node's id. Raises what ``joined_ray`` raises."""
        self._sizes = sizes
        self._ray = await self._rays.enter_async_context(joined_ray(self._address, sizes))
        self._since = time.monotonic()
        return self._ray.node

    async def close_ray(self) -> None:
        """Leave Ray."""
        await self._rays.aclose()

    async def open_runtime(self, make: Callable[[str], FleetRuntime], opened: Callable[[FleetRuntime], None]) -> None:
        """Start the actors that ``make`` plans for a node. If Ray dies during the start, start them again.

        ``opened`` is called with the runtime, and later with each runtime that replaces it. Raises what ``make`` and
        the actors raise.
        """
        self._make, self._opened = make, opened
        try:
            await self._open_runtime()
        except _Dead as dead:
            await self._restart(self._generation, dead)

    async def close_runtime(self) -> None:
        """Stop the actors."""
        await self._runtimes.aclose()

    async def carry_out(self, work: Callable[[FleetRuntime, bool], Coroutine[Any, Any, T]], recover: bool) -> T:
        """Run ``work`` with the runtime and ``recover``, and return its result.

        Whenever Ray has died, run ``work`` again with the new runtime, and with True for ``recover``. Raises RayLost
        if no other Ray can replace the dead one.
        """
        while True:
            generation, runtime = self._generation, self._runtime
            if runtime is None:
                raise RuntimeError("open the runtime first")
            try:
                return await self._unless_dead(work(runtime, recover))
            except _Dead as dead:
                await self._restart(generation, dead)
            recover = True

    # ------------------------------------------------------------------------ death
    async def _unless_dead(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what ``work`` returns. If Ray dies, end ``work`` and raise _Dead."""
        assert self._ray is not None
        result, death = asyncio.create_task(work), asyncio.create_task(self._ray.until_dead())
        try:
            await asyncio.wait({result, death}, return_when=asyncio.FIRST_COMPLETED)
            if result.done() and not result.cancelled() and isinstance(result.exception(), CallError):
                await asyncio.wait({death}, timeout=NOTICE_S)
            if not death.done() or (result.done() and not result.cancelled() and result.exception() is None):
                return result.result()
            await self._abandon()
            raise _Dead(death.result())
        except asyncio.CancelledError:
            result.cancel()
            await finish(asyncio.wait({result}))
            raise
        finally:
            death.cancel()
            await finish(_end(result, death))

    async def _abandon(self) -> None:
        """Kill what is left of a dead Ray, and make sure that nobody asks its actors to stop."""
        if self._runtime is not None:
            self._runtime.abandon()
        if self._ray is not None:
            await finish(asyncio.to_thread(self._ray.kill))

    async def _restart(self, generation: int, dead: _Dead) -> None:
        """Replace the Ray and the runtime of a generation. Raises RayLost."""
        async with self._restarting:
            while generation == self._generation:  # otherwise another batch has already replaced Ray
                self._count(dead)
                self.wait = RunWait(what="Ray", since=HOST_CLOCK.now(), reason=f"{dead}; another is being started")
                try:
                    await self._replace()
                except _Dead as again:
                    dead = again
                else:
                    self._generation += 1
                finally:
                    self.wait = None

    def _count(self, dead: _Dead) -> None:
        """Count one more start and log it. Raises RayLost if there may be no further start."""
        if self._ray is not None and not self._ray.is_own:
            where = (
                f"the cluster {self._address} is lost, until Ray runs here again"
                if self._address
                else "the program's own Ray is lost"
            )
            raise RayLost(f"{dead}: {where}")
        self._restarts = 1 if time.monotonic() - self._since > WELL_S else self._restarts + 1
        if self._restarts > RESTARTS:
            raise RayLost(f"{dead}: {RESTARTS} others that were started in its place have died as well")
        _log.warning("%s: another Ray is started, and the run goes on (try %d of %d)", dead, self._restarts, RESTARTS)

    async def _replace(self) -> None:
        """Open another Ray and runtime. Raises _Dead if this Ray dies too, and what ``joined_ray`` raises."""
        if self._ray is not None:
            self._ray.give_up()
        await self.close_runtime()
        await self.close_ray()
        await self.open_ray(self._sizes)
        await self._open_runtime()

    async def _open_runtime(self) -> None:
        assert self._make is not None
        assert self._opened is not None
        assert self._ray is not None
        self._runtime = self._make(self._ray.node)
        await self._unless_dead(self._runtimes.enter_async_context(self._runtime))
        self._opened(self._runtime)


async def _end(*tasks: asyncio.Task[Any]) -> None:
    """End tasks that may wait for a dead Ray, and ignore what they raise."""
    unfinished = {task for task in tasks if not task.done()}
    for _ in range(PARTINGS):
        if not unfinished:
            break
        for task in unfinished:
            task.cancel()
        _, unfinished = await asyncio.wait(unfinished, timeout=PARTING_S)
    for task in tasks:
        if task.done() and not task.cancelled():
            task.exception()


class FleetTelemetry:
    """Serve the figures of a run, and send its spans, as far as settings ask for it."""

    def __init__(self, settings: FleetSettings) -> None:
        self._settings = settings
        self.metrics: RunMetrics | None = None
        """The server of the figures for Prometheus, if settings ask for one."""

    async def open_metrics(self, stack: AsyncExitStack) -> None:
        """Serve the figures. ``count`` adds the parts of the run, when they exist."""
        if self._settings.metrics_port is not None:
            metrics = RunMetrics(self._settings.metrics_host, self._settings.metrics_port)
            self.metrics = await stack.enter_async_context(metrics)

    async def open_traces(self, stack: AsyncExitStack, folder: Path) -> None:
        """Send spans until the actors have ended and all journals are complete. ``folder``: the run folder."""
        if self._settings.otlp_endpoint is not None:
            from manyhands.deploy.telemetry.trace_export import TraceExport  # imported late: the library is an extra

            export = TraceExport(folder, self._settings.otlp_endpoint, self._settings.otlp_content)
            await stack.enter_async_context(export)

    def count(self, runtime: FleetRuntime, run: str, progress: Callable[[], Awaitable[RunProgress]]) -> None:
        """Add the figures of the present actors. ``run``: the id of the run; ``progress`` tells where it stands."""
        if self.metrics is None:
            return
        self.metrics.describe(id=run)
        self.metrics.add("progress", progress)
        for role, proxy in runtime.roles.items():
            self.metrics.add(role.value, proxy.counts)
        if runtime.perception is not None:
            self.metrics.add("perception", runtime.perception.counts)
        for number, gateway in enumerate(runtime.linked, start=1):
            self.metrics.add("cluster" if number == 1 else f"cluster-{number}", gateway.counts)
