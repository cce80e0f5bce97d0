"""Remember what was asked and answered: nothing is done twice, and nothing that was overtaken is done at all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, NamedTuple

from manyhands.protocol.edge.messages import Attach, EdgeRequest, LeaseRequest, Renew

MOST_ANSWERS = 8192
MOST_BYTES = 16 * 1024 * 1024
MOST_SCOPES = 8192


class _Answer(NamedTuple):
    packed: bytes
    expires_at: float


class Answers:
    """Hold the answers to requests by their ids, until these expire; of too many, the newest.

    What is forgotten too early is not done again either: its number is not newer than the newest (:class:`Numbers`).
    """

    def __init__(self, most: int = MOST_ANSWERS, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._running: set[str] = set()
        self._given: OrderedDict[str, _Answer] = OrderedDict()

    def known(self, request: str) -> bool:
        """Return whether a request is being answered, or was."""
        return request in self._running or request in self._given

    def given(self, request: str) -> bytes | None:
        """Return the answer as it was sent; None while there is none yet."""
        answer = self._given.get(request)
        return None if answer is None else answer.packed

    def begin(self, request: str) -> None:
        self._running.add(request)

    def forget(self, request: str) -> None:
        """Give up a request that gets no answer."""
        self._running.discard(request)

    def give(self, request: str, packed: bytes, expires_at: float, now: float) -> None:
        """Keep an answer, and drop those whose requests have expired."""
        self._running.discard(request)
        self._given[request] = _Answer(packed, expires_at)
        self._bytes += len(packed)
        while self._given:
            oldest = next(iter(self._given.values()))
            if oldest.expires_at > now and len(self._given) <= self._most and self._bytes <= self._most_bytes:
                break
            self._given.popitem(last=False)
            self._bytes -= len(oldest.packed)


class Numbers:
    """Hold the newest number that was heard under each lease, and of each asker where there is none."""

    def __init__(self, most: int = MOST_SCOPES) -> None:
        self._most = most
        self._newest: OrderedDict[Hashable, int] = OrderedDict()

    def overtaken(self, request: EdgeRequest[Any]) -> bool:
        """Return whether a newer request was heard before this one, which counts as heard from now on.

        Of a lease that was forgotten among too many, the gateway itself knows whether it still runs.
        """
        scope = _scope(request)
        if scope is None:
            return False
        newest = self._newest.pop(scope, -1)
        self._newest[scope] = max(newest, request.number)
        if len(self._newest) > self._most:
            self._newest.popitem(last=False)
        return request.number <= newest


def _scope(request: EdgeRequest[Any]) -> Hashable | None:
    """Return within what the number of a request rises; None for one that only asks, or may come late."""
    match request:
        case LeaseRequest():
            return request.lease.serial, request.lease.epoch
        case Attach():
            return request.client, request.serial
        case Renew():
            return request.client
        case _:
            return None
