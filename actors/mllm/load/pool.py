"""Which server a request goes to. Pure logic; the clock is the caller's.

Each phone has a favourite server, by rendezvous hashing, so that all roles on all machines choose the same one
without talking: its pictures are in that server's caches. A phone goes to the least busy of the others while its
favourite is down, or has far more in flight than the least busy one: a picture that must be read again costs
less than a long queue, but the phones that a server lost would lose their caches for nothing at a small difference.

A server that refused for now (429, 503) cools off for a while. One that did not answer, or broke (500, 502, 504),
is out: it is asked for its /health (``load.monitor``) and comes back with that; where there is no /health it
cools off instead. With none up, the one that may be back first is asked all the same: there is nothing to lose. With
all of them out, the model is away, and calls wait.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

FIRST_COOL_OFF_S = 1.0
LONGEST_COOL_OFF_S = 30.0

State = Literal["up", "cooling", "out"]


@dataclass(slots=True)
class Server:
    """What is known of one server."""

    url: str
    in_flight: int = 0
    failures: int = 0
    """In a row."""
    down_until: float = 0.0
    refused_at: float = -math.inf
    out: bool = False
    """Down until its /health answers."""
    out_since: float = 0.0
    """When it went out, if it is."""
    said: str = ""
    """What it said when it failed last, or how it could not be reached, in a line."""
    has_health: bool = True
    """Whether it has a /health; supposed until it says that it has none."""
    schedules: bool = True
    """Whether it takes requests with a priority; supposed until it refuses one."""

    def state(self, now: float) -> State:
        if self.out:
            return "out"
        return "up" if self.down_until <= now else "cooling"


class ServerPool:
    """Servers of one model, in a fixed order."""

    def __init__(self, urls: Sequence[str]) -> None:
        self.servers = tuple(Server(url) for url in urls)

    def pick(self, route: str, now: float) -> Server:
        """The server for ``route``: its favourite, the least busy one that is up, or the first that may be back."""
        ranked = sorted(self.servers, key=lambda server: _weight(route, server.url), reverse=True)
        up = [server for server in ranked if server.state(now) == "up"]
        if not up:
            return min(ranked, key=lambda server: (server.out, server.down_until))
        least = min(up, key=lambda server: server.in_flight)
        favourite = ranked[0]
        if favourite in up and not overloaded(favourite.in_flight, least.in_flight):
            return favourite
        return least

    @property
    def away_since(self) -> float | None:
        """When the last of the servers went out; None while one is left, if only to refuse."""
        if all(server.out for server in self.servers):
            return max(server.out_since for server in self.servers)
        return None

    @property
    def why_away(self) -> str:
        """How each server failed last, in a line."""
        return "; ".join(server.said for server in self.servers if server.said)

    def any_up(self, now: float) -> bool:
        return any(server.state(now) == "up" for server in self.servers)

    def refused(self, server: Server, now: float, retry_after_s: float | None = None) -> None:
        """The server refused for now: it is left alone, longer each time in a row."""
        cool_off = min(FIRST_COOL_OFF_S * 2**server.failures, LONGEST_COOL_OFF_S)
        server.failures = min(server.failures + 1, 16)
        server.refused_at = now
        server.down_until = now + max(cool_off, min(retry_after_s or 0.0, LONGEST_COOL_OFF_S))

    def broke(self, server: Server, now: float) -> None:
        """The server did not answer, or answered that it is broken."""
        self.refused(server, now)
        if server.has_health:
            self.sick(server, now)

    def sick(self, server: Server, now: float) -> None:
        """The server's /health says so (vLLM: its engine is dead), or does not answer."""
        if not server.out:
            server.out_since = now
        server.out = True

    def has_no_health(self, server: Server) -> None:
        """The server answers, but has no /health: from now on it cools off only."""
        server.has_health = False
        server.out = False

    def answered(self, server: Server, asked_at: float) -> None:
        """An answer to a request that was sent at ``asked_at``.

        It shows that the server lives; but what it took on before it refused says nothing of what it would take now.
        """
        server.out = False
        if asked_at >= server.refused_at:
            server.failures = 0
            server.down_until = 0.0

    def well(self, server: Server) -> None:
        """A server that was out says that it is well again."""
        server.failures = 0
        server.down_until = 0.0
        server.out = False

    @contextmanager
    def using(self, server: Server) -> Iterator[None]:
        """Counts a request while it is in flight."""
        server.in_flight += 1
        try:
            yield
        finally:
            server.in_flight -= 1


def overloaded(favourite: int, least: int) -> bool:
    """Whether a favourite with so many requests in flight gives way to the least busy server with so many."""
    return favourite > 2 * least + 4


def _weight(route: str, url: str) -> bytes:
    return hashlib.blake2b(f"{route}\n{url}".encode(), digest_size=8).digest()
