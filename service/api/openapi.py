"""Write ``openapi.json`` completely: every field described, every error typed, and the token named."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Any, get_args

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from manyhands.protocol.service.access import Problem
from manyhands.protocol.service.events import ServiceEvent
from manyhands.protocol.service.fleet import WallUpdate
from manyhands.service.api.authentication import API, BEARER
from manyhands.service.api.event_stream import MEDIA_TYPE as STREAM
from manyhands.service.api.problems import MEDIA_TYPE, ProblemKind
from manyhands.service.api.request_body import JsonBody

ALWAYS = (
    ProblemKind.BAD_REQUEST,
    ProblemKind.NO_TOKEN,
    ProblemKind.FORBIDDEN,
    ProblemKind.INVALID,
    ProblemKind.TOO_MANY,
    ProblemKind.INTERNAL,
    ProblemKind.BUSY,
)
"""The problems that each operation may answer."""
WITH_BODY = (ProblemKind.TOO_SLOW, ProblemKind.TOO_LARGE, ProblemKind.MEDIA)
"""The problems that each operation with a body may answer, beside ``ALWAYS``."""
_OF_FRAMEWORK = ("HTTPValidationError", "ValidationError")
_REF = "#/components/schemas/"
_SHARED_MODELS: tuple[type[BaseModel], ...] = (Problem, ServiceEvent, WallUpdate)
"""Models that no route declares in the framework's own way."""


def refusals(*kinds: ProblemKind) -> dict[int | str, dict[str, Any]]:
    """Return what a route declares of its own problems, in the form of the framework."""
    return {kind.status: _problem(kind) for kind in kinds}


def stream_of(kind: type[BaseModel], description: str) -> dict[int | str, dict[str, Any]]:
    """Return what a route declares of its answer, if that is a stream of such models (server-sent events)."""
    schema = {
        "type": "string",
        "description": f"Server-sent events. The data of each is a {kind.__name__}.",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"{_REF}{kind.__name__}"},
    }
    return {200: {"description": description, "content": {STREAM: {"schema": schema}}}}


def describe_api(app: FastAPI, routers: Iterable[APIRouter]) -> dict[str, Any]:
    """Return the content of ``openapi.json``. ``routers``: those that the application has."""
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    document = get_openapi(
        title=app.title, version=app.version, summary=app.summary, description=app.description, routes=app.routes
    )
    bodies = {route.name: body for route in routes if (body := _body_of(route.dependant))}
    for operation in _operations(document):
        _complete(operation, bodies.get(operation["operationId"]))
    components = document.setdefault("components", {})
    components["securitySchemes"] = {
        BEARER.scheme_name: BEARER.model.model_dump(mode="json", by_alias=True, exclude_none=True)
    }
    schemas = components.setdefault("schemas", {})
    for name in _OF_FRAMEWORK:
        schemas.pop(name, None)
    sent, read = _SHARED_MODELS, tuple(dict.fromkeys(body.kind for body in bodies.values()))
    declared = (*sent, *read)
    modes: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((kind, "serialization") for kind in sent),
        *((kind, "validation") for kind in read),
    ]
    _, more = models_json_schema(modes, ref_template=_REF + "{model}")
    schemas |= {name: schema for name, schema in more["$defs"].items() if name not in schemas}
    roots = [*declared, *(kind for route in routes for kind in _models_in(route.response_model))]
    types = {re.sub(r"\W", "_", kind.__name__): kind for root in roots for kind in _with_inner(root)}
    for name, schema in schemas.items():
        _describe(schema, types.get(name))
    return document


def _problem(kind: ProblemKind) -> dict[str, Any]:
    schema = {"$ref": f"{_REF}{Problem.__name__}"}
    return {"description": f"{kind.title}.", "content": {MEDIA_TYPE: {"schema": schema}}}


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path, operations in document["paths"].items():
        if path.startswith(API):
            yield from operations.values()


def _complete(operation: dict[str, Any], body: JsonBody[Any] | None) -> None:
    kinds = (*ALWAYS, *(WITH_BODY if body else ()))
    operation["security"] = [{BEARER.scheme_name: []}]
    if body is not None:
        operation["requestBody"] = body.description
    responses = operation["responses"]
    responses.pop("422", None)  # the framework's own
    responses |= {str(kind.status): _problem(kind) for kind in kinds if str(kind.status) not in responses}


def _body_of(dependant: Dependant) -> JsonBody[Any] | None:
    for inner in dependant.dependencies:
        body = inner.call if isinstance(inner.call, JsonBody) else _body_of(inner)
        if body is not None:
            return body
    return None


# ---------------------------------------------------------------------------- descriptions
def _models_in(annotation: Any) -> Iterator[type[BaseModel] | type[Enum]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel | Enum):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _with_inner(root: type[BaseModel] | type[Enum]) -> Iterator[type[BaseModel] | type[Enum]]:
    """Yield a type, and all models and enumerations that its fields may hold."""
    visited: set[type] = set()
    pending = [root]
    while pending:
        one = pending.pop()
        if one not in visited:
            visited.add(one)
            yield one
            if issubclass(one, BaseModel):
                pending += [inner for field in one.model_fields.values() for inner in _models_in(field.annotation)]


def _describe(schema: dict[str, Any], kind: type[BaseModel] | type[Enum] | None) -> None:
    """Give a schema, its fields and its values the docstrings of their declarations, where they have no description."""
    if kind is None:
        schema.setdefault("description", "Any JSON value.")
    elif issubclass(kind, Enum):
        values = [f"`{one.value}`: {text}" for one in kind if (text := _texts_in(kind).get(one.name))]
        schema["description"] = " ".join([inspect.cleandoc(kind.__doc__ or ""), *values])
    else:
        generic: Any = kind.__pydantic_generic_metadata__["origin"] or kind
        own = generic.__doc__ or getattr(generic, "description", "")  # an action has the words of prompts
        schema.setdefault("description", inspect.cleandoc(own))
        for name, property_schema in schema.get("properties", {}).items():
            if text := _field_texts(kind).get(name):
                property_schema.setdefault("description", text)


@cache
def _field_texts(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings below the fields of a model and of its bases, by the field's name."""
    texts: dict[str, str] = {}
    for kind in reversed(model.__mro__):
        if issubclass(kind, BaseModel) and kind.__module__.startswith("manyhands."):
            texts |= _texts_in(kind)
    return {field.alias or name: texts[name] for name, field in model.model_fields.items() if name in texts}


def _texts_in(kind: type) -> dict[str, str]:
    """Return the docstrings below what a class declares, by name."""
    try:
        parsed = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    except (OSError, TypeError, SyntaxError):  # without sources, nothing is described
        return {}
    body: Sequence[ast.stmt] = parsed.body if isinstance(parsed, ast.ClassDef) else ()
    texts = {}
    for declared, text in itertools.pairwise(body):
        name = _declared_name(declared)
        if name and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            texts[name] = inspect.cleandoc(str(text.value.value))
    return texts


def _declared_name(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.AnnAssign):
        target: ast.expr = statement.target
    elif isinstance(statement, ast.Assign):
        target = statement.targets[0]
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None
