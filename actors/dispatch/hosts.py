"""The pool of episode hosts: the least busy of those that answer runs the next episode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import attrgetter

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.health import Backoff
from manyhands.actors.dispatch.needs import Lack
from manyhands.actors.seams import Host
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError

_ANSWER_S = 10.0
logger = logging.getLogger(__name__)


@dataclass(slots=True)
class HostSlot:
    """A host with its load and failures."""

    host: Host
    running: int = 0
    failures: int = 0
    """Failures in a row."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the host is left alone after a failure."""
    gone_at: float = 0.0
    again_at: float = 0.0
    """When it is asked next."""
    reason: str = ""


class HostPool:
    """The hosts of a run. Implements Need: one that has failed is asked by ``watch`` until it answers again."""

    def __init__(self, hosts: Sequence[Host], backoff: Backoff, patience_s: float, clock: Clock) -> None:
        """``patience_s``: how long all of them may be gone before the tasks that wait are given up."""
        if not hosts:
            raise ValueError("a run needs at least one episode host")
        self._slots = [HostSlot(host) for host in hosts]
        self._backoff = backoff
        self._patience_s = patience_s
        self._clock = clock

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(slot.host for slot in self._slots)

    @contextmanager
    def host(self) -> Iterator[HostSlot | None]:
        """Yield the least busy host, counted as one episode busier while the block runs; None while all are gone."""
        slot = min((slot for slot in self._slots if not slot.gone.is_set()), key=attrgetter("running"), default=None)
        if slot is None:
            yield None
            return
        slot.running += 1
        try:
            yield slot
        finally:
            slot.running -= 1

    def paused_s(self) -> float:
        """Return 0: an episode is lost with its host."""
        return 0.0

    def failed(self, slot: HostSlot, reason: str) -> None:
        """Leave a host alone that died or refused, longer each time in a row."""
        now = self._clock.now()
        if not slot.gone.is_set():
            slot.gone_at = now
        slot.failures += 1
        slot.reason = reason
        slot.again_at = now + self._backoff.wait_s(slot.failures)
        slot.gone.set()

    def served(self, slot: HostSlot) -> None:
        """Take note that an episode ended properly: the next failure is the first in a row."""
        slot.failures = 0

    def why_none(self) -> str | None:
        """Return the last failures of all hosts; None if one has served since."""
        if not all(slot.failures for slot in self._slots):
            return None
        return "; ".join(dict.fromkeys(slot.reason for slot in self._slots))

    # ------------------------------------------------------------------------ as a need of the batch
    def lack(self) -> Lack | None:
        """Return a lack while no host is left, since the last of them failed."""
        if not all(slot.gone.is_set() for slot in self._slots):
            return None
        last = max(self._slots, key=lambda slot: slot.gone_at)
        return Lack(
            what="an episode host",
            since=last.gone_at,
            reason=f"no episode host answers: {last.reason}",
            patience_s=self._patience_s,
            ending=Ending.HOST_LOST,
        )

    async def watch(self, changed: Callable[[], None]) -> None:
        """Ask each host that has failed until it answers."""
        async with asyncio.TaskGroup() as group:
            for slot in self._slots:
                group.create_task(self._probe_when_gone(slot, changed))

    async def _probe_when_gone(self, slot: HostSlot, changed: Callable[[], None]) -> None:
        while True:
            await slot.gone.wait()
            while (wait_s := slot.again_at - self._clock.now()) > 0:
                await self._clock.sleep(wait_s)
            if await self._answers(slot):
                slot.gone.clear()
                changed()

    async def _answers(self, slot: HostSlot) -> bool:
        try:
            async with asyncio.timeout(_ANSWER_S):
                await slot.host.progress()
        except (ManyhandsError, TimeoutError) as error:
            self.failed(slot, str(error) or f"no answer within {_ANSWER_S:g} s")
        except Exception as error:  # a defect of one host must not end the batch
            logger.exception("asking an episode host failed by a defect")
            self.failed(slot, f"{type(error).__name__}: {error}")
        else:
            return True
        return False
