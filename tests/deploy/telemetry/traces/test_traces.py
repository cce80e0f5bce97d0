"""Spans of journals at a real HTTP receiver: each once, with the ids that model servers are told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.semconv._incubating.attributes import error_attributes, gen_ai_attributes, server_attributes

from manyhands.deploy.telemetry import run_traces
from manyhands.deploy.telemetry.collector import SpanCollector
from manyhands.deploy.telemetry.episode_trace import FILE
from manyhands.deploy.telemetry.run_traces import RunTraces
from manyhands.deploy.telemetry.trace_export import send_remaining
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import EpisodeStarted, Learned, Record, StageFailed
from manyhands.protocol.journals.trace_context import traceparent
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Type
from manyhands.protocol.tasks.task import TaskSpec
from tests.deploy.command_line.called import manyhands
from tests.deploy.telemetry.traces.otlp_receiver import OtlpReceiver, ReceivedSpan, free_port
from tests.evaluation.run_records import (
    acted,
    call,
    captured,
    decided,
    ended,
    noted,
    perceived,
    planned,
    reflected,
    resumed,
    sent,
    span,
    started,
)

SECRET = "buy flowers for Ann"
NAME = "task-1-abc"
STAGES = ("capture", "perceive", "plan", "decide", "act", "verify")


def asked(role: Role, at: float, **others: object) -> ModelCall:
    request = {
        "model": "qwen",
        "temperature": 0.0,
        "seed": 7,
        "messages": [
            {"role": "system", "content": SECRET},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": SECRET},
                    {"type": "image_url", "image_url": {"url": "manyhands:00ff"}},
                ],
            },
        ],
    }
    told = {"request": request, "reply": f"{SECRET} \ud800", "server": "http://10.0.0.5:8000/v1", "started_at": at}
    return call(role, 100, **{**told, "latency_ms": 500, **others})


def step_records(step: int) -> list[Record]:
    """The records of one step, of ten seconds."""
    at = 100.0 + 10 * step
    return [
        captured(step, span(at, at + 1)),
        perceived(step, span(at + 1, at + 2)),
        planned(step, span(at + 2, at + 4, 100), asked(Role.PLAN, at + 2)),
        decided(step, span(at + 4, at + 6), asked(Role.DECIDE, at + 4), action=Type(text=SECRET)),
        sent(step, f"key-{step}", at + 6),
        acted(step, span(at + 6, at + 8)),
        reflected(step, span(at + 8, at + 9), Outcome.A, asked(Role.REFLECT, at + 8)),
    ]


def begin(name: str = NAME) -> EpisodeStarted:
    return started(name, TaskSpec(id="task", goal=SECRET), at=99.0, stages=STAGES)


def whole_episode(name: str = NAME, steps: int = 3) -> list[Record]:
    records = [record for step in range(steps) for record in step_records(step)]
    return [begin(name), *records, ended(100.0 + 10 * steps, steps=steps, verified=True, answer=SECRET)]


def append(folder: Path, records: Sequence[Record], first: int = 0, epoch: int = 1, name: str = NAME) -> bytes:
    """Write records at their places. Return their bytes."""
    path = folder / "episodes" / name / "journal.mh"
    path.parent.mkdir(parents=True, exist_ok=True)
    (folder / "run.yaml").touch()
    data = b"".join(encode(record, name, seq=seq, epoch=epoch) for seq, record in enumerate(records, first))
    with path.open("ab") as file:
        file.write(data)
    return data


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    one = OtlpReceiver(free_port())
    with one.listening():
        yield one


def parents(spans: Sequence[ReceivedSpan]) -> set[str]:
    return {one.parent for one in spans if one.parent} - {one.id for one in spans}


# ---------------------------------------------------------------------------- what is sent
def test_an_episode_is_a_trace_of_steps_stages_and_calls(tmp_path: Path, receiver: OtlpReceiver) -> None:
    append(tmp_path, whole_episode())
    report = send_remaining(tmp_path, receiver.url, with_content=False)
    assert (report.sent, report.unsent, report.has_more, report.reason) == (1 + 3 + 3 * 6 + 3 * 3, 0, False, None)
    assert (len(receiver.spans), receiver.repeated, receiver.services) == (report.sent, {}, {"manyhands"})
    (episode,) = receiver.named("invoke_agent e")
    assert (episode.parent, episode.start, episode.end, episode.has_failed) == ("", 99.0, 130.0, False)
    assert parents(receiver.spans) == set()
    told = {"manyhands.ending": "finished", "manyhands.verified": True, "manyhands.steps": 3, "manyhands.phone": "p"}
    assert told.items() <= episode.attributes.items()
    steps = receiver.named("step")
    assert [(one.start, one.end, one.attributes["manyhands.step"]) for one in steps] == [
        (100.0 + 10 * step, 109.0 + 10 * step, step) for step in range(3)
    ]
    assert {one.parent for one in steps} == {episode.id}
    assert {(one.attributes["manyhands.action"], one.attributes["manyhands.verdict"]) for one in steps} == {
        ("Type", "A")
    }
    for step, one in enumerate(steps):
        _, trace, parent, _ = traceparent("the run", NAME, step).split("-")
        assert (one.trace, one.id) == (trace, parent)
        assert {each.name for each in receiver.spans if each.parent == one.id} == set(STAGES)
    plans = {one.id for one in receiver.named("plan")}
    calls = receiver.named("chat qwen")
    assert len([one for one in calls if one.parent in plans]) == 3
    assert {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "qwen",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.seed": 7,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 1,
        "gen_ai.usage.cache_read.input_tokens": 50,
        "server.address": "10.0.0.5",
        "server.port": 8000,
        "manyhands.role": "plan",
    }.items() <= calls[0].attributes.items()
    assert (calls[0].start, calls[0].end) == (102.0, 102.5)


def test_names_are_those_of_the_conventions(tmp_path: Path, receiver: OtlpReceiver) -> None:
    known = {
        value
        for module in (gen_ai_attributes, server_attributes, error_attributes)
        for value in vars(module).values()
        if isinstance(value, str)
    }
    failed = StageFailed(step=0, span=span(1, 2), stage="plan", code="deadline", error=SECRET)
    append(tmp_path, [begin(), failed, *whole_episode()[1:]])
    send_remaining(tmp_path, receiver.url, with_content=True)
    named = {name for one in receiver.spans for name in one.attributes if not name.startswith("manyhands.")}
    assert "gen_ai.usage.input_tokens" in named
    assert named - known == set()
    assert {gen_ai_attributes.GenAiOperationNameValues(one) for one in ("chat", "invoke_agent")} == {
        gen_ai_attributes.GenAiOperationNameValues(one.attributes["gen_ai.operation.name"])
        for one in receiver.spans
        if "gen_ai.operation.name" in one.attributes
    }


@pytest.mark.parametrize("with_content", [False, True])
def test_texts_are_sent_only_on_request(tmp_path: Path, receiver: OtlpReceiver, with_content: bool) -> None:
    failed = StageFailed(step=0, span=span(1, 2), stage="plan", code="deadline", error=SECRET)
    broken = planned(1, span(3, 4), asked(Role.PLAN, 3, error=SECRET))
    append(tmp_path, [begin(), failed, broken, *whole_episode()[1:]])
    send_remaining(tmp_path, receiver.url, with_content)
    texts = [one.name + json.dumps(dict(one.attributes)) for one in receiver.spans]
    assert any(SECRET in text for text in texts) == with_content
    (stage,) = [one for one in receiver.spans if one.has_failed and one.name == "plan"]
    assert stage.attributes["error.type"] == "deadline"
    (model,) = [one for one in receiver.spans if one.has_failed and one.name == "chat qwen"]
    assert model.attributes["error.type"] == "_OTHER"
    if with_content:
        system, user = json.loads(model.attributes["gen_ai.input.messages"])
        assert system == {"role": "system", "parts": [{"type": "text", "content": SECRET}]}
        assert user["parts"][1] == {"type": "uri", "modality": "image", "uri": "manyhands:00ff"}
        (answer,) = json.loads(model.attributes["gen_ai.output.messages"])
        assert answer["parts"][0]["content"].startswith(SECRET)


def test_a_lesson_after_the_end_joins_the_trace(tmp_path: Path, receiver: OtlpReceiver) -> None:
    records = whole_episode()
    append(tmp_path, records)
    send_remaining(tmp_path, receiver.url, with_content=False)
    before = len(receiver.spans)
    lesson = Learned(at=140.0, span=span(135, 140), scope="fleet", taken=None, calls=(asked(Role.LEARN_TIPS, 136),))
    append(tmp_path, [lesson], len(records))
    assert send_remaining(tmp_path, receiver.url, with_content=False).sent == 2
    assert [one.name for one in receiver.spans[before:]] == ["learn", "chat qwen"]
    assert (receiver.repeated, parents(receiver.spans)) == ({}, set())


# ---------------------------------------------------------------------------- each once
def test_what_was_sent_is_not_sent_again_but_to_another_collector(tmp_path: Path, receiver: OtlpReceiver) -> None:
    for name in ("task-1-abc", "task-2-abc"):
        append(tmp_path, whole_episode(name), name=name)
    first = send_remaining(tmp_path, receiver.url, with_content=False)
    requests = receiver.requests
    again = send_remaining(tmp_path, receiver.url + "/v1/traces/", with_content=False)
    assert (again.sent, again.unsent, receiver.requests, receiver.repeated) == (0, 0, requests, {})
    other = OtlpReceiver(free_port())
    with other.listening():
        assert send_remaining(tmp_path, other.url, with_content=False).sent == first.sent
    assert {one.id for one in other.spans} == {one.id for one in receiver.spans}


@pytest.mark.parametrize("status", [None, 302, 400, 503])
def test_a_collector_that_takes_nothing_gets_all_of_it_later(
    tmp_path: Path, status: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.deploy.telemetry.trace_export.REQUEST_S", 0.5)
    append(tmp_path, whole_episode())
    one = OtlpReceiver(free_port())
    if status is None:
        report = send_remaining(tmp_path, one.url, with_content=False)
    else:
        one.status = status
        with one.listening():
            report = send_remaining(tmp_path, one.url, with_content=False)
    assert (report.sent, report.unsent, report.has_more) == (0, 31, False)
    assert report.reason is not None
    one.status = 200
    with one.listening():
        report = send_remaining(tmp_path, one.url, with_content=False)
    assert (report.sent, report.unsent, len(one.spans), one.repeated) == (31, 0, 31, {})


def test_what_is_too_much_for_one_request_is_sent_in_several(
    tmp_path: Path, receiver: OtlpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_traces, "MOST_SPANS", 10)
    for name in ("task-1-abc", "task-2-abc"):
        append(tmp_path, whole_episode(name, steps=5), name=name)
    report = send_remaining(tmp_path, receiver.url, with_content=False)
    assert (report.sent, len(receiver.spans), receiver.repeated) == (102, 102, {})
    assert receiver.requests >= 11


class Stops:
    """Whether to go on; no after so many questions."""

    def __init__(self, after: int) -> None:
        self._left = after

    def __call__(self) -> bool:
        self._left -= 1
        return self._left < 0


@given(
    cuts=st.lists(st.integers(0, 40_000), max_size=6),
    downs=st.sets(st.integers(0, 6)),
    restarts=st.sets(st.integers(0, 6)),
    most=st.sampled_from([3, 512]),
)
@settings(max_examples=20)
def test_a_journal_that_grows_by_any_bytes_is_sent_once_whatever_restarts(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], downs: set[int], restarts: set[int], most: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    data = append(folder, whole_episode())
    path = folder / "episodes" / NAME / "journal.mh"
    path.write_bytes(b"")
    one = OtlpReceiver(free_port())
    with pytest.MonkeyPatch.context() as patch, one.listening(), SpanCollector(one.url) as collector:
        patch.setattr(run_traces, "MOST_SPANS", most)
        traces = RunTraces(folder, collector, False)
        for number, end in enumerate([*sorted(cuts), len(data)]):
            path.write_bytes(data[:end])
            if number in restarts:
                traces = RunTraces(folder, collector, False)
            one.status = 400 if number in downs else 200
            traces.send_new(5.0, Stops(50))
        one.status = 200
        report = traces.finish(5.0, 60.0)
    assert (report.unsent, report.has_more, report.reason) == (0, False, None)
    assert (len(one.spans), one.repeated, parents(one.spans)) == (31, {}, set())


def test_a_step_is_sent_while_its_episode_goes_on(tmp_path: Path, receiver: OtlpReceiver) -> None:
    append(tmp_path, whole_episode()[:-1])
    with SpanCollector(receiver.url) as collector:
        assert RunTraces(tmp_path, collector, False).send_new(5.0, Stops(50))
    assert len(receiver.named("step")) == 3
    assert not receiver.named("invoke_agent e")


def test_late_notes_are_spans_of_their_step_which_is_sent_once(tmp_path: Path, receiver: OtlpReceiver) -> None:
    records = [begin(), *step_records(0), *step_records(1), *step_records(2)]
    append(tmp_path, records)
    with SpanCollector(receiver.url) as collector:
        traces = RunTraces(tmp_path, collector, False)
        traces.send_new(5.0, Stops(50))
        append(tmp_path, [noted(0, span(125, 131)), ended(132, steps=3)], len(records))
        traces.finish(5.0, 60.0)
    (notes,) = receiver.named("note")
    assert [one.id for one in receiver.named("step")].count(notes.parent) == 1
    assert (len(receiver.named("step")), receiver.repeated) == (3, {})


# ---------------------------------------------------------------------------- resumption
def interrupted(name: str = NAME) -> list[Record]:
    """The records of an episode that stopped before the action of step 1."""
    return [begin(name), *step_records(0), *step_records(1)[:4]]


@pytest.mark.parametrize("cancelled", [False, True])
def test_an_episode_that_is_resumed_is_one_span_if_it_was_not_closed(
    tmp_path: Path, receiver: OtlpReceiver, cancelled: bool
) -> None:
    before = [*interrupted(), *([ended(117, Ending.CANCELLED, steps=1)] if cancelled else [])]
    append(tmp_path, before)
    with SpanCollector(receiver.url) as collector:
        assert RunTraces(tmp_path, collector, False).send_new(5.0, Stops(50))
        assert len(receiver.named("step")) == 1  # the run was killed here
        after = [resumed(0, 200.0), *step_records(1), ended(300.0, steps=2, verified=True)]
        append(tmp_path, after, len(before), epoch=2)
        report = RunTraces(tmp_path, collector, False).finish(5.0, 60.0)
    assert (report.unsent, receiver.repeated, parents(receiver.spans)) == (0, {}, set())
    (episode,) = receiver.named("invoke_agent e")
    assert (episode.start, episode.end, episode.has_failed) == (99.0, 300.0, False)
    assert len(receiver.named("step")) == 2
    assert len(receiver.named("plan")) == 3


def test_an_episode_that_was_closed_gets_a_second_part_when_it_is_resumed(
    tmp_path: Path, receiver: OtlpReceiver
) -> None:
    before = [*interrupted(), ended(117, Ending.CANCELLED, steps=1)]
    append(tmp_path, before)
    send_remaining(tmp_path, receiver.url, with_content=False)
    (first,) = receiver.named("invoke_agent e")
    assert (first.end, first.has_failed, first.attributes["manyhands.ending"]) == (117.0, True, "cancelled")
    assert len(receiver.named("step")) == 2
    after = [resumed(0, 200.0), *step_records(1), *step_records(2), ended(300.0, steps=3, verified=True)]
    append(tmp_path, after, len(before), epoch=2)
    assert send_remaining(tmp_path, receiver.url, with_content=False).unsent == 0
    assert send_remaining(tmp_path, receiver.url, with_content=False).sent == 0
    assert (receiver.repeated, parents(receiver.spans)) == ({}, set())
    _, second = receiver.named("invoke_agent e")
    assert (second.parent, second.start, second.end) == (first.id, 200.0, 300.0)
    assert second.attributes["manyhands.resumed"] is True
    steps = receiver.named("step")
    assert [one.attributes["manyhands.step"] for one in steps] == [0, 1, 2]
    assert [one.parent for one in steps] == [first.id, first.id, second.id]


def test_a_journal_that_was_shortened_is_read_again(tmp_path: Path, receiver: OtlpReceiver) -> None:
    records = whole_episode()
    data = append(tmp_path, records)
    path = tmp_path / "episodes" / NAME / "journal.mh"
    with SpanCollector(receiver.url) as collector:
        traces = RunTraces(tmp_path, collector, False)
        for end in (len(data) // 2, len(data) // 3, len(data)):
            path.write_bytes(data[:end])
            traces.send_new(5.0, Stops(50))
        report = traces.finish(5.0, 60.0)
    assert (report.unsent, len(receiver.spans), receiver.repeated) == (0, 31, {})


def test_a_damaged_first_record_is_replaced_by_its_copy(tmp_path: Path, receiver: OtlpReceiver) -> None:
    data = bytearray(append(tmp_path, whole_episode()))
    path = tmp_path / "episodes" / NAME / "journal.mh"
    path.with_name("start.mh").write_bytes(encode(begin(), NAME, seq=0, epoch=1))
    data[40] ^= 1
    path.write_bytes(bytes(data))
    assert send_remaining(tmp_path, receiver.url, with_content=False).sent == 31


# ---------------------------------------------------------------------------- the command
def test_the_command_sends_what_is_left_and_says_what_is_not(tmp_path: Path, receiver: OtlpReceiver) -> None:
    append(tmp_path, whole_episode())
    done = manyhands("traces", "send", tmp_path, "--otlp-endpoint", receiver.url, "--json")
    assert (done.returncode, json.loads(done.stdout)["sent"]) == (0, 31)
    done = manyhands("traces", "send", tmp_path, "--otlp-endpoint", receiver.url)
    assert done.stdout == f"spans to {receiver.url}/v1/traces: 0 sent, 0 not sent\n"
    receiver.status = 401
    append(tmp_path, whole_episode("other"), name="other")
    done = manyhands("traces", "send", tmp_path, MANYHANDS_OTLP_ENDPOINT=receiver.url)
    assert (done.returncode, "0 sent, 31 not sent (" in done.stdout, "401" in done.stdout) == (1, True, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name the collector"),
        (("--otlp-endpoint", "127.0.0.1:4318"), "http://HOST:PORT"),
        (("--otlp-endpoint", "https://me:secret@c.example"), "must not hold a password"),
    ],
)
def test_what_is_no_collector_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    append(tmp_path, whole_episode())
    done = manyhands("traces", "send", tmp_path, *words)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_headers_come_from_the_environment_of_the_sdk(
    tmp_path: Path, receiver: OtlpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20abc")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "hands")
    append(tmp_path, whole_episode())
    send_remaining(tmp_path, receiver.url, with_content=False)
    assert (receiver.headers["authorization"], receiver.services) == ("Basic abc", {"hands"})


def test_a_note_that_is_damaged_is_named(tmp_path: Path, receiver: OtlpReceiver) -> None:
    append(tmp_path, whole_episode())
    (tmp_path / FILE).write_text('{"collectors": 3}')
    with pytest.raises(StoreError, match=r"traces\.json: is damaged"):
        send_remaining(tmp_path, receiver.url, with_content=False)
    with pytest.raises(BadInput, match="not a run folder"):
        send_remaining(tmp_path / "episodes", receiver.url, with_content=False)
