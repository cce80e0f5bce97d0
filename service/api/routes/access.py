"""Make, list and revoke tokens, begin and end sessions of browsers, and read the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from manyhands.protocol.service.access import AuditEntry, ListPage, SessionStatus, TokenGrant, TokenRequest, TokenStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Operator, Reader, delete_cookie, session_of, set_cookie
from manyhands.service.api.openapi import refusals
from manyhands.service.api.parts import Context
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.request_body import JsonBody
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, TokenId, Words
from manyhands.service.database.access_repository import LIFE_S, BrowserSession

router = APIRouter(tags=["access"])


@router.get("/tokens/self")
async def show_own_token(token: Reader) -> TokenStatus:
    """Show the token of this request: whose it is, and what it allows."""
    return token


@router.get("/tokens")
async def list_tokens(_: Operator, context: Context) -> Sequence[TokenStatus]:
    """List all tokens, revoked ones included. Their secrets are not stored."""
    return await context.parts.tokens.list()


@router.post("/tokens", status_code=201)
async def make_token(
    token: Operator, context: Context, request: Annotated[TokenRequest, Depends(JsonBody(TokenRequest))]
) -> TokenGrant:
    """Make a token, which may not allow more than the token of the request. Only this answer shows its secret."""
    if not token.role.allows(request.role):
        raise RequestRefused(
            ProblemKind.FORBIDDEN, f"the token's role is {token.role}, so it cannot give the role {request.role}"
        )
    return await context.parts.tokens.make(request, HOST_CLOCK.now())


@router.delete("/tokens/{id}", responses={**MISSING, **refusals(ProblemKind.CONFLICT)})
async def revoke_token(token: Operator, context: Context, id: TokenId) -> TokenStatus:
    """Revoke a token, for ever. A token cannot revoke itself, so that one token is always left."""
    if id == token.id:
        raise RequestRefused(ProblemKind.CONFLICT, f"{id} is the token of this request; revoke it by another one")
    revoked = await context.parts.tokens.revoke(id, HOST_CLOCK.now())
    context.streams.end_all_of(id)
    return revoked


@router.get("/audit")
async def list_audit(
    _: Operator,
    context: Context,
    owner: Annotated[Words | None, Query(description="Only requests with a token of this owner.")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ListPage[AuditEntry]:
    """List the requests that the service got, the newest first."""
    return await context.parts.audit.entries(cursor, limit, owner)


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
