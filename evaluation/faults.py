"""The faults that somebody put into a run on purpose: ``faults.jsonl`` in its folder, a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from manyhands.protocol import private
from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError

FILE = "faults.jsonl"


class Fault(Message):
    """Hold one fault: what was killed, frozen or taken away, when, and whom it met."""

    kind: str
    at: float
    """Unix seconds."""
    over: float
    """When what was taken away was back; ``at`` for a kill, after which nobody brings anything back."""
    hit: dict[str, str] = Field(default_factory=dict)
    """The episodes that ran at that moment on the phones that it met, by the phone's serial."""
    note: str = ""
    """What was killed, and anything that was not as it should be."""

    @property
    def seconds(self) -> float:
        """Return for how long something was away."""
        return self.over - self.at


def append_fault(path: Path, fault: Fault) -> None:
    """Write a fault behind those that a file has. Raises OSError."""
    with private.open_to_append(path) as file:
        file.write(fault.model_dump_json().encode() + b"\n")


def read_faults(folder: Path) -> Sequence[Fault]:
    """Return the faults of a run; none where nobody put any into it. Raises StoreError."""
    path = folder / FILE
    if not path.is_file():
        return ()
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")  # whoever wrote the last line may have been killed in it
        return [Fault.model_validate_json(line) for line in whole.splitlines()]
    except (OSError, ValidationError) as error:
        raise StoreError(f"{path} does not hold faults: {error}") from error
