"""Read and write the cookie of a browser's session, and refuse changes that another site's page makes with it."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from manyhands.service.api.problems import ProblemKind, RequestRefused

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
