"""An event loop whose time jumps to the next timer, so that hours pass in milliseconds and in a fixed order."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
START = 1_700_000_000.0


class Deadlock(RuntimeError):
    """Tasks wait, and nothing is left that could wake them."""


class _JumpingSelector(selectors.DefaultSelector):
    """Instead of waiting for a time, adds it to ``elapsed``."""

    elapsed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise Deadlock("every task waits for another")
        if not ready and timeout is not None and timeout > 0:
            self.elapsed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.elapsed

    def freeze(self, seconds: float) -> None:
        """Let time pass in which nothing runs, as in a process that is stopped."""
        self._jumping.elapsed += seconds

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        """Do at once what else a thread would do: nobody waits for one in virtual time."""
        done: asyncio.Future[T] = self.create_future()
        done.set_result(func(*args))
        return done


class VirtualClock:
    """The Clock of a :class:`VirtualLoop`."""

    def now(self) -> float:
        return START + asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` to its end in virtual time. Raises Deadlock if it can never end."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
