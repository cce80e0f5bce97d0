"""Define the reply with which a model gives the answer of a task: JSON that fits the schema that the task names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import WithJsonSchema, create_model

from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.screens.argument_types import LONGEST

Json = Any
_LONGEST_LIST = 200
"""The most items of a list for which the schema names no limit."""
_LARGEST = 10**12
"""The largest number where the schema names no limit."""


class AnswerReply(Reply):
    """Be the reply with the answer of a task. ``answer_reply`` returns it for a schema."""

    answer: Annotated[
        Any,
        WithJsonSchema({"type": "string", "maxLength": LONGEST}),
        FieldDescription("Answer", "the answer, as JSON that fits the schema"),
    ]


def answer_reply(schema: Mapping[str, Json]) -> type[AnswerReply]:
    """Return the reply whose ``answer`` has this schema.

    The returned type keeps the name ``AnswerReply``, by which replies are recognised.
    """
    return _reply(json.dumps(schema))


@lru_cache(maxsize=256)
def _reply(schema: str) -> type[AnswerReply]:
    field = Annotated[
        Any,
        WithJsonSchema(_bounded(json.loads(schema))),
        *(mark for mark in AnswerReply.model_fields["answer"].metadata if isinstance(mark, FieldDescription)),
    ]
    return create_model(AnswerReply.__name__, __base__=AnswerReply, __module__=__name__, answer=(field, ...))


def _bounded(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return the schema with limits where it has none, so that a constrained decoder always comes to an end."""
    types = schema.get("type")
    if isinstance(types, list):
        return {"anyOf": [_bounded({**schema, "type": one}) for one in types]}
    bounded = dict(schema)
    if "anyOf" in schema:
        bounded["anyOf"] = [_bounded(one) for one in schema["anyOf"]]
    if "enum" in schema or "const" in schema:
        return bounded
    match types:
        case "object":
            properties = schema.get("properties", {})
            bounded |= {
                "properties": {name: _bounded(one) for name, one in properties.items()},
                "additionalProperties": False,
            }
        case "array":
            bounded |= {"items": _bounded(schema["items"]), "maxItems": schema.get("maxItems", _LONGEST_LIST)}
        case "string":
            bounded["maxLength"] = schema.get("maxLength", LONGEST)
        case "number" | "integer":
            if "exclusiveMinimum" not in schema:
                bounded.setdefault("minimum", -_LARGEST)
            if "exclusiveMaximum" not in schema:
                bounded.setdefault("maximum", _LARGEST)
    return bounded
