"""Record every request in the audit log: who asked for what, when, from where, and with what outcome.

A request that changes something is answered after its entry is stored. Entries of other requests are stored within a
moment, many at once. While too many entries wait, requests wait too, so that memory stays bounded. Requests that were
refused because too many came share an entry for each second, client, path and status: otherwise the log itself would be
the flood's aim. Of the requests without a valid token, an address's first one in ten seconds has an entry of its own,
and all further ones share another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from manyhands.actors.dispatch.deadlines import finish
from manyhands.protocol.service.access import AuditEntry, TokenStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.admission import client_address
from manyhands.service.api.authentication import LOOKS
from manyhands.service.database.access_repository import AuditRepository, BrowserSession

LONGEST_PATH = 500
SHARED = frozenset({429, 503})
"""The statuses whose entries are shared."""
NO_TOKEN, UNKNOWN_S = 401, 10.0
"""The status of requests without a valid token, and for how many seconds those of one address share an entry."""
WRITE_EVERY_S = 0.2
MOST_AT_ONCE = 500
"""The most entries of one transaction."""
_log = logging.getLogger(__name__)


class AuditWriter:
    """Write entries in groups, in the background. ``run`` must run as long as entries come."""

    def __init__(self, store: AuditRepository, most: int, now: Callable[[], float] = HOST_CLOCK.now) -> None:
        """Write to ``store``. At most about ``most`` entries wait."""
        self._store = store
        self._most = most
        self._now = now
        self._waiting: list[AuditEntry] = []
        self._shared: dict[tuple[Any, ...], tuple[float, AuditEntry]] = {}
        """The entries that are shared, each with the time at which it is written."""
        self._unknown: tuple[int, set[str]] = (0, set())
        """The addresses that sent requests without a valid token in the present window, and the window's number."""
        self._wanted = asyncio.Event()
        self._written = asyncio.Condition()
        self._added = 0
        self._done = 0
        self._is_over = False

    async def add(self, scope: Scope, status: int) -> None:
        """Add the entry of a request. Return once it is stored, if the request changes something."""
        state = scope.get("state", {})
        token: TokenStatus | None = state.get("token")
        session: BrowserSession | None = state.get("session")
        entry = AuditEntry(
            id=0,
            at=self._now(),
            owner=token.owner if token else "",
            token="" if token is None else token.id if session is None else f"{token.id}/{session.id}",
            address=client_address(scope),
            method=_clean(scope["method"])[:20],
            path=_clean(scope["path"])[:LONGEST_PATH],
            status=status,
        )
        if status in SHARED:
            self._share(entry, (int(entry.at), entry.token, entry.address, entry.method, entry.path, status), entry.at)
            return
        if status == NO_TOKEN and not self._is_first_unknown(entry):
            window = entry.at // UNKNOWN_S
            self._share(entry, (window, entry.address), UNKNOWN_S * (window + 1))
            return
        self._waiting.append(entry)
        self._added += 1
        number = self._added
        if scope["method"] not in LOOKS:
            self._wanted.set()
            await self._until(lambda: self._done >= number)
        elif len(self._waiting) >= self._most:
            self._wanted.set()
            await self._until(lambda: len(self._waiting) < self._most)

    def _is_first_unknown(self, entry: AuditEntry) -> bool:
        """Return whether this is an address's first request without a valid token in this window."""
        window = int(entry.at // UNKNOWN_S)
        if window != self._unknown[0]:
            self._unknown = (window, set())
        is_first = entry.address not in self._unknown[1]
        self._unknown[1].add(entry.address)
        return is_first

    def _share(self, entry: AuditEntry, key: tuple[Any, ...], due: float) -> None:
        """Count a request in one entry with others of the same key. ``due``: when to write the entry at the latest."""
        if key not in self._shared and len(self._shared) >= self._most:
            key = (int(entry.at), "many")  # a flood of different paths
        _, there = self._shared.get(key, (due, None))
        self._shared[key] = (due, entry if there is None else there.model_copy(update={"times": there.times + 1}))

    async def _until(self, condition: Callable[[], bool]) -> None:
        async with self._written:
            await self._written.wait_for(lambda: self._is_over or condition())

    async def run(self) -> None:
        """Write entries until this is cancelled, and then those that are left."""
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(WRITE_EVERY_S):
                        await self._wanted.wait()
                self._wanted.clear()
                await self._write()
        finally:
            await self._write(is_last=True)
            self._is_over = True
            async with self._written:
                self._written.notify_all()

    async def _write(self, *, is_last: bool = False) -> None:
        now = self._now()
        for key in [key for key, (due, _) in self._shared.items() if is_last or due <= now]:
            self._waiting.append(self._shared.pop(key)[1])
            self._added += 1
        while self._waiting:
            part = self._waiting[:MOST_AT_ONCE]
            try:
                # A cancellation must not come between the storing of entries and their removal: they would come twice.
                await finish(self._store_part(part))
            except Exception as error:  # noqa: BLE001 (a log that cannot be written must not end the service)
                _log.error("the audit log cannot be written: %s", error)
                return
            async with self._written:
                self._written.notify_all()

    async def _store_part(self, part: list[AuditEntry]) -> None:
        await self._store.append(part)
        del self._waiting[: len(part)]
        self._done += len(part)


class AuditLog:
    """Add each request to the audit log."""

    def __init__(self, app: ASGIApp, writer: AuditWriter) -> None:
        """Stand before ``app``."""
        self._app = app
        self._writer = writer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_logged = False

        async def log_and_send(message: Message) -> None:
            nonlocal is_logged
            if message["type"] == "http.response.start":
                is_logged = True
                await self._writer.add(scope, message["status"])
            await send(message)

        try:
            await self._app(scope, receive, log_and_send)
        finally:
            if not is_logged:
                await self._writer.add(scope, 0)


def _clean(text: str) -> str:
    """Return a text that a database can hold."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")
