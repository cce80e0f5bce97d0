"""Read a journal on as it grows, each whole record once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manyhands.protocol.journals.envelope import Envelope
from manyhands.protocol.journals.frames import MAX_RECORD, Walk, walk
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.journal_file import START, first_record, read_regular

CHUNK_BYTES = 2 * 2**20
"""How much of a journal is read at once, unless a record is longer."""


class JournalTail:
    """Remember how far a journal was read. A record that is not written completely is read later."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        """``offset``: the end of a record up to which the journal is known."""
        self._path = path
        self.offset = offset
        """The end of the last record that was read."""
        self._known_size = offset
        """The size of the file when its end was last reached."""

    @property
    def is_at_end(self) -> bool:
        """Return whether all bytes that the file had lately were records that were read."""
        return self.offset == self._known_size

    def read_on(self) -> Sequence[Envelope[Any]]:
        """Return the next records, in the order of their places; an empty result if there is none yet.

        Records may come again: after a failed write, their writer shortens the file and writes them once more. Raises
        OSError and StoreError.
        """
        size = self._path.stat().st_size
        if size in (self.offset, self._known_size):
            return ()
        if size < self.offset:
            self.offset = 0
        data, walked = self._read_frames()
        if self.offset and walked.damage and walked.damage[0].start == 0 and walked.torn_at != 0:
            self.offset = 0  # the file was shortened and has grown again: no record ends at the offset any more
            data, walked = self._read_frames()
        if self.offset + len(data) >= size:
            self._known_size = size
        if not walked.frames:
            return ()
        whole = data[: walked.frames[-1].end]
        copy = self._copy_of_first(whole) if self.offset == 0 else b""
        self.offset += len(whole)
        return scan(copy + whole).envelopes

    def _read_frames(self) -> tuple[bytes, Walk]:
        """Return a chunk from the offset on. It holds a whole record, unless the file has none there."""
        length = CHUNK_BYTES
        while True:
            data = read_regular(self._path, self.offset, length)
            walked = walk(data)
            if walked.frames or len(data) < length or length > MAX_RECORD:
                return data, walked
            length *= 4

    def _copy_of_first(self, data: bytes) -> bytes:
        """Return the copy of the journal's first record if that record is damaged; else nothing."""
        if first_record(data) is not None:
            return b""
        try:
            return first_record(read_regular(self._path.with_name(START))) or b""
        except FileNotFoundError:
            return b""
