"""Find out who asks, by a bearer token, and check that the token's role allows what is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from manyhands.deploy.service.api.admission import refuse_often
from manyhands.deploy.service.api.problems import ProblemKind, RequestRefused
from manyhands.deploy.service.api.rates import RequestRate
from manyhands.deploy.service.api.settings import ServiceBounds
from manyhands.deploy.service.database.token_repository import TokenRepository
from manyhands.protocol.service.access import AccessRole, TokenStatus

API = "/api/"
"""Paths below this one need a token. Other paths, ``/docs`` and ``/openapi.json``, tell nothing of the fleet."""
LONGEST_SECRET = 256
BEARER = HTTPBearer(
    scheme_name="token",
    description="A token of this service. `manyhands serve` makes the first one at its first start.",
    auto_error=False,
)
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="manyhands"'}


class TokenAuthentication:
    """Pass on requests with a valid token. The token is then in the request's state as ``token``."""

    def __init__(self, app: ASGIApp, tokens: TokenRepository, bounds: ServiceBounds) -> None:
        """Stand before ``app``."""
        self._app = app
        self._tokens = tokens
        self._rate = RequestRate(bounds.token_rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Raises RequestRefused."""
        if scope["type"] == "http" and scope["path"].startswith(API):
            token = await self._token(Headers(scope=scope))
            scope.setdefault("state", {})["token"] = token
            if seconds := self._rate.seconds_to_wait(token.id):
                raise refuse_often(seconds, "this token")
        await self._app(scope, receive, send)

    async def _token(self, headers: Headers) -> TokenStatus:
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not secret:
            raise RequestRefused(
                ProblemKind.NO_TOKEN, "send a token of this service: Authorization: Bearer SECRET", headers=_CHALLENGE
            )
        found = await self._tokens.find(secret) if len(secret) <= LONGEST_SECRET else None
        if found is None:
            raise RequestRefused(
                ProblemKind.NO_TOKEN, "the service does not know this token, or it was revoked", headers=_CHALLENGE
            )
        return found


def _require_role(role: AccessRole) -> Callable[..., Awaitable[TokenStatus]]:
    async def check(request: Request, _: Annotated[object, Depends(BEARER)]) -> TokenStatus:
        token: TokenStatus = request.state.token
        if not token.role.allows(role):
            raise RequestRefused(
                ProblemKind.FORBIDDEN, f"the token's role is {token.role}, and this needs {role}: ask an operator"
            )
        return token

    return check


Reader = Annotated[TokenStatus, Depends(_require_role(AccessRole.READ))]
"""The token of a request that looks at something."""
Submitter = Annotated[TokenStatus, Depends(_require_role(AccessRole.SUBMIT))]
"""The token of a request that submits work, or changes work of the token's owner."""
Operator = Annotated[TokenStatus, Depends(_require_role(AccessRole.OPERATE))]
"""The token of a request that changes phones, tokens, or everybody's work."""


def check_owner(token: TokenStatus, owner: str, what: str) -> None:
    """Raise RequestRefused if this token may not change something of this owner."""
    if token.owner != owner and not token.role.allows(AccessRole.OPERATE):
        raise RequestRefused(
            ProblemKind.FORBIDDEN, f"{what} belongs to {owner}; a token with the role operate may change it"
        )
