"""Runs of virtual phones with the rehearsed model: each span arrives once, with the ids that the model was told."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from pathlib import Path

import pytest

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.effective_records import interruptions
from manyhands.protocol.journals.records import Acted, EpisodeStarted, StageRecord
from manyhands.protocol.journals.trace_context import traceparent
from tests.deploy.fleet.killed_runs import Command, workplace
from tests.deploy.telemetry.traces.otlp_receiver import OtlpReceiver, ReceivedSpan, free_port
from tests.deploy.telemetry.traces.recording_proxy import RecordingProxy

TASKS = ("dark_mode", "greeting", "hotel_message")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def acted(folder: Path) -> int:
    """Return how many steps of a run have acted."""
    if not (folder / "run.yaml").is_file():
        return 0
    scans = RunFolder(folder).journals.values()
    return sum(isinstance(record, Acted) for scan in scans for record in scan.records)


async def until_acted(command: Command, folder: Path, steps: int) -> None:
    while not command.ended.done() and acted(folder) < steps:
        await asyncio.sleep(0.1)
    assert not command.ended.done(), command.ended.result()


def names_in(folder: Path) -> tuple[Counter[str], set[str], int]:
    """Return what the journals hold: stages by name, the ``traceparent`` of each step, how many calls."""
    stages: Counter[str] = Counter()
    steps: set[str] = set()
    calls = 0
    for scan in RunFolder(folder).journals.values():
        (started,) = [record for record in scan.records if isinstance(record, EpisodeStarted)]
        for record in scan.records:
            if isinstance(record, StageRecord):
                stages[record.stage] += 1
                steps.add(traceparent(started.run, started.episode, record.step))
                calls += len(record.calls)
    return stages, steps, calls


def parent_of(span: ReceivedSpan) -> str:
    return f"00-{span.trace}-{span.id}-01"


async def test_each_span_arrives_once_whatever_stops(adb_server: tuple[str, int], tmp_path: Path) -> None:
    """The collector is away at first, the run is killed, resumed, stopped by a signal, and resumed again."""
    folder = tmp_path / "run"
    receiver = OtlpReceiver(free_port())
    async with workplace(tmp_path, adb_server[1], 2) as place:
        model = RecordingProxy(place.model)
        place.model = model.url
        with model.listening():
            words = [word for task in TASKS for word in ("--task", task)]
            run = await place.run("run", *words, "--otlp-endpoint", receiver.url)
            await until_acted(run, folder, 2)
            await run.kill_tree()
            assert receiver.spans == []
            with receiver.listening():
                run = await place.resume("run")
                await until_acted(run, folder, 5)
                run.process.send_signal(signal.SIGINT)
                stopped = await run.ended
                assert stopped.code == 130, stopped.errors
                some = len(receiver.spans)
                run = await place.resume("run")
                done = await run.ended
    assert done.value["verified"] == len(TASKS), done.errors
    assert "not sent" not in stopped.errors + done.errors
    stages, steps, calls = names_in(folder)
    assert receiver.repeated == {}
    assert 0 < some < len(receiver.spans)
    assert Counter(span.name for span in receiver.spans if span.name in stages) == stages
    assert {parent_of(span) for span in receiver.named("step")} == steps
    assert sum(span.name.startswith("chat ") for span in receiver.spans) == calls
    ids = {(span.trace, span.id) for span in receiver.spans}
    assert {(span.trace, span.parent) for span in receiver.spans if span.parent} <= ids
    # Every request that a model server received names a step that was sent.
    assert len(model.requests) >= calls > 0
    run_name = folder.name
    for request in model.requests:
        assert request.traceparent == traceparent(run_name, request.episode, request.step)
    assert {request.traceparent for request in model.requests} <= steps
    journals = RunFolder(folder).journals
    in_place = [name for name, scan in journals.items() if interruptions(scan.records)]
    assert in_place
    roots = [span for span in receiver.named("invoke_agent e") if not span.parent]
    assert {span.attributes["gen_ai.conversation.id"] for span in roots} == journals.keys()
    assert len(roots) == len(journals)


async def test_a_run_whose_collector_never_answers_ends_as_others_and_says_so(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    receiver = OtlpReceiver(free_port())
    async with workplace(tmp_path, adb_server[1], 1) as place:
        run = await place.run("run", "--task", "greeting", "--otlp-endpoint", receiver.url)
        done = await run.ended
        assert (done.code, done.value["verified"]) == (0, 1)
        assert "manyhands traces send" in done.errors
        with receiver.listening():
            sent = await (
                await place.command("traces", "send", str(tmp_path / "run"), "--otlp-endpoint", receiver.url)
            ).ended
    assert (sent.code, sent.value["unsent"], sent.value["sent"]) == (0, 0, len(receiver.spans))
    assert f"{len(receiver.spans)} not sent" in done.errors
