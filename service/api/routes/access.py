"""Make, list and revoke tokens, and read the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from manyhands.protocol.service.access import AuditEntry, ListPage, TokenGrant, TokenRequest, TokenStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Operator, Reader
from manyhands.service.api.openapi import refusals
from manyhands.service.api.parts import Context
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.request_body import JsonBody
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, TokenId, Words

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
