"""Declare the bodies of routes: a route gets its body read and checked, and ``openapi.json`` describes it."""

from __future__ import annotations

import re
from typing import Annotated, Any, Generic

from fastapi import Depends, Query, Request

from manyhands.protocol.errors import BadFile, BadInput
from manyhands.protocol.service.batches import BatchMistake, BatchRequest
from manyhands.protocol.service.schedules import MissedRule, OverlapRule, ScheduleRequest
from manyhands.service.api.bodies import JSON_TYPES, YAML_TYPES, T
from manyhands.service.api.parts import Context
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.text_types import SelectorText, Tag, Words

_LINE = re.compile(r"line (\d{1,9}): ")
_YAML_LINE = re.compile(r"line (\d{1,9}), column")
"""Where a text stops being YAML."""

_YAML_TASKS: dict[str, Any] = {
    "schema": {
        "type": "string",
        "description": "A file of tasks as `manyhands run` takes it: a list, or a mapping with `tasks`.",
    },
    "example": "- id: dark\n  goal: Turn on dark mode.\n",
}


class JsonBody(Generic[T]):
    """Read the body of a route as a model. Use it as a dependency: ``Depends(JsonBody(TokenRequest))``."""

    def __init__(self, kind: type[T]) -> None:
        """Read a body of this type."""
        self.kind = kind

    async def __call__(self, request: Request, context: Context) -> T:
        """Return the body. Raises RequestRefused."""
        return await context.bodies.read_json(request, self.kind)

    @property
    def description(self) -> dict[str, Any]:
        """Return what ``openapi.json`` says of the body."""
        schema = {"$ref": f"#/components/schemas/{self.kind.__name__}"}
        return {"required": True, "content": {JSON_TYPES[0]: {"schema": schema}}}


def read_batch_query(
    name: Annotated[Words | None, Query(description="For YAML: a name for people.")] = None,
    priority: Annotated[int | None, Query(ge=-100, le=100, description="For YAML: the priority.")] = None,
    tag: Annotated[
        list[Tag] | None, Query(max_length=50, description="For YAML: a word by which the batch can be found.")
    ] = None,
    deadline: Annotated[
        float | None, Query(gt=0, description="For YAML: when the batch must have ended, in Unix seconds.")
    ] = None,
    phones: Annotated[SelectorText | None, Query(description="For YAML: which phones may carry out the tasks.")] = None,
) -> dict[str, Any]:
    """Return the fields of a batch that are in the query, for YAML, which holds the tasks alone."""
    fields = {"name": name, "priority": priority, "tags": tag, "deadline": deadline, "phones": phones}
    return {key: value for key, value in fields.items() if value}


BatchQuery = Annotated[dict[str, Any], Depends(read_batch_query)]


class BatchBody(JsonBody[BatchRequest]):
    """Read a batch, in JSON or YAML."""

    def __init__(self) -> None:
        """Read a BatchRequest."""
        super().__init__(BatchRequest)

    async def __call__(self, request: Request, context: Context, beside: BatchQuery) -> BatchRequest:  # type: ignore[override]
        """Return the batch. Raises RequestRefused and BadFile."""
        return await context.bodies.read_batch(request, beside)

    @property
    def description(self) -> dict[str, Any]:
        """Return what ``openapi.json`` says of the body."""
        description = super().description
        description["content"] |= dict.fromkeys(YAML_TYPES, _YAML_TASKS)
        return description


class CheckedBatchBody(BatchBody):
    """Read a batch that is only to be checked: mistakes are found, and not refused."""

    async def __call__(  # type: ignore[override]
        self, request: Request, context: Context, beside: BatchQuery
    ) -> BatchRequest | tuple[BatchMistake, ...]:
        """Return the batch, or its mistakes. Raises RequestRefused for a body that is none."""
        try:
            return await context.bodies.read_batch(request, beside)
        except BadFile as error:
            return tuple(map(read_mistake, error.mistakes))
        except BadInput as error:
            match = _YAML_LINE.search(str(error))
            return (BatchMistake(line=int(match[1]) if match else None, text=str(error)),)
        except RequestRefused as error:
            if error.problem.status != ProblemKind.INVALID.status:
                raise
            return tuple(map(read_mistake, error.problem.mistakes or (error.problem.detail,)))


class ScheduleBody(JsonBody[ScheduleRequest]):
    """Read a schedule, in JSON, or with its batch in YAML and everything else in the query."""

    def __init__(self) -> None:
        """Read a ScheduleRequest."""
        super().__init__(ScheduleRequest)

    async def __call__(  # type: ignore[override]
        self,
        request: Request,
        context: Context,
        beside: BatchQuery,
        when: Annotated[Words | None, Query(description="For YAML: when to submit.")] = None,
        zone: Annotated[Words | None, Query(description="For YAML: the time zone of the cron line.")] = None,
        deadline_s: Annotated[
            float | None, Query(gt=0, description="For YAML: how many seconds each batch may take.")
        ] = None,
        missed: Annotated[MissedRule | None, Query(description="For YAML: what becomes of missed times.")] = None,
        overlap: Annotated[
            OverlapRule | None, Query(description="For YAML: what happens while the last batch has not ended.")
        ] = None,
    ) -> ScheduleRequest:
        """Return the schedule. Raises RequestRefused, and BadFile for mistakes in YAML."""
        times = {"when": when, "zone": zone, "deadline_s": deadline_s, "missed": missed, "overlap": overlap}
        present = {name: value for name, value in times.items() if value is not None}
        return await context.bodies.read_schedule(request, beside, present)

    @property
    def description(self) -> dict[str, Any]:
        """Return what ``openapi.json`` says of the body."""
        description = super().description
        description["content"] |= dict.fromkeys(YAML_TYPES, _YAML_TASKS)
        return description


def read_mistake(text: str) -> BatchMistake:
    """Return a mistake with its line, if its text names one: ``line 3: ...``."""
    match = _LINE.match(text)
    return BatchMistake(line=int(match[1]) if match else None, text=text[match.end() :] if match else text)
