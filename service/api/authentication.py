"""Find out who asks, by a token or the cookie of a browser's session, and check that the role allows what is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from manyhands.protocol.service.access import AccessRole, TokenStatus
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.admission import STREAM_PATHS, RequestRate, refuse_often
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.database.access_repository import BrowserSession, SessionRepository, TokenRepository

PATH = "/api/"
LOOKS = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods that change nothing."""


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie. Services at other ports of the same host share a browser's cookies."""
    server = scope.get("server")
    return f"manyhands_{server[1] if server else 0}"


def read_cookie(scope: Scope, headers: Headers) -> str | None:
    """Return the secret of the session that a request shows; None if it shows none."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(scope)) or None


def set_cookie(response: Response, scope: Scope, secret: str, life_s: float) -> None:
    """Give a browser the secret of its session. No script can read it, and no other site's page can send it."""
    response.set_cookie(
        cookie_name(scope),
        secret,
        max_age=int(life_s),
        path=PATH,
        secure=_is_encrypted(scope),
        httponly=True,
        samesite="strict",
    )


def delete_cookie(response: Response, scope: Scope) -> None:
    """Let a browser forget its session."""
    response.delete_cookie(cookie_name(scope), path=PATH, secure=_is_encrypted(scope), httponly=True, samesite="strict")


def check_origin(scope: Scope, headers: Headers) -> None:
    """Refuse a change by a session unless a page of this service makes it. Raises RequestRefused.

    Browsers send cookies by themselves, also with requests that a page of another site makes. They say in ``Origin``
    which page it was. A proxy may encrypt before this server, so a page of ``https`` is accepted here, too.
    """
    if scope["method"] in LOOKS:
        return
    origin = urlsplit(headers.get("origin", ""))
    if origin.scheme not in ("https", scope["scheme"]) or not origin.netloc or origin.netloc != headers.get("host"):
        raise RequestRefused(
            ProblemKind.FORBIDDEN,
            "a change by a session must come from a page of this service, with its address in Origin; programs send a "
            "token: Authorization: Bearer SECRET",
        )


def _is_encrypted(scope: Scope) -> bool:
    """Return whether the browser reaches the service by https, be it through a proxy that encrypts."""
    return scope["scheme"] == "https" or Headers(scope=scope).get("origin", "").startswith("https://")


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
    """Pass on requests with a valid token, or with the cookie of a valid session.

    The token is then in the request's state as ``token``, and the session, if the request came by one, as ``session``.
    """

    def __init__(
        self, app: ASGIApp, tokens: TokenRepository, sessions: SessionRepository, bounds: ServiceBounds
    ) -> None:
        """Stand before ``app``."""
        self._app = app
        self._tokens = tokens
        self._sessions = sessions
        self._rate = RequestRate(bounds.token_rate)
        self._most_at_once = bounds.token_requests
        self._at_once = Counter[str]()
        """How many requests of each token are worked on."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Raises RequestRefused."""
        if scope["type"] == "http" and scope["path"].startswith(API):
            headers = Headers(scope=scope)
            secret = None if "authorization" in headers else read_cookie(scope, headers)
            token = await self._token(headers) if secret is None else await self._of_session(scope, headers, secret)
            scope.setdefault("state", {})["token"] = token
            if seconds := self._rate.seconds_to_wait(token.id):
                raise refuse_often(seconds, "this token")
            if scope["path"] not in STREAM_PATHS:
                await self._pass_counted(token.id, scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _pass_counted(self, token: str, scope: Scope, receive: Receive, send: Send) -> None:
        if self._at_once[token] >= self._most_at_once:
            raise RequestRefused(
                ProblemKind.TOO_MANY, "too many requests of this token at once; wait 1 s", headers={"Retry-After": "1"}
            )
        self._at_once[token] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_once[token] -= 1
            if not self._at_once[token]:
                del self._at_once[token]

    async def _token(self, headers: Headers) -> TokenStatus:
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not secret:
            raise RequestRefused(
                ProblemKind.NO_TOKEN, "send a token of this service: Authorization: Bearer SECRET", headers=_CHALLENGE
            )
        record = await self._tokens.find(secret) if len(secret) <= LONGEST_SECRET else None
        if record is None:
            raise RequestRefused(
                ProblemKind.NO_TOKEN, "the service does not know this token, or it was revoked", headers=_CHALLENGE
            )
        return record

    async def _of_session(self, scope: Scope, headers: Headers, secret: str) -> TokenStatus:
        is_possible = len(secret) <= LONGEST_SECRET
        session = await self._sessions.find(secret, HOST_CLOCK.now()) if is_possible else None
        if session is None:
            raise RequestRefused(
                ProblemKind.NO_TOKEN, "the session is over: begin another one with a token", headers=_CHALLENGE
            )
        scope.setdefault("state", {})["session"] = session
        check_origin(scope, headers)
        return session.token


def _require_role(role: AccessRole) -> Callable[..., Awaitable[TokenStatus]]:
    async def check(request: Request, _: Annotated[object, Depends(BEARER)]) -> TokenStatus:
        token: TokenStatus = request.state.token
        check_role(token, role)
        return token

    return check


def check_role(token: TokenStatus, role: AccessRole) -> None:
    """Raise RequestRefused if a token's role does not allow what another role allows."""
    if not token.role.allows(role):
        raise RequestRefused(
            ProblemKind.FORBIDDEN, f"the token's role is {token.role}, and this needs {role}: ask an operator"
        )


def session_of(request: Request) -> BrowserSession | None:
    """Return the session by which a request came; None if it has a token itself."""
    session: BrowserSession | None = getattr(request.state, "session", None)
    return session


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


def check_tasks(token: TokenStatus, tasks: Iterable[TaskSpec]) -> None:
    """Raise RequestRefused if a task gives a phone to somebody else, or allows effects that the token may not allow.

    To have a secret typed is such an effect.
    """
    tasks = tuple(tasks)
    if any(task.allow or task.secrets for task in tasks):
        check_role(token, AccessRole.APPROVE)
    others = [task.by_hand for task in tasks if task.by_hand not in (None, token.owner)]
    if others:
        raise RequestRefused(
            ProblemKind.INVALID, f"by_hand: only {token.owner}, whose token this is, may be named; {others[0]} is not"
        )
