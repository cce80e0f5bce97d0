"""A chat-completions request, read: the role that asks, the prompt's sections, the images."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles import Role
from manyhands.protocol.sections import Section, split_sections
from manyhands.protocol.validation_words import describe_error
from manyhands.simulator.serving.model_server import Refused

_NAMED = {role.spec.agent: role for role in Role if role is not Role.CAPTION}
"""Whom a prompt can say that it asks; who captions icons has not been rehearsed."""
_EPISODE = re.compile(r".+-([1-9]\d{0,3})-[0-9a-f]+")
_DATA_URL = re.compile(r"^data:image/[a-z0-9.+-]+;base64,(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a conversation: who wrote it, and its text without pictures."""

    by: str
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. ``parts`` are texts and encoded images in the order in which a model would see them."""

    model: str
    role: Role | None
    """None where the request names no role."""
    constrained: bool
    """Whether the reply must fit the JSON schema (``response_format``)."""
    parts: tuple[str | bytes, ...]
    sections: Mapping[Section, str]
    images: tuple[bytes, ...]
    max_tokens: int | None
    step: int | None
    attempt: int
    """Counts earlier tries, from 0: episodes of the same task (by the episode's name), answers in this conversation."""
    priority: int
    """When it has its turn among those that wait; a lower number is earlier."""
    wanted: str = ""
    """The name of the reply's type; empty where the request does not say it."""
    conversation: tuple[Said, ...] = ()
    """All messages after the system's, in order."""


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
    """The part of the API that is read; the rest is ignored, as servers do."""

    model: str = ""
    messages: Annotated[list[_ChatMessage], Field(min_length=1)]
    response_format: _Format | None = None
    stream: Literal[False] = False
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Literal[1] | None = None
    priority: int = 0


def parse_request(body: Any, headers: Mapping[str, str]) -> ModelRequest:
    """Read a request. Raises Refused. Images must be data URLs: nothing is fetched."""
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
        attempt=_earlier_episodes(headers) + sum(message.role == "assistant" for message in read.messages),
        priority=read.priority,
        wanted=_wanted(read.response_format),
        conversation=tuple(Said(one.role, _text(one)) for one in read.messages if one.role != "system"),
    )


def _earlier_episodes(headers: Mapping[str, str]) -> int:
    """Return how many episodes of its task were before this one, where its name has that: TASK-ATTEMPT-MARK."""
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
