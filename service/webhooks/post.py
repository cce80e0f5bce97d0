"""Send one message to a receiver by POST, under a deadline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Self

import aiohttp
from yarl import URL

from manyhands.protocol.errors import AddressRefused
from manyhands.service.webhooks.addresses import GuardedResolver, check_address

_GONE = 410


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """Hold what came of a POST."""

    http_status: int | None
    """The status of the answer; None if there was none."""
    problem: str | None
    """Why it failed, in one sentence; None if the receiver accepted the message."""
    asked_s: float | None = None
    """How long the receiver asks us to wait."""

    @property
    def is_accepted(self) -> bool:
        """Return whether the receiver accepted the message."""
        return self.problem is None

    @property
    def is_gone(self) -> bool:
        """Return whether the receiver wants no more messages (410)."""
        return self.http_status == _GONE


class MessagePost:
    """Send messages. It follows no redirect, keeps no cookie, uses no proxy, and reads no body of an answer."""

    def __init__(self, deadline_s: float = 15.0, refuses_addresses: bool = True) -> None:
        """Give each message ``deadline_s``. Unless ``refuses_addresses``, send to metadata addresses too."""
        self._deadline_s = deadline_s
        self._refuses_addresses = refuses_addresses
        self._resolver: GuardedResolver | None = None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._resolver = GuardedResolver(self._refuses_addresses)
        # Each message has a connection of its own: one that was kept open may just have been closed by the receiver.
        connector = aiohttp.TCPConnector(resolver=self._resolver, use_dns_cache=False, limit=0, force_close=True)
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=self._deadline_s),
            headers={"User-Agent": "manyhands"},
            trust_env=False,
            auto_decompress=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None and self._resolver is not None:
            await self._session.close()
            await self._resolver.close()
        self._session = self._resolver = None

    async def send(self, url: str, headers: Mapping[str, str], body: bytes, now: float) -> PostAnswer:
        """Send a message. Network errors become the answer's problem."""
        assert self._session is not None, "use 'async with'"
        try:
            if self._refuses_addresses:
                check_address(URL(url).host or "")
            async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as answer:
                return self._read_answer(answer, now)
        except AddressRefused as error:
            return PostAnswer(None, str(error))
        except TimeoutError:
            return PostAnswer(None, f"the receiver did not answer within {self._deadline_s:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return PostAnswer(None, f"the receiver cannot be reached: {' '.join(str(error).split()) or type(error)}")

    def _read_answer(self, answer: aiohttp.ClientResponse, now: float) -> PostAnswer:
        status = answer.status
        if 200 <= status < 300:
            return PostAnswer(status, None)
        if 300 <= status < 400:
            return PostAnswer(status, f"the receiver redirects ({status}), which is not followed: change the address")
        if status == _GONE:
            return PostAnswer(status, "the receiver wants no more messages (410): the webhook is paused")
        return PostAnswer(
            status, f"the receiver answered {status}", _seconds_asked(answer.headers.get("Retry-After"), now)
        )


def _seconds_asked(value: str | None, now: float) -> float | None:
    """Return the seconds of a header ``Retry-After``, which holds a number or a date; None if it holds neither."""
    if value is None:
        return None
    if value.isdecimal():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None
