"""Take turns on a phone, and count how long they are waited for."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from manyhands.actors.phones.locks import HostLock
from manyhands.actors.seams import Phone
from manyhands.protocol.phones import Receipt
from manyhands.protocol.screens import Screenshot

R = TypeVar("R", Receipt, Screenshot)


@dataclass(slots=True)
class HeldPhone:
    """Hold a phone and its lock, which is held by whoever looks at it or touches it."""

    phone: Phone
    lock: HostLock
    prepared: bool = False

    async def prepare(self) -> None:
        """Prepare the phone, unless this gateway has done so before."""
        if not self.prepared:
            await self.prepare_anew(for_task=False)

    async def prepare_anew(self, *, for_task: bool) -> None:
        """Prepare the phone for a new holder. Raises PhoneUnfit where it is ``for_task``, and not fit for one."""
        await self.phone.prepare(for_task=for_task)
        self.prepared = True

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Hold the lock, and give the milliseconds that it was waited for."""
        asked_at = time.perf_counter()
        async with self.lock.held():
            yield (time.perf_counter() - asked_at) * 1000


def with_wait(answer: R, waited_ms: float) -> R:
    """Return a receipt or screenshot with the wait for its turn added."""
    return answer.model_copy(update={"queue_ms": answer.queue_ms + waited_ms})
