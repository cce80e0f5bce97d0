"""Admit only requests with the page's token, from a browser that opened the page itself."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

HEADERS = {
    # Allow nothing inline and nothing from elsewhere. So texts of a model or a screen never run as scripts.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuse requests without the token, for another host's name, or from another site's page."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._authority = ""

    def serve_at(self, authority: str) -> None:
        """Accept only this host and port. Before this call, nothing is accepted."""
        self._authority = authority

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Pass a request on. Raises HTTPForbidden and HTTPNotFound, whose texts do not reveal what is served."""
        # A foreign page may let its own host name point here (DNS rebinding). Then the Host header has that name.
        if not self._authority or request.headers.get("Host") != self._authority:
            raise web.HTTPForbidden(text="this address is not served\n")
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{self._authority}":
            raise web.HTTPForbidden(text="another site's pages are not answered\n")
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise web.HTTPForbidden(text="another site's pages are not answered\n")
        if request.method not in ("GET", "HEAD") and origin is None:
            raise web.HTTPForbidden(text="changes need an Origin\n")
        token = request.path.removeprefix("/").partition("/")[0]  # the path of OPTIONS may be "*"
        if not hmac.compare_digest(token.encode(), self._token):
            raise web.HTTPForbidden(text="the address lacks the token that the command printed\n")
        return await handler(request)


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Add the headers that protect the page to every answer, also to a refusal."""
    response.headers.update(HEADERS)
