"""The figures of a run over real HTTP, read by Prometheus' own parser."""

from __future__ import annotations

import asyncio
import socket
import urllib.request
from collections.abc import Mapping

import pytest
from prometheus_client.parser import text_string_to_metric_families

from deploy.metrics import RunMetrics
from protocol.base import Ending
from protocol.errors import ActorLost, BadInput
from protocol.runs import EpisodeProgress, EpisodeResult, RunProgress

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


async def scraped(url: str) -> str:
    def get() -> str:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=20) as answer:
            return str(answer.read(), "utf-8")

    return await asyncio.to_thread(get)


def parsed(text: str) -> Samples:
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, frozenset(labels.items())]


def result(ending: Ending, verified: bool | None, steps: int) -> EpisodeResult:
    told = {"episode": "e", "task": "t", "serial": "p", "attempt": 1, "reason": "", "rubrics": {}}
    times = {"started_at": 0, "ended_at": 1}
    return EpisodeResult.model_validate({**told, **times, "ending": ending, "verified": verified, "steps": steps})


async def some_progress() -> RunProgress:
    return RunProgress(
        total=6,
        waiting=2,
        running=(EpisodeProgress(episode="e", task="t", serial="p", step=3, doing=""),),
        done=(
            result(Ending.FINISHED, True, 4),
            result(Ending.FINISHED, None, 5),
            result(Ending.STEP_LIMIT, False, 40),
        ),
    )


async def test_the_progress_of_a_run() -> None:
    async with RunMetrics("127.0.0.1", 0) as served:
        served.describe(id="run-1")
        served.add("progress", some_progress)
        text = await scraped(served.url)
    samples = parsed(text)
    assert value(samples, "manyhands_run_info", id="run-1") == 1
    assert value(samples, "manyhands_tasks") == 6
    assert value(samples, "manyhands_tasks_waiting") == 2
    assert value(samples, "manyhands_tasks_running") == 1
    assert value(samples, "manyhands_tasks_done_total", ending="finished") == 2
    assert value(samples, "manyhands_tasks_done_total", ending="step_limit") == 1
    assert value(samples, "manyhands_tasks_done_total", ending="phone_lost") == 0
    assert value(samples, "manyhands_tasks_checked_total", verified="yes") == 1
    assert value(samples, "manyhands_steps_total") == 49
    assert value(samples, "manyhands_unanswered", part="progress") == 0
    helped = {line.split()[2] for line in text.splitlines() if line.startswith("# HELP") and len(line.split()) > 3}
    assert {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")} == helped


async def test_before_a_run_there_is_nothing_to_tell() -> None:
    async with RunMetrics("127.0.0.1", 0) as served:
        assert "manyhands_tasks" not in await scraped(served.url)


async def test_a_part_that_fails_or_hangs_is_named_and_asked_once_at_a_time() -> None:
    asked = 0
    ended = asyncio.Event()

    async def lost() -> RunProgress:
        raise ActorLost("gone")

    async def hangs() -> RunProgress:
        nonlocal asked
        asked += 1
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError("unreachable")

    async with RunMetrics("127.0.0.1", 0, patience_s=0.2) as served:
        served.add("progress", some_progress)
        served.add("plan", lost)
        served.add("note", hangs)
        texts = await asyncio.gather(*(scraped(served.url) for _ in range(3)))
        for samples in map(parsed, texts):
            assert [value(samples, "manyhands_unanswered", part=part) for part in ("progress", "plan", "note")] == [
                0,
                1,
                1,
            ]
            assert value(samples, "manyhands_tasks") == 6
        assert asked == 1
        assert not ended.is_set()
    assert ended.is_set()


async def test_the_loop_goes_on_while_it_is_scraped_and_nothing_listens_afterwards() -> None:
    hold = asyncio.Event()

    async def slow() -> RunProgress:
        await hold.wait()
        return await some_progress()

    async with RunMetrics("127.0.0.1", 0) as served:
        served.add("progress", slow)
        scrape = asyncio.create_task(scraped(served.url))
        hold.set()
        assert value(parsed(await scrape), "manyhands_tasks") == 6
        port = int(served.url.split(":")[2].split("/")[0])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


async def test_a_port_in_use_is_bad_input() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"--metrics-port {port}"):
            async with RunMetrics("127.0.0.1", port):
                raise AssertionError("unreachable")
    with pytest.raises(BadInput, match="--metrics-host"):
        async with RunMetrics("no.such.host.invalid", 0):
            raise AssertionError("unreachable")
