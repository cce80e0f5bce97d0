"""Make a recorded request look like that of another phone, so that servers cannot answer it from their caches.

Phones that replay the same recording would share all their pictures in a server's caches, as no real phones do. So each
phone shows pictures with a small square of its own in a corner, and begins its conversation with a line of its own. The
system text stays the same for all phones, as in a run.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyhands.actors.frames import Rgb, content_id, decode_png, encode_jpeg, make_jpeg
from manyhands.actors.mllm.request.bodies import IMAGE_MARK, wire_body
from manyhands.evaluation.recorded_calls import shown_ids
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.crops import parse_content_id
from manyhands.protocol.errors import CaptureFailed, StoreError

KEPT_SCREENS = 48
"""The number of decoded screens that are cached."""
KEPT_JPEGS = 512
"""The number of JPEGs that are cached. A phone shows a screen in several calls, one after another."""
UNSENT_FIELDS = frozenset({"priority"})
_SIDE = 16
"""The side of the square in pixels. It fills one or two of the blocks in which a JPEG is encoded."""


class VariedRequests:
    """Make the bytes of recorded requests for many phones. May be used by several threads."""

    def __init__(self, folder: RunFolder, model: str) -> None:
        """``model``: the name by which the server knows its model."""
        self._folder = folder
        self._model = model
        self._screen = functools.lru_cache(KEPT_SCREENS)(self._read_screen)
        self._jpeg = functools.lru_cache(KEPT_JPEGS)(self._encode)

    def make(self, request: Mapping[str, Any], phone: str) -> bytes:
        """Return the body to send for a phone. Equal ``phone`` gives equal bytes. Blocks. Raises StoreError."""
        body = {name: value for name, value in request.items() if name not in UNSENT_FIELDS}
        body["model"] = self._model
        body["messages"] = _rename(request["messages"], phone)
        images = {f"{shown}~{phone}": self._jpeg(shown, phone) for shown in shown_ids(request)}
        return wire_body(body, images)

    def _encode(self, shown: str, phone: str) -> bytes:
        picture = parse_content_id(shown)
        if picture.source != shown:
            try:
                return make_jpeg(self._jpeg(picture.source, phone), picture)
            except CaptureFailed as error:
                raise StoreError(f"{self._folder.path}: {shown} cannot be made again: {error}") from error
        rgb = self._screen(shown).copy()
        rgb[-_SIDE:, -_SIDE:] = tuple(hashlib.blake2b(phone.encode(), digest_size=3).digest())
        return encode_jpeg(rgb)

    def _read_screen(self, shown: str) -> Rgb:
        png = self._folder.screen_png(shown)
        where = f"{self._folder.path}: screens/{shown}.png"
        if png is None:
            raise StoreError(f"{where} is missing")
        try:
            rgb = decode_png(png)
        except CaptureFailed as error:
            raise StoreError(f"{where} is damaged: {error}") from error
        if content_id(rgb) != shown:
            raise StoreError(f"{where} holds other pixels than its name says")
        return np.asarray(rgb)


def _rename(messages: Sequence[Mapping[str, Any]], phone: str) -> list[Mapping[str, Any]]:
    """Return the conversation with pictures that are named for the phone, and the phone's line at its beginning."""
    renamed: list[Mapping[str, Any]] = []
    is_marked = False
    for message in messages:
        content = message["content"]
        if not isinstance(content, str):
            content = [_named_picture(part, phone) for part in content]
        if message["role"] == "user" and not is_marked:
            content, is_marked = _mark(content, phone), True
        renamed.append({**message, "content": content})
    return renamed


def _named_picture(part: Mapping[str, Any], phone: str) -> Mapping[str, Any]:
    if part["type"] != "image_url":
        return part
    shown = part["image_url"]["url"].removeprefix(IMAGE_MARK)
    name = f"{shown}~{phone}"
    return {**part, "uuid": name, "image_url": {"url": IMAGE_MARK + name}}


def _mark(content: str | list[Mapping[str, Any]], phone: str) -> str | list[Mapping[str, Any]]:
    line = f"(phone {phone})\n"
    if isinstance(content, str):
        return line + content
    return [{"type": "text", "text": line}, *content]
