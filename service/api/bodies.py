"""Read the bodies of requests that submit tasks: JSON, or the YAML of ``manyhands run``."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import Request

from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.service.schedules import ScheduleRequest
from manyhands.protocol.tasks.task import MOST_MISTAKES, TaskSpec, parse_task, parse_tasks
from manyhands.protocol.tasks.task_size import PatternTotal, find_misfit
from manyhands.protocol.utilities.yaml_document import Loc, YamlProblem, find_problems, parse_yaml
from manyhands.service.api.problems import ProblemKind, RequestRefused, invalid_body
from manyhands.service.api.settings import ServiceBounds

YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml")
JSON_TYPES = ("application/json",)
SMALL_BYTES, LARGE_BYTES = 4 * 1024, 64 * 1024
"""A body that is not small is read in a thread, so that other requests go on. Large ones hold up no others."""
MOST_PARTS = 1_000_000
"""The most commas and opening brackets of a body in JSON."""
MOST_YAML_VALUES = 100_000
"""The most values of a body in YAML, keys included."""
_STAND_IN = TaskSpec(id="a", goal="a")
T = TypeVar("T", bound=BaseModel)


class BodyReader:
    """Read bodies. All but small ones are read in threads, one after another; large ones and YAML apart."""

    def __init__(self, bounds: ServiceBounds) -> None:
        """Read within ``bounds``."""
        self._bounds = bounds
        self._one_json = asyncio.Lock()
        self._one_large_json = asyncio.Lock()
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

    async def read_schedule(
        self, request: Request, beside: Mapping[str, Any], times: Mapping[str, Any]
    ) -> ScheduleRequest:
        """Return the schedule of a request. Raises RequestRefused, and BadFile for mistakes in YAML.

        ``beside``: fields of the batch, and ``times``: those of the schedule, from the query of a request with YAML.
        """
        if _media_type(request) not in YAML_TYPES:
            if beside or times:
                names = ", ".join(sorted({*beside, *times}))
                raise RequestRefused(ProblemKind.INVALID, f"put {names} into the body; the query is for YAML")
            return await self.read_json(request, ScheduleRequest)
        batch = await self._read_yaml(request, beside)
        try:
            return ScheduleRequest.model_validate({"name": batch.name, "batch": batch, **times})
        except ValidationError as error:
            raise invalid_body(find_problems(error, ScheduleRequest)) from None

    async def read_json(self, request: Request, kind: type[T]) -> T:
        """Return a body as a model. Raises RequestRefused."""
        if _media_type(request) not in JSON_TYPES:
            raise _wrong_type(request, *JSON_TYPES)
        body = await request.body()
        if len(body) <= SMALL_BYTES:
            return _read(body, kind)
        async with self._one_json if len(body) <= LARGE_BYTES else self._one_large_json:
            return await asyncio.to_thread(_read, body, kind)

    async def _read_yaml(self, request: Request, beside: Mapping[str, Any]) -> BatchRequest:
        body = await request.body()
        if len(body) > self._bounds.yaml_bytes:
            raise RequestRefused(
                ProblemKind.TOO_LARGE,
                f"a body in YAML may have {self._bounds.yaml_bytes:,} bytes at most; send JSON, or several batches",
            )
        async with self._one_yaml:
            return await asyncio.to_thread(_read_yaml, body, beside)


def _storable(model: T) -> T:
    """Return a body that the database gives back as it is. Raises RequestRefused.

    JSON has neither infinite numbers nor NaN, but readers of JSON
    and YAML accept them. The database would store such a number as null, and nothing could read the task any more.
    """
    try:
        if type(model).model_validate_json(model.model_dump_json()) == model:
            return model
    except ValueError:  # no JSON can hold half a character
        pass
    raise RequestRefused(ProblemKind.INVALID, "a number in the body is infinite or none; write finite numbers")


def _read(body: bytes, kind: type[T]) -> T:
    """Return a body in JSON as a model. Raises RequestRefused.

    Tasks are validated one by one, so that a huge body of mistakes takes neither much memory nor the interpreter.
    """
    if sum(map(body.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise RequestRefused(ProblemKind.TOO_LARGE, f"the body has over {MOST_PARTS:,} values; send several requests")
    try:
        data: Any = from_json(body)
    except ValueError:
        data = None
    mistakes: list[YamlProblem] = []
    if (misfit := find_misfit(_without_tasks(data))) is not None:
        place = ".".join(map(str, misfit[0]))
        raise invalid_body([YamlProblem(misfit[0], f"{place}: {misfit[1]}" if place else f"the body {misfit[1]}")])
    if isinstance(data, dict) and kind is BatchRequest:
        data = _with_tasks(data, (), mistakes)
    if isinstance(data, dict) and kind is ScheduleRequest and isinstance(data.get("batch"), dict):
        data["batch"] = _with_tasks(data["batch"], ("batch",), mistakes)
    try:
        model = kind.model_validate_json(body) if data is None else kind.model_validate(data)
    except ValidationError as error:
        mistakes += find_problems(error, kind)
    except RecursionError:
        raise RequestRefused(ProblemKind.INVALID, "the body is nested too deeply") from None
    if mistakes:
        raise invalid_body(mistakes)
    return _storable(model)


def _without_tasks(data: Any) -> Any:
    """Return a body without the tasks in it, which are looked at one by one."""
    if not isinstance(data, dict):
        return data
    return {
        key: _without_tasks(part) if key == "batch" else part
        for key, part in data.items()
        if key != "tasks" or not isinstance(part, list)
    }


def _with_tasks(batch: dict[str, Any], at: Loc, mistakes: list[YamlProblem]) -> dict[str, Any]:
    """Return a batch with its tasks as models. Add what is wrong to ``mistakes``; then one task stands for all."""
    tasks = batch.get("tasks")
    if not isinstance(tasks, list):
        return batch
    parsed: list[TaskSpec] = []
    total = PatternTotal()
    for index, item in enumerate(tasks):
        task, problems = parse_task(item, total, (*at, "tasks", index))
        mistakes += problems
        parsed += () if task is None else (task,)
        if len(mistakes) >= MOST_MISTAKES or total.is_over:
            break
    return {**batch, "tasks": [_STAND_IN] if mistakes else parsed}


def _read_yaml(body: bytes, beside: Mapping[str, Any]) -> BatchRequest:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestRefused(ProblemKind.BAD_REQUEST, f"the body is no UTF-8: {error.reason}") from None
    tasks = parse_tasks(parse_yaml(text, "body", most_values=MOST_YAML_VALUES))
    try:
        return _storable(BatchRequest.model_validate({**beside, "tasks": tasks}))
    except ValidationError as error:
        raise invalid_body(find_problems(error, BatchRequest)) from None


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _wrong_type(request: Request, *media_types: str) -> RequestRefused:
    media_type = _media_type(request) or "none"
    return RequestRefused(ProblemKind.MEDIA, f"the Content-Type is {media_type}; send one of {', '.join(media_types)}")
