"""A model server that finds a red cross in pictures and obeys schemas, unless it is told to be faulty."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any, Literal

import numpy as np
from aiohttp import web

from manyhands.actors.frames import decode_jpeg
from manyhands.actors.mllm import dialect_named
from manyhands.protocol.screens.geometry import Size
from manyhands.simulator.rehearsal.usage import PrefixCache
from manyhands.simulator.serving.model_server import ModelServer, Refused, usage_of
from manyhands.simulator.serving.settings import ServerSettings

COUNTED = 64


class SeeingModel(ModelServer):
    """``dialect``: the space in which it writes coordinates, whatever it is asked."""

    def __init__(
        self,
        settings: ServerSettings | None = None,
        *,
        name: str = "Qwen/Qwen3-VL-8B-Instruct",
        dialect: str = "qwen3-vl",
        sees: bool = True,
        finds: bool = True,
        obeys: bool = True,
        key: str = "",
        cache: Literal["hits", "none", "silent"] = "hits",
        picture_s: float = 0.0,
    ) -> None:
        """``cache``: what it reports of its prefix cache: the hits of whole parts, no hits, or nothing at all.
        ``picture_s``: how long one thread prepares a picture.
        """
        super().__init__(name, settings or ServerSettings())
        self._cache = cache
        self._picture_s, self._preparing = picture_s, asyncio.Lock()
        self._prefixes = PrefixCache(10**6)
        self._dialect, self._sees, self._finds, self._obeys, self._key = dialect_named(dialect), sees, finds, obeys, key

    async def _models(self, http: web.Request) -> web.Response:
        if self._key and http.headers.get("authorization") != f"Bearer {self._key}":
            return web.json_response({"error": {"message": "no such key"}}, status=401)
        return await super()._models(http)

    async def _complete(self, http: web.Request) -> web.Response:
        body = await http.json()
        text, tokens = self._answer(body), COUNTED if "response_format" not in body else 12
        if self._picture_s and "image_url" in str(body["messages"]):
            async with self._preparing:
                await asyncio.sleep(self._picture_s)
        async with self._capacity.place() as since:
            await self._capacity.write(None, tokens, since)
        return self._completion(self.model, text, "stop", self._usage(body["messages"], tokens))

    def _usage(self, messages: list[dict[str, Any]], output: int) -> dict[str, Any]:
        parts: list[str | bytes] = []
        for message in messages:
            content = message["content"]
            texts: list[dict[str, Any]] = [{"type": "text", "text": content}]
            for part in texts if isinstance(content, str) else content:
                parts.append(part["text"] if part["type"] == "text" else _jpeg(part["image_url"]["url"]))
        prompt = self._prefixes.take(parts)
        usage = usage_of(prompt.total, output, prompt.cached if self._cache == "hits" else 0)
        if self._cache == "silent":
            del usage["prompt_tokens_details"]
        return usage

    def _answer(self, body: dict[str, Any]) -> str:
        """Answer one question. Raises Refused."""
        asked = body["messages"][1]["content"]
        pictures = [part for part in asked if part["type"] == "image_url"]
        if pictures and not self._sees:
            raise Refused("At most 0 image(s) may be provided in one request.")
        if pictures:
            x, y = self._place(pictures[0]["image_url"]["url"])
            return json.dumps({"x": x, "y": y})
        if "response_format" in body and self._obeys:
            return json.dumps({"answer": "yes", "number": 7})
        return "Hello, how nice to see you!"

    def _place(self, url: str) -> tuple[int, int]:
        rgb = decode_jpeg(_jpeg(url)).astype(int)
        rows, columns = np.nonzero((rgb[..., 0] > 180) & (rgb[..., 1] < 90))
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        extent = self._dialect.extent(size)
        x, y = 0.5, 0.5
        if self._finds and len(rows):
            x, y = columns.mean() / size.width, rows.mean() / size.height
        return round(x * extent.width), round(y * extent.height)


def _jpeg(url: str) -> bytes:
    return base64.b64decode(url.partition(",")[2])
