"""The open journals of a run folder. All of it blocks, and one thread at a time uses it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.store.framed import Framed
from manyhands.protocol import private
from manyhands.protocol.errors import StaleEpoch, StoreError, WireError, store_error
from manyhands.protocol.frames import walk
from manyhands.protocol.journal import CODEC


@dataclass(slots=True)
class Append:
    """Hold the records of one append on their way to disk."""

    episode: str
    records: Framed
    done: bool = False
    error: StoreError | None = None


@dataclass(slots=True)
class _Journal:
    """Hold an open journal. ``epoch``: the newest that wrote or read it."""

    file: int
    size: int
    epoch: int


class Journals:
    """Writes, syncs and fences the journals of a run folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, _Journal] = {}

    def path(self, episode: str) -> Path:
        return self._folder / "episodes" / episode / "journal.mh"

    def commit(self, batch: Sequence[Append]) -> None:
        """Write all appends, sync each journal once, and note in each append whether it failed."""
        for episode in dict.fromkeys(item.episode for item in batch):
            items = [item for item in batch if item.episode == episode]
            try:
                self._commit_episode(episode, items)
            except OSError as error:
                for item in items:
                    item.error = item.error or store_error(error, f"journal of {episode} in {self._folder}")
            for item in items:
                item.done = True

    def fence(self, episode: str, epoch: int) -> int:
        """Refuse, from now on, what older epochs append; return how long the journal is now. Raises StoreError."""
        try:
            journal = self._opened(episode)
        except OSError as error:
            raise store_error(error, f"journal of {episode} in {self._folder}") from error
        if epoch < journal.epoch:
            raise _stale(episode, epoch, journal.epoch)
        journal.epoch = epoch
        return journal.size

    def close(self) -> None:
        for episode in list(self._open):
            self._close(episode)

    def _commit_episode(self, episode: str, items: Sequence[Append]) -> None:
        journal = self._opened(episode)
        for item in items:
            if item.records.epoch < journal.epoch:
                item.error = _stale(episode, item.records.epoch, journal.epoch)
            journal.epoch = max(journal.epoch, item.records.epoch)
        written = [item.records for item in items if item.error is None]
        data = b"".join(records.data for records in written)
        try:
            _write(journal.file, data)
        except BaseException:
            self._take_back(episode, journal)
            raise
        journal.size += len(data)
        if any(records.ends for records in written):
            self._close(episode)

    def _take_back(self, episode: str, journal: _Journal) -> None:
        """Cut off what was half written just now: whoever wrote it is told, and writes it again."""
        try:
            os.ftruncate(journal.file, journal.size)
        except OSError:
            self._close(episode)  # opened anew, a torn tail is cut off

    def _opened(self, episode: str) -> _Journal:
        if episode not in self._open:
            path = self.path(episode)
            private.make_folder(path.parent)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, private.FILE_MODE)
            try:
                self._open[episode] = _taken_up(path, file)
            except BaseException:
                os.close(file)
                raise
            for folder in (path.parent, path.parent.parent):
                _sync_folder(folder)
        return self._open[episode]

    def _close(self, episode: str) -> None:
        journal = self._open.pop(episode, None)
        if journal is not None:
            os.close(journal.file)


def _stale(episode: str, epoch: int, newest: int) -> StaleEpoch:
    return StaleEpoch(f"journal of {episode}: it goes on under epoch {newest}, and this was written under {epoch}")


def _taken_up(path: Path, file: int) -> _Journal:
    """Make a journal that is there ready to be written to: a torn tail is kept beside it, all else where it is."""
    data = path.read_bytes()
    walked = walk(data)
    if walked.torn_at is not None:
        _keep(path, walked.torn_at, data[walked.torn_at :])
        os.ftruncate(file, walked.torn_at)
    view = memoryview(data)
    epoch = 0
    for found in reversed(walked.frames):
        with suppress(WireError):
            epoch = CODEC.head(found.payload(view)).epoch or 0
            break
    return _Journal(file, len(data) if walked.torn_at is None else walked.torn_at, epoch)


def _keep(path: Path, offset: int, tail: bytes) -> None:
    """Write what is cut off beside the journal; what was cut off there before stays."""
    number, name = 1, f"{path.name}.cut-{offset}"
    while (path.parent / name).exists():
        number, name = number + 1, f"{path.name}.cut-{offset}-{number + 1}"
    kept = path.with_name(name)
    try:
        private.write_bytes(kept, tail)
    except OSError:
        kept.unlink(missing_ok=True)
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
