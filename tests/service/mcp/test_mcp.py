"""An MCP client of the SDK uses a service through our server, over both transports."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from mcp import Client as McpClient
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ImageContent, TextContent

from manyhands import AsyncClient, TaskSpec
from manyhands.protocol.runs.interventions import AnswerQuestion, EpisodeControl, EpisodePhase
from manyhands.service.mcp import make_server, serving_http
from tests.deploy.command_line.called import manyhands
from tests.service.api.test_episodes import BUY, write_runs
from tests.service.client.conftest import Served

TOOLS = ["phones", "submit_goal", "wait", "result", "screen", "answer", "cancel"]


@asynccontextmanager
async def within(served: Served) -> AsyncIterator[McpClient]:
    """A client in the process of the server."""
    async with AsyncClient(served.url, token=served.token) as client, McpClient(make_server(client)) as found:
        yield found


async def call(client: McpClient, tool: str, **given: Any) -> Any:
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def test_a_goal_is_submitted_and_its_answer_comes_back(served: Served) -> None:
    async with within(served) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        phones = await call(client, "phones")
        assert [phone["serial"] for phone in phones["result"]] == ["1:5", "lab/p2", "p1"]
        task = await call(
            client, "submit_goal", goal="What is the weather?", wants_answer=True, phones="model=pixel", key="k"
        )
        assert (task["id"], task["phase"]) == ("b1.goal-1", "waiting")
        assert (
            await call(
                client, "submit_goal", goal="What is the weather?", wants_answer=True, phones="model=pixel", key="k"
            )
        ) == task
        early = await call(client, "wait", task=task["id"], timeout_s=0.05)
        assert early["phase"] == "waiting"
        waiting = asyncio.create_task(call(client, "wait", task=task["id"], timeout_s=100))
        served.begin("b1.goal-1")
        served.end("b1.goal-1", answer="Sunny.")
        ended = await waiting
        assert (ended["phase"], ended["is_done"], ended["answer"]) == ("ended", True, "Sunny.")
        assert await call(client, "result", task="b1.goal-1") == ended
        assert await call(client, "cancel", task="b1.goal-1") == ended
        other = await call(client, "submit_goal", goal="Dance.", answer_schema={"type": "integer"}, max_steps=3)
        assert (await call(client, "cancel", task=other["id"]))["ending"] == "cancelled"


async def test_a_question_of_a_task_is_answered(served: Served) -> None:
    async with within(served) as client:
        task = await call(client, "submit_goal", goal="Buy milk.")
        early = await client.call_tool("answer", {"task": task["id"], "text": "The second."})
        assert early.is_error
        served.begin(task["id"])
        episode = f"e-{task['id']}"
        served.service.fleet.controls[episode] = EpisodeControl(
            episode=episode, task=task["id"], serial="p1", phase=EpisodePhase.PAUSED, question="Which?"
        )
        await call(client, "answer", task=task["id"], text="The second.")
    assert served.service.fleet.asked[-1] == AnswerQuestion(by="a-operate", text="The second.")


async def test_the_last_screen_of_a_task_is_a_picture(served: Served) -> None:
    write_runs(served.folder / "runs")
    async with within(served) as client, AsyncClient(served.url, token=served.token) as direct:
        await direct.submit([TaskSpec(id="buy", goal="Buy milk.")])
        served.begin("b1.buy", episode=BUY)
        (picture,) = (await client.call_tool("screen", {"task": "b1.buy"})).content
        assert isinstance(picture, ImageContent)
        assert picture.mime_type == "image/jpeg"
        assert base64.b64decode(picture.data).startswith(b"\xff\xd8")


async def test_errors_can_be_read_and_tools_say_what_they_do(served: Served) -> None:
    async with within(served) as client:
        for tool, given, said in (
            ("result", {"task": "b9.gone"}, "b9.gone"),
            ("submit_goal", {"goal": "Dance.", "phones": "model=="}, "chooses no phones"),
            ("submit_goal", {"goal": "Dance.", "answer_schema": {"type": "dance"}}, "schema"),
            ("wait", {"task": "b1.goal-1", "timeout_s": -1}, "timeout_s"),
        ):
            answer = await client.call_tool(tool, given)
            (part,) = answer.content
            assert isinstance(part, TextContent)
            assert (answer.is_error, said in part.text) == (True, True), part.text
        await call(client, "submit_goal", goal="Dance.")
        no_screen = await client.call_tool("screen", {"task": "b1.goal-1"})
        assert no_screen.is_error
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint} == {
            "phones", "wait", "result", "screen",
        }  # fmt: skip
        assert all(tool.description for tool in tools.values())
        assert "answer" in str(tools["result"].output_schema)


async def test_over_http_the_token_is_asked_for_and_pages_are_kept_out(served: Served) -> None:
    async with AsyncClient(served.url, token=served.token) as client, serving_http(client, served.token, 0) as url:
        own = {"Authorization": f"Bearer {served.token}"}
        async with httpx.AsyncClient() as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            kind = {"Accept": "application/json, text/event-stream"}
            assert (await http.post(url, json=body)).status_code == 401
            assert (await http.post(url, json=body, headers={"Authorization": "Bearer x"})).status_code == 401
            assert (await http.post(url, json=body, headers={**own, **kind, "Host": "evil.example"})).status_code == 421
            page = {**own, **kind, "Origin": "http://evil.example"}
            assert (await http.post(url, json=body, headers=page)).status_code == 403
        import httpx2

        async with (
            httpx2.AsyncClient(headers=own) as http,
            McpClient(streamable_http_client(url, http_client=http)) as found,
        ):
            task = await call(found, "submit_goal", goal="Dance.")
            served.begin(task["id"])
            served.end(task["id"])
            assert (await call(found, "wait", task=task["id"]))["is_done"] is True


async def test_over_standard_input_and_output_one_line_of_configuration_does(served: Served, tmp_path: Path) -> None:
    environment = {**os.environ, **served.environment, "MANYHANDS_STATE_DIR": str(tmp_path / "state")}
    command = StdioServerParameters(command=sys.executable, args=["-m", "manyhands", "mcp"], env=environment)
    async with McpClient(stdio_client(command)) as client:
        task = await call(client, "submit_goal", goal="Dance.")
        served.begin(task["id"])
        served.end(task["id"])
        assert (await call(client, "wait", task=task["id"]))["is_done"] is True


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    state = {"MANYHANDS_STATE_DIR": str(tmp_path), "MANYHANDS_SERVER": "", "MANYHANDS_TOKEN": ""}
    assert manyhands("mcp", "--json", **state).returncode == 2
    assert manyhands("mcp", **state).returncode == 2
    no_token = manyhands("mcp", "--port", "0", "--server", "http://127.0.0.1:9", **state)
    assert (no_token.returncode, "no token for http" in no_token.stderr) == (2, True)
