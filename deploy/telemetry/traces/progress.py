"""Keep in a run folder how far each journal was sent to each collector: the file ``traces.json``."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, NonNegativeInt, ValidationError

from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError, store_error
from manyhands.protocol.utilities import secure_files

FILE = "traces.json"


class JournalProgress(Message):
    """Hold what a collector has of one journal."""

    marks: dict[NonNegativeInt, NonNegativeInt] = Field(default_factory=dict)
    """By epoch, the place after its last record that was sent."""
    steps: NonNegativeInt = 0
    """All steps below this one were sent as spans."""
    closed: NonNegativeInt | None = None
    """The place of the last record that a sent span of the episode covers; None if none was sent."""
    size: NonNegativeInt = 0
    """The journal's length, if everything in it was sent; else 0."""


class _ProgressFile(Message):
    collectors: dict[str, dict[str, JournalProgress]] = Field(default_factory=dict)


class ExportProgress:
    """Hold the progress of all journals of a run at one collector."""

    def __init__(self, folder: Path, collector: str) -> None:
        """Read the file. ``collector``: its URL. Raises StoreError for a file that is damaged."""
        self._path = folder / FILE
        self._collector = collector
        self._others = _read(self._path)
        self._journals = dict(self._others.collectors.get(collector, {}))
        self._is_saved = True

    def of(self, episode: str) -> JournalProgress:
        """Return the progress of an episode's journal."""
        return self._journals.get(episode) or JournalProgress()

    def update(self, episode: str, progress: JournalProgress) -> None:
        """Take over the progress of a journal. ``save`` writes it."""
        if self._journals.get(episode) != progress:
            self._journals[episode] = progress
            self._is_saved = False

    def save(self) -> None:
        """Write the file completely or not at all, if it has changed. Raises StoreError."""
        if self._is_saved:
            return
        file = _ProgressFile(collectors={**self._others.collectors, self._collector: self._journals})
        try:
            secure_files.replace_text(self._path, file.model_dump_json(exclude_defaults=True))
        except OSError as error:
            raise store_error(error, f"{self._path} cannot be written") from error
        self._is_saved = True


def _read(path: Path) -> _ProgressFile:
    try:
        return _ProgressFile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return _ProgressFile()
    except OSError as error:
        raise store_error(error, f"{path} cannot be read") from error
    except ValidationError as error:
        raise StoreError(
            f"{path}: is damaged, and nothing tells which spans were sent; remove it to send all spans again"
        ) from error
