"""Store and read what a run is told while it goes on: ``control.mh``, framed like a journal."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field

from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError, WireError
from manyhands.protocol.journals.envelope import Codec
from manyhands.protocol.journals.frames import frame, walk
from manyhands.protocol.journals.journal_file import read_regular
from manyhands.protocol.tasks.task import TaskSpec, batch_name
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

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
    reason: str = ""
    """Why, for people; may be empty."""


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
    owner: str = ""
    """Who asks for the tasks. Owners with tasks of the same priority take turns."""
    batch: str = ""
    """The id of these tasks' batch in a service (``service``); empty for tasks that ``manyhands control`` added.
    A batch is added once: an ``Add`` of a batch that is already there counts for nothing."""


class Cancel(Message):
    """Give up tasks for good: a running one is ended, a waiting one will not run."""

    kind: Literal["cancel"] = "cancel"
    at: float
    tasks: tuple[str, ...]
    reason: str = ""
    """Why, for people."""


class SetPriority(Message):
    """Set the priority of tasks: those of a higher priority get a phone first. Tasks that run go on."""

    kind: Literal["priority"] = "priority"
    at: float
    tasks: tuple[str, ...]
    priority: int = Field(ge=-100, le=100)


class AttachPhone(Message):
    """Add a phone to the run. It gets tasks as soon as it can be reached."""

    kind: Literal["attach"] = "attach"
    at: float
    phone: str


class DetachPhone(Message):
    """Take a phone out of the run. The task that it carries out goes on to its end."""

    kind: Literal["detach"] = "detach"
    at: float
    phone: str


class LabelPhone(Message):
    """Replace the labels that people gave a phone. Selectors of tasks choose phones by them.

    Labels that were read off the phone (``RecordLabels``) stay. If both name a label, people's value counts.
    """

    kind: Literal["label"] = "label"
    at: float
    phone: str
    labels: dict[str, str]


class RecordLabels(Message):
    """Replace the labels that were read off phones. The fleet tells its run this after it has read phones.

    Labels that people gave (``LabelPhone``) stay. If both name a label, people's value counts.
    """

    kind: Literal["labels"] = "labels"
    at: float
    labels: dict[str, dict[str, str]]
    """The labels of each phone that was read, by serial. Other phones keep theirs."""


class ReservePhone(Message):
    """Let a phone carry out tasks of one owner only, until a time. An empty ``owner`` ends the reservation."""

    kind: Literal["reserve"] = "reserve"
    at: float
    phone: str
    owner: str
    until: float
    """Unix seconds."""


Control = Annotated[
    Pause
    | Go
    | Drain
    | Add
    | Cancel
    | SetPriority
    | AttachPhone
    | DetachPhone
    | LabelPhone
    | RecordLabels
    | ReservePhone,
    Field(discriminator="kind"),
]
_TYPES: tuple[type[BaseModel], ...] = get_args(get_args(Control)[0])
_CODEC: Codec[Any] = Codec({model.model_fields["kind"].default: model for model in _TYPES})


def read_control(folder: Path) -> Sequence[Control]:
    """Return what a run was told, in order. Skip frames that cannot be read.

    Raises OSError. A missing folder is an error too, because then nobody knows what the run was told. Raises StoreError
    for a file that is not regular: reading from a FIFO could wait for ever.
    """
    return ControlReader(folder).read()


class ControlReader:
    """Read what a run is told, from the first command on: each call of ``read`` returns the commands that are new."""

    def __init__(self, folder: Path) -> None:
        """``folder``: the run folder."""
        self._folder = folder
        self._offset = 0
        """The end of the last frame that was read."""

    def read(self) -> Sequence[Control]:
        """Return the commands since the last call, in order. Raises what ``read_control`` raises."""
        try:
            data = read_regular(self._folder / FILE, self._offset)
        except FileNotFoundError:
            if not self._folder.is_dir():
                raise
            return ()
        controls, view = [], memoryview(data)
        walked = walk(data)
        for byte_frame in walked.frames:
            try:
                controls.append(_CODEC.unpack(byte_frame.payload(view)).body)
            except WireError:
                continue
        self._offset += walked.frames[-1].end if walked.frames else 0
        return controls


def pack_control(control: Control) -> bytes:
    """Return the bytes of a command. Raises WireError for one that no reader would take."""
    return _CODEC.pack(_CODEC.seal(control, sent_at=HOST_CLOCK.now()))


def tell(folder: Path, control: Control) -> None:
    """Append a command to the run's control file, and sync it to disk. Raises OSError, WireError, StoreError."""
    path = folder / FILE
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: is no regular file: move it away")
    framed = frame(pack_control(control))
    with secure_files.open_to_append(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(framed)
        file.flush()
        os.fsync(file.fileno())
