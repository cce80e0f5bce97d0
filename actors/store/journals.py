"""Keep the open journals of a run folder. All methods block. Only one thread at a time may call them.

Records are encoded once, where they are written. Records that no journal can hold are replaced.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from manyhands.actors.store.folder import LockedFolder
from manyhands.protocol.errors import InvalidRecord, StaleEpoch, StoreError, WireError, store_error
from manyhands.protocol.journals.frames import walk
from manyhands.protocol.journals.journal import CODEC, encode
from manyhands.protocol.journals.journal_file import END, MOST_JOURNAL, START, first_record, last_end, read_regular
from manyhands.protocol.journals.records import (
    EpisodeEnded,
    Learned,
    Recalled,
    Record,
    StageFailed,
    StageRecord,
    StatementJudged,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.protocol.runs.run_cipher import RunCipher
from manyhands.protocol.utilities import secure_files

_LONGEST_PROBLEM = 300


class EncodedRecords(NamedTuple):
    """Hold records in the journal's encoding."""

    data: bytes
    epoch: int
    """The epoch of the lease under which they were written."""
    ends: bool
    """Whether the end of the episode is among them."""


def encode_records(episode: str, records: Sequence[Record], first: int, epoch: int) -> EncodedRecords:
    """Encode records, whose places in the journal begin with ``first``.

    A record that a journal cannot hold is replaced by a record that says so. Raises InvalidRecord if no replacement
    fits.
    """
    data = b"".join(_encoded(record, episode, first + number, epoch) for number, record in enumerate(records))
    return EncodedRecords(data, epoch, any(isinstance(record, EpisodeEnded) for record in records))


def _encoded(record: Record, episode: str, seq: int, epoch: int) -> bytes:
    try:
        return _encode(record, episode, seq, epoch)
    except WireError as error:
        problem = str(error)
    for substitute in _substitutes(record, problem):
        with contextlib.suppress(WireError):
            data = _encode(substitute, episode, seq, epoch)
            logger.error("journal of %s: place %d: %s; another record stands for it", episode, seq, problem)
            return data
    raise InvalidRecord(f"journal of {episode}: {problem}")


def _encode(record: Record, episode: str, seq: int, epoch: int) -> bytes:
    return encode(record, episode, getattr(record, "step", None), seq, epoch)


def _substitutes(record: Record, problem: str) -> Iterator[Record]:
    """Yield records to write in place of ``record``, the best first; ``problem``: why it cannot be written.

    An action has no replacement: it must not reach a phone without its record.
    """
    reason = f"the record could not be written: {problem[:_LONGEST_PROBLEM]}"
    if isinstance(record, StageRecord | Recalled | Learned | StatementJudged) and record.calls:
        unanswered = tuple(_without_answer(call, reason) for call in record.calls)
        yield record.model_copy(update={"calls": unanswered})
        yield record.model_copy(update={"calls": tuple(call.model_copy(update={"request": {}}) for call in unanswered)})
        yield record.model_copy(update={"calls": ()})
    if isinstance(record, StageRecord):
        yield StageFailed(step=record.step, span=record.span, stage=record.stage, code="wire", error=reason)
    if isinstance(record, EpisodeEnded):
        yield record.model_copy(update={"answer": None, "reason": reason})


def _without_answer(call: ModelCall, reason: str) -> ModelCall:
    return call.model_copy(update={"reply": None, "error": reason, "usage": Usage(), "cut": ()})


logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Append:
    """Hold the records of one append that is being written."""

    episode: str
    records: EncodedRecords
    done: bool = False
    error: StoreError | None = None


@dataclass(slots=True)
class _Journal:
    """Hold an open journal. ``epoch``: the newest epoch that wrote or read it."""

    file: int
    size: int
    epoch: int


