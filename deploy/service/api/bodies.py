"""Read the bodies of requests that submit tasks: JSON, or the YAML of ``manyhands run``."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from manyhands.deploy.service.api.problems import ProblemKind, RequestRefused, invalid_body
from manyhands.deploy.service.api.settings import ServiceBounds
from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.tasks import TaskSpec, parse_tasks
from manyhands.protocol.yaml_document import parse_yaml

YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml")
JSON_TYPES = ("application/json",)
LARGE_BYTES = 64 * 1024
"""A larger body is read in a thread, so that other requests go on."""
T = TypeVar("T", bound=BaseModel)


class BodyReader:
    """Read bodies. Large ones are read in a thread, one after another; YAML, which takes longer, holds up no JSON."""

    def __init__(self, bounds: ServiceBounds) -> None:
        """Read within ``bounds``."""
        self._bounds = bounds
        self._one_json = asyncio.Lock()
        self._one_yaml = asyncio.Lock()

    async def read_batch(self, request: Request, beside: Mapping[str, Any]) -> BatchRequest:
        """Return the batch of a request. Raises RequestRefused, and BadFile for mistakes in YAML.

        ``beside``: fields of the batch from the request's query, for YAML, which holds the tasks alone.
        """
        if _media_type(request) in JSON_TYPES:
            if beside:
                names = ", ".join(sorted(beside))
                raise RequestRefused(ProblemKind.INVALID, f"put {names} into the body; the query is for YAML")
            batch = await self.read_json(request, BatchRequest)
        elif _media_type(request) in YAML_TYPES:
            batch = await self._read_yaml(request, beside)
        else:
            raise _wrong_type(request, *JSON_TYPES, *YAML_TYPES)
        return batch

    async def read_json(self, request: Request, kind: type[T]) -> T:
        """Return a body as a model. Raises RequestRefused."""
        if _media_type(request) not in JSON_TYPES:
            raise _wrong_type(request, *JSON_TYPES)
        body = await request.body()
        try:
            if len(body) <= LARGE_BYTES:
                return _storable(kind.model_validate_json(body))
            async with self._one_json:
                return await asyncio.to_thread(lambda: _storable(kind.model_validate_json(body)))
        except ValidationError as error:
            raise invalid_body(error, kind) from None
        except RecursionError:
            raise RequestRefused(ProblemKind.INVALID, "the body is nested too deeply") from None

    async def _read_yaml(self, request: Request, beside: Mapping[str, Any]) -> BatchRequest:
        body = await request.body()
        if len(body) > self._bounds.yaml_bytes:
            raise RequestRefused(
                ProblemKind.TOO_LARGE,
                f"a body in YAML may have {self._bounds.yaml_bytes:,} bytes at most; send JSON, or several batches",
            )
        async with self._one_yaml:
            tasks = await asyncio.to_thread(_parse, body)
        try:
            return _storable(BatchRequest.model_validate({**beside, "tasks": tasks}))
        except ValidationError as error:
            raise invalid_body(error, BatchRequest) from None


def _storable(model: T) -> T:
    """Return a body that the database gives back as it is. Raises RequestRefused.

    JSON has neither infinite numbers nor NaN, but readers of JSON and YAML accept them. The database would store such a
    number as null, and nothing could read the task any more.
    """
    try:
        if type(model).model_validate_json(model.model_dump_json()) == model:
            return model
    except ValidationError:
        pass
    raise RequestRefused(ProblemKind.INVALID, "a number in the body is infinite or none; write finite numbers")


def _parse(body: bytes) -> tuple[TaskSpec, ...]:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestRefused(ProblemKind.BAD_REQUEST, f"the body is no UTF-8: {error.reason}") from None
    return parse_tasks(parse_yaml(text, "body"))


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _wrong_type(request: Request, *known: str) -> RequestRefused:
    given = _media_type(request) or "none"
    return RequestRefused(ProblemKind.MEDIA, f"the Content-Type is {given}; send one of {', '.join(known)}")
