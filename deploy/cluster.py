"""Ray for one run: a local one of the run's own, or a running cluster that is joined."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import ray

from protocol.errors import BadInput

OBJECT_STORE_BYTES = 1 << 30
"""Of a local Ray: screenshots in flight, 10 MB each at most."""


@asynccontextmanager
async def joined_ray(address: str | None, namespace: str) -> AsyncIterator[str]:
    """Ray while the context is open; the id of the node that we are on. Raises BadInput for a dead address."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray warns that it authenticates and that it leaves signals to us, as if these were faults.
    logging.getLogger("ray").setLevel(logging.ERROR)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        await asyncio.to_thread(_init, address, namespace)
        if threading.current_thread() is threading.main_thread():
            # Ray takes SIGTERM for a crash; it is for whoever started us.
            for number, handler in handlers.items():
                signal.signal(number, handler)
        yield ray.get_runtime_context().get_node_id()
    finally:
        await asyncio.to_thread(ray.shutdown)


def check_room(setting: str, resource: str, amount: float, address: str | None) -> None:
    """Raises BadInput if actors ask for more than this run's own Ray will ever have: Ray would let them wait for it.

    A cluster that was joined may grow.
    """
    there = ray.cluster_resources().get(resource, 0.0)
    if address is None and amount > there:
        raise BadInput(f"{setting}: the actors ask for {amount:g} {resource} in all, this machine has {there:g}")


def _init(address: str | None, namespace: str) -> None:
    options: dict[str, Any] = {"namespace": namespace, "log_to_driver": False, "configure_logging": False}
    if address is None:
        # Two runs on one machine do not disturb each other: each starts a Ray of its own.
        ray.init(address="local", include_dashboard=False, object_store_memory=OBJECT_STORE_BYTES, **options)
        return
    try:
        ray.init(address=address, **options)
    except (ConnectionError, ValueError) as error:
        raise BadInput(f"--ray-address {address}: {str(error).splitlines()[0]}") from error
