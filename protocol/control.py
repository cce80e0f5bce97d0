"""What people tell a run while it goes on: ``control.mh`` in its folder, framed like a journal, append-only."""

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
"""What a run waits for of which no phone may have a task."""
FIRST_BATCH = batch_name(1)
"""The name of a run's first batch: tasks that are added while the run goes on are its."""


class _Subject(Message):
    """Say something of phones and tasks; of the whole run where none are named."""

    at: float
    phones: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


class Pause(_Subject):
    """Hand out no task until further notice. What runs goes on to its end."""

    kind: Literal["pause"] = "pause"


class Go(_Subject):
    """Take back what was said before."""

    kind: Literal["go"] = "go"


class Drain(_Subject):
    """Hand out no task any more: those that wait are given up, and the run ends with those that run."""

    kind: Literal["drain"] = "drain"


class Add(Message):
    """Carry out more tasks."""

    kind: Literal["add"] = "add"
    at: float
    tasks: tuple[TaskSpec, ...]


Control = Annotated[Pause | Go | Drain | Add, Field(discriminator="kind")]
_TYPES: tuple[type[BaseModel], ...] = get_args(get_args(Control)[0])
_CODEC: Codec[Any] = Codec({model.model_fields["kind"].default: model for model in _TYPES})


def read_control(folder: Path) -> Sequence[Control]:
    """Return what a run was told, in order; frames that cannot be read are passed over.

    Raises OSError; also where the folder itself is away, which says nothing of what the run was told. Raises StoreError
    for what is no regular file: a FIFO would be waited for without end.
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
    """Append to what a run was told; it is on disk when this returns. Raises OSError, WireError, StoreError."""
    path = folder / FILE
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: is no regular file: move it away")
    framed = frame(_CODEC.pack(_CODEC.seal(control, sent_at=HOST_CLOCK.now())))
    with secure_files.open_to_append(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(framed)
        file.flush()
        os.fsync(file.fileno())
