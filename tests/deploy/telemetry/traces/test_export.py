"""Spans of a run while it goes on: sent by a thread beside it, given up in time, and told."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.telemetry import trace_export
from manyhands.deploy.telemetry.episode_trace import FILE
from manyhands.deploy.telemetry.trace_export import TraceExport
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Learned
from tests.deploy.command_line.called import manyhands
from tests.deploy.telemetry.traces.otlp_receiver import OtlpReceiver, free_port
from tests.deploy.telemetry.traces.test_traces import append, interrupted, whole_episode
from tests.evaluation.run_records import ended, span


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_export, "EVERY_S", 0.05)
    monkeypatch.setattr(trace_export, "REQUEST_S", 0.3)
    monkeypatch.setattr(trace_export, "CLOSE_S", 0.3)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.02)


async def test_spans_are_sent_while_the_run_goes_on_and_the_rest_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_export, "REQUEST_S", 30.0)
    monkeypatch.setattr(trace_export, "CLOSE_S", 30.0)
    receiver = OtlpReceiver(free_port())
    with receiver.listening():
        records = whole_episode()
        async with TraceExport(tmp_path, receiver.url, with_content=False) as running:
            append(tmp_path, records[:8])
            await until(lambda: len(receiver.named("step")) == 1)
            append(tmp_path, records[8:-1], 8)
            await until(lambda: len(receiver.named("step")) == 3)
            append(tmp_path, [ended(130.0, Ending.CANCELLED, steps=3)], len(records) - 1)
        assert running.report is not None
        assert (running.report.sent, running.report.unsent) == (31, 0)
    (episode,) = receiver.named("invoke_agent e")
    assert (episode.attributes["manyhands.ending"], receiver.repeated) == ("cancelled", {})


async def test_a_lesson_after_all_was_sent_is_sent_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_export, "REQUEST_S", 30.0)
    monkeypatch.setattr(trace_export, "CLOSE_S", 30.0)
    receiver = OtlpReceiver(free_port())
    records = whole_episode()
    append(tmp_path, records)
    with receiver.listening():
        async with TraceExport(tmp_path, receiver.url, with_content=False) as running:
            await until(lambda: '"size"' in ((tmp_path / FILE).read_text() if (tmp_path / FILE).exists() else ""))
            append(tmp_path, [Learned(at=140.0, span=span(135, 140), scope="fleet", taken=None)], len(records))
            append(tmp_path, whole_episode("task-2-abc"), name="task-2-abc")
            await until(lambda: len(receiver.spans) == 62)
        assert running.report is not None
        assert (running.report.sent, running.report.unsent) == (63, 0)
    assert (len(receiver.named("learn")), receiver.repeated) == (1, {})


async def test_a_collector_that_is_away_is_told_once_and_what_it_missed_is_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = OtlpReceiver(free_port())
    with caplog.at_level(logging.WARNING):
        async with TraceExport(tmp_path, receiver.url, with_content=False) as running:
            append(tmp_path, whole_episode())
            await until(lambda: "spans wait to be sent" in caplog.text)
            with receiver.listening():
                await until(lambda: len(receiver.spans) == 31)
            append(tmp_path, interrupted("task-2-abc"), name="task-2-abc")
    assert caplog.text.count("spans wait to be sent") <= 2
    assert "Connection refused" in caplog.text
    assert "manyhands traces send" in caplog.text
    assert running.report is not None
    unsent = running.report.unsent
    assert (running.report.sent, unsent > 10) == (31, True)
    monkeypatch.setattr(trace_export, "CLOSE_S", 30.0)
    with receiver.listening():
        async with TraceExport(tmp_path, receiver.url, with_content=False) as again:
            await until(lambda: len(receiver.spans) > 31)
        assert again.report is not None
        assert (again.report.sent, again.report.unsent) == (unsent, 0)
    assert receiver.repeated == {}


def test_without_the_library_a_run_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "opentelemetry"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "site-packages" not in path])
    with pytest.raises(BadInput, match=r"pip install 'manyhands\[traces\]'"):
        Fleet(otlp_endpoint="http://127.0.0.1:1")


def test_resume_of_a_finished_run_sends_what_is_left(tmp_path: Path) -> None:
    from tests.deploy.command_line.test_resume import ASKED

    receiver = OtlpReceiver(free_port())
    begin, *records = whole_episode()
    append(tmp_path, [begin.model_copy(update={"batch": "batch-1"}), *records])
    tasks = [{"id": "task", "goal": "g"}]
    asked = {**ASKED, "settings": {**ASKED["settings"], "otlp_endpoint": receiver.url}, "tasks": tasks}  # type: ignore[dict-item]
    (tmp_path / "run.yaml").write_text(str(asked), encoding="utf-8")
    with receiver.listening():
        refused = manyhands("resume", tmp_path)
        done = manyhands("resume", tmp_path, "--trust-folder")
    assert (refused.returncode, "send its traces to" in refused.stderr) == (2, True)
    assert f"Traces: spans to {receiver.url}/v1/traces: 31 sent, 0 not sent" in done.stdout
    assert len(receiver.spans) == 31
