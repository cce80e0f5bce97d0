"""Plants three failures whose reasons are known, on virtual phones, and writes their report.

Usage: ``python -m tests.evaluation.report.planted_failures FOLDER``. A server between the agent and the rehearsed model
changes some replies: a tap goes to another place, so that a wrong page comes; the tap into a text field is left out, so
that nothing is typed; and a picture is refused. All else is as in any run.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.evaluation.report.report_folder import write_report
from manyhands.protocol.tasks.task import TaskSpec, read_tasks
from tests.simulator.processes import started

SUITE = Path(__file__).parents[3] / "simulator" / "suites" / "everyday.yaml"
WRONG_PAGE, NOT_TYPED, REFUSED = "dark_mode", "meeting_note", "greeting"
"""The tasks, by what goes wrong in them."""
REFUSAL = "This content was refused by the safety filter of the model."
MOST_STEPS = 9
_ELSEWHERE = {"name": "Tap", "x": 500, "y": 420}
"""In the model's coordinates: a row of Settings that nobody asked for."""


def planted_tasks() -> list[TaskSpec]:
    """Return the tasks that are going to fail."""
    known = {task.id: task for task in read_tasks(SUITE)}
    tasks = [known[name] for name in (WRONG_PAGE, NOT_TYPED, REFUSED)]
    limits = [task.limits.model_copy(update={"max_steps": MOST_STEPS}) for task in tasks]
    return [task.model_copy(update={"limits": limit}) for task, limit in zip(tasks, limits, strict=True)]


class PlantingServer:
    """Forward requests to a model, and change replies to the tasks that are to fail."""

    def __init__(self, model: str, session: aiohttp.ClientSession) -> None:
        self._model, self._session = model, session
        self._goals = {task.goal: task.id for task in planted_tasks()}
        self._decisions: dict[str, int] = {}

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        url = f"{self._model.removesuffix('/v1')}{request.path_qs}"
        headers = {"Content-Type": request.headers.get("Content-Type", "application/json")}
        task = self._task_of(body)
        async with self._session.request(request.method, url, data=body, headers=headers) as response:
            content, status, kind = await response.read(), response.status, response.content_type
        if task is None or status != 200:
            return web.Response(body=content, status=status, content_type=kind)
        answer = json.loads(content)
        said = answer["choices"][0]["message"]["content"]
        try:
            reply = json.loads(said)
        except ValueError:
            return web.Response(body=content, content_type=kind)
        if not isinstance(reply, dict) or not isinstance(reply.get("action"), dict):
            return web.Response(body=content, content_type=kind)
        number = self._decisions[task] = self._decisions.get(task, 0) + 1
        if task == REFUSED and number > 2:
            return web.json_response({"error": {"message": REFUSAL, "code": "content_filter"}}, status=400)
        answer["choices"][0]["message"]["content"] = json.dumps(reply | {"action": self._changed(task, reply)})
        return web.json_response(answer)

    def _changed(self, task: str, reply: Mapping[str, Any]) -> Any:
        action = reply["action"]
        if task == WRONG_PAGE and action.get("name") == "Tap":
            return _ELSEWHERE
        if task == NOT_TYPED and "keyboard" in str(reply.get("expectation")):
            return {"name": "Wait", "seconds": 1}
        return action

    def _task_of(self, body: bytes) -> str | None:
        text = body.decode("utf-8", "replace")
        return next(
            (task for goal, task in self._goals.items() if json.dumps(goal)[1:-1] in text or goal in text), None
        )


@asynccontextmanager
async def planting_server() -> AsyncIterator[str]:
    """Yield the URL of a rehearsed model whose replies to the planted tasks are changed."""
    async with (
        started("manyhands.simulator.rehearsal") as (_, ready),
        aiohttp.ClientSession() as session,
    ):
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{tail:.*}", PlantingServer(ready["url"], session).answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        finally:
            await runner.cleanup()


async def run_planted(folder: Path, **settings: Any) -> Path:
    """Run the planted tasks, write the report, and return the run folder."""
    async with planting_server() as url:
        given = {"phones": ["virtual:3"], "mllm_url": [url], "out": folder, "name": "planted", **settings}
        async with Fleet(**given) as fleet:
            await fleet.run_batch(planted_tasks())
    await asyncio.to_thread(write_report, folder)
    return folder


if __name__ == "__main__":
    asyncio.run(run_planted(Path(sys.argv[1])))
