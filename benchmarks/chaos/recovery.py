"""Follow a running run by its journals, which are on disk before a phone is touched."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from pathlib import Path

from manyhands.protocol.errors import WireError
from manyhands.protocol.journals.frames import walk
from manyhands.protocol.journals.journal import decode
from manyhands.protocol.journals.records import ActionSent, EpisodeEnded, EpisodeStarted, Record, Resumed

_ENDED_EVERY = 10
"""The journal of an ended episode is read only at every tenth look, because such an episode is seldom continued."""


@dataclass
class _Journal:
    offset: int = 0
    serial: str = ""
    task: str = ""
    began: tuple[int, float] = (0, 0.0)
    """When the episode began or was last continued: the number of the look, and the time by the run's own clock, which
    may step."""
    ended: bool = False
    sent: int = 0

    def take(self, record: Record, look: int) -> None:
        if isinstance(record, EpisodeStarted):
            self.serial, self.task, self.began = record.serial, record.task.id, (look, record.at)
        elif isinstance(record, Resumed):
            self.began, self.ended = (look, record.at), False
        elif isinstance(record, EpisodeEnded):
            self.ended = True
        elif isinstance(record, ActionSent):
            self.sent += 1


class JournalFollower:
    """Read what journals gained since the last look. The folder may not exist yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._journals: dict[str, _Journal] = {}
        self._looks = 0
        self._looking = threading.Lock()
        """Held during a look, because two faults at once look at the same time."""

    def look(self) -> None:
        """Read what is new. A record that is half written is read at the next look."""
        with self._looking:
            self._look()

    def _look(self) -> None:
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
            except OSError:  # the folder is made before the file, and may have been moved
                continue
            if data:
                frames = walk(data).frames
                journal.offset += frames[-1].end if frames else 0
                for frame in frames:
                    with contextlib.suppress(WireError):  # for instance a record of a newer version
                        journal.take(decode(data, frame.start)[0].body, self._looks)

    @property
    def running(self) -> dict[str, str]:
        """Return the episode that each phone carries out, by the phone's serial."""
        newest: dict[str, tuple[str, _Journal]] = {}
        for name, item in tuple(self._journals.items()):
            if item.serial and (item.serial not in newest or newest[item.serial][1].began < item.began):
                newest[item.serial] = (name, item)
        return {serial: name for serial, (name, item) in newest.items() if not item.ended}

    @property
    def begun_tasks(self) -> int:
        """Return how many tasks have begun."""
        return len({item.task for item in tuple(self._journals.values()) if item.serial})

    def sent(self, serial: str) -> int:
        """Return how many actions the phone has been sent so far."""
        return sum(item.sent for item in tuple(self._journals.values()) if item.serial == serial)
