"""Send pages for people: the console, and a page made from ``openapi.json`` that shows what the service offers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from manyhands.evaluation.markup import page_templates
from manyhands.service.api.console_files import INDEX, ConsoleFile
from manyhands.service.api.parts import Context
from manyhands.service.api.problems import NO_API_PATH, ProblemKind, RequestRefused

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


PAGES = frozenset(
    {"attention", "batches", "cost", "episodes", "fleet", "health", "phones", "schedules", "submit", "tasks", "work"}
)
"""How the paths of the console's pages begin. Its script shows the right one."""
CONSOLE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""What a page of the console may load: files of this service alone, and no script or style that stands in a page."""
_NOT_BUILT = (
    "The console is not built. In a copy of the sources, run: make web\nWhat the service can be asked is at /docs.\n"
)


@router.get("/")
async def show_console(request: Request, context: Context) -> Response:
    """Send the console's first page."""
    page = await asyncio.to_thread(context.console.file, INDEX)
    return PlainTextResponse(_NOT_BUILT, 404) if page is None else _answer(request, page)


@router.get("/{path:path}")
async def show_console_file(request: Request, context: Context, path: str) -> Response:
    """Send a file of the console, or its first page for the path of one of its pages."""
    if path.partition("/")[0] in PAGES:
        return await show_console(request, context)
    if path.strip("/") in ("api", "api/v1"):
        raise RequestRefused(ProblemKind.NOT_FOUND, "this is the API's root; /docs lists its paths, all below /api/v1/")
    if path.partition("/")[0] == "api":
        raise RequestRefused(ProblemKind.NOT_FOUND, NO_API_PATH)
    file = await asyncio.to_thread(context.console.file, path)
    if file is None:
        raise RequestRefused(ProblemKind.NOT_FOUND, "the service has no such page; / leads to all of them")
    return _answer(request, file)


def _answer(request: Request, file: ConsoleFile) -> Response:
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": CONSOLE_POLICY,
        "ETag": file.etag,
        "Vary": "Accept-Encoding",
    }
    if file.etag in {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}:
        return Response(status_code=304, headers=headers)
    if file.packed is not None and _takes_gzip(request):
        return Response(file.packed, media_type=file.media_type, headers={**headers, "Content-Encoding": "gzip"})
    return Response(file.body, media_type=file.media_type, headers=headers)


def _takes_gzip(request: Request) -> bool:
    offers = (offer.replace(" ", "").lower() for offer in request.headers.get("accept-encoding", "").split(","))
    return any(offer in ("gzip", "*") or (offer.startswith("gzip;q=") and offer != "gzip;q=0") for offer in offers)
