"""Which server a request goes to. Pure logic; the clock is the caller's.

Each phone has a favourite server, by rendezvous hashing, so that all roles on all machines choose the same one
without talking: its pictures are in that server's caches. While a favourite is down, its phones go to the least
busy of the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

FIRST_COOL_OFF_S = 1.0
LONGEST_COOL_OFF_S = 30.0


@dataclass(slots=True)
class Server:
    """What is known of one server."""

    url: str
    in_flight: int = 0
    failures: int = 0
    """In a row."""
    down_until: float = 0.0

    def healthy(self, now: float) -> bool:
        return self.down_until <= now


class ServerPool:
    """Servers of one model, in a fixed order."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._servers = tuple(Server(url) for url in urls)

    def pick(self, route: str, now: float) -> Server:
        """The server for ``route``: its favourite, the least busy healthy one, or the first that may be back."""
        ranked = sorted(self._servers, key=lambda server: _weight(route, server.url), reverse=True)
        if ranked[0].healthy(now):
            return ranked[0]
        healthy = [server for server in ranked if server.healthy(now)]
        if healthy:
            return min(healthy, key=lambda server: server.in_flight)
        return min(ranked, key=lambda server: server.down_until)

    def any_healthy(self, now: float) -> bool:
        return any(server.healthy(now) for server in self._servers)

    def failed(self, server: Server, now: float, retry_after_s: float | None = None) -> None:
        """The server refused for now or did not answer: it is left alone, longer each time in a row."""
        cool_off = min(FIRST_COOL_OFF_S * 2**server.failures, LONGEST_COOL_OFF_S)
        server.failures = min(server.failures + 1, 16)
        server.down_until = now + max(cool_off, min(retry_after_s or 0.0, LONGEST_COOL_OFF_S))

    def answered(self, server: Server) -> None:
        """Any answer to a request shows that the server lives."""
        server.failures = 0
        server.down_until = 0.0

    @contextmanager
    def using(self, server: Server) -> Iterator[None]:
        """Counts a request while it is in flight."""
        server.in_flight += 1
        try:
            yield
        finally:
            server.in_flight -= 1


def _weight(route: str, url: str) -> bytes:
    return hashlib.blake2b(f"{route}\n{url}".encode(), digest_size=8).digest()
