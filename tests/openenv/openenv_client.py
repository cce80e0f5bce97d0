"""Be clients of an environment server, by OpenEnv's own client, and print as JSON what came. Runs in .venv-openenv.

``openenv_client.py URL SECRET WHAT``; on standard input the tasks, each with its id and a human's operations.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import struct
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from openenv.core.generic_client import GenericEnvClient

PATIENCE_S = 100.0
Tasks = list[dict[str, Any]]


def client(url: str, secret: str) -> GenericEnvClient:
    return GenericEnvClient(url, headers={"Authorization": f"Bearer {secret}"}, message_timeout_s=PATIENCE_S)


def action_of(operation: str, shown: dict[str, Any]) -> dict[str, Any]:
    """The action of a human's operation (``simulator.suites.play``) on a screen."""
    verb, _, rest = operation.partition(" ")
    if verb in ("back", "home", "enter"):
        return {"name": verb.capitalize()}
    if verb == "open":
        return {"name": "Open_App", "app": rest}
    if verb == "type":
        return {"name": "Type", "text": rest}
    name, text = ("Long_Press", operation.removeprefix("long press ")) if verb == "long" else ("Tap", rest)
    if percent := re.fullmatch(r"(\d+)% (\d+)%", text):
        x, y = (int(part) for part in percent.groups())
        return {"name": name, "x": x * shown["screen_width"] // 100, "y": y * shown["screen_height"] // 100}
    texts = [one for one in shown["elements"] if one["kind"] == "text"]
    box = next(
        one["box"]
        for fits in (lambda content: content == text, lambda content: text in content)
        for one in texts
        if fits(one["content"])
    )
    return {"name": name, "x": (box["x1"] + box["x2"]) // 2, "y": (box["y1"] + box["y2"]) // 2}


def jpeg_size(image: str) -> list[int]:
    """The width and height of a JPEG, from its frame header."""
    data = base64.b64decode(image)
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    height, width = struct.unpack(">HH", data[at + 5 : at + 9])
    return [width, height]


async def wait_for_elements(env: GenericEnvClient, result: Any) -> Any:
    """Wait while the screen changes: an observation has no elements if they are not those of its picture."""
    while not result.done and result.observation["elements"] is None:
        result = await env.step({"name": "Wait", "seconds": 1})
    return result


async def play_one(url: str, secret: str, task: dict[str, Any]) -> dict[str, Any]:
    """Play an episode by a human's operations."""
    async with client(url, secret) as env:
        result = await env.reset(task=task["id"], elements=True, episode_id=f"mine-{task['id']}")
        sizes = jpeg_size(result.observation["screen_image"])
        shown = [result.observation["screen_width"], result.observation["screen_height"]]
        for operation in task["operations"]:
            result = await wait_for_elements(env, result)
            if result.done:
                break
            result = await env.step(action_of(operation, result.observation))
        if not result.done:
            result = await env.step({"name": "Stop"})
        state = await env.state()
    return {
        "task": task["id"],
        "sizes": [sizes, shown],
        "done": result.done,
        "reward": result.reward,
        "metadata": result.metadata,
        "observation": result.observation,
        "state": state,
    }


async def play(url: str, secret: str, tasks: Tasks) -> Any:
    """Play all tasks at once, a session for each."""
    return await asyncio.gather(*(play_one(url, secret, task) for task in tasks))


async def repeat(url: str, secret: str, tasks: Tasks) -> Any:
    """Send a step twice."""
    async with client(url, secret) as env:
        await env.reset(task=tasks[0]["id"])
        action = {"name": "Home", "metadata": {"request_id": "once"}}
        results = [await env.step(action) for _ in range(2)]
        end = await env.step({"name": "Stop"})
        return {"same": results[0] == results[1], "episode": end.metadata["episode"]}


async def crowd(url: str, secret: str, tasks: Tasks) -> Any:
    """Open one session more than there are tasks, and return what the last one is told."""
    clients = [client(url, secret) for _ in tasks]
    await asyncio.gather(*(env.reset(task=task["id"]) for env, task in zip(clients, tasks, strict=True)))
    one_more = client(url, secret)
    try:
        await one_more.reset(task=tasks[0]["id"])
    except RuntimeError as error:
        return str(error)
    finally:
        await asyncio.gather(*(env.close() for env in [*clients, one_more]))
    return "it was let in"


async def flood(url: str, secret: str, tasks: Tasks) -> Any:
    """Send far more messages than are answered, and return the last answer."""
    async with client(url, secret) as env:
        for _ in range(100):
            await env._send({"type": "reset", "data": {"task": tasks[0]["id"]}})
        while (answer := await env._receive())["type"] != "error":
            pass
        return answer["data"]["code"]


async def idle(url: str, secret: str, tasks: Tasks) -> Any:
    """Begin an episode, never act, and return what comes."""
    async with client(url, secret) as env:
        first = await env.reset(task=tasks[0]["id"])
        return {"code": (await env._receive())["data"]["code"], "episode": first.metadata["episode"]}


async def die(url: str, secret: str, tasks: Tasks) -> Any:
    """Say which episodes have begun, one on each session, and wait to be killed."""
    clients = [client(url, secret) for _ in tasks]
    results = await asyncio.gather(*(env.reset(task=task["id"]) for env, task in zip(clients, tasks, strict=True)))
    sys.stdout.write(json.dumps([result.metadata["episode"] for result in results]) + "\n")
    sys.stdout.flush()
    await asyncio.gather(*(env.step({"name": "Wait", "seconds": 30}) for env in clients))


WHATS: dict[str, Callable[[str, str, Tasks], Awaitable[Any]]] = {
    one.__name__: one for one in (play, repeat, crowd, flood, idle, die)
}


if __name__ == "__main__":
    url, secret, what = sys.argv[1:]
    json.dump(asyncio.run(WHATS[what](url, secret, json.load(sys.stdin))), sys.stdout)  # type: ignore[arg-type]
