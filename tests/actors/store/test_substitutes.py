"""What no journal can hold is replaced by a record that says so, and the episode has its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import StoreError
from manyhands.protocol.journals import frames
from manyhands.protocol.journals.journal import Scan
from manyhands.protocol.journals.records import (
    ActionSent,
    EpisodeEnded,
    NotesTaken,
    Record,
    Span,
    StageFailed,
    StageResult,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.roles.requests import Notes
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Type

SPAN = Span(start=1, end=2)
ENDED = EpisodeEnded(at=1, ending=Ending.FINISHED, reason="all is done", steps=1, verified=None, rubrics={"a": True})


def call(**others: object) -> ModelCall:
    return ModelCall.model_validate(
        {"role": Role.NOTE, "server": "s", "request": {}, "reply": "a", "started_at": 1, "latency_ms": 1, **others}
    )


def noted(*calls: ModelCall) -> NotesTaken:
    return NotesTaken(step=3, span=SPAN, notes=Notes(text="kept"), calls=calls)


async def written(folder: Path, *records: Record) -> Scan:
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    try:
        await store.append("e", records, 0, 1)
        return await store.read("e", 2)
    finally:
        await store.stop()


async def test_a_call_of_impossible_figures_is_kept_without_its_answer(tmp_path: Path) -> None:
    good = noted(call())
    found = await written(tmp_path, good, noted(call(usage=Usage(input_tokens=10**30))), ENDED)
    assert not found.damage
    first, second, third = found.records
    assert (first, third) == (good, ENDED)
    assert isinstance(second, NotesTaken)
    assert second.notes == Notes(text="kept")
    (kept,) = second.calls
    assert (kept.reply, kept.usage, kept.role) == (None, Usage(), Role.NOTE)
    assert kept.error is not None
    assert "could not be written: envelope of kind 'noted' cannot be packed" in kept.error


async def test_records_that_are_too_long_or_hold_what_msgpack_cannot_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "MAX_RECORD", 4000)
    long = "a" * 5000
    found = await written(
        tmp_path,
        noted(call(reply=long)),
        noted(call(request={"messages": long})),
        StageResult(step=3, span=SPAN, stage="look", data={"number": 10**30}),
        ENDED.model_copy(update={"answer": long}),
    )
    reply, request, result, ended = found.records
    assert isinstance(reply, NotesTaken)
    assert reply.calls[0].reply is None
    assert isinstance(request, NotesTaken)
    assert request.calls[0].request == {}
    assert "the record could not be written" in (request.calls[0].error or "")
    assert isinstance(result, StageFailed)
    assert (result.step, result.stage, result.code) == (3, "look", "wire")
    assert isinstance(ended, EpisodeEnded)
    assert (ended.ending, ended.answer, ended.rubrics) == (Ending.FINISHED, None, {"a": True})
    assert "over the limit" in ended.reason


async def test_an_action_has_no_substitute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_RECORD", 4000)
    action = Type.model_construct(name="Type", text="a" * 5000)
    with pytest.raises(StoreError, match="over the limit"):
        await written(tmp_path, ActionSent(at=1, step=1, key="k", action=action))
