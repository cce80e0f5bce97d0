"""A whole service with a phone: an MCP client gets an answer, the commands give rows, and the examples run."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client as McpClient
from mcp import StdioServerParameters, stdio_client
from mcp_types import ImageContent

from tests.deploy.fleet.killed_runs import workplace
from tests.deploy.fleet.test_answers import GOALS, SCHEMA
from tests.service.test_killed_service import Service

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
TASKS = """
tasks:
  - {id: dark, goal: Turn on dark mode.}
"""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


async def test_a_new_user_logs_in_and_an_agent_gets_its_answer(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    async with workplace(tmp_path, adb_server[1], 1) as place:
        service = Service(place, tmp_path / "service")
        await service.start()
        environment = {**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")}

        async def call(*words: str | Path, code: int = 0) -> str:
            command = [sys.executable, *map(str, words)]
            done = await asyncio.to_thread(
                subprocess.run, command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=600
            )
            assert done.returncode == code, done.stderr
            return str(done.stdout)

        said = await call("-m", "manyhands", "login", service.url, "--token-file", service.folder / "token")
        assert "with the role approve" in said

        program = StdioServerParameters(command=sys.executable, args=["-m", "manyhands", "mcp"], env=environment)
        async with McpClient(stdio_client(program)) as client:
            given = {"goal": GOALS["right"], "answer_schema": SCHEMA}
            task = (await client.call_tool("submit_goal", given)).structured_content
            assert task is not None
            while task["phase"] != "ended":
                task = (await client.call_tool("wait", {"task": task["id"]})).structured_content
                assert task is not None
            assert (task["is_done"], len(task["answer_data"])) == (True, 3), task
            (picture,) = (await client.call_tool("screen", {"task": task["id"]})).content
            assert isinstance(picture, ImageContent)
            assert base64.b64decode(picture.data).startswith(b"\xff\xd8")

        rows = await call("-m", "manyhands", "results", "b1", "--server", service.url, "--format", "csv")
        assert [row["verdict"] for row in csv.DictReader(io.StringIO(rows, newline=""))] == ["passed"] * 3
        (tmp_path / "tasks.yaml").write_text(TASKS)
        told = await call(EXAMPLES / "service_events.py", "tasks.yaml")
        assert [line.split()[0] for line in told.splitlines()][-2:] == ["task.ended", "batch.ended"]
        told = await call(EXAMPLES / "service_batch.py")
        assert [line.rpartition(": ")[2] for line in told.splitlines()] == ["2 tasks", "done", "done"]
        assert json.loads(await call("-m", "manyhands", "watch", "b3", "--json"))["done"] == 2
        await service.stop()