class Journals:
    """Write and sync the journals of a run folder, and refuse appends of older epochs."""

    def __init__(self, folder: LockedFolder, cipher: RunCipher) -> None:
        self._folder = folder
        self._cipher = cipher
        self._open: dict[str, _Journal] = {}
        self._fences: dict[str, int] = {}
        """The newest epochs of journals that were closed because they could not be written."""

    def path(self, episode: str) -> Path:
        return self._folder.path / EPISODES / episode / "journal.mh"

    def commit(self, batch: Sequence[Append]) -> None:
        """Write all appends, sync each journal once, and record in each append whether it failed."""
        for episode in dict.fromkeys(item.episode for item in batch):
            items = [item for item in batch if item.episode == episode]
            try:
                self._commit_episode(episode, items)
            except (OSError, StoreError) as error:
                for item in items:
                    item.error = item.error or self._error(error, episode)
            for item in items:
                item.done = True

    def fence(self, episode: str, epoch: int) -> int:
        """Refuse appends of older epochs from now on. Return the journal's present length. Raises StoreError."""
        try:
            journal = self._opened(episode)
        except OSError as error:
            raise self._error(error, episode) from error
        if epoch < journal.epoch:
            raise _stale(episode, epoch, journal.epoch)
        journal.epoch = epoch
        return journal.size

    def close(self) -> None:
        for episode in list(self._open):
            self._close(episode)

    def _error(self, error: OSError | StoreError, episode: str) -> StoreError:
        if isinstance(error, StoreError):
            return type(error)(str(error))
        return store_error(error, f"journal of {episode} in {self._folder.path}")

    def _commit_episode(self, episode: str, items: Sequence[Append]) -> None:
        journal = self._opened(episode)
        for item in items:
            if item.records.epoch < journal.epoch:
                item.error = _stale(episode, item.records.epoch, journal.epoch)
            journal.epoch = max(journal.epoch, item.records.epoch)
        batches = [item.records for item in items if item.error is None]
        data = b"".join(records.data for records in batches)
        stored = self._cipher.encrypt_frames(data)
        try:
            _write(journal.file, stored)
        except BaseException:
            self._take_back(episode, journal)
            raise
        start = first_record(data) if journal.size == 0 else None
        if start is not None:
            self._keep_copy(self.path(episode).with_name(START), start)
        journal.size += len(stored)
        if any(records.ends for records in batches):
            self._keep_copy(self.path(episode).with_name(END), last_end(data))
            self._close(episode)

    def _take_back(self, episode: str, journal: _Journal) -> None:
        """Cut off the half-written records. Their writer gets an error and writes them again."""
        try:
            os.ftruncate(journal.file, journal.size)
        except OSError:
            self._fences[episode] = journal.epoch
            self._close(episode)  # reopening the journal cuts off a torn tail

    def _opened(self, episode: str) -> _Journal:
        self._folder.check()
        if episode not in self._open:
            path = self.path(episode)
            if path.exists() and not path.is_file():
                raise StoreError(f"{path}: is no regular file: move it away")
            secure_files.make_folder(path.parent, parents=False)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, secure_files.FILE_MODE)
            try:
                journal = self._open[episode] = _taken_up(path, file, self._cipher)
                journal.epoch = max(journal.epoch, self._fences.pop(episode, 0))
            except BaseException:
                os.close(file)
                raise
            for folder in (path.parent, path.parent.parent):
                _sync_folder(folder)
        return self._open[episode]

    def _keep_copy(self, path: Path, record: bytes | None) -> None:
        """Write a second copy of a record beside its journal, for use if the first is damaged."""
        try:
            if record is not None:
                secure_files.replace_bytes(path, self._cipher.encrypt_frames(record))
        except OSError as error:
            logger.warning("a record of a journal has no second copy in %s: %s", path, error)

    def _close(self, episode: str) -> None:
        journal = self._open.pop(episode, None)
        if journal is not None:
            os.close(journal.file)


def _stale(episode: str, epoch: int, newest: int) -> StaleEpoch:
    return StaleEpoch(f"journal of {episode}: it goes on under epoch {newest}, and this was written under {epoch}")


def _taken_up(path: Path, file: int, cipher: RunCipher) -> _Journal:
    """Prepare an existing journal for writing: move a torn tail beside it, keep everything else."""
    data = read_regular(path, length=MOST_JOURNAL + 1)
    if len(data) > MOST_JOURNAL:
        raise StoreError(f"{path}: has more than {MOST_JOURNAL:,} bytes: it is damaged; move its folder away")
    walked = walk(data)
    if walked.torn_at is not None:
        _keep(path, walked.torn_at, data[walked.torn_at :])
        os.ftruncate(file, walked.torn_at)
    epochs = (_last_epoch(cipher.decrypt_frames(data[one.start : one.end])) for one in reversed(walked.frames))
    epoch = next((epoch for epoch in epochs if epoch is not None), 0)
    return _Journal(file, len(data) if walked.torn_at is None else walked.torn_at, epoch)


def _last_epoch(data: bytes) -> int | None:
    """Return the epoch of the last readable record, 0 if it has none; None if no record can be read."""
    view = memoryview(data)
    for frame in reversed(walk(data).frames):
        with suppress(WireError):
            return CODEC.head(frame.payload(view)).epoch or 0
    return None


def _keep(path: Path, offset: int, tail: bytes) -> None:
    """Write the tail that is cut off into a file beside the journal. Do not replace earlier tails."""
    number, name = 1, f"{path.name}.cut-{offset}"
    while (path.parent / name).exists():
        number, name = number + 1, f"{path.name}.cut-{offset}-{number + 1}"
    target = path.with_name(name)
    try:
        secure_files.write_bytes(target, tail)
    except OSError:
        target.unlink(missing_ok=True)
        raise


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
