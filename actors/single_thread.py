"""Run an object that blocks in a single thread of its own, so that an event loop can call it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, Generic, ParamSpec, TypeVar

from manyhands.protocol.errors import ManyhandsError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class SingleThread(Generic[T]):
    """Hold an object that blocks, and call its methods in one thread of its own."""

    def __init__(self, value: T, thread: ThreadPoolExecutor) -> None:
        """Store the object and its thread. Callers use ``open`` instead."""
        self._value = value
        self._thread = thread

    @classmethod
    async def open(cls, make: Callable[[], T], name: str) -> SingleThread[T]:
        """Make the object in its thread. Raises what ``make`` raises."""
        thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        try:
            return cls(await asyncio.get_running_loop().run_in_executor(thread, make), thread)
        except ManyhandsError:
            thread.shutdown(wait=False)
            raise

    async def run(self, method: Callable[Concatenate[T, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a method of the object, given by its class: ``await leases.run(Leases.renew, lease, 30)``."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: method(self._value, *args, **kwargs)
        )

    async def close(self, method: Callable[[T], None]) -> None:
        """Call the object's ``method`` as its last one and end the thread."""
        await self.run(method)
        self._thread.shutdown(wait=False)
