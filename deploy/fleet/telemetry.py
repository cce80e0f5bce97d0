"""Show a run to monitoring: figures for Prometheus, and spans for a collector of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from manyhands.deploy.fleet.runtime import FleetRuntime
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.telemetry.metrics.endpoint import RunMetrics
from manyhands.protocol.runs.progress import RunProgress


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
            from manyhands.deploy.telemetry.traces.export import TraceExport  # imported late: the library is an extra

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
