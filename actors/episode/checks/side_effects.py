"""Find what changed in the states that the task must leave unchanged (``unchanged``).

The states are read after the reset, and again when the episode has ended.
"""

from __future__ import annotations

import json
from typing import Any

from manyhands.actors.episode.checks.evidence import EvidenceReader
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.protocol.journals.records import StateRead
from manyhands.protocol.tasks.predicates import Unanswered
from manyhands.protocol.tasks.side_effects import LONGEST_STATE, StateChange, part_of, source_of, unexpected_changes


async def record_state(runtime: EpisodeRuntime) -> None:
    """Read and journal the states that the task must leave unchanged, if it names any.

    Raises PhoneError, LeaseLost, CallError, StoreError.
    """
    if runtime.task.unchanged:
        states, unread = await _read(runtime, EvidenceReader(runtime, 0, None))
        await runtime.journal.write(StateRead(at=runtime.clock.now(), states=states, unread=unread))


async def compare_state(runtime: EpisodeRuntime, reader: EvidenceReader) -> tuple[StateChange, ...] | None:
    """Return what changed beyond what the task may change; None if a state could not be read then or now.

    Raises PhoneError, LeaseLost, CallError.
    """
    before = runtime.journal.state.state_read
    if before is None or before.unread:
        return None
    states, unread = await _read(runtime, reader)
    if unread:
        return None
    return tuple(
        change
        for watched in runtime.task.unchanged
        for change in unexpected_changes(before.states.get(watched), states[watched], runtime.task.changes)
    )


async def _read(runtime: EpisodeRuntime, reader: EvidenceReader) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the state of each entry of ``unchanged``, and a line with the reason for each that could not be read."""
    states: dict[str, Any] = {}
    unread: list[str] = []
    length = 0
    for watched in runtime.task.unchanged:
        answer = await reader.read_source(source_of(watched))
        if isinstance(answer, Unanswered):
            unread.append(f"{watched}: {answer.reason}")
            continue
        states[watched] = part_of(watched, answer)
        length += len(json.dumps(states[watched]))
        if length > LONGEST_STATE:
            unread.append(f"{watched}: its state is longer than {LONGEST_STATE} characters")
            del states[watched]
    return states, tuple(unread)
