"""The HTTP endpoint that serves metrics to Prometheus. Figures are collected when they are scraped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from manyhands.protocol.errors import BadInput

Ask = Callable[[], Coroutine[Any, Any, list[Metric]]]


@asynccontextmanager
async def serving(host: str, port: int, ask: Ask) -> AsyncIterator[str]:
    """Serve what ``ask`` returns while the context is open; give the URL. Raises BadInput where it cannot listen."""
    registry = CollectorRegistry()
    registry.register(_OnDemand(ask, asyncio.get_running_loop()))
    try:
        # In a thread, because a host's name may have to be looked up.
        server, thread = await asyncio.to_thread(start_http_server, port, host, registry)
    except (OSError, OverflowError) as error:
        raise BadInput(f"--metrics-port {port}: cannot listen at --metrics-host {host}: {error}") from error
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, thread.join)
        stack.callback(server.server_close)
        stack.push_async_callback(asyncio.to_thread, server.shutdown)
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}/metrics"


class _OnDemand(Collector):
    """Collect metrics for each scrape, in a thread of the HTTP server, one at a time."""

    def __init__(self, ask: Ask, loop: asyncio.AbstractEventLoop) -> None:
        self._ask = ask
        self._loop = loop
        self._asking = threading.Lock()

    def collect(self) -> Iterable[Metric]:
        """Return all metrics."""
        with self._asking:
            return asyncio.run_coroutine_threadsafe(self._ask(), self._loop).result()
