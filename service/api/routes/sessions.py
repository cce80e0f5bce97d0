"""Begin, show and end sessions of browsers."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from manyhands.protocol.service.access import TokenStatus
from manyhands.protocol.service.sessions import SessionStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Reader, session_of
from manyhands.service.api.openapi import refusals
from manyhands.service.api.parts import Context
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.session_cookie import delete_cookie, set_cookie
from manyhands.service.database.session_repository import LIFE_S, BrowserSession

router = APIRouter(tags=["access"])


@router.post("/session", status_code=201, responses=refusals(ProblemKind.CONFLICT))
async def begin_session(token: Reader, context: Context, request: Request, response: Response) -> SessionStatus:
    """Begin a session: the answer sets a cookie that stands for the token of this request, for 30 days.

    The cookie is for browsers, whose pictures and streams cannot send a token. Changes by a session need an `Origin`
    header with the address of this service, which browsers send by themselves.
    """
    if session_of(request) is not None:
        raise RequestRefused(ProblemKind.CONFLICT, "this request has a session; a token begins a new one")
    session, secret = await context.parts.sessions.make(token, HOST_CLOCK.now())
    set_cookie(response, request.scope, secret, LIFE_S)
    return _status(token, session)


@router.get("/session")
async def show_session(token: Reader, request: Request) -> SessionStatus:
    """Show who asks, and what the role allows."""
    return _status(token, session_of(request))


@router.delete("/session", status_code=204, response_class=Response)
async def end_session(token: Reader, context: Context, request: Request) -> Response:
    """End the session of this request. Its streams end, too. Without a session, nothing changes."""
    response = Response(status_code=204)
    session = session_of(request)
    if session is not None:
        await context.parts.sessions.end(session.id, HOST_CLOCK.now())
        context.streams.end_all_of(token.id, session.id)
        delete_cookie(response, request.scope)
    return response


def _status(token: TokenStatus, session: BrowserSession | None) -> SessionStatus:
    return SessionStatus(
        owner=token.owner,
        role=token.role,
        token=token.id,
        session=None if session is None else session.id,
        expires_at=None if session is None else session.expires_at,
    )
