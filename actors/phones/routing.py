"""Make the gateways of several sites one: a phone of a site is called ``site/serial``."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from manyhands.actors.seams import Gateway, Handle, PhoneDirectory
from manyhands.protocol.errors import PhoneUnknown
from manyhands.protocol.geometry import Size
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, Receipt, SettleSpec, site_of
from manyhands.protocol.screens import Screenshot

D = TypeVar("D", bound=PhoneDirectory)


class DirectoryRouter(Generic[D]):
    """Implements ``actors.seams.PhoneDirectory`` over the directories of several sites; it pickles where they do."""

    def __init__(self, routes: Mapping[str, D]) -> None:
        """``routes``: who has the phones of each site, by its name; one may have several. ``""``: all other phones."""
        self._routes = dict(routes)

    def route(self, serial: str) -> D:
        """Return who has a phone. Raises PhoneUnknown."""
        site = site_of(serial)
        found = self._routes.get(site, self._routes.get(""))
        if found is None:
            known = ", ".join(f"{name}/" for name in self._routes) or "none"
            raise PhoneUnknown(f"no phone with the serial {serial!r}: no site of this run has it (there are {known})")
        return found

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones of all sites. Raises what one of them raises."""
        each = {id(directory): directory for directory in self._routes.values()}.values()
        listed = await asyncio.gather(*(directory.phones() for directory in each))
        return tuple(phone for of_one in listed for phone in of_one)

    async def connect(self, serial: str) -> None:
        await self.route(serial).connect(serial)

    async def size(self, serial: str) -> Size:
        return await self.route(serial).size(serial)

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        return await self.route(serial).look(serial, source)


class GatewayRouter(DirectoryRouter[Gateway]):
    """Implements ``actors.seams.Gateway`` over any number of gateways. It is no actor: whoever asks has a copy."""

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        return await self.route(serial).attach(serial, holder, ttl_s, run)

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        return await self.route(lease.serial).renew(lease, ttl_s)

    async def detach(self, lease: Lease) -> None:
        await self.route(lease.serial).detach(lease)

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, Handle, Handle]:
        return await self.route(lease.serial).capture(lease, settle, context)

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        return await self.route(lease.serial).perform(lease, perform, context)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Handle, Handle]:
        return await self.route(lease.serial).perform_and_capture(lease, perform, settle, context)

    async def reset(self, lease: Lease, key: str, seed: int | None, context: CallContext) -> Receipt:
        return await self.route(lease.serial).reset(lease, key, seed, context)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        return await self.route(lease.serial).state(lease, source, context)

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        return await self.route(lease.serial).recall(lease, keys, context)
