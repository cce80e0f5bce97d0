"""rLLM's real gateway between a run and its model server: all calls of an episode are there, and its reward once."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.recorded_calls import calls_of_episode
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ModelSessionEnded, Record
from manyhands.protocol.messages import ModelCall
from tests.actors.mllm.test_model_client import free_port
from tests.deploy.fleet.killed_runs import workplace
from tests.loaders.test_loaders import BIN

TASKS = ("greeting", "dark_mode", "laptop_cart", "hotel_message")
PHONES = 2
Json = dict[str, Any]


@asynccontextmanager
async def gateway(model: str, folder: Path, programs: Path = BIN, *words: str) -> AsyncIterator[str]:
    """Start rLLM's gateway before a model server. Its access log is in ``gateway.log``."""
    port = free_port()
    words += ("--host", "127.0.0.1", "--port", str(port), "--worker", model, "--db-path", str(folder / "traces.db"))
    with (folder / "gateway.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            programs / "rllm-model-gateway", *words, stdin=DEVNULL, stdout=log, stderr=log
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            await process.wait()


async def fetch(url: str) -> Any:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return await answer.json()


def answered(records: Sequence[Record]) -> Iterator[ModelCall]:
    """The calls of an episode's steps that have a reply, also those whose results were dropped."""
    calls = (recorded.call for recorded in calls_of_episode(records))
    return (call for call in calls if call.reply is not None and call.role.spec.in_steps)


def texts(messages: Sequence[Mapping[str, Any]]) -> str:
    """What a request says, with a mark for each picture."""
    parts = (part for message in messages for part in _parts(message["content"]))
    return "\n".join(part["text"] if part["type"] == "text" else "<picture>" for part in parts)


def _parts(content: str | list[Json]) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def exchanges(pairs: Iterator[tuple[Sequence[Mapping[str, Any]], str]]) -> Counter[tuple[str, str]]:
    return Counter((texts(messages), reply) for messages, reply in pairs)


@pytest.mark.timeout(300)
async def test_each_trace_is_whole_and_each_reward_arrives_once_also_of_a_killed_run(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    tasks = [word for task in TASKS for word in ("--task", task)]
    async with workplace(tmp_path, adb_server[1], PHONES) as place, gateway(place.model, tmp_path) as url:
        run = await place.run("run", *tasks, "--model-sessions", "rllm", "--model-sessions-url", url)
        assert await run.after(folder, 2.0), "it ended before it was killed"
        await run.kill_tree()
        done = await (await place.resume("run")).ended
        assert done.code == 0, done.errors
        episodes = {name: scan.records for name, scan in RunFolder(folder).journals.items()}
        sessions = {name: await fetch(f"{url}/sessions/{name}") for name in episodes}
        traces = {name: await fetch(f"{url}/sessions/{name}/traces") for name in episodes}
    resumed = 0
    for name, records in episodes.items():
        episode = episode_of(records)
        assert isinstance(episode, RecordedEpisode)
        resumed += len(episode.resumed)
        assert sessions[name]["metadata"] == {
            "run": episode.started.run,
            "episode": name,
            "task": episode.started.task.id,
            "group": episode.started.task.id,
            "attempt": 1,
            "reward": 1.0,
        }
        assert [record.reward for record in records if isinstance(record, ModelSessionEnded)] == [1.0]
        journalled = exchanges((call.request["messages"], call.reply or "") for call in answered(records))
        traced = exchanges((trace["messages"], trace["response_message"]["content"]) for trace in traces[name])
        assert journalled
        assert journalled <= traced, "a call is missing at the gateway"
        if not episode.resumed:
            assert traced == journalled
    assert (len(episodes), resumed > 0) == (len(TASKS), True)
    log = (tmp_path / "gateway.log").read_text()
    # A flush comes before each reward. The kill may cut off both phones' ends, which are then told again.
    assert 0 <= log.count('"POST /admin/flush ') - len(TASKS) <= PHONES
    assert log.count('"POST /sessions ') >= 2 * len(TASKS)
