"""Parse a chat-completions request: the role that asks, the prompt's sections, the images."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.utilities.validation_words import describe_error
from manyhands.simulator.serving.made_tokens import asks_tokens
from manyhands.simulator.serving.model_server import Refused

_NAMED = {role.spec.agent: role for role in Role if role is not Role.CAPTION}
"""The roles that a prompt can name. The captioner is missing, because it has not been rehearsed."""
_EPISODE = re.compile(r".+-([1-9]\d{0,3})-[0-9a-f]+")
_DATA_URL = re.compile(r"^data:image/[a-z0-9.+-]+;base64,(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """Hold a message of a conversation: who wrote it, and its text without pictures."""

    by: str
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Hold one request. ``parts`` are texts and encoded images in the order in which a model would see them."""

    model: str
    role: Role | None
    """None if the request names no role."""
    constrained: bool
    """Whether the reply must fit the JSON schema (``response_format``)."""
    parts: tuple[str | bytes, ...]
    sections: Mapping[Section, str]
    images: tuple[bytes, ...]
    max_tokens: int | None
    step: int | None
    episode: str
    """The id of the episode that asks; empty if the request does not name it."""
    attempt: int
    """The number of earlier tries: earlier attempts (by the episode's id) plus answers in the conversation."""
    priority: int
    """The order among waiting requests; a lower number goes first."""
    is_streamed: bool = False
    asks_tokens: bool = False
    """Whether the answer is to hold the ids of its tokens."""
    wanted: str = ""
    """The name of the reply's type; empty if the request does not name it."""
    conversation: tuple[Said, ...] = ()
    """All messages in order, without the system message."""
    form: str = ""
    """The model family in whose form the reply is to be written (``family_form``); empty for our own."""


class _Part(BaseModel):
    type: Literal["text", "image_url"]
    text: str | None = None
    image_url: dict[str, Any] | None = None


class _ChatMessage(BaseModel):
    role: str
    content: str | list[_Part] | None = None


class _Format(BaseModel):
    type: str
    json_schema: dict[str, Any] | None = None


class _Body(BaseModel):
    """Hold the fields of the API that are used. Others are ignored, as real servers do."""

    model: str = ""
    messages: Annotated[list[_ChatMessage], Field(min_length=1)]
    response_format: _Format | None = None
    stream: bool = False
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Literal[1] | None = None
    priority: int = 0


def parse_request(body: Any, headers: Mapping[str, str]) -> ModelRequest:
    """Parse a request. Images must be data URLs: nothing is fetched. Raises Refused."""
    try:
        read = _Body.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Refused(f"{where or 'body'}: {describe_error(first)}") from error
    parts = tuple(part for message in read.messages for part in _parts(message))
    sections = split_sections("\n".join(part for part in parts if isinstance(part, str)))
    role = _role(read.response_format, sections)
    step = headers.get("x-manyhands-step", "")
    return ModelRequest(
        model=read.model,
        role=role,
        constrained=read.response_format is not None and read.response_format.type == "json_schema",
        parts=parts,
        sections=sections,
        images=tuple(part for part in parts if isinstance(part, bytes)),
        max_tokens=read.max_completion_tokens or read.max_tokens,
        step=int(step) if step.isdecimal() else None,
        episode=headers.get("x-manyhands-episode", ""),
        attempt=_earlier_episodes(headers) + sum(message.role == "assistant" for message in read.messages),
        priority=read.priority,
        is_streamed=read.stream,
        asks_tokens=asks_tokens(body),
        wanted=_wanted(read.response_format),
        conversation=tuple(Said(one.role, _text(one)) for one in read.messages if one.role != "system"),
    )


def _earlier_episodes(headers: Mapping[str, str]) -> int:
    """Return how many attempts at the task came before, by the episode's id (TASK-ATTEMPT-MARK); 0 for other ids."""
    named = _EPISODE.fullmatch(headers.get("x-manyhands-episode", ""))
    return int(named[1]) - 1 if named else 0


def _parts(message: _ChatMessage) -> list[str | bytes]:
    if message.content is None:
        return []
    if isinstance(message.content, str):
        return [message.content]
    return [part.text or "" if part.type == "text" else _image(part.image_url) for part in message.content]


def _text(message: _ChatMessage) -> str:
    return "\n".join(part for part in _parts(message) if isinstance(part, str))


def _wanted(wanted: _Format | None) -> str:
    schema = wanted.json_schema if wanted is not None and wanted.type == "json_schema" else None
    return str((schema or {}).get("name", ""))


def _image(image_url: dict[str, Any] | None) -> bytes:
    match = _DATA_URL.match(str((image_url or {}).get("url", "")))
    if match is None:
        raise Refused("image_url.url must be a data URL of an image in base64")
    try:
        return base64.b64decode(match[1], validate=True)
    except binascii.Error as error:
        raise Refused(f"image_url.url: not base64: {error}") from error


def _role(wanted: _Format | None, sections: Mapping[Section, str]) -> Role | None:
    if wanted is not None and wanted.type == "json_schema":
        name, known = _wanted(wanted), registered_profiles().writers
        if name not in known:
            raise Refused(f"response_format: the schema {name!r} is none of {', '.join(known)}")
        return known[name]
    asked = re.match(r"You are the (\w+ learner|\w+)", sections.get(Section.TASK, ""))
    return _NAMED.get(asked[1]) if asked else None
