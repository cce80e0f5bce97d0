"""Add headers to every answer. They keep browsers from running, framing, guessing or storing its content."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""What a page of the service may load: its own styles and pictures, no script at all."""
_ALWAYS = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
_STORE_NOTHING = (b"cache-control", b"no-store")
_ONE_YEAR = (b"strict-transport-security", b"max-age=31536000")


class SecurityHeaders:
    """Add the headers to each answer, also to refusals. An answer's own Cache-Control stays."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_missing(message.get("headers", ()), scope)]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _missing(headers: Iterable[tuple[bytes, bytes]], scope: Scope) -> list[tuple[bytes, bytes]]:
    there = {name.lower() for name, _ in headers}
    added = [(name.lower().encode(), value.encode()) for name, value in _ALWAYS.items()]
    added.append(_STORE_NOTHING)
    if scope.get("scheme") == "https":
        added.append(_ONE_YEAR)
    return [(name, value) for name, value in added if name not in there]
