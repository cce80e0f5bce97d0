"""Show what the service offers as a page for people, made from ``openapi.json``, without scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse

from manyhands.evaluation.markup import page_templates

router = APIRouter(include_in_schema=False)
_REF = "#/components/schemas/"
_TEMPLATES = page_templates("manyhands.service.api")


@dataclass(frozen=True, slots=True)
class OperationRow:
    """Hold what the page shows of an operation."""

    id: str
    method: str
    path: str
    tag: str
    text: str
    parameters: list[dict[str, Any]]
    body: list[tuple[str, str]]
    """The media types of the body, each with the name of its schema."""
    answers: list[tuple[str, str, str]]
    """The statuses, each with its description and the name of its schema."""


@router.get("/docs")
async def show_documentation(request: Request) -> HTMLResponse:
    """Show the page. It is made once."""
    state = request.app.state
    if not hasattr(state, "documentation"):
        state.documentation = await asyncio.to_thread(_render, request.app)
    return HTMLResponse(state.documentation)


def _render(app: FastAPI) -> str:
    document = app.openapi()
    rows = list(_rows(document))
    return _TEMPLATES.get_template("docs.html.jinja").render(
        info=document["info"],
        tags=dict.fromkeys(row.tag for row in rows),
        operations=rows,
        schemas=sorted(document["components"]["schemas"].items()),
        name_type=name_type,
    )


def name_type(schema: dict[str, Any]) -> str:
    """Return the type of a value in a few words: ``list of TaskSpec or null``."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REF)
    options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if options:
        return " or ".join(dict.fromkeys(map(name_type, options)))
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return " or ".join(f'"{one}"' for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {name_type(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"mapping of names to {name_type(schema['additionalProperties'])}"
    return str(schema.get("type", "any value"))


def _rows(document: dict[str, Any]) -> Iterator[OperationRow]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            body = operation.get("requestBody", {}).get("content", {})
            yield OperationRow(
                id=operation["operationId"],
                method=method.upper(),
                path=path,
                tag=operation["tags"][0],
                text=operation.get("description") or operation.get("summary", ""),
                parameters=operation.get("parameters", []),
                body=[(kind, name_type(content.get("schema", {}))) for kind, content in body.items()],
                answers=[
                    (status, answer["description"], ", ".join(map(_schema_name, answer.get("content", {}).values())))
                    for status, answer in sorted(operation["responses"].items())
                ],
            )


def _schema_name(content: dict[str, Any]) -> str:
    return name_type(content.get("schema", {}))
