"""OpenEnv's own client plays episodes of the everyday suite, and misbehaves."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.tasks.task import TaskSpec
from tests.rollouts.environment.served_phones import SECRET, SIZE, ServedPhones, everyday, served_phones

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-openenv" / "bin" / "python"
TASKS = everyday(
    "dark_mode",
    "do_not_disturb",
    "network_speed_zh",
    "greeting",
    "two_notes",
    "tidy_notes",
    "lakers_note",
    "laptop_cart",
)


async def start(served: ServedPhones, what: str, tasks: Sequence[TaskSpec]) -> Process:
    script = ROOT / "tests" / "openenv" / "openenv_client.py"
    process = await asyncio.create_subprocess_exec(
        PYTHON, script, served.server.url, SECRET, what, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps([{"id": one.id, "operations": one.human_operations} for one in tasks]).encode())
    process.stdin.close()
    return process


async def run(served: ServedPhones, what: str, tasks: Sequence[TaskSpec]) -> Any:
    process = await start(served, what, tasks)
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return json.loads(out)


def actions(served: ServedPhones, episode: str) -> list[str]:
    scan = RunFolder(served.opened.folder).journal(episode)
    assert scan is not None
    return [record.action.name for record in scan.records if isinstance(record, ActionSent)]


def ending(served: ServedPhones, name: str) -> Ending:
    scan = RunFolder(served.opened.folder).journal(name)
    episode = None if scan is None else episode_of(scan.records)
    assert episode is not None
    return episode.ending


async def until_free(served: ServedPhones) -> None:
    async with asyncio.timeout(100):
        while served.held:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("sessions", [8, pytest.param(32, marks=pytest.mark.timeout(600))])
async def test_sessions_play_the_everyday_suite_at_once(
    adb_server: tuple[str, int], tmp_path: Path, sessions: int
) -> None:
    tasks = TASKS * (sessions // len(TASKS))
    async with served_phones(adb_server, tmp_path, TASKS, phones=sessions) as served:
        results = await run(served, "play", tasks)
        for task, result in zip(tasks, results, strict=True):
            assert (result["done"], result["reward"]) == (True, 1.0), result
            assert result["sizes"] == [list(SIZE), list(SIZE)]
            assert result["observation"]["ending"] == "finished"
            assert result["state"]["episode_id"] == f"mine-{task.id}"
            sent = actions(served, result["metadata"]["episode"])
            assert len([name for name in sent if name != "Wait"]) == len(task.human_operations)
        folder = served.opened.folder
    assert len({result["metadata"]["episode"] for result in results}) == sessions
    assert audit_folders(folder).verdict == "agrees"


async def test_a_repeated_step_is_sent_once(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, TASKS[:1]) as served:
        result = await run(served, "repeat", TASKS[:1])
        assert result["same"]
        assert actions(served, result["episode"]) == ["Home"]


async def test_one_client_too_many_is_told_so(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, TASKS[:2], phones=2) as served:
        assert "CAPACITY_REACHED" in await run(served, "crowd", TASKS[:2])
        await until_free(served)


async def test_a_client_that_floods_or_never_acts_is_ended(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, TASKS[:1], idle_s=2.0) as served:
        assert await run(served, "flood", TASKS[:1]) == "SESSION_ERROR"
        result = await run(served, "idle", TASKS[:1])
        assert result["code"] == "SESSION_ERROR"
        await until_free(served)
        assert ending(served, result["episode"]) is Ending.CANCELLED


async def test_clients_that_die_give_their_phones_back(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, TASKS[:2], phones=2) as served:
        process = await start(served, "die", TASKS[:2])
        assert process.stdout is not None
        episodes = json.loads(await process.stdout.readline())
        process.kill()
        await process.wait()
        await until_free(served)
        assert {ending(served, episode) for episode in episodes} == {Ending.CANCELLED}
        assert (await run(served, "repeat", TASKS[:1]))["same"]
