"""An OpenAI-compatible chat-completions server that answers at once, or as late as it is told."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from pydantic import Field

from manyhands.protocol.base import Input
from manyhands.protocol.roles import REPLIES, Role
from manyhands.simulator.canned.replies import CannedReplies, canned_reply
from manyhands.simulator.capacity import Capacity
from manyhands.simulator.serving.http_server import ModelDoor, Refused

MODEL_NAME = "manyhands-canned"
IMAGE_TOKENS = 300
"""What a picture counts as, whatever its size: about that of 360x800 in Qwen3-VL."""
LETTERS_PER_TOKEN = 4


class CannedSettings(Input):
    """Where it listens, what it says, how fast it answers."""

    host: str = "127.0.0.1"
    port: int = Field(default=0, ge=0, le=65535)
    """0 takes a free one."""
    replies: CannedReplies = CannedReplies()
    latency_s: dict[Role, float] = Field(default_factory=dict)
    """Seconds that a reply takes at least, by role; 0 for roles that are not named."""
    tokens: dict[Role, int] = Field(default_factory=dict)
    """What a reply counts as, in tokens, by role; what its letters come to where not given."""
    tokens_per_s: float | None = Field(default=None, gt=0)
    """Output tokens a second, shared by all requests; unlimited if None."""
    max_running: int = Field(default=1024, ge=1)
    """Requests that are served at once; later ones wait their turn."""


@asynccontextmanager
async def serve_canned(settings: CannedSettings) -> AsyncIterator[CannedServer]:
    """A canned model that listens at ``server.url`` until the block is left. Raises BadInput."""
    server = CannedServer(settings)
    try:
        await server.start()
        yield server
    finally:
        await server.stop()


class CannedServer:
    """The same door as vLLM's. A client that hangs up ends its request at once."""

    def __init__(self, settings: CannedSettings) -> None:
        self._settings = settings
        self._capacity = Capacity(settings.latency_s, settings.tokens_per_s, settings.max_running)
        self._prompt_tokens = 0
        self._door = ModelDoor(MODEL_NAME, settings.host, settings.port, self._answer, self._figures)

    @property
    def url(self) -> str:
        """The base URL for clients, with the API's version."""
        return self._door.url

    async def start(self) -> None:
        """Raises BadInput where it cannot listen."""
        await self._door.start()

    async def stop(self) -> None:
        await self._door.stop()

    def _figures(self) -> dict[str, float]:
        return {
            "vllm:num_requests_running": self._capacity.running,
            "vllm:num_requests_waiting": self._capacity.waiting,
            "vllm:prompt_tokens_total": self._prompt_tokens,
            "vllm:generation_tokens_total": self._capacity.written,
            "canned_requests_total": self._door.counts["requests"],
            "canned_requests_aborted_total": self._door.counts["aborted"],
        }

    async def _answer(self, http: web.Request) -> web.Response:
        body = _read(await http.read())
        wanted = _wanted(body)
        role = REPLIES[wanted]
        number = http.headers.get("x-manyhands-step", "")
        episode = http.headers.get("x-manyhands-episode", "")
        step = int(number) if number.isdecimal() else 0
        text = canned_reply(self._settings.replies, wanted, episode, step).model_dump_json()
        prompt = prompt_tokens(body)
        output = self._settings.tokens.get(role, -(-len(text) // LETTERS_PER_TOKEN))
        priority = body.get("priority", 0)
        async with self._capacity.place(priority if isinstance(priority, int) else 0) as place:
            self._prompt_tokens += prompt
            place.reply(role, output)
            await place.write(output)
        return web.json_response(
            {
                "id": f"chatcmpl-{uuid.uuid4().hex}",
                "object": "chat.completion",
                "created": int(time.time()),
                "model": body.get("model") or MODEL_NAME,
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": output,
                    "total_tokens": prompt + output,
                    "prompt_tokens_details": {"cached_tokens": 0},
                },
            }
        )


def _read(data: bytes) -> dict[str, Any]:
    try:
        body = json.loads(data)
    except ValueError as error:
        raise Refused(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        raise Refused("the body is no chat completion: an object with 'messages' is expected")
    if body.get("stream"):
        raise Refused("the canned model does not stream")
    return body


def _wanted(body: dict[str, Any]) -> str:
    """The name of the reply that is asked for. Raises Refused."""
    wanted = body.get("response_format")
    schema = wanted.get("json_schema") if isinstance(wanted, dict) else None
    name = schema.get("name") if isinstance(schema, dict) else None
    if not isinstance(name, str) or name not in REPLIES:
        raise Refused(f"the canned model knows roles by the schema's name, one of {', '.join(REPLIES)}")
    return name


def prompt_tokens(body: dict[str, Any]) -> int:
    """A rough count: letters of all texts, and a fixed number for each picture. Raises Refused."""
    letters = images = 0
    for message in body["messages"]:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else ({"text": content},):
            if not isinstance(part, dict):
                raise Refused("messages.content: a text or a list of parts is expected")
            images += part.get("type") == "image_url"
            letters += len(part.get("text") or "")
    return -(-letters // LETTERS_PER_TOKEN) + IMAGE_TOKENS * images
