"""Sessions of an environment: episodes by a client's actions, their rewards, and clients that misbehave."""

from __future__ import annotations

import asyncio
import socket
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.rewards import REWARDS_FILE
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.rollouts.environment.client_agent import ClientTurns
from manyhands.rollouts.environment.session import ClientEpisode
from manyhands.rollouts.trajectories import EpisodeView
from tests.rollouts.environment.served_phones import DARK_MODE, SIZE, everyday, picture_size, served_phones
from tests.simulator.connecting import unplug

CODE = "the code"
ASKING = TaskSpec.model_validate(
    {
        "id": "asking",
        "goal": "Say the code.",
        "answer": {"required": True},
        "check": {"holds": {"answer": {"equals": CODE}}},
    }
)


def end_of(answer: dict[str, Any]) -> tuple[bool, float | None, str | None, bool]:
    data = answer["data"]
    return data["done"], data["reward"], data["observation"]["ending"], data["observation"]["fault"]


def sent(episode: RecordedEpisode) -> list[str]:
    return [record.action.name for record in episode.records if isinstance(record, ActionSent)]


async def test_a_client_plays_a_task_and_gets_its_checks_reward(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode", "do_not_disturb")) as served:
        async with served.client() as client:
            first = await client.ask("reset", task="dark_mode", seed=3, elements=True, episode_id="mine")
            shown = first["data"]["observation"]
            assert shown["goal"] == "Turn on dark mode."
            assert (shown["screen_width"], shown["screen_height"]) == picture_size(first) == SIZE
            last = await client.play(*DARK_MODE)
            assert end_of(last) == (True, 1.0, "finished", False)
            assert last["data"]["metadata"]["verified_by"] == "phone"
            state = (await client.ask("state"))["data"]
            assert (state["episode_id"], state["step_count"], state["done"], state["reward"]) == ("mine", 4, True, 1.0)
            again = await client.ask("reset", task="dark_mode", seed=3)
            assert again["data"]["observation"]["elements"] is None
            assert end_of(await client.ask("step", name="Stop")) == (True, 0.0, "finished", False)
        episode = served.episode(last)
        assert (episode.started.task.reset_seed, episode.started.attempt) == (3, 1)
        assert sent(episode) == ["Open_App", "Tap", "Tap"]
        assert served.episode(again).started.attempt == 2
        assert served.held == 0


async def test_a_step_with_a_key_is_sent_once(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode")) as served, served.client() as client:
        await client.ask("reset")
        action = {"name": "Open_App", "app": "Settings", "metadata": {"request_id": "k1"}}
        await client.socket.send_json({"type": "step", "data": action})
        await client.socket.send_json({"type": "step", "data": action})  # before the first answer has come
        first, second = await client.read(), await client.read()
        assert first == second
        other = await client.ask("step", name="Home", metadata={"request_id": "k1"})
        assert other["data"]["code"] == "VALIDATION_ERROR"
        await client.ask("step", name="Back", metadata={"request_id": "k2"})
        late = await client.ask("step", **action)
        assert "was sent before" in late["data"]["message"]
        last = await client.ask("step", name="Stop")
        assert sent(served.episode(last)) == ["Open_App", "Back"]
        assert (await client.ask("step", name="Stop"))["data"]["code"] == "EXECUTION_ERROR"


async def test_a_lost_phone_is_a_fault_without_reward(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode"), phones=2) as served:
        async with served.client() as client:
            first = await client.ask("reset", elements=True)
            await unplug(served.fleet, served.fleet.serials.index(served.episode(first).started.serial), served.adb)
            assert end_of(await client.ask("step", name="Home")) == (True, None, "phone_lost", True)
            second = await client.ask("reset", elements=True)
            assert served.episode(second).started.serial != served.episode(first).started.serial
            assert end_of(await client.play(*DARK_MODE)) == (True, 1.0, "finished", False)


def half(view: EpisodeView) -> float:
    """A user's function."""
    return 0.5 if view.verified else 0.25


async def test_a_users_function_says_the_reward(adb_server: tuple[str, int], tmp_path: Path) -> None:
    tasks = everyday("dark_mode")
    async with served_phones(adb_server, tmp_path, tasks, reward=f"{__name__}:half") as served:
        async with served.client() as client:
            await client.ask("reset")
            assert end_of(await client.ask("step", name="Stop")) == (True, 0.25, "finished", False)
            await client.ask("reset")
            (served.opened.folder / REWARDS_FILE).write_text("no reward\n" * 9)
            stop = {"name": "Stop", "metadata": {"request_id": "k1"}}
            assert "no reward" in (await client.ask("step", **stop))["data"]["message"]
            assert "was sent before" in (await client.ask("step", **stop))["data"]["message"]


async def test_a_name_has_the_number_of_its_attempt(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode"), phones=2) as served:
        async with served.client() as one, served.client() as other:
            starts = [
                served.episode(first).started for first in await asyncio.gather(one.ask("reset"), other.ask("reset"))
            ]
            assert sorted(start.attempt for start in starts) == [1, 2]
            assert all(start.episode.rsplit("-", 2)[1] == str(start.attempt) for start in starts)


async def test_an_episode_that_never_began_frees_its_phone(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode")) as served:
        environment, stack = served.opened.environment, AsyncExitStack()
        lease = await environment.phones.lease("dark_mode-1-a")
        stack.push_async_callback(environment.phones.give_back, lease)
        order = environment.order(environment.tasks["dark_mode"], None, "dark_mode-1-a", 1, lease)
        episode = ClientEpisode(environment.host, order, ClientTurns(), stack)
        assert served.held == 1
        await episode.stop()
        assert served.held == 0


async def test_a_missing_answer_is_the_clients_own_failure(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, [ASKING]) as served, served.client() as client:
        await client.ask("reset")
        assert end_of(await client.ask("step", name="Stop")) == (True, 0.0, "answer_invalid", False)
        await client.ask("reset")
        await client.ask("step", name="Answer", text=CODE)
        last = await client.ask("step", name="Stop")
        assert end_of(last) == (True, 1.0, "finished", False)
        assert last["data"]["metadata"]["answer"] == CODE


async def test_the_tasks_limits_end_an_episode(adb_server: tuple[str, int], tmp_path: Path) -> None:
    task = everyday("dark_mode")[0]
    short = task.model_copy(update={"limits": task.limits.model_copy(update={"max_steps": 2})})
    async with served_phones(adb_server, tmp_path, [short]) as served, served.client() as client:
        await client.ask("reset")
        outside = await client.ask("step", name="Tap", x=5000, y=1)
        assert "5000" in outside["data"]["observation"]["problem"]
        assert end_of(await client.ask("step", name="Home")) == (True, 0.0, "step_limit", False)


async def test_more_clients_than_phones_are_told_so(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode")) as served:
        async with served.client() as client:
            await client.ask("reset")
            async with served.client() as second:
                refused = (await second.read())["data"]
                assert (refused["code"], refused["active_sessions"], refused["max_sessions"]) == (
                    "CAPACITY_REACHED",
                    1,
                    1,
                )
                assert await second.ended()
            await client.socket.send_json({"type": "close"})
            assert await client.ended()
        async with served.client() as third:
            assert (await third.ask("reset"))["type"] == "observation"


async def test_a_phone_of_another_run_is_no_capacity(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode")) as served, served.client() as client:
        other = served.leases.attach(served.fleet.serials[0], "another-run", 100)
        refused = (await client.ask("reset"))["data"]
        assert (refused["code"], "another-run" in refused["message"]) == ("CAPACITY_REACHED", True)
        served.leases.detach(other)
        first = await client.ask("reset")
        assert served.episode(first).started.attempt == 1, "what got no phone is no attempt"


@pytest.mark.parametrize("begins", [True, False])
async def test_a_client_that_never_acts_loses_its_phone(
    adb_server: tuple[str, int], tmp_path: Path, begins: bool
) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode"), idle_s=1.0) as served:
        async with served.client() as client:
            if begins:
                first = await client.ask("reset")
            assert (await client.read())["data"]["code"] == "SESSION_ERROR"
            assert await client.ended()
        async with served.client() as second:
            assert (await second.ask("reset"))["type"] == "observation"
        if begins:
            assert served.episode(first).ending is Ending.CANCELLED


async def test_a_client_that_floods_is_ended(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode")) as served:
        async with served.client() as client:
            for _ in range(200):
                await client.socket.send_json({"type": "reset", "data": {}})
            codes = set[str]()
            while "SESSION_ERROR" not in codes:
                codes.add((await client.read())["data"].get("code", ""))
            assert await client.ended()
        async with served.client() as second:
            assert (await second.ask("reset"))["type"] == "observation"


async def test_a_client_that_dies_gives_its_phone_back(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode")) as served:
        async with served.client() as client:
            first = await client.ask("reset")
            await client.socket.send_json({"type": "step", "data": {"name": "Wait", "seconds": 30}})
            client.socket.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        async with asyncio.timeout(60):
            while served.held:
                await asyncio.sleep(0.05)
        assert served.episode(first).ending is Ending.CANCELLED
