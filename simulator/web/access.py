"""Decide which addresses web phones may load."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

INSIDE = frozenset(("about", "blob", "data"))
"""Schemes of what a page makes itself."""
NETWORK = frozenset(("http", "https", "ws", "wss"))


@dataclass(frozen=True, slots=True)
class PageAccess:
    """Allow files in ``folders`` (resolved paths), loopback addresses and the named ``hosts``, and nothing else."""

    folders: tuple[Path, ...] = ()
    hosts: frozenset[str] = frozenset()

    def allows(self, url: str) -> bool:
        """Return whether a page may load ``url``."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").rstrip(".")
        except ValueError:
            return False
        if parts.scheme == "file":
            path = Path(url2pathname(parts.path)).resolve()
            return host in ("", "localhost") and any(path.is_relative_to(folder) for folder in self.folders)
        return parts.scheme in INSIDE or (parts.scheme in NETWORK and (is_loopback(host) or host in self.hosts))

    def resolver_rules(self) -> str:
        """Return Chromium's ``--host-resolver-rules``, which hold for sockets and redirects as well."""
        hosts = ("localhost", "127.0.0.1", "[::1]", *sorted(self.hosts))
        return ", ".join(("MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in hosts)))


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by a loopback name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
