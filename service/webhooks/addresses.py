"""Refuse network addresses to which no event must be sent, such as those where clouds give out credentials.

Each connection looks its name up once, and uses an address that was found then. So a name that
changes its address between a check and the connection gains nothing.
"""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from aiohttp.abc import AbstractResolver, ResolveResult

from manyhands.protocol.errors import AddressRefused

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
