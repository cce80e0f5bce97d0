"""Sign one message and send it to a receiver by POST, under a deadline, unless its address is refused."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from standardwebhooks.webhooks import Webhook
from yarl import URL

from manyhands.protocol.errors import AddressRefused
from manyhands.protocol.service.events import ServiceEvent
from manyhands.protocol.service.instants import to_iso
from manyhands.protocol.service.webhooks import SECRET_PREFIX, WebhookMessage
from manyhands.protocol.utilities.backoff import read_retry_after

ID_HEADER = "webhook-id"
TIMESTAMP_HEADER = "webhook-timestamp"
SIGNATURE_HEADER = "webhook-signature"
_SECRET_BYTES = 32


def make_secret() -> str:
    """Return a new random secret for a webhook."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def message_id(secret: str, event: int) -> str:
    """Return the id of the message that tells a webhook of an event.

    It is the same in every attempt. Its first part depends on the secret, so a receiver that several services tell of
    events gets no id twice. It has no dot, because dots separate what is signed.
    """
    sender = hmac.new(secret.encode(), b"message ids", hashlib.sha256).hexdigest()[:16]
    return f"msg_{sender}_{event}"


def write_body(event: ServiceEvent) -> bytes:
    """Return the body of the message that tells of an event. It is the same in every attempt."""
    return WebhookMessage(type=event.kind, timestamp=to_iso(event.at), data=event).model_dump_json().encode()


def sign_message(secret: str, message: str, body: bytes, now: float) -> Mapping[str, str]:
    """Return the headers of an attempt at ``now``: the id, the time, and the signature over id, time and body."""
    signature = Webhook(secret).sign(message, datetime.fromtimestamp(int(now), UTC), body.decode())
    return {
        "Content-Type": "application/json",
        ID_HEADER: message,
        TIMESTAMP_HEADER: str(int(now)),
        SIGNATURE_HEADER: signature,
    }


_METADATA = frozenset(
    ip_address(text) for text in ("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254")
)
"""Addresses of clouds' metadata services that are not link-local."""
_THREADS = 16
_NAT64 = ip_network("64:ff9b::/96")


def check_address(text: str) -> None:
    """Raise AddressRefused for a numeric address to which no event is sent. Accept everything else, also names."""
    try:
        address = ip_address(text.split("%")[0])
    except ValueError:
        return
    if any(_is_refused(one) for one in (address, *_embedded(address))):
        raise AddressRefused(f"{text} is an address of this network's own machinery: no event is sent there")


def _is_refused(address: IPv4Address | IPv6Address) -> bool:
    return address.is_link_local or address.is_multicast or address.is_unspecified or address in _METADATA


def _embedded(address: IPv4Address | IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, IPv4Address):
        return ()
    translated = IPv4Address(int(address) & 0xFFFF_FFFF) if address in _NAT64 else None
    return tuple(one for one in (address.ipv4_mapped, address.sixtofour, translated) if one is not None)


class GuardedResolver(AbstractResolver):
    """Look names up in threads of its own, and leave out the addresses that are refused.

    A name server that does not answer holds up no other work of the process: that uses other threads.
    """

    def __init__(self, refuses_addresses: bool = True) -> None:
        """Refuse nothing unless ``refuses_addresses``."""
        self._refuses_addresses = refuses_addresses
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="webhook-names")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a name. Raises OSError, and AddressRefused if all of them are refused."""
        look_up = partial(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM)
        addresses = await asyncio.get_running_loop().run_in_executor(self._threads, look_up)
        allowed: list[ResolveResult] = []
        refused: AddressRefused | None = None
        for kind, _, protocol, _, address in addresses:
            try:
                if self._refuses_addresses:
                    check_address(str(address[0]))
            except AddressRefused as error:
                refused = error
            else:
                allowed.append(_result(host, port, kind, protocol, str(address[0])))
        if refused is not None and not allowed:
            raise AddressRefused(f"{host}: {refused}")
        return allowed

    async def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _result(host: str, port: int, family: int, protocol: int, address: str) -> ResolveResult:
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=protocol, flags=flags)


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
        asked_s = read_retry_after(answer.headers.get("Retry-After"), now)
        return PostAnswer(status, f"the receiver answered {status}", asked_s)
