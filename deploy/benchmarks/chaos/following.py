"""What a run does at this moment, as its journals say: they are on disk before a phone is touched."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.protocol.errors import WireError
from manyhands.protocol.frames import walk
from manyhands.protocol.journal import decode
from manyhands.protocol.records import ActionSent, EpisodeEnded, EpisodeStarted, Record, Resumed

_ENDED_EVERY = 10
"""An episode that has ended is seldom gone on with, so its journal is opened at every tenth look only."""


@dataclass
class _Journal:
    offset: int = 0
    serial: str = ""
    task: str = ""
    began_at: float = 0.0
    """Or was gone on with last."""
    ended: bool = False
    sent: list[float] = field(default_factory=list)

    def take(self, record: Record) -> None:
        if isinstance(record, EpisodeStarted):
            self.serial, self.task, self.began_at = record.serial, record.task.id, record.at
        elif isinstance(record, Resumed):
            self.began_at, self.ended = record.at, False
        elif isinstance(record, EpisodeEnded):
            self.ended = True
        elif isinstance(record, ActionSent):
            self.sent.append(record.at)


class JournalFollower:
    """Read what journals gained since the last look. The folder may not be there yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._journals: dict[str, _Journal] = {}
        self._looks = 0

    def look(self) -> None:
        """Read on. A record that is half written is read at the next look."""
        everything = self._looks % _ENDED_EVERY == 0
        self._looks += 1
        for path in self._folder.glob("episodes/*"):
            journal = self._journals.setdefault(path.name, _Journal())
            if journal.ended and not everything:
                continue
            try:
                with (path / "journal.mh").open("rb") as file:
                    file.seek(journal.offset)
                    data = file.read()
            except FileNotFoundError:  # the folder is made first
                continue
            if data:
                found = walk(data).frames
                journal.offset += found[-1].end if found else 0
                for frame in found:
                    with contextlib.suppress(WireError):  # of a newer version, say: no business of ours
                        journal.take(decode(data, frame.start)[0].body)

    @property
    def running(self) -> dict[str, str]:
        """Return the episode that each phone carries out, by the phone's serial."""
        newest: dict[str, tuple[str, _Journal]] = {}
        for name, item in self._journals.items():
            if item.serial and (item.serial not in newest or newest[item.serial][1].began_at < item.began_at):
                newest[item.serial] = (name, item)
        return {serial: name for serial, (name, item) in newest.items() if not item.ended}

    @property
    def begun(self) -> int:
        """Return how many tasks have begun."""
        return len({item.task for item in self._journals.values() if item.serial})

    def last_sent(self, serial: str) -> float:
        """Return when the phone was sent an action last, in Unix seconds; 0 before the first."""
        return max(
            (item.sent[-1] for item in self._journals.values() if item.serial == serial and item.sent), default=0
        )
