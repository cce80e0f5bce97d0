"""A keeper of a memory that tells its process, so that a test can kill it."""

from __future__ import annotations

import os

from manyhands.actors.memory.memory_service import MemoryService


class KnownKeeper(MemoryService):
    async def process(self) -> int:
        return os.getpid()
