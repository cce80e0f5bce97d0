"""The server pool: which server a request goes to. Pure logic; the clock is the caller's.

Each phone has a favourite server, by rendezvous hashing, so that all roles on all machines choose the same one
independently: its pictures are in that server's caches. A phone goes to the least busy of the others while its
favourite is down, or has far more in flight than the least busy one: reading a picture again costs less than a long
queue, but for a small difference phones would lose their caches in vain.

A server that refused (429, 503), or sent what cannot be used, cools off for a while. One that did not answer, or failed
(500, 502, 504), is out: it is asked for its /health (``load.monitor``) and returns with that; without a /health it
cools off instead. With none up, the one that may return first is asked all the same: there is nothing to lose. With all
of them out, the model is away, and calls wait.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

FIRST_COOL_OFF_S = 1.0
LONGEST_COOL_OFF_S = 30.0
UNUSABLE_IN_A_ROW = 3
"""A model writes an invalid reply now and then; a server that sends so many may not have the model it says it has."""

State = Literal["up", "cooling", "out"]


@dataclass(slots=True)
class Server:
    """Hold the state of one server."""

    url: str
    in_flight: int = 0
    failures: int = 0
    """Failures in a row."""
    unusable: int = 0
    """Answers in a row that were no valid replies."""
    down_until: float = 0.0
    refused_at: float = -math.inf
    out: bool = False
    """Whether it is down until its /health answers."""
    out_since: float = 0.0
    """When it went out, if it is out."""
    last_failure: str = ""
    """Its last error, or why it could not be reached, in a line."""
    has_health_page: bool = True
    """Whether it has a /health; assumed until it answers that it has none."""
    schedules: bool = True
    """Whether it takes requests with a priority; assumed until it refuses one."""

    def state(self, now: float) -> State:
        if self.out:
            return "out"
        return "up" if self.down_until <= now else "cooling"


class ServerPool:
    """Hold the servers of one model, in a fixed order."""

    def __init__(self, urls: Sequence[str]) -> None:
        self.servers = tuple(Server(url) for url in urls)

    def pick(self, route: str, now: float, without: Collection[str] = ()) -> Server:
        """Return the server for ``route``: its favourite, the least busy one up, or the first that may return.

        ``without``: URLs of servers that are not to be asked, not all of them.
        """
        asked = [server for server in self.servers if server.url not in without]
        ranked = sorted(asked, key=lambda server: _weight(route, server.url), reverse=True)
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
        """Return when the last of the servers went out; None while any server answers, if only to refuse."""
        if all(server.out for server in self.servers):
            return max(server.out_since for server in self.servers)
        return None

    @property
    def why_away(self) -> str:
        """Return the last failure of each server, in a line."""
        return "; ".join(server.last_failure for server in self.servers if server.last_failure)

    def any_up(self, now: float) -> bool:
        return any(server.state(now) == "up" for server in self.servers)

    def refused(self, server: Server, now: float, retry_after_s: float | None = None) -> None:
        """Leave a server alone that refused, longer each time in a row."""
        cool_off = min(FIRST_COOL_OFF_S * 2**server.failures, LONGEST_COOL_OFF_S)
        server.failures = min(server.failures + 1, 16)
        server.refused_at = now
        server.down_until = now + max(cool_off, bounded_wait_s(retry_after_s))

    def replied(self, url: str, usable: bool, now: float) -> None:
        """Take note of whether an answer was a valid reply. After some that were none the server cools off."""
        server = next(server for server in self.servers if server.url == url)
        server.unusable = 0 if usable else min(server.unusable + 1, 16)
        if server.unusable >= UNUSABLE_IN_A_ROW:
            cool_off = min(FIRST_COOL_OFF_S * 2 ** (server.unusable - UNUSABLE_IN_A_ROW), LONGEST_COOL_OFF_S)
            server.refused_at = now
            server.down_until = max(server.down_until, now + cool_off)

    def failed(self, server: Server, now: float) -> None:
        """Take a server out that did not answer, or answered that it is broken."""
        self.refused(server, now)
        if server.has_health_page:
            self.unhealthy(server, now)

    def unhealthy(self, server: Server, now: float) -> None:
        """Take a server out whose /health reports a failure (vLLM: its engine is dead), or does not answer."""
        if not server.out:
            server.out_since = now
        server.out = True

    def lacks_health_page(self, server: Server) -> None:
        """Let a server that answers without having a /health only cool off from now on."""
        server.has_health_page = False
        server.out = False

    def answered(self, server: Server, asked_at: float) -> None:
        """Take note of an answer to a request that was sent at ``asked_at``.

        The server lives; but a request accepted before a refusal is no sign that it would accept one now.
        """
        server.out = False
        if asked_at >= server.refused_at:
            server.failures = 0
            server.down_until = 0.0

    def healthy(self, server: Server) -> None:
        """Take a server back that was out and reports that it is healthy again."""
        server.failures = 0
        server.down_until = 0.0
        server.out = False

    @contextmanager
    def using(self, server: Server) -> Iterator[None]:
        """Count a request while it is in flight."""
        server.in_flight += 1
        try:
            yield
        finally:
            server.in_flight -= 1


def bounded_wait_s(retry_after_s: float | None) -> float:
    """Return for how long a server's Retry-After is heeded: it may say an hour for what passes in a second."""
    return min(retry_after_s or 0.0, LONGEST_COOL_OFF_S)


def overloaded(favourite: int, least: int) -> bool:
    """Return whether a favourite with so many requests in flight gives way to the least busy server with so many."""
    return favourite > 2 * least + 4


def _weight(route: str, url: str) -> bytes:
    return hashlib.blake2b(f"{route}\n{url}".encode(), digest_size=8).digest()
