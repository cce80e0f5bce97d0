"""Records on their way to disk, encoded once, by whoever wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manyhands.protocol.errors import StoreError, WireError
from manyhands.protocol.journal import encode
from manyhands.protocol.records import EpisodeEnded, Record


class Framed(NamedTuple):
    """Hold records in the journal's encoding."""

    data: bytes
    epoch: int
    """That of the lease under which they were written."""
    ends: bool
    """Whether the end of the episode is among them."""


def framed(episode: str, records: Sequence[Record], first: int, epoch: int) -> Framed:
    """Encode records, whose places in the journal begin with ``first``. Raises StoreError for what it cannot hold."""
    try:
        data = b"".join(
            encode(record, episode, getattr(record, "step", None), first + number, epoch)
            for number, record in enumerate(records)
        )
    except WireError as error:
        raise StoreError(f"journal of {episode}: {error}") from error
    return Framed(data, epoch, any(isinstance(record, EpisodeEnded) for record in records))
