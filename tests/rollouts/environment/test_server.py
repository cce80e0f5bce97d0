"""What an environment server answers beside sessions: tokens, tasks, schemas, and messages that nobody can read."""

from __future__ import annotations

from pathlib import Path

import msgpack
import pytest
from aiohttp import ClientSession, WSServerHandshakeError
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.screens.actions import ATOM
from manyhands.rollouts.environment.messages import MessageRefused, read_action, read_reset
from tests.rollouts.environment.served_phones import SECRET, everyday, served_phones

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(), part, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["Tap", "Type", "Open_App", "Wait", "Swipe", "Stop", "Fly"])
FIELDS = st.sampled_from(["name", "x", "y", "x1", "text", "app", "seconds", "metadata", "z"])


@given(st.dictionaries(FIELDS, JSON | NAMES, max_size=6))
def test_any_step_is_an_action_or_refused(data: dict[str, object]) -> None:
    try:
        action, metadata = read_action(data)
    except MessageRefused:
        return
    assert ATOM.validate_json(action.model_dump_json()) == action
    assert msgpack.unpackb(msgpack.packb(action.model_dump())) == action.model_dump()  # as journals have it
    assert metadata.request_id is None or metadata.request_id == data["metadata"]["request_id"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"name": "Tap", "x": 1}, "y"),
        ({"name": "Tap", "x": 1, "y": 2, "z": 3}, "unknown field z"),
        ({"name": "Fly"}, "Fly"),
        ({}, "name"),
        ({"name": "Tap", "x": 1, "y": 10**30}, "no screen is so large"),
        ({"name": "Home", "metadata": {"request": "k"}}, "request_id"),
    ],
)
def test_a_refused_step_says_why(data: dict[str, object], says: str) -> None:
    with pytest.raises(MessageRefused, match=says):
        read_action(data)


def test_a_refused_reset_says_why() -> None:
    with pytest.raises(MessageRefused, match="did you mean 'seed'"):
        read_reset({"sed": 1})


async def test_only_who_has_a_token_gets_phones(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode")) as served, ClientSession() as http:
        url = served.server.url
        for headers in ({}, {"Authorization": "Bearer other"}, {"Authorization": "Basic ???"}):
            with pytest.raises(WSServerHandshakeError, match="401"):
                await http.ws_connect(f"{url}/ws", headers=headers)
        with pytest.raises(WSServerHandshakeError, match="403"):
            await served.http.ws_connect(f"{url}/ws", headers={"Origin": "https://example.com"})
        async with http.ws_connect(f"{url}/ws", headers={"Authorization": f"Bearer {SECRET}"}) as socket:
            await socket.send_str('{"type": "state"}')
            assert (await socket.receive_json())["data"]["episode_id"] is None
        async with http.get(f"{url}/health") as health, http.get(f"{url}/list_environments") as listed:
            assert (await health.json(), listed.status) == ({"status": "healthy"}, 401)


async def test_tasks_and_schemas_are_told(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode", "do_not_disturb")) as served:
        url = served.server.url

        async def ask(path: str, **body: object) -> dict[str, object]:
            async with served.http.post(f"{url}/manyhands/{path}", json={"split": "train", **body}) as answer:
                assert answer.status == 200, await answer.text()
                told: dict[str, object] = await answer.json()
                return told

        listed = await ask("tasks")
        dark = {
            "index": 0,
            "id": "dark_mode",
            "goal": "Turn on dark mode.",
            "tags": ["demo", "single_app", "settings"],
            "reset_seed": 0,
        }
        assert listed["tasks"] == [dark, (await ask("task", index=1))["task"]]
        assert await ask("num_tasks") == {"num_tasks": 2}
        assert await ask("task_range", stop=1) == {"tasks": [dark]}
        for path, body in (("task", {"split": "train", "index": 2}), ("tasks", {"split": "test"})):
            async with served.http.post(f"{url}/manyhands/{path}", json=body) as refused:
                assert refused.status == 400
        async with served.http.get(f"{url}/schema") as schema:
            told = await schema.json()
        assert {"screen_image", "screen_width", "screen_height"} < told["observation"]["properties"].keys()
        assert "Tap" in told["action"]["$defs"]


async def test_messages_that_cannot_be_read_end_no_session(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with served_phones(adb_server, tmp_path, everyday("dark_mode", "do_not_disturb")) as served:
        async with served.client() as client:

            async def code(text: str) -> tuple[str, str]:
                await client.socket.send_str(text)
                data = (await client.read())["data"]
                return data["code"], data["message"]

            assert (await code("{"))[0] == (await code("[" * 5000))[0] == "INVALID_JSON"
            assert (await code('{"type": "mcp"}'))[0] == "UNKNOWN_TYPE"
            assert (await code("[]"))[0] == (await code('{"type": "step", "data": 1}'))[0] == "VALIDATION_ERROR"
            assert "dark_mode, do_not_disturb" in (await code('{"type": "reset"}'))[1]
            assert "did you mean 'dark_mode'" in (await code('{"type": "reset", "data": {"task": "darkmode"}}'))[1]
            assert (await code('{"type": "step", "data": {"name": "Home"}}'))[0] == "EXECUTION_ERROR"
            assert served.held == 0
            await client.socket.send_bytes(b"\x00")
            assert (await client.read())["data"]["code"] == "SESSION_ERROR"
            assert await client.ended()
