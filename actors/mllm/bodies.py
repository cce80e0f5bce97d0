"""The JSON body of a request: made, recorded without its pictures, and restored byte for byte."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from actors.frames import ModelImage
from actors.mllm.settings import ModelSettings
from protocol.base import Reply, Role
from protocol.errors import BadInput
from protocol.messages import ModelCall
from protocol.replies import json_schema

IMAGE_MARK = "manyhands:"
"""Begins an image's place in a recorded body, before its content id."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model. The fields stand in the order in which they are sent.

    The system text is the same byte for byte for all roles and the pictures come before the text, so that a
    server which has read a picture for one role finds it in its cache for the next.
    """

    system: str
    images: tuple[ModelImage, ...]
    text: str


def recorded_body(
    settings: ModelSettings, model: str, role: Role, reply: type[Reply], prompt: Prompt
) -> dict[str, Any]:
    """A chat-completions body with each image's data replaced by its mark; the schema is named after the reply."""
    pictures = [{"type": "image_url", "image_url": {"url": IMAGE_MARK + image.content_id}} for image in prompt.images]
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": [*pictures, {"type": "text", "text": prompt.text}]},
        ],
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens[role],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": reply.__name__, "strict": True, "schema": sent_schema(reply)},
        },
    }


@cache
def sent_schema(reply: type[Reply]) -> dict[str, Any]:
    """The reply's JSON schema without its limits on the length of strings; the parser enforces those.

    xgrammar, vLLM's usual backend, knows no escapes in a string of limited length (read and tried at 0.2.8): a
    model held to such a schema cannot write a quotation mark, a backslash or a line break. An answer ends at
    max_tokens all the same.
    """
    schema: dict[str, Any] = _unlimited(json_schema(reply))
    return schema


def _unlimited(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_unlimited(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = "maxLength" if schema.get("type") == "string" else None
    return {key: _unlimited(value) for key, value in schema.items() if key != dropped}


def wire_body(recorded: Mapping[str, Any], images: Mapping[str, bytes]) -> bytes:
    """The bytes that are sent: ``recorded`` with the JPEGs in place. Raises BadInput for an image not given."""
    messages = [_with_images(message, images) for message in recorded["messages"]]
    body = {**recorded, "messages": messages}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def restore_request(call: ModelCall, images: Mapping[str, bytes]) -> bytes:
    """The body of a recorded call as it was sent, so that it can be sent again.

    ``images`` maps content ids to the JPEG bytes of the time (equal pixels give equal bytes).
    Raises BadInput for an image not given.
    """
    return wire_body(call.request, images)


def _with_images(message: Mapping[str, Any], images: Mapping[str, bytes]) -> Mapping[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return message
    return {**message, "content": [_with_image(part, images) for part in content]}


def _with_image(part: Mapping[str, Any], images: Mapping[str, bytes]) -> Mapping[str, Any]:
    if part["type"] != "image_url":
        return part
    content_id = part["image_url"]["url"].removeprefix(IMAGE_MARK)
    if content_id not in images:
        raise BadInput(f"the request shows image {content_id}, which is not given")
    data = base64.b64encode(images[content_id]).decode("ascii")
    return {**part, "image_url": {"url": f"data:image/jpeg;base64,{data}"}}
