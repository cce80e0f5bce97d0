"""Answer each error as problem details (RFC 9457). No answer shows a stack trace or a path of this machine."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from enum import Enum

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from manyhands.protocol.errors import (
    BadFile,
    BadInput,
    CallError,
    KeyReused,
    PhaseConflict,
    PhoneError,
    PhoneUnknown,
    StoreError,
    UnknownItem,
)
from manyhands.protocol.service.access import Problem
from manyhands.protocol.utilities.validation_words import describe_error
from manyhands.protocol.utilities.yaml_document import YamlProblem

MEDIA_TYPE = "application/problem+json"
MOST_MISTAKES = 100
"""The most mistakes that one answer names."""
_log = logging.getLogger(__name__)


class ProblemKind(Enum):
    """List the kinds of problems: the HTTP status, the end of the type's URI, and the title."""

    BAD_REQUEST = (400, "bad-request", "The request cannot be read")
    NO_TOKEN = (401, "no-token", "The request has no valid token")
    FORBIDDEN = (403, "forbidden", "The token does not allow this")
    NOT_FOUND = (404, "not-found", "There is no such thing")
    METHOD = (405, "method-not-allowed", "The method is not allowed here")
    TOO_SLOW = (408, "too-slow", "The body came too slowly")
    CONFLICT = (409, "conflict", "The present state does not allow this")
    TOO_LARGE = (413, "too-large", "The body is too large")
    MEDIA = (415, "media-type", "The body has a type that is not read here")
    INVALID = (422, "invalid", "The request has mistakes")
    TOO_MANY = (429, "too-many-requests", "Too many requests")
    INTERNAL = (500, "internal", "The service has a defect")
    BUSY = (503, "busy", "The service cannot answer now")

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        return self.value[0]

    @property
    def uri(self) -> str:
        """Return the URI that identifies the kind."""
        return f"urn:manyhands:problem:{self.value[1]}"

    @property
    def title(self) -> str:
        """Return the kind in a few words."""
        return self.value[2]


_BY_STATUS = {kind.status: kind for kind in ProblemKind}


class RequestRefused(HTTPException):
    """Signal that a request gets a problem as its answer."""

    def __init__(
        self,
        kind: ProblemKind,
        detail: str,
        mistakes: Sequence[str] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Store the answer. ``detail`` says what was wrong and what to do."""
        super().__init__(kind.status, detail, headers)
        lines = tuple(mistakes[:MOST_MISTAKES])
        if len(mistakes) > MOST_MISTAKES:
            lines = (*lines, f"and {len(mistakes) - MOST_MISTAKES} more")
        self.problem = Problem(
            type=kind.uri, title=kind.title, status=kind.status, detail=_printable(detail), mistakes=lines
        )

    @property
    def response(self) -> Response:
        """Return the answer."""
        return Response(self.problem.model_dump_json(), self.status_code, self.headers, MEDIA_TYPE)


def refusal_of(error: Exception) -> RequestRefused:
    """Return the answer to an error. The log gets what clients must not see."""
    match error:
        case RequestRefused():
            return error
        case HTTPException():
            kind = _BY_STATUS.get(error.status_code, ProblemKind.BAD_REQUEST)
            return RequestRefused(kind, _DETAILS.get(kind, str(error.detail)), headers=error.headers)
        case RequestValidationError():
            return RequestRefused(ProblemKind.INVALID, "see the mistakes", _mistakes(error))
        case ClientDisconnect():  # nobody reads the answer
            return RequestRefused(ProblemKind.BAD_REQUEST, "the body ended too early")
        case BadFile():
            return RequestRefused(ProblemKind.INVALID, f"{error.where}: see the mistakes", error.mistakes)
        case BadInput():
            return RequestRefused(ProblemKind.INVALID, str(error))
        case PhoneUnknown() | UnknownItem():
            return RequestRefused(ProblemKind.NOT_FOUND, str(error))
        case KeyReused() | PhaseConflict():
            return RequestRefused(ProblemKind.CONFLICT, str(error))
        case CallError() | StoreError() | PhoneError():
            _log.warning("a request could not be answered: %s", error)
            return RequestRefused(
                ProblemKind.BUSY, "a part of the service does not answer; try again", headers={"Retry-After": "5"}
            )
    number = secrets.token_hex(4)
    _log.error("error %s while a request was answered", number, exc_info=error)
    return RequestRefused(ProblemKind.INTERNAL, f"the service's log tells more, beside the number {number}")


def invalid_body(problems: Sequence[YamlProblem]) -> RequestRefused:
    """Return the answer to a body that does not fit its type."""
    return RequestRefused(ProblemKind.INVALID, "the body has mistakes", [_printable(one.said) for one in problems])


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer an error that a route raised."""
    # Without a route of the API, that of the console's files takes the path, and refuses all methods but its own.
    is_unknown = set(request.path_params) == {"path"} and request.url.path.startswith("/api/")
    if is_unknown and isinstance(error, HTTPException) and error.status_code == 405:
        return RequestRefused(ProblemKind.NOT_FOUND, NO_API_PATH).response
    return refusal_of(error).response


class ErrorBoundary:
    """Answer each error of the application within, so that none reaches the server."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. After an error in the middle of an answer, the answer stays incomplete."""
        has_begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except Exception as error:
            if scope["type"] != "http":
                raise
            refused = refusal_of(error)
            if not has_begun:
                await refused.response(scope, receive, send)


NO_API_PATH = (
    "the API has no such path; its paths are below /api/v1/: /docs lists them, and /openapi.json describes each"
)
_DETAILS = {
    ProblemKind.NOT_FOUND: "nothing is served at this path; /docs lists what is",
    ProblemKind.METHOD: "this path has other methods; the header Allow lists them",
    ProblemKind.BAD_REQUEST: "the body is no valid JSON",
}
"""Details in place of those of the framework."""


def _mistakes(error: RequestValidationError) -> list[str]:
    mistakes = []
    for item in error.errors():
        where, *inner = item["loc"]
        if item["type"] == "json_invalid":
            mistakes.append(f"the body is no valid JSON: {item['ctx']['error']} at character {inner[0]}")
        else:
            name = _place(tuple(inner))
            place = {"body": "", "query": "query ", "path": "path ", "header": "header "}.get(str(where), "")
            mistakes.append(f"{place}{name}: {describe_error(item)}" if name else f"the body {describe_error(item)}")
    return [_printable(one) for one in mistakes]


def _place(loc: tuple[int | str, ...]) -> str:
    return ".".join(map(str, loc))


def _printable(text: str) -> str:
    """Return a text that UTF-8 can hold: JSON may bring halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
