"""A keeper of a memory that tells its process, so that a test can kill it."""

from __future__ import annotations

import os

from manyhands.actors.memory.keeper import MemoryKeeper


class KnownKeeper(MemoryKeeper):
    async def process(self) -> int:
        return os.getpid()
