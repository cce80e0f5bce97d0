"""Serve an OpenAI-compatible chat-completions API that answers at once, or after a set latency."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from manyhands.protocol.profiles import registered_profiles
from manyhands.simulator.canned.replies import canned_reply
from manyhands.simulator.serving.made_tokens import PICTURE, MadeTokens, asks_tokens, made_ids
from manyhands.simulator.serving.model_server import ModelServer, Refused, usage_of
from manyhands.simulator.serving.settings import ServerSettings

MODEL_NAME = "manyhands-canned"
IMAGE_TOKENS = 300
"""The tokens of a picture of any size. A picture of 360x800 has about as many in Qwen3-VL."""
LETTERS_PER_TOKEN = 4


class CannedServer(ModelServer):
    """Serve like vLLM. A request ends at once when its client hangs up."""

    def __init__(self, settings: ServerSettings) -> None:
        super().__init__(MODEL_NAME, settings)

    async def _complete(self, http: web.Request) -> web.Response:
        body = _read(await http.read())
        wanted = _wanted(body)
        role = registered_profiles().writers[wanted]
        number = http.headers.get("x-manyhands-step", "")
        episode = http.headers.get("x-manyhands-episode", "")
        step = int(number) if number.isdecimal() else 0
        text = canned_reply(wanted, episode, step).model_dump_json()
        prompt = prompt_tokens(body)
        output = -(-len(text) // LETTERS_PER_TOKEN)
        priority = body.get("priority", 0)
        async with self._capacity.place(priority if isinstance(priority, int) else 0) as since:
            self._prompt_tokens += prompt
            await self._capacity.write(role, output, since)
        tokens = MadeTokens(_prompt_ids(body), made_ids(text, output)) if asks_tokens(body) else None
        return self._completion(str(body.get("model") or ""), text, "stop", usage_of(prompt, output), tokens)


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
    """Return the name of the reply type that a request asks for. Raises Refused."""
    wanted = body.get("response_format")
    schema = wanted.get("json_schema") if isinstance(wanted, dict) else None
    name = schema.get("name") if isinstance(schema, dict) else None
    known = registered_profiles().writers
    if not isinstance(name, str) or name not in known:
        raise Refused(f"the canned model knows roles by the schema's name, one of {', '.join(known)}")
    return name


def prompt_tokens(body: dict[str, Any]) -> int:
    """Estimate a prompt's tokens from the letters of its texts and the number of its pictures. Raises Refused."""
    text, images = _texts_and_images(body)
    return -(-len(text) // LETTERS_PER_TOKEN) + IMAGE_TOKENS * images


def _prompt_ids(body: dict[str, Any]) -> list[int]:
    """Return ids for a prompt: those of all its texts, then the places of its pictures."""
    text, images = _texts_and_images(body)
    return made_ids(text, -(-len(text) // LETTERS_PER_TOKEN)) + [PICTURE] * IMAGE_TOKENS * images


def _texts_and_images(body: dict[str, Any]) -> tuple[str, int]:
    texts, images = [], 0
    for message in body["messages"]:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else ({"text": content},):
            if not isinstance(part, dict):
                raise Refused("messages.content: a text or a list of parts is expected")
            images += part.get("type") == "image_url"
            texts.append(part.get("text") or "")
    return "".join(texts), images
