"""List and describe the phones of a transport, of a site or of several sites. This needs no lease."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from manyhands.actors.interfaces import PhoneDirectory, PhoneTransport
from manyhands.protocol.errors import PhoneUnknown
from manyhands.protocol.phones import PhoneInfo, site_of
from manyhands.protocol.screens.geometry import Size

D = TypeVar("D", bound=PhoneDirectory)


class TransportDirectory:
    """Implements ``actors.interfaces.PhoneDirectory`` for a transport that its owner starts and stops."""

    def __init__(self, transport: PhoneTransport) -> None:
        self._transport = transport

    async def phones(self) -> Sequence[PhoneInfo]:
        return await self._transport.phones()

    async def connect(self, serial: str) -> None:
        await self._transport.connect(serial)

    async def size(self, serial: str) -> Size:
        return await self._transport.phone(serial).size()

    async def labels(self, serial: str) -> Mapping[str, str]:
        await self._transport.connect(serial)
        return await self._transport.phone(serial).labels()

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        """Return the state that a phone has at an address. A phone that was lost and is back is connected first."""
        await self._transport.connect(serial)
        return await self._transport.phone(serial).state(source)


class SiteScope(Generic[D]):
    """Implements ``actors.interfaces.PhoneDirectory`` for a site, whose phones other machines call ``site/serial``."""

    def __init__(self, site: str, inner: D) -> None:
        self._site = site
        self._inner = inner

    async def phones(self) -> Sequence[PhoneInfo]:
        listed = await self._inner.phones()
        return [phone.model_copy(update={"serial": self.global_name(phone.serial)}) for phone in listed]

    async def connect(self, serial: str) -> None:
        await self._inner.connect(self.local_name(serial))

    async def size(self, serial: str) -> Size:
        return await self._inner.size(self.local_name(serial))

    async def labels(self, serial: str) -> Mapping[str, str]:
        return await self._inner.labels(self.local_name(serial))

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        return await self._inner.look(self.local_name(serial), source)

    def global_name(self, bare: str) -> str:
        """Return ``site/serial`` for a serial of this site."""
        return f"{self._site}/{bare}"

    def local_name(self, serial: str) -> str:
        """Return the serial without the site. Raises PhoneUnknown for a phone of another site."""
        site, _, bare = serial.partition("/")
        if site != self._site or not bare:
            raise PhoneUnknown(f"{serial!r} is no phone of {self._site}")
        return bare


class SiteDirectory(SiteScope[TransportDirectory]):
    """Implements ``actors.interfaces.PhoneDirectory`` for the phones of the machine it runs on."""

    def __init__(self, site: str, transport: PhoneTransport) -> None:
        super().__init__(site, TransportDirectory(transport))
        self._transport = transport

    async def start(self) -> None:
        """Start what the machine needs. Raises BadInput."""
        await self._transport.ensure_running()
        await self._transport.start()

    async def stop(self) -> None:
        await self._transport.stop()


class DirectoryRouter(Generic[D]):
    """Implements ``actors.interfaces.PhoneDirectory`` over the directories of several sites.

    It can be pickled if they can.
    """

    def __init__(self, routes: Mapping[str, D]) -> None:
        """``routes``: each site's directory, by the site's name; ``""`` for all other phones.

        One directory may serve several sites.
        """
        self._routes = dict(routes)

    def route(self, serial: str) -> D:
        """Return the directory that has a phone. Raises PhoneUnknown."""
        site = site_of(serial)
        directory = self._routes.get(site, self._routes.get(""))
        if directory is None:
            sites = ", ".join(f"{name}/" for name in self._routes) or "none"
            raise PhoneUnknown(f"no phone with the serial {serial!r}: no site of this run has it (there are {sites})")
        return directory

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones of all sites. Raises the error of any of their directories."""
        each = {id(directory): directory for directory in self._routes.values()}.values()
        listed = await asyncio.gather(*(directory.phones() for directory in each))
        return tuple(phone for of_one in listed for phone in of_one)

    async def connect(self, serial: str) -> None:
        await self.route(serial).connect(serial)

    async def size(self, serial: str) -> Size:
        return await self.route(serial).size(serial)

    async def labels(self, serial: str) -> Mapping[str, str]:
        return await self.route(serial).labels(serial)

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        return await self.route(serial).look(serial, source)
