"""What a journal tells of its episode, with only those of its records read that say so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manyhands.protocol.envelope import Head
from manyhands.protocol.errors import WireError
from manyhands.protocol.frames import Frame, walk
from manyhands.protocol.journal import CODEC, newest_of
from manyhands.protocol.records import Acted, EpisodeEnded, EpisodeStarted, Learned, Resumed
from manyhands.protocol.runs import EpisodeIndex

STARTED, ACTED, RESUMED, ENDED, LEARNED = (
    kind.model_fields["kind"].default for kind in (EpisodeStarted, Acted, Resumed, EpisodeEnded, Learned)
)


class RunIndex:
    """Tell where the episodes of a run stand; journals that have not changed since the last time are not read again.

    Each batch that is gone on with asks for it, and so does each episode that a dying host takes with it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[tuple[int, int], EpisodeIndex | None]] = {}

    def read(self) -> Sequence[EpisodeIndex]:
        """Return what each journal tells, in the order in which their episodes started. Raises OSError."""
        self._known = {path: self._of(path) for path in self._folder.glob("episodes/*/journal.mh")}
        found = [index for _, index in self._known.values() if index is not None]
        return tuple(sorted(found, key=lambda index: (index.started.at, index.started.episode)))

    def _of(self, path: Path) -> tuple[tuple[int, int], EpisodeIndex | None]:
        stat = path.stat()  # before it is read: what is written meanwhile is read the next time
        version = stat.st_size, stat.st_mtime_ns
        known = self._known.get(path)
        # Not mapped into memory: the writer may cut off a torn tail meanwhile.
        return known if known is not None and known[0] == version else (version, index_of(path.read_bytes()))


def index_of(data: bytes) -> EpisodeIndex | None:
    """Return what a journal tells of its episode; None where it does not say which one it is of."""
    found: list[tuple[Frame, Head]] = []
    view = memoryview(data)
    for frame in walk(data).frames:
        try:
            found.append((frame, CODEC.head(frame.payload(view))))
        except WireError:
            continue
    newest = newest_of((head.seq, head.epoch) for _, head in found)
    started: EpisodeStarted | None = None
    ended: EpisodeEnded | None = None
    steps, in_vain, taught = 0, 0, False
    for index in newest.by_seq.values():
        frame, head = found[index]
        if head.kind == STARTED and started is None:
            started = _body(frame, view)
        elif head.kind == ENDED:
            ended = _body(frame, view)
        elif head.kind == RESUMED:
            resumed: Resumed | None = _body(frame, view)
            in_vain, ended = in_vain + (resumed is None or not resumed.run_cut_off), None
        elif head.kind == LEARNED:
            taught = True
        elif head.kind == ACTED:
            steps, in_vain = steps + 1, 0
    if started is None:
        return None
    return EpisodeIndex(
        started=started,
        epoch=max(newest.epoch, started.epoch),
        ended=ended,
        steps=steps,
        in_vain=in_vain,
        taught=taught,
    )


def _body(frame: Frame, view: memoryview) -> Any:
    """Return a record; None for one that cannot be read."""
    try:
        return CODEC.unpack(frame.payload(view)).body
    except WireError:
        return None
