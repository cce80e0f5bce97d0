"""Encode records for the journal once, where they are written; replace records that no journal can hold."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from manyhands.protocol.errors import InvalidRecord, WireError
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import (
    EpisodeEnded,
    Learned,
    Recalled,
    Record,
    StageFailed,
    StageRecord,
    StatementJudged,
)
from manyhands.protocol.messages import ModelCall, Usage

logger = logging.getLogger(__name__)
_LONGEST_PROBLEM = 300


class EncodedRecords(NamedTuple):
    """Hold records in the journal's encoding."""

    data: bytes
    epoch: int
    """The epoch of the lease under which they were written."""
    ends: bool
    """Whether the end of the episode is among them."""


def encode_records(episode: str, records: Sequence[Record], first: int, epoch: int) -> EncodedRecords:
    """Encode records, whose places in the journal begin with ``first``.

    A record that a journal cannot hold is replaced by a record that says so. Raises InvalidRecord if no replacement
    fits.
    """
    data = b"".join(_encoded(record, episode, first + number, epoch) for number, record in enumerate(records))
    return EncodedRecords(data, epoch, any(isinstance(record, EpisodeEnded) for record in records))


def _encoded(record: Record, episode: str, seq: int, epoch: int) -> bytes:
    try:
        return _encode(record, episode, seq, epoch)
    except WireError as error:
        problem = str(error)
    for substitute in substitutes(record, problem):
        with contextlib.suppress(WireError):
            data = _encode(substitute, episode, seq, epoch)
            logger.error("journal of %s: place %d: %s; another record stands for it", episode, seq, problem)
            return data
    raise InvalidRecord(f"journal of {episode}: {problem}")


def _encode(record: Record, episode: str, seq: int, epoch: int) -> bytes:
    return encode(record, episode, getattr(record, "step", None), seq, epoch)


def substitutes(record: Record, problem: str) -> Iterator[Record]:
    """Yield records to write in place of ``record``, the best first; ``problem``: why it cannot be written.

    An action has no replacement: it must not reach a phone without its record.
    """
    reason = f"the record could not be written: {problem[:_LONGEST_PROBLEM]}"
    if isinstance(record, StageRecord | Recalled | Learned | StatementJudged) and record.calls:
        unanswered = tuple(_without_answer(call, reason) for call in record.calls)
        yield record.model_copy(update={"calls": unanswered})
        yield record.model_copy(update={"calls": tuple(call.model_copy(update={"request": {}}) for call in unanswered)})
        yield record.model_copy(update={"calls": ()})
    if isinstance(record, StageRecord):
        yield StageFailed(step=record.step, span=record.span, stage=record.stage, code="wire", error=reason)
    if isinstance(record, EpisodeEnded):
        yield record.model_copy(update={"answer": None, "reason": reason})


def _without_answer(call: ModelCall, reason: str) -> ModelCall:
    return call.model_copy(update={"reply": None, "error": reason, "usage": Usage(), "cut": ()})
