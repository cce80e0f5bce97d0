"""Keep the folder of an export: its lock, and which of its parts are complete.

``parts.jsonl`` is the state: its first line names the plan, each further line is a part that is complete. A part's file
takes its name when it is complete.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.summary import PartRecord

STATE = "parts.jsonl"
_LOCK = ".lock"
_BEGUN = frozenset({".gitignore", _LOCK})
"""What a folder may hold in which an export has just begun."""


class _Plan(Message):
    plan: str
    """The fingerprint of the plan."""


class ExportFolder:
    """Hold the folder that one export writes. Its methods raise OSError."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        """``fingerprint``: that of the plan."""
        self.path = path
        self._plan = _Plan(plan=fingerprint).model_dump_json()

    @contextmanager
    def locked(self) -> Iterator[dict[str, PartRecord]]:
        """Make the folder if it is not there, hold its lock, and give the parts that are complete, by name.

        Raises BadInput if the folder holds something else, and StoreError.
        """
        out = self.path
        if out.exists() and not out.is_dir():
            raise BadInput(f"--out {out}: is a file; name a folder")
        if not (out / STATE).exists() and out.exists() and {path.name for path in out.iterdir()} - _BEGUN:
            raise BadInput(f"--out {out}: is not empty; name another folder")
        secure_files.make_untracked_folder(out)
        with secure_files.open_to_append(out / _LOCK) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadInput(f"--out {out}: another export writes there") from None
            yield self._complete_parts()

    def publish(self, being_written: Path, file: str) -> tuple[str, int]:
        """Give a complete file its name in the folder. Return its SHA-256 and its size."""
        with being_written.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
            os.fsync(written.fileno())
            size = os.fstat(written.fileno()).st_size
        secure_files.make_folder((self.path / file).parent)
        being_written.replace(self.path / file)
        return digest, size

    def add(self, record: PartRecord) -> None:
        """Note that a part is complete."""
        with secure_files.open_to_append(self.path / STATE) as file:
            file.write(record.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def clear(self, splits: Iterable[str]) -> None:
        """Remove the state and the empty folders of splits, so that a command with other filters may use the folder."""
        (self.path / STATE).unlink()
        for split in splits:
            with suppress(FileNotFoundError):
                (self.path / split).rmdir()

    def _complete_parts(self) -> dict[str, PartRecord]:
        """Return the parts that are complete. Begin the folder if there is none."""
        state = self.path / STATE
        if not state.exists():
            secure_files.replace_text(state, self._plan + "\n")
            return {}
        plan, *lines = state.read_text(encoding="utf-8").split("\n")
        if plan != self._plan:
            raise BadInput(f"--out {self.path}: holds an export of other runs, filters or format; name another folder")
        whole = lines[:-1]  # the last line may be incomplete: its writer may have died
        if lines[-1:] != [""]:
            secure_files.replace_text(state, "\n".join([plan, *whole]) + "\n")
        try:
            records = [PartRecord.model_validate_json(line) for line in whole]
        except ValidationError as error:
            raise StoreError(f"{state}: is damaged; delete {self.path} and export again") from error
        return {record.name: record for record in records if self._is_whole(record)}

    def _is_whole(self, record: PartRecord) -> bool:
        with suppress(FileNotFoundError):
            return (self.path / record.file).stat().st_size == record.bytes
        return not record.rows
