"""Summarise episodes from their journals. Only the records that a summary needs are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manyhands.actors.store.folder import LockedFolder
from manyhands.protocol.errors import WireError
from manyhands.protocol.journals.envelope import Head
from manyhands.protocol.journals.frames import ByteFrame, walk
from manyhands.protocol.journals.journal import CODEC, newest_of
from manyhands.protocol.journals.journal_file import read_journal
from manyhands.protocol.journals.records import (
    Acted,
    EpisodeEnded,
    EpisodeHandedBack,
    EpisodeStarted,
    EpisodeTakenOver,
    Learned,
    ModelSessionEnded,
    Resumed,
    StageFailed,
)
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.protocol.runs.results import EpisodeIndex
from manyhands.protocol.runs.run_cipher import RunCipher

STARTED, ACTED, RESUMED, ENDED, LEARNED, FAILED, TAKEN_OVER, HANDED_BACK, SESSION_ENDED = (
    kind.model_fields["kind"].default
    for kind in (
        EpisodeStarted,
        Acted,
        Resumed,
        EpisodeEnded,
        Learned,
        StageFailed,
        EpisodeTakenOver,
        EpisodeHandedBack,
        ModelSessionEnded,
    )
)


class RunIndex:
    """Summarise the episodes of a run. Journals that have not changed since the last call are not read again.

    Each resumed batch needs this summary, and so does each episode that is lost with its host.
    """

    def __init__(self, folder: LockedFolder, cipher: RunCipher) -> None:
        self._folder = folder
        self._cipher = cipher
        self._known: dict[Path, tuple[tuple[int, int], EpisodeIndex | None]] = {}

    def read(self) -> Sequence[EpisodeIndex]:
        """Return each journal's summary, in the order in which their episodes started. Raises OSError, StoreError."""
        self._folder.check()
        paths = self._folder.path.glob(f"{EPISODES}/*/journal.mh")
        self._known = {path: self._of(path) for path in paths}
        indexes = [index for _, index in self._known.values() if index is not None]
        return tuple(sorted(indexes, key=lambda index: (index.started.at, index.started.episode)))

    def _of(self, path: Path) -> tuple[tuple[int, int], EpisodeIndex | None]:
        stat = path.stat()  # before reading, so that a write in between is read by the next call
        version = stat.st_size, stat.st_mtime_ns
        cached = self._known.get(path)
        # The file is not mapped into memory, because the writer may cut off a torn tail meanwhile.
        return (
            cached
            if cached is not None and cached[0] == version
            else (version, index_of(read_journal(path, self._cipher)))
        )


def index_of(data: bytes) -> EpisodeIndex | None:
    """Return a journal's summary of its episode; None if it does not name the episode."""
    frames: list[tuple[ByteFrame, Head]] = []
    view = memoryview(data)
    for frame in walk(data).frames:
        try:
            frames.append((frame, CODEC.head(frame.payload(view))))
        except WireError:
            continue
    newest = newest_of((head.seq, head.epoch) for _, head in frames)
    started: EpisodeStarted | None = None
    ended: EpisodeEnded | None = None
    failed: StageFailed | None = None
    steps, in_vain, taught, session_ended = 0, 0, False, False
    for index in newest.by_seq.values():
        frame, head = frames[index]
        if head.kind == STARTED and started is None:
            started = _body(frame, view)
        elif head.kind == ENDED:
            ended = _body(frame, view)
        elif head.kind == RESUMED:
            resumed: Resumed | None = _body(frame, view)
            in_vain, ended = in_vain + (resumed is None or not resumed.run_cut_off), None
        elif head.kind == FAILED:
            failed = _body(frame, view) or failed
        elif head.kind == LEARNED:
            taught = True
        elif head.kind == SESSION_ENDED:
            session_ended = True
        elif head.kind == ACTED:
            steps, in_vain = steps + 1, 0
        elif head.kind in (TAKEN_OVER, HANDED_BACK):
            in_vain = 0
    if started is None:
        return None
    return EpisodeIndex(
        started=started,
        epoch=max(newest.epoch, started.epoch),
        ended=ended,
        steps=steps,
        in_vain=in_vain,
        taught=taught,
        session_ended=session_ended,
        failure=failed.code if failed is not None else "",
    )


def _body(frame: ByteFrame, view: memoryview) -> Any:
    """Return a record; None if it cannot be read."""
    try:
        return CODEC.unpack(frame.payload(view)).body
    except WireError:
        return None
