"""Store and read the commands that people give a run while it goes on: ``control.mh``, framed like a journal."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field

from manyhands.protocol import secure_files
from manyhands.protocol.base import Message
from manyhands.protocol.envelope import Codec
from manyhands.protocol.errors import StoreError, WireError
from manyhands.protocol.frames import frame, walk
from manyhands.protocol.host_clock import HOST_CLOCK
from manyhands.protocol.journal_file import read_regular
from manyhands.protocol.tasks import TaskSpec, batch_name

FILE = "control.mh"
WAITS_FOR_GO = "manyhands control RUN go"
"""The command for which a run waits while people hold back its phones."""
FIRST_BATCH = batch_name(1)
"""The name of a run's first batch. Tasks that are added while the run goes on belong to it."""


class _Subject(Message):
    """Name the phones and tasks that a command is about. If a command names none, it is about the whole run."""

    at: float
    phones: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


class Pause(_Subject):
    """Start no task until further notice. Running tasks continue to their end."""

    kind: Literal["pause"] = "pause"


class Go(_Subject):
    """Withdraw earlier pauses and drains."""

    kind: Literal["go"] = "go"


class Drain(_Subject):
    """Start no more tasks. Waiting tasks are given up; the run ends when the running ones have ended."""

    kind: Literal["drain"] = "drain"


class Add(Message):
    """Add tasks to the run."""

    kind: Literal["add"] = "add"
    at: float
    tasks: tuple[TaskSpec, ...]


Control = Annotated[Pause | Go | Drain | Add, Field(discriminator="kind")]
_TYPES: tuple[type[BaseModel], ...] = get_args(get_args(Control)[0])
_CODEC: Codec[Any] = Codec({model.model_fields["kind"].default: model for model in _TYPES})


def read_control(folder: Path) -> Sequence[Control]:
    """Return what a run was told, in order. Skip frames that cannot be read.

    Raises OSError. A missing folder is an error too, because then nobody knows what the run was told. Raises StoreError
    for a file that is not regular: reading from a FIFO could wait for ever.
    """
    try:
        data = read_regular(folder / FILE)
    except FileNotFoundError:
        if not folder.is_dir():
            raise
        return ()
    told, view = [], memoryview(data)
    for found in walk(data).frames:
        try:
            told.append(_CODEC.unpack(found.payload(view)).body)
        except WireError:
            continue
    return told


def tell(folder: Path, control: Control) -> None:
    """Append a command to the run's control file, and sync it to disk. Raises OSError, WireError, StoreError."""
    path = folder / FILE
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: is no regular file: move it away")
    framed = frame(_CODEC.pack(_CODEC.seal(control, sent_at=HOST_CLOCK.now())))
    with secure_files.open_to_append(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(framed)
        file.flush()
        os.fsync(file.fileno())
