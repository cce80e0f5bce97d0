"""Actors that travel as code: also to nodes that have no Manyhands, or another version of it."""

from __future__ import annotations

from typing import Any, Unpack

import ray
from ray.exceptions import RayError

from manyhands.actors.remote.shell import ActorOptions
from manyhands.protocol.errors import ActorLost


class BareActor:
    """Hold an actor of a class that imports nothing of ours, created without waiting for it."""

    def __init__(self, cls: type[Any], **options: Unpack[ActorOptions]) -> None:
        """Create it; it takes no CPU in Ray's books unless ``options`` give it some."""
        chosen: dict[str, Any] = {"num_cpus": 0, "enable_task_events": False, **options}
        self._handle: Any = ray.remote(cls).options(**chosen).remote()

    async def call(self, method: str, *args: Any) -> Any:
        """Call a method. Raises ActorLost for whatever Ray tells instead of an answer."""
        try:
            return await getattr(self._handle, method).remote(*args)
        except RayError as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise ActorLost(lines[-1].strip()) from error

    def kill(self) -> None:
        """End its process, or the wait for one."""
        ray.kill(self._handle)
