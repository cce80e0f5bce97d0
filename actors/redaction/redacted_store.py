"""Store an episode without what its run redacts: texts are struck from records, and screens are painted over.

A screen waits here until perception has read it, because only then it is known where a text stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from manyhands.actors.frames import Frame, paint_frame
from manyhands.actors.interfaces import Ref, Store
from manyhands.actors.redaction.record_redaction import RecordRedaction
from manyhands.protocol.errors import CaptureFailed, InvalidRecord
from manyhands.protocol.journals.journal import Scan
from manyhands.protocol.journals.records import EpisodeEnded, Record
from manyhands.protocol.phones import PhoneLog
from manyhands.protocol.runs.results import EpisodeIndex

MOST_UNREAD = 4
"""The most screens that wait to be read. Of more, the oldest is painted as one that nobody reads."""


class RedactedStore(Store):
    """Implements the Store interface for one episode. Raises what ``store`` raises."""

    def __init__(
        self,
        store: Store,
        redaction: RecordRedaction,
        value_of: Callable[[Ref[Frame]], Coroutine[Any, Any, Frame]],
    ) -> None:
        """``value_of`` fetches the pixels that are painted over to this process."""
        self._store = store
        self._redaction = redaction
        self._value_of = value_of
        self._waiting: dict[str, Ref[Frame]] = {}
        self._has_ended = False
        self._lock = asyncio.Lock()
        """Is held by whoever uses the redaction, in a thread."""
        self._writing = asyncio.Lock()

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        """Append records without the texts. After the episode's end, write the screens that still wait."""
        async with self._lock:
            struck = await asyncio.to_thread(self._redaction.strike, records)
        await self._store.append(episode, struck, first, epoch)
        if any(isinstance(record, EpisodeEnded) for record in records):
            self._has_ended = True
            await self._write(tuple(self._waiting))

    async def read(self, episode: str, epoch: int) -> Scan:
        return await self._store.read(episode, epoch)

    async def index(self) -> Sequence[EpisodeIndex]:
        return await self._store.index()

    async def put_screens(self, content_ids: Sequence[str], *frames: Ref[Frame]) -> None:
        """Take screens, and write those that were read meanwhile."""
        self._waiting |= dict(zip(content_ids, frames, strict=True))
        overdue = len(self._waiting) if self._has_ended else max(0, len(self._waiting) - MOST_UNREAD)
        due = [
            content
            for number, content in enumerate(self._waiting)
            if number < overdue or self._redaction.has_read(content)
        ]
        await self._write(due)

    async def screen(self, content_id: str) -> bytes | None:
        return await self._store.screen(content_id)

    async def append_log(self, episode: str, log: PhoneLog) -> None:
        """Append what a phone has logged, without the texts."""
        async with self._lock:
            text = await asyncio.to_thread(self._redaction.strike_text, log.text)
        await self._store.append_log(episode, log.model_copy(update={"text": text}))

    async def _write(self, content_ids: Iterable[str]) -> None:
        """Write screens that still wait. Records and screens have writers of their own, which may come at once."""
        async with self._writing:
            for content_id in content_ids:
                if content_id in self._waiting:
                    await self._write_one(content_id, self._waiting[content_id])
                    self._waiting.pop(content_id, None)

    async def _write_one(self, content_id: str, frame: Ref[Frame]) -> None:
        async with self._lock:
            boxes = await asyncio.to_thread(self._redaction.boxes, content_id)
        if boxes:
            pixels = await self._value_of(frame)
            try:
                frame = await asyncio.to_thread(paint_frame, pixels, boxes)
            except CaptureFailed as error:
                raise InvalidRecord(f"screen {content_id}: {error}") from error
        await self._store.put_screens([content_id], frame)
