"""The journal's codec: every record survives, damage is found and its neighbours are read."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.errors import JournalDamaged, UnknownKind, UnknownVersion, WireError
from manyhands.protocol.journals import envelope as envelope_limits
from manyhands.protocol.journals import frames, journal
from manyhands.protocol.journals.envelope import Envelope
from manyhands.protocol.journals.records import ActionSent, Planned, Record, Span
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.requests import Plan, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Home, Tap
from tests.examples import examples
from tests.protocol.model_strategies import json_values, model

BY_NAME = {kind.__name__: kind for kind in journal.RECORD_TYPES}
records = st.one_of([model(kind) for kind in journal.RECORD_TYPES])
few = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))


def action(step: int) -> ActionSent:
    return ActionSent(at=1.5, step=step, key=f"e:{step}:1:0", action=Tap(x=1, y=2))


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_record_survives(name: str) -> None:
    @few
    @given(model(BY_NAME[name]))
    def survives(record: Record) -> None:
        data = journal.encode(record, "episode", 3)
        envelope, end = journal.decode(data)
        assert envelope.body == record
        assert type(envelope.body) is type(record)
        assert (envelope.episode, envelope.step, end) == ("episode", 3, len(data))

    survives()


@few
@given(st.lists(records, max_size=5))
def test_a_journal_reads_as_it_was_written(written: list[Record]) -> None:
    data = b"".join(journal.encode(record, "e") for record in written)
    found = journal.scan(data)
    assert list(found.records) == written
    assert (found.damage, found.next_seq) == ((), len(written))


@given(st.binary(max_size=300) | st.builds(lambda tail: frames.SYNC + tail, st.binary(max_size=300)))
def test_any_bytes_are_a_record_or_a_typed_error(data: bytes) -> None:
    with pytest.raises(WireError):
        journal.decode(data)
    found = journal.scan(data)
    assert found.records == ()
    assert sum(part.end - part.start for part in found.damage) == len(data)


@given(st.integers(0, 10_000), st.integers(0, 7))
def test_a_flipped_bit_costs_one_record_and_is_told(place: int, bit: int) -> None:
    parts = [journal.encode(action(step), "e") for step in range(3)]
    data = bytearray(b"".join(parts))
    place %= len(data)
    data[place] ^= 1 << bit
    hit = next(n for n in range(3) if place < sum(map(len, parts[: n + 1])))
    found = journal.scan(bytes(data))
    assert [record.step for record in found.records] == [step for step in range(3) if step != hit]
    start = sum(map(len, parts[:hit]))
    assert found.damage[0].start == start
    assert found.damage[-1].end == start + len(parts[hit])


@given(st.integers(0, 10_000))
def test_a_cut_leaves_whole_records_and_a_torn_tail(cut: int) -> None:
    parts = [journal.encode(action(step), "e") for step in range(3)]
    data = b"".join(parts)[: cut % (sum(map(len, parts)) + 1)]
    whole = [n for n in range(3) if sum(map(len, parts[: n + 1])) <= len(data)]
    found = journal.scan(data)
    assert [record.step for record in found.records] == whole
    clean_end = sum(len(parts[n]) for n in whole)
    torn_at = frames.walk(data).torn_at
    assert (torn_at, found.damage == ()) == ((None, True) if clean_end == len(data) else (clean_end, False))


@given(st.lists(st.binary(max_size=40), min_size=4, max_size=4))
def test_records_are_found_between_garbage(garbage: list[bytes]) -> None:
    parts = [journal.encode(action(step), "e") for step in range(3)]
    data = garbage[0] + b"".join(part + rest for part, rest in zip(parts, garbage[1:], strict=True))
    found = journal.scan(data)
    assert [record.step for record in found.records] == [0, 1, 2]
    assert sum(part.end - part.start for part in found.damage) == len(data) - sum(map(len, parts))


def framed(fields: Any) -> bytes:
    """A whole frame around any msgpack value."""
    return reframed(msgpack.packb(fields))


def reframed(payload: bytes) -> bytes:
    head = frames.SYNC + struct.pack("<I", len(payload))
    return head + struct.pack("<I", zlib.crc32(head)) + payload + struct.pack("<I", zlib.crc32(payload))


def fields_of(record: BaseModel) -> dict[str, Any]:
    fields: dict[str, Any] = msgpack.unpackb(journal.CODEC.pack(journal.CODEC.seal(record, sent_at=1.0)))
    return fields


@given(st.binary(max_size=200))
def test_a_sound_frame_around_any_payload_is_a_typed_error(payload: bytes) -> None:
    with pytest.raises(WireError):
        journal.decode(reframed(payload))


@given(json_values, st.sampled_from(["body", "version", "kind", "sent_at", "step", "episode", "id"]))
def test_an_envelope_with_any_value_in_a_field_is_read_or_a_typed_error(value: Any, name: str) -> None:
    data = framed({**fields_of(action(0)), name: value})
    try:
        envelope, _ = journal.decode(data)
    except WireError:
        return
    assert isinstance(envelope, Envelope)
    assert type(envelope.body) is ActionSent


@few
@given(records, st.data())
def test_a_body_with_any_value_anywhere_is_read_or_a_typed_error(record: Record, data: st.DataObject) -> None:
    fields = fields_of(record)
    node: Any = fields["body"]
    while isinstance(node, dict | list) and node:
        key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        if data.draw(st.booleans()) or not isinstance(node[key], dict | list) or not node[key]:
            node[key] = data.draw(json_values)
            break
        node = node[key]
    try:
        envelope, _ = journal.decode(framed(fields))
    except WireError:
        return
    assert type(envelope.body) in journal.RECORD_TYPES


def test_deep_nesting_is_a_typed_error() -> None:
    for depth in (100, 300, 600, 5000):
        with pytest.raises(WireError):
            journal.decode(reframed(b"\x91" * depth + b"\xc0"))
        deep: Any = {"path": "a", "exists": True}
        for _ in range(min(depth, 300)):
            deep = {"not": deep}
        fields = fields_of(action(0)) | {"kind": "episode_started", "body": {"task": {"check": {"holds": deep}}}}
        with pytest.raises(WireError):
            journal.decode(framed(fields))


@pytest.mark.parametrize("filling", [b"\x80", b"\x90", b"\xc0", b"\x91\xc0", b"\xa0"])
def test_more_values_than_a_record_may_hold_are_a_typed_error(filling: bytes) -> None:
    head = msgpack.packb(fields_of(action(0)) | {"body": None})[:-1]
    for count in (1_000_000, envelope_limits.MOST_VALUES + 1):
        with pytest.raises(WireError):
            journal.decode(reframed(head + b"\xdd" + struct.pack(">I", count) + filling * count))
    odd = b"\x82\xa1x\xdd" + struct.pack(">I", 1_000_000) + b"\x80" * 1_000_000 + b"\xa4kind\xa3odd"
    with pytest.raises(WireError, match="more than 100000 values"):
        journal.CODEC.head(odd)


def test_values_are_bounded_where_they_are_nested_too() -> None:
    for count, inner in ((400, 300), (300, 400)):
        rows = msgpack.packb([[0] * inner] * count)
        data = msgpack.packb(fields_of(action(0)) | {"body": None})[:-1] + rows
        with pytest.raises(WireError, match="more than 100000 values"):
            journal.decode(reframed(data))


def test_what_nobody_could_read_is_not_written() -> None:
    with pytest.raises(WireError, match=r"'planned' cannot be packed: more than 100000 values"):
        journal.encode(with_request({"value": [{}] * 100_000}), "e")
    large = with_request({"value": [{"text": "x" * 5000}] * 1000})
    assert journal.decode(journal.encode(large, "e"))[0].body == large


def test_marks_without_records_are_given_up_on_and_told() -> None:
    parts = [journal.encode(action(step), "e") for step in range(3)]
    found = journal.scan(parts[0] + parts[1] + frames.SYNC * 5_000_000 + parts[2])
    assert [record.step for record in found.records] == [0, 1]
    assert len(found.damage) == frames.MOST_DAMAGE + 1
    assert found.damage[-1].reason.endswith("not searched for records, after 20000 pieces of damage")
    assert found.damage[-1].end == len(parts[0] + parts[1] + parts[2]) + 20_000_000
    assert frames.walk(frames.SYNC * 30_000).torn_at is None


def test_frames_that_each_claim_all_that_follows_are_given_up_on_and_told() -> None:
    def claim(length: int) -> bytes:
        head = frames.SYNC + struct.pack("<I", length)
        return head + struct.pack("<I", zlib.crc32(head))

    size = 12 * 200_000
    data = b"".join(claim(size - offset - 16) for offset in range(0, size - 12, 12)) + b"\0" * 12
    found = frames.walk(data)
    assert len(found.damage) < 20
    assert "not searched for records" in found.damage[-1].reason


def test_damage_in_every_second_record_of_a_long_journal_leaves_the_others() -> None:
    parts = [bytearray(journal.encode(action(step), "e", seq=step)) for step in range(10_000)]
    for part in parts[::2]:
        part[-1] ^= 1
    found = journal.scan(b"".join(parts))
    assert [record.step for record in found.records] == list(range(1, 10_000, 2))
    assert len(found.damage) == 5000


places = st.tuples(st.none() | st.integers(0, 12), st.none() | st.integers(0, 5))


@given(st.lists(places, max_size=30))
def test_the_newest_epoch_counts_from_its_first_place_on(given: list[tuple[int | None, int | None]]) -> None:
    kept: dict[int, tuple[int, int]] = {}
    newest, following = 0, 0
    for index, (place, written) in enumerate(given):
        seq = following if place is None else place
        epoch = newest if written is None else written
        if epoch < newest:
            continue
        if epoch > newest:
            kept = {other: what for other, what in kept.items() if other < seq}
            newest, following = epoch, seq
        if seq not in kept or kept[seq][0] < epoch:
            kept[seq] = (epoch, index)
        following = max(following, seq + 1)
    found = journal.newest_of(given)
    assert list(found.by_seq.items()) == [(seq, kept[seq][1]) for seq in sorted(kept)]
    assert found.epoch == newest


def test_an_epoch_for_each_of_many_records_is_read() -> None:
    assert len(journal.newest_of((seq, seq) for seq in range(200_000)).by_seq) == 200_000


def test_versions_and_kinds_that_are_unknown_are_named() -> None:
    fields = fields_of(action(0))
    with pytest.raises(UnknownVersion, match=r"of a newer version, 2; this build reads 1"):
        journal.decode(framed({**fields, "version": 2}))
    with pytest.raises(UnknownVersion, match=r"of an older version, '1\.1'; this build reads 1"):
        journal.decode(framed({**fields, "version": "1.1"}))
    with pytest.raises(UnknownKind, match=r"'teleported'.*action_sent"):
        journal.decode(framed({**fields, "kind": "teleported"}))


@few
@given(records)
def test_fields_that_a_newer_version_added_are_ignored_at_any_depth(record: Record) -> None:
    def newer(value: Any) -> Any:
        if isinstance(value, dict):
            # By rubric, by the field of an item, in a schema, by package: a name that is added there has a meaning.
            named = ("rubrics_unmet", "item", "schema", "versions")
            kept = {key: item if key in named else newer(item) for key, item in value.items()}
            return {**kept, "added_later": 1}
        return [newer(item) for item in value] if isinstance(value, list) else value

    fields = fields_of(record)
    body = type(record).model_validate(fields["body"])
    read, _ = journal.decode(framed({**fields, "body": newer(fields["body"]), "added": []}))
    # Mappings with any keys.
    free = {
        "request",
        "settings",
        "timings_ms",
        "rubrics",
        "arguments",
        "arguments_map",
        "data",
        "states",
        "answer_data",
    }
    assert without(read.body.model_dump(mode="json"), free) == without(body.model_dump(mode="json"), free)


def without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items() if key not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


def with_request(request: dict[str, Any]) -> Planned:
    call = ModelCall(role=Role.PLAN, server="s", request=request, reply=None, started_at=1, latency_ms=1)
    plan = Plan(thought="", text="", subgoal=Subgoal(id=1, text=""), change="keep", status="continue")
    return Planned(step=0, span=Span(start=1, end=2), plan=plan, calls=(call,))


@pytest.mark.parametrize("value", [10**30, object(), {1: {2: object()}}])
def test_what_cannot_be_written_is_a_typed_error(value: Any) -> None:
    with pytest.raises(WireError, match="planned"):
        journal.encode(with_request({"value": value}), "e")


def test_half_a_surrogate_pair_is_kept() -> None:
    record = with_request({"text": "\ud83d and \ud800"})
    assert journal.decode(journal.encode(record, "e"))[0].body == record


def test_a_record_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_RECORD", 1000)
    with pytest.raises(JournalDamaged, match="over the limit"):
        journal.encode(with_request({"text": "x" * 2000}), "e")


def test_the_version_is_written() -> None:
    envelope, _ = journal.decode(journal.encode(ActionSent(at=1, step=0, key="k", action=Home()), "e"))
    assert envelope.version == PROTOCOL_VERSION
