"""Read the files of an episode's journal: the journal, and beside it copies of its first record and its end.

Only the first record tells to which task a journal belongs. Without a copy, one flipped bit in that record would make
the task run again. An episode whose journal has no end counts as cut off. Without a copy, one flipped bit in the last
record would make a finished episode be resumed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from manyhands.protocol.errors import StoreError, WireError
from manyhands.protocol.journals.envelope import Envelope, Head
from manyhands.protocol.journals.frames import MAX_RECORD, ByteFrame, frame_at, walk
from manyhands.protocol.journals.journal import CODEC
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted, Record
from manyhands.protocol.runs.run_cipher import PLAIN, RunCipher

JOURNAL, START, END = "journal.mh", "start.mh", "end.mh"
MOST_JOURNAL = 8 * MAX_RECORD
"""The most bytes of a journal. Journals hold no pictures: those of long episodes have some megabytes."""
_LONGEST_COPY = MAX_RECORD + 1024
_STARTED, _ENDED = (kind.model_fields["kind"].default for kind in (EpisodeStarted, EpisodeEnded))


def read_journal(path: Path, cipher: RunCipher = PLAIN) -> bytes:
    """Return a journal's bytes. The copy of its first record is put before it if that record is unreadable.

    If the journal lacks its end, the copy of the end is put after it. If the episode was resumed after that end,
    readers ignore the copy, because its epoch is older.

    Raises OSError, and StoreError for a file that is not regular: reading from a FIFO could wait for ever.
    """
    return with_copies(path, read_frames(path, cipher), cipher)


def read_frames(path: Path, cipher: RunCipher = PLAIN) -> bytes:
    """Return the bytes of a journal alone, decrypted. In a sparse file, a hole is cut to the size of the largest frame.

    No frame can span a longer hole, so that no record is lost; the rest of the hole counts as damage. Raises OSError,
    and StoreError for a file that is not regular, or that holds more than ``MOST_JOURNAL`` bytes.
    """
    with _open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= MOST_JOURNAL:
            return cipher.decrypt_frames(file.read(size))
        parts: list[bytes] = []
        total = before = 0
        for start, end in _extents(file.fileno(), size):
            hole, before = min(start - before, MAX_RECORD), end
            total += hole + end - start
            if total > MOST_JOURNAL:
                raise StoreError(
                    f"{path}: has {size:,} bytes, and a journal has at most {MOST_JOURNAL:,}: it is damaged; "
                    "move its folder away"
                )
            file.seek(start)
            parts += [bytes(hole), file.read(end - start)]
        return cipher.decrypt_frames(b"".join(parts))


def _extents(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield where the data of a file begin and end between its holes, and an empty extent at its end."""
    end = 0
    while end < size:
        try:
            start = os.lseek(file, end, os.SEEK_DATA)
            end = os.lseek(file, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno != errno.ENXIO:  # only holes are left
                raise
            start = end = size
        yield start, end


def with_copies(path: Path, data: bytes, cipher: RunCipher = PLAIN) -> bytes:
    """Return ``data``, the bytes of the journal at ``path``, completed by the copies of its first record and its end.

    Raises the same errors as ``read_journal``.
    """
    started = first_record(data) or _copy(path.with_name(START), _STARTED, cipher)
    whole = data if started is None or data.startswith(started) else started + data
    ended = _copy(path.with_name(END), _ENDED, cipher)
    return whole if ended is None or ended in data or _is_of_another(path, ended) else whole + ended


def disagreement(path: Path, data: bytes, cipher: RunCipher = PLAIN) -> str | None:
    """Say how the end in a journal and the copy of the end differ; None if they do not.

    ``data`` is the result of ``read_journal(path, cipher)``.
    """
    copy = _copy(path.with_name(END), _ENDED, cipher)
    ending = None if copy is None else _read(copy)
    if ending is None:
        return None
    if ending.episode not in (None, path.parent.name):
        return f"{END} in the folder of {path.parent.name} is of {ending.episode}"
    for frame, head in _heads(data):
        if (head.kind, head.seq, head.epoch) == (_ENDED, ending.seq, ending.epoch):
            record = _read(data[frame.start : frame.end])
            if record is not None and record.body != ending.body:
                return (
                    f"says that its episode ended as {_ending(record.body)}, and {END} beside it {_ending(ending.body)}"
                )
    return None


def first_record(data: bytes) -> bytes | None:
    """Return the frame of ``EpisodeStarted`` if the journal begins with it, undamaged; else None."""
    return _first(data, _STARTED)


def last_end(data: bytes) -> bytes | None:
    """Return the frame of the last ``EpisodeEnded`` among the whole frames; None if there is none."""
    ends = [frame for frame, head in _heads(data) if head.kind == _ENDED]
    return data[ends[-1].start : ends[-1].end] if ends else None


def _first(data: bytes, kind: str) -> bytes | None:
    view = memoryview(data)
    try:
        frame = frame_at(view, 0)
        is_one = CODEC.head(frame.payload(view)).kind == kind
    except WireError:
        return None
    return data[: frame.end] if is_one else None


def _copy(path: Path, kind: str, cipher: RunCipher) -> bytes | None:
    """Return the frame at the beginning of a file if it is of this kind; None if it is missing or damaged."""
    try:
        return _first(cipher.decrypt_frames(read_regular(path, length=_LONGEST_COPY)), kind)
    except FileNotFoundError:
        return None


def _is_of_another(path: Path, copy: bytes) -> bool:
    ending = _read(copy)
    return ending is None or ending.episode not in (None, path.parent.name)


def _heads(data: bytes) -> Iterator[tuple[ByteFrame, Head]]:
    view = memoryview(data)
    for frame in walk(data).frames:
        with suppress(WireError):
            yield frame, CODEC.head(frame.payload(view))


def _read(frame: bytes) -> Envelope[Record] | None:
    view = memoryview(frame)
    try:
        return CODEC.unpack(frame_at(view, 0).payload(view))
    except WireError:
        return None


def _ending(record: Record) -> str:
    return record.ending.value if isinstance(record, EpisodeEnded) else record.kind


def read_regular(path: Path, offset: int = 0, length: int = -1) -> bytes:
    """Return the content of a regular file: from ``offset``, and no more than ``length`` bytes unless that is -1.

    Raises OSError, and StoreError for a FIFO, a device or a socket.
    """
    with _open_regular(path) as file:
        file.seek(offset)
        return file.read(length)


@contextmanager
def _open_regular(path: Path) -> Iterator[BinaryIO]:
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise StoreError(f"{path}: is no regular file: move it away")
        yield opened
