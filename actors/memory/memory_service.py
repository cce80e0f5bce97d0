"""Serve a fleet's memory as an actor, on the machine of its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from manyhands.actors.memory.contents import MemoryContents
from manyhands.actors.sqlite_database import SingleThread
from manyhands.protocol.base import Input
from manyhands.protocol.roles.lessons import Lesson, LessonTaken, MemorySnapshot, Scope, ShortcutUse


class MemorySettings(Input):
    path: Path
    """The file. The service creates it if it does not exist. Several runs may share one file."""


class MemoryService:
    """Implements ``actors.interfaces.FleetMemory``. All state is in the file, so a killed service can be restarted."""

    def __init__(self, settings: MemorySettings) -> None:
        self._settings = settings
        self._contents: SingleThread[MemoryContents] | None = None

    async def start(self) -> None:
        """Open the file. Raises BadInput if it is not a memory."""
        path = self._settings.path
        self._contents = await SingleThread.open(lambda: MemoryContents(path), "memory")

    async def stop(self) -> None:
        """Close the file."""
        if self._contents is not None:
            await self._contents.close(MemoryContents.close)

    async def known(self, scopes: Sequence[Scope]) -> MemorySnapshot:
        return await self._open.run(MemoryContents.known, scopes)

    async def search(self, scopes: Sequence[Scope], words: str, most: int) -> MemorySnapshot:
        return await self._open.run(MemoryContents.search, scopes, words, most)

    async def teach(self, lesson: Lesson) -> LessonTaken:
        return await self._open.run(MemoryContents.teach, lesson)

    async def used(self, use: ShortcutUse) -> None:
        await self._open.run(MemoryContents.used, use)

    async def put_aside(self, shortcuts: Sequence[str]) -> Mapping[str, str]:
        return await self._open.run(MemoryContents.put_aside, shortcuts)

    @property
    def _open(self) -> SingleThread[MemoryContents]:
        if self._contents is None:
            raise RuntimeError("start the service first")
        return self._contents
