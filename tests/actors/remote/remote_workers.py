"""A small real actor class, run plain and behind Ray, and a caller of it that can be killed."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manyhands.actors.frames import Frame, ModelImage, content_id
from manyhands.actors.remote import AgentProxy
from manyhands.protocol.errors import ModelUnreachable, Overloaded, SpeculationRefused
from manyhands.protocol.messages import Answered, CallContext, ModelCall
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, Receipt, Reset, SettleSpec
from manyhands.protocol.roles.requests import DecideRequest, Decision
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot


def model_call() -> ModelCall:
    return ModelCall(role=Role.DECIDE, server="s", request={"n": 1}, reply=None, error="x", started_at=1, latency_ms=2)


class Journal:
    """A file to which processes add lines; a test reads what happened where, and when."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, *words: object) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(" ".join(str(word) for word in (*words, time.time())) + "\n")

    def times(self, word: str) -> list[float]:
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        return [float(line.split()[-1]) for line in lines if line.split()[0] == word]

    async def wait_for(self, word: str, count: int = 1) -> list[float]:
        async with asyncio.timeout(30):
            while len(times := self.times(word)) < count:
                await asyncio.sleep(0.005)
        return times


class SlowOperator:
    """An operator that does what the goal says: ``sleep``, ``fail``, ``refuse``, ``break``, ``die``, ``echo``."""

    def __init__(self, journal: Path, refuses: bool = False) -> None:
        self._journal = Journal(journal)
        self._refuses = refuses

    async def start(self) -> None:
        self._journal.add("started", os.getpid())

    async def stop(self) -> None:
        self._journal.add("stopped", os.getpid())

    async def answer(self, request: DecideRequest, context: CallContext, image: ModelImage) -> Answered[Decision]:
        self._journal.add("called", os.getpid())
        if self._refuses or request.brief.goal == "refuse":
            raise Overloaded("full")
        if request.brief.goal == "fail":
            raise ModelUnreachable("no server answers", calls=(model_call(),))
        if context.speculative:
            raise SpeculationRefused("no room", calls=(model_call(),))
        if request.brief.goal == "break":
            raise KeyError("a defect")
        if request.brief.goal == "own cancellation":
            raise asyncio.CancelledError
        first = len(self._journal.times("called")) == 1
        if request.brief.goal == "die" or (request.brief.goal == "die once" and first):
            os._exit(1)
        if request.brief.goal == "sleep":
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self._journal.add("cancelled")
                raise
        return Answered[Decision](value=Decision(thought=str(os.getpid()), action=None, expectation=image.content_id))


class StillGateway:
    """A gateway of one phone whose screen never changes. The first call of what only asks ends it for ``unlucky``."""

    def __init__(self, journal: Path) -> None:
        self._journal = Journal(journal)

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def phones(self) -> Sequence[PhoneInfo]:
        return [PhoneInfo(serial="p", state="device")]

    async def connect(self, serial: str) -> None: ...

    async def size(self, serial: str) -> Size:
        return Size(width=300, height=600)

    async def labels(self, serial: str) -> Mapping[str, str]:
        return {"model": "Still"}

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        self._journal.add("look", os.getpid())
        if len(self._journal.times("look")) == 1:
            os._exit(1)
        return {"looked_at": serial}

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        return Lease(serial=serial, holder=holder, epoch=1, expires_at=time.time() + ttl_s)

    def _asked(self, method: str, lease: Lease) -> None:
        self._journal.add(method, os.getpid())
        if lease.holder == "unlucky" and len(self._journal.times(method)) == 1:
            os._exit(1)

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        self._asked("renew", lease)
        return lease.model_copy(update={"expires_at": time.time() + ttl_s})

    async def detach(self, lease: Lease) -> None: ...

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        self._asked("capture", lease)
        rgb = np.full((600, 300, 3), 7, np.uint8)
        digest = content_id(rgb)
        shot = Screenshot(
            content_id=digest, size=Size(width=300, height=600), serial=lease.serial, taken_at=time.time(), capture_ms=1
        )
        return shot, ModelImage(digest, b"j" * 300_000), Frame("rgb", rgb)

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        self._journal.add("performed", os.getpid())
        os._exit(1)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        self._journal.add("performed", os.getpid())
        receipt = Receipt(key=perform.key, status="done", sent_at=time.time(), ms=1)
        if settle is None:
            return Performed(receipt=receipt), None, None
        shot, image, frame = await self.capture(lease, settle, context)
        return Performed(receipt=receipt, screenshot=shot, looked_ms=1), image, frame

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        raise NotImplementedError

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        self._asked("state", lease)
        return {"held_by": lease.holder}

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        self._asked("recall", lease)
        return [Receipt(key=key, status="unknown", sent_at=time.time(), ms=0) for key in keys]


class Caller:
    """Holds a proxy that it was given, as an episode's host does, and calls it from its own process."""

    def __init__(self, operator: AgentProxy[DecideRequest, Decision]) -> None:
        self._operator = operator

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def run_episode(self, order: tuple[DecideRequest, CallContext, ModelImage]) -> Answered[Decision]:
        return await self._operator.answer(*order)

    async def progress(self) -> int:
        return os.getpid()
