"""Deduplicate requests: cache replies by request, and refuse requests that are older than the newest."""

from __future__ import annotations

from collections.abc import Hashable, MutableMapping
from typing import Any, NamedTuple

from cachetools import FIFOCache, LRUCache

from manyhands.protocol.edge.messages import AttachRequest, EdgeRequest, LeaseRequest, RenewRequest

MAX_REPLIES = 8192
MAX_BYTES = 16 * 1024 * 1024
MAX_SCOPES = 8192


class _CachedReply(NamedTuple):
    packed: bytes
    expires_at: float


class ReplyCache:
    """Cache packed replies by the ids of their requests, until the requests expire.

    Beyond the limits the oldest go first. If a reply was dropped too early, a repeat of its request is still not
    executed: :class:`SequenceGuard` refuses the number.
    """

    def __init__(self, max_replies: int = MAX_REPLIES, max_bytes: int = MAX_BYTES) -> None:
        self._max_replies = max_replies
        self._running: set[str] = set()
        self._replies: MutableMapping[str, _CachedReply] = FIFOCache(
            max_bytes, lambda reply: min(len(reply.packed), max_bytes)
        )

    def is_known(self, request: str) -> bool:
        """Return whether a request runs, or has a cached reply."""
        return request in self._running or request in self._replies

    def get(self, request: str) -> bytes | None:
        """Return the packed reply to a request; None if there is none."""
        reply = self._replies.get(request)
        return None if reply is None else reply.packed

    def begin(self, request: str) -> None:
        """Mark a request as running."""
        self._running.add(request)

    def forget(self, request: str) -> None:
        """Unmark a running request that gets no reply, or whose reply is not cached."""
        self._running.discard(request)

    def put(self, request: str, packed: bytes, expires_at: float, now: float) -> None:
        """Cache a reply until ``expires_at``. Drop replies that have expired, and the oldest beyond the limit."""
        self._running.discard(request)
        self._replies[request] = _CachedReply(packed, expires_at)
        while len(self._replies) > self._max_replies or self._oldest_expires_at() <= now:
            self._replies.popitem()

    def _oldest_expires_at(self) -> float:
        return next((reply.expires_at for reply in self._replies.values()), float("inf"))


class SequenceGuard:
    """Remember the newest request number: under each lease, and of each client for requests without a lease."""

    def __init__(self, max_scopes: int = MAX_SCOPES) -> None:
        self._newest: MutableMapping[Hashable, int] = LRUCache(max_scopes)

    def is_superseded(self, request: EdgeRequest[Any]) -> bool:
        """Return whether a newer request arrived before this one. If none did, remember this request's number.

        Beyond its limit the guard forgets leases. Then the gateway's database decides whether such a lease is still
        valid.
        """
        scope = _scope_of(request)
        if scope is None:
            return False
        newest = self._newest.get(scope, -1)
        self._newest[scope] = max(newest, request.number)
        return request.number <= newest


def _scope_of(request: EdgeRequest[Any]) -> Hashable | None:
    """Return the scope in which the request's number increases; None if the request may arrive in any order."""
    match request:
        case LeaseRequest():
            return request.lease.serial, request.lease.epoch
        case AttachRequest():
            return request.client, request.serial
        case RenewRequest():
            return request.client
        case _:
            return None
