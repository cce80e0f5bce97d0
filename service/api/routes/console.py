"""Send the console: the pages in which people see and use the service in a browser."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from manyhands.service.api.console_files import INDEX, ConsoleFile
from manyhands.service.api.parts import Context
from manyhands.service.api.problems import NO_API_PATH, ProblemKind, RequestRefused

router = APIRouter(include_in_schema=False)
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
