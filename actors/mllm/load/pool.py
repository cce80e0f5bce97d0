"""Choose the server for a request. Pure logic; callers pass the time.

Rendezvous hashing ranks the servers for each phone. All roles on all machines compute the same ranking, so the phone's
pictures are in the caches of the first server, its favourite. While the favourite is down, or has far more requests
than the least busy server, the phone's calls go to a server that has not: to the one that was sent most of the call's
pictures before, else to the next in the ranking, where the other roles send theirs. A much longer queue costs more than
reading a picture again. A slightly longer queue costs less, so the phone's calls then stay at the favourite. A server's
requests are those of this client and, by its own figures, those of others.

A server that refused (429, 503), or sent what cannot be used, cools off for a while. If no server is up and one has
refused as too busy or paused, calls wait for the time that it named. A server that did not answer, or
whose proxy says so (502, 504), is out: ``load.monitor`` asks for its /health page, and the server returns when that
page reports good health. A server without a /health page cools off instead. A server that answers with another error
(500), and again to the same request, is only doubted: a single request may be to blame. Calls prefer other servers
until its /health page has answered, and several errors in a row take it out. If no server is up, calls still go to the
server that may return first, because nothing can be lost. If all servers are out, the model is away, and calls wait.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from cachetools import LRUCache

from manyhands.protocol.utilities.backoff import Backoff

COOL_OFF = Backoff(first_s=1.0, longest_s=30.0)
BUSY = Backoff(first_s=1.0, longest_s=8.0)
"""How long a server that is too busy, or paused for other weights, is left alone if it names no time."""
LONGEST_ASKED_S = 600.0
"""The longest time that a server may ask for (Retry-After)."""
PICTURES_KEPT = 300
"""How many pictures a server is taken to keep. vLLM's cache of prepared pictures holds 4 GiB, and a picture of a
million pixels takes 12 MB in it (three colours of four bytes)."""
UNUSABLE_IN_A_ROW = 3
"""After so many invalid replies in a row a server cools off.

Any model writes an invalid reply now and then. So many in a row suggest that the server runs another model than it
reports.
"""

ERRORS_IN_A_ROW = 3
"""After so many errors (500) in a row, with no answer in between, a server counts as failed."""

State = Literal["up", "cooling", "out"]


@dataclass(slots=True)
class Server:
    """Hold the state of one server."""

    url: str
    in_flight: int = 0
    """Requests of this client."""
    others: int = 0
    """Requests of other clients, by the server's own figures when they were last read."""
    pictures: LRUCache[str, None] = field(default_factory=partial(LRUCache, PICTURES_KEPT))
    """The content ids of the pictures that the server was sent last, the newest at the end."""
    failures: int = 0
    """Failures in a row."""
    unusable: int = 0
    """Answers in a row that were no valid replies."""
    errors: int = 0
    """Errors (500) in a row."""
    doubted: bool = False
    """Whether the server answered with an error, and has not shown since that it is healthy."""
    down_until: float = 0.0
    refused_at: float = -math.inf
    busy_since: float | None = None
    """Since when the server refuses requests as too busy, or paused; None if it takes them."""
    out: bool = False
    """Whether the server counts as down until its /health answers."""
    out_since: float = 0.0
    """When the server went out. It has a meaning only while ``out`` is true."""
    last_failure: str = ""
    """The last error of the server, or why it could not be reached, in one line."""
    has_health_page: bool = True
    """Whether the server has a /health page. It is assumed to have one until it answers that it has none."""
    schedules: bool = True
    """Whether the server accepts requests with a priority. It is assumed to do so until it refuses one."""
    streams: bool = True
    """Whether the server streams its answers. It is assumed to do so until it refuses to."""

    @property
    def requests(self) -> int:
        """Return how many requests the server has, as far as this client knows."""
        return self.in_flight + self.others

    def state(self, now: float) -> State:
        if self.out:
            return "out"
        return "up" if self.down_until <= now else "cooling"


