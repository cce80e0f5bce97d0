"""The figures of a run over real HTTP, read by Prometheus' own parser."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.mllm import ModelClient, Prompt
from manyhands.actors.perception.counts import WAIT_BOUNDS_S, BatchCounts, PerceptionCounts
from manyhands.deploy.telemetry.metrics_endpoint import RunMetrics
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, BadInput
from manyhands.protocol.messages import CallContext, CallCounts, ModelCounts, ServerCounts
from manyhands.protocol.roles.role import NoteReply, Role
from manyhands.protocol.runs.progress import EpisodeProgress, RunProgress, TasksDone
from manyhands.protocol.runs.results import EpisodeResult
from tests.actors.mllm.model_servers import Fail, ModelServer, Say, serving, settings_for
from tests.deploy.telemetry.metrics.scraping import parsed, scraped, value
from tests.deploy.telemetry.metrics.test_links import figures_of_a_site

BOARD = Path(__file__).parents[4] / "deploy" / "telemetry" / "grafana.json"
METRIC = re.compile(r"manyhands_\w+")
DOCS = Path(__file__).parents[4] / "docs" / "monitoring.md"


def result(ending: Ending, verified: bool | None, steps: int, has_check: bool = True) -> EpisodeResult:
    told = {"episode": "e", "task": "t", "serial": "p", "attempt": 1, "reason": "", "rubrics": {}}
    times = {"started_at": 0, "ended_at": 1}
    found = {"ending": ending, "verified": verified, "steps": steps, "has_check": has_check}
    return EpisodeResult.model_validate({**told, **times, **found})


async def some_progress() -> RunProgress:
    ended = (
        result(Ending.FINISHED, True, 4),
        result(Ending.FINISHED, None, 5),
        result(Ending.FINISHED, None, 1, has_check=False),
        result(Ending.FINISHED, None, 1, has_check=False),
        result(Ending.STEP_LIMIT, False, 40),
        result(Ending.FINISHED, True, 0).model_copy(update={"verified_by": "judge"}),
    )
    return RunProgress(
        total=6,
        waiting=2,
        running=(EpisodeProgress(episode="e", task="t", serial="p", step=3, doing=""),),
        done=TasksDone.of(ended),
        latest=ended,
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
    assert value(samples, "manyhands_tasks_done_total", ending="finished") == 5
    assert value(samples, "manyhands_tasks_done_total", ending="step_limit") == 1
    assert value(samples, "manyhands_tasks_done_total", ending="phone_lost") == 0
    checked = ("yes", "no", "judged_yes", "judged_no", "undecided", "no check")
    told = [value(samples, "manyhands_tasks_checked_total", verified=word) for word in checked]
    assert told == [1, 1, 1, 0, 1, 2]
    assert value(samples, "manyhands_steps_total") == 51
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


# ---------------------------------------------------------------------------- the model
def told_by(role: Role, server: str, **figures: Any) -> ModelCounts:
    """A client that is at work."""
    return ModelCounts(
        model="m",
        calls=(CallCounts(role=role, server=server, **figures),),
        servers=(ServerCounts(server=server, state="up", in_flight=2, waiting=4, running=8, cache_usage=0.5),),
        in_flight=2,
        waiting=3,
        cap=16,
        speculation_share=0.5,
        refused_speculation=7,
    )


async def test_the_actors_of_a_role_are_added_up() -> None:
    async def counts() -> Sequence[ModelCounts]:
        one = told_by(Role.PLAN, "http://a", calls=3, retries=1, input_tokens=100, cached_tokens=60, queue_ms=1500)
        two = told_by(Role.PLAN, "http://a", calls=2, errors={"model_refused": 1}, input_tokens=10, latency_ms=2500)
        return one, two

    async with RunMetrics("127.0.0.1", 0) as served:
        served.add("plan", counts)
        samples = parsed(await scraped(served.url))
    at = {"role": "plan", "server": "http://a"}
    assert value(samples, "manyhands_model_calls_total", **at) == 5
    assert value(samples, "manyhands_model_retries_total", **at) == 1
    assert value(samples, "manyhands_model_input_tokens_total", **at) == 110
    assert value(samples, "manyhands_model_cached_tokens_total", **at) == 60
    assert value(samples, "manyhands_model_queue_seconds_total", **at) == 1.5
    assert value(samples, "manyhands_model_latency_seconds_total", **at) == 2.5
    assert value(samples, "manyhands_model_errors_total", code="model_refused", **at) == 1
    assert value(samples, "manyhands_model_in_flight", role="plan") == 4
    assert value(samples, "manyhands_model_waiting", role="plan") == 6
    assert value(samples, "manyhands_model_in_flight_cap", role="plan") == 32
    assert value(samples, "manyhands_model_speculation_ratio", role="plan") == 0.5
    assert value(samples, "manyhands_model_speculation_refused_total", role="plan") == 14
    assert value(samples, "manyhands_server_clients", server="http://a", state="up") == 2
    assert value(samples, "manyhands_server_clients", server="http://a", state="out") == 0
    assert value(samples, "manyhands_server_in_flight", server="http://a") == 4
    assert value(samples, "manyhands_server_waiting", server="http://a") == 4  # seen twice, there once
    assert value(samples, "manyhands_server_running", server="http://a") == 8
    assert value(samples, "manyhands_server_cache_usage_ratio", server="http://a") == 0.5


async def test_what_a_real_client_counted() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}}
    async with serving(ModelServer(Fail(503), Say("x", usage=usage))) as server:
        client = ModelClient(settings_for(server))
        await client.start()

        async def counts() -> Sequence[ModelCounts]:
            return (client.counts(),)

        async with RunMetrics("127.0.0.1", 0) as served:
            served.add("note", counts)
            before = await scraped(served.url)
            context = CallContext(episode="e", step=0, deadline=time.time() + 60)
            await client.complete(Role.NOTE, Prompt(system="s", content=("t",)), NoteReply, "phone", context)
            after = parsed(await scraped(served.url))
        await client.stop()
    assert "manyhands_model_calls_total{" not in before
    at = {"role": "note", "server": server.url}
    assert value(after, "manyhands_model_calls_total", **at) == 1
    assert value(after, "manyhands_model_retries_total", **at) == 1
    assert value(after, "manyhands_model_input_tokens_total", **at) == 100
    assert value(after, "manyhands_model_cached_tokens_total", **at) == 40
    assert value(after, "manyhands_model_output_tokens_total", **at) == 7
    assert value(after, "manyhands_model_in_flight", role="note") == 0
    assert value(after, "manyhands_server_clients", server=server.url, state="up") == 1


# ---------------------------------------------------------------------------- perception
def reader_counts(**figures: Any) -> PerceptionCounts:
    """Of an actor that read three pictures, of which two had waited."""
    batches = (BatchCounts(network="recognition", sizes={8: 3, 2: 1}, waited_ms=500, busy_ms=250),)
    stages = {"queue": 1500.0, "text": 700.0}
    waits = (1, 0, 1, 1, *(0 for _ in WAIT_BOUNDS_S[3:]))
    return PerceptionCounts(read=3, full=1, part=2, stage_ms=stages, waits=waits, batches=batches, workers=2, **figures)


async def test_perception_actors_are_added_up_and_waits_are_a_histogram() -> None:
    async def counts() -> Sequence[PerceptionCounts]:
        return reader_counts(reading=2, waiting=5, refused=1), reader_counts(remembered=4)

    async with RunMetrics("127.0.0.1", 0) as served:
        served.add("perception", counts)
        samples = parsed(await scraped(served.url))
    assert value(samples, "manyhands_perception_pictures_total", how="part") == 4
    assert value(samples, "manyhands_perception_pictures_total", how="remembered") == 4
    assert value(samples, "manyhands_perception_refused_total") == 1
    assert value(samples, "manyhands_perception_workers") == 4
    assert value(samples, "manyhands_perception_waiting") == 5
    assert value(samples, "manyhands_perception_stage_seconds_total", stage="text") == pytest.approx(1.4)
    assert value(samples, "manyhands_perception_wait_seconds_bucket", le="0.01") == 2
    assert value(samples, "manyhands_perception_wait_seconds_bucket", le="0.1") == 2
    assert value(samples, "manyhands_perception_wait_seconds_bucket", le="0.5") == 4
    assert value(samples, "manyhands_perception_wait_seconds_bucket", le="+Inf") == 6
    assert value(samples, "manyhands_perception_wait_seconds_count") == 6
    assert value(samples, "manyhands_perception_wait_seconds_sum") == 3
    assert value(samples, "manyhands_perception_batches_total", network="recognition", size="8") == 6
    assert value(samples, "manyhands_perception_batch_seconds_total", network="recognition") == 0.5


async def test_every_metric_is_documented_and_the_dashboard_draws_no_other() -> None:
    async def counts() -> Sequence[ModelCounts]:
        return (told_by(Role.PLAN, "http://a", calls=1, errors={"x": 1}),)

    async def readers() -> Sequence[PerceptionCounts]:
        return (reader_counts(),)

    async with RunMetrics("127.0.0.1", 0) as served:
        served.describe(id="r")
        served.add("progress", some_progress)
        served.add("plan", counts)
        served.add("perception", readers)
        samples = parsed(await scraped(served.url))
    table = re.findall(r"^\| `(manyhands_\w+)` \| (.*?) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {(name, frozenset(re.findall(r"`(\w+)`", labels))) for name, labels in table}
    told = {*samples, *await figures_of_a_site()}
    board = json.loads(BOARD.read_text(encoding="utf-8"))
    drawn = {
        name for panel in board["panels"] for target in panel["targets"] for name in METRIC.findall(target["expr"])
    }
    assert drawn <= {name for name, _ in told}
    assert {(name, frozenset(dict(labels))) for name, labels in told} == documented