class ServerPool:
    """Hold the servers of one model, in a fixed order."""

    def __init__(self, urls: Sequence[str]) -> None:
        self.servers = tuple(Server(url) for url in urls)

    def pick(self, route: str, now: float, without: Collection[str] = (), pictures: Iterable[str] = ()) -> Server:
        """Return the server for ``route``: its favourite; if that is down or overloaded, a server that has the
        pictures, else the next in the ranking; or, if no server is up, the one that may return first.

        ``without``: URLs of servers not to ask. At least one server must be left. ``pictures``: content ids.
        """
        candidates = [server for server in self.servers if server.url not in without]
        ranked = sorted(candidates, key=lambda server: _weight(route, server.url), reverse=True)
        up = [server for server in ranked if server.state(now) == "up"]
        up = [server for server in up if not server.doubted] or up
        if not up:
            return min(ranked, key=lambda server: (server.out, server.down_until))
        least = min(server.requests for server in up)
        free = [server for server in up if not overloaded(server.requests, least)]
        if free[0] is ranked[0]:
            return free[0]
        picture_ids = tuple(pictures)
        return max(free, key=lambda server: sum(picture in server.pictures for picture in picture_ids))

    def record_request(self, server: Server, pictures: Iterable[str]) -> None:
        """Record that a server has read pictures, and so has them in its caches."""
        for picture in pictures:
            server.pictures[picture] = None

    @property
    def away_since(self) -> float | None:
        """Return when the last server went out; None while any server is not out.

        A server that refuses is not out, because a refusal is an answer.
        """
        if all(server.out for server in self.servers):
            return max(server.out_since for server in self.servers)
        return None

    def unavailable_since(self, now: float, without: Collection[str] = ()) -> float | None:
        """Return since when no server takes requests: all are out, or none is up and one is too busy or paused.

        ``without``: URLs of servers that are not asked.
        """
        servers = [server for server in self.servers if server.url not in without]
        if any(server.state(now) == "up" for server in servers):
            return None
        if not all(server.out for server in servers) and all(server.busy_since is None for server in servers):
            return None
        return max(server.out_since if server.out else server.busy_since or 0.0 for server in servers)

    def wait_s(self, now: float, without: Collection[str] = ()) -> float:
        """Return how long no server wants to be asked; infinite if all are out."""
        times = (server.down_until for server in self.servers if not server.out and server.url not in without)
        return max(0.0, min(times, default=math.inf) - now)

    @property
    def why_away(self) -> str:
        """Return the last failure of each server, in one line."""
        return "; ".join(server.last_failure for server in self.servers if server.last_failure)

    def any_sound(self, now: float) -> bool:
        """Return whether any server is up and not doubted."""
        return any(server.state(now) == "up" and not server.doubted for server in self.servers)

    def refused(self, server: Server, now: float, retry_after_s: float | None = None) -> None:
        """Let a server that refused cool off, longer after each refusal in a row."""
        server.failures += 1
        server.refused_at = now
        server.down_until = now + max(COOL_OFF.wait_s(server.failures), bounded_wait_s(retry_after_s))

    def busy(self, server: Server, asked_at: float, now: float, retry_after_s: float | None) -> None:
        """Let a server that is too busy or paused cool off: for the time that it named, or longer after each refusal.

        ``asked_at``: when the refused request was sent. Refusals of requests that were sent together count once.
        """
        if server.busy_since is None:
            server.busy_since = now
        server.failures += asked_at >= server.refused_at
        server.refused_at = now
        asked_s = bounded_wait_s(retry_after_s)
        wait_s = asked_s if asked_s >= BUSY.first_s else BUSY.wait_s(max(1, server.failures))
        server.down_until = max(server.down_until, now + wait_s)

    def replied(self, url: str, usable: bool, now: float) -> None:
        """Record whether an answer was a valid reply. After several invalid ones in a row the server cools off."""
        server = next(server for server in self.servers if server.url == url)
        server.unusable = 0 if usable else server.unusable + 1
        if server.unusable >= UNUSABLE_IN_A_ROW:
            cool_off_s = COOL_OFF.wait_s(server.unusable - UNUSABLE_IN_A_ROW + 1)
            server.refused_at = now
            server.down_until = max(server.down_until, now + cool_off_s)

    def failed(self, server: Server, now: float) -> None:
        """Record that a server did not answer, or failed.

        The server is then out if it has a /health page. Otherwise it cools off.
        """
        self.refused(server, now)
        if server.has_health_page:
            self.unhealthy(server, now)

    def erred(self, server: Server, now: float) -> None:
        """Record that a server answered with an error (500). After several in a row the server has failed."""
        server.errors += 1
        server.doubted = True
        if server.errors >= ERRORS_IN_A_ROW:
            self.failed(server, now)

    def unhealthy(self, server: Server, now: float) -> None:
        """Count a server as out, because its /health page does not answer or reports a failure (vLLM: a
        dead engine).
        """
        if not server.out:
            server.out_since = now
            server.pictures.clear()  # it may have to start again
        server.out = True

    def lacks_health_page(self, server: Server) -> None:
        """Record that a server has no /health page.

        From now on, after a failure, the server cools off instead of being out.
        """
        server.has_health_page = False
        server.out = False
        server.doubted = False

    def answered(self, server: Server, asked_at: float) -> None:
        """Record an answer to a request that was sent at ``asked_at``: the server is not out, and its cooling off ends.

        There is one exception. If the server refused another request after ``asked_at``, it continues to cool off.
        """
        server.out = False
        server.errors, server.doubted = 0, False
        if asked_at >= server.refused_at:
            server.failures = 0
            server.down_until = 0.0
            server.busy_since = None
        elif server.busy_since is not None:  # it works off its queue, so it was not busy all the time
            server.failures, server.busy_since = 0, server.refused_at

    def healthy(self, server: Server) -> None:
        """Trust a server again, because it is healthy. If it was out, it is up again."""
        server.doubted = False
        if server.out:  # a server that only cools off returns at its own time
            server.failures = server.errors = 0
            server.down_until = 0.0
            server.busy_since = None
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
    """Return how long to heed a server's Retry-After. A server may ask for a year although a second is enough."""
    return min(retry_after_s or 0.0, LONGEST_ASKED_S)


def overloaded(requests: int, least: int) -> bool:
    """Return whether calls should leave a server, which has far more requests than the least busy one."""
    return requests > 2 * least + 4


def _weight(route: str, url: str) -> bytes:
    return hashlib.blake2b(f"{route}\n{url}".encode(), digest_size=8).digest()
