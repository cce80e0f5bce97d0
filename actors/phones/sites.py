"""Serve phones of several sites: a phone of a site has the name ``site/serial``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import Gateway, PhoneTransport, Ref
from manyhands.actors.phones.directory import DirectoryRouter, SiteScope
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneLog, Receipt, Reset, SettleSpec
from manyhands.protocol.screens.screen import Screenshot


class SiteGateway(SiteScope[PhoneGateway]):
    """Implements ``actors.interfaces.Gateway`` for the phones of the machine it runs on."""

    def __init__(self, site: str, settings: GatewaySettings, transport: PhoneTransport) -> None:
        super().__init__(site, PhoneGateway(settings, transport))

    async def start(self) -> None:
        await self._inner.start()

    async def stop(self) -> None:
        await self._inner.stop()

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        return self._global(await self._inner.attach(self.local_name(serial), holder, ttl_s, run))

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        return self._global(await self._inner.renew(self._local(lease), ttl_s))

    async def detach(self, lease: Lease) -> None:
        await self._inner.detach(self._local(lease))

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        screenshot, image, frame = await self._inner.capture(self._local(lease), settle, context)
        return self._rename(screenshot), image, frame

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        return await self._inner.perform(self._local(lease), perform, context)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        performed, image, frame = await self._inner.perform_and_capture(self._local(lease), perform, settle, context)
        if performed.screenshot is not None:
            performed = performed.model_copy(update={"screenshot": self._rename(performed.screenshot)})
        return performed, image, frame

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        return await self._inner.reset(self._local(lease), reset, context)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        return await self._inner.state(self._local(lease), source, context)

    async def log(self, lease: Lease, context: CallContext) -> PhoneLog:
        return await self._inner.log(self._local(lease), context)

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        return await self._inner.recall(self._local(lease), keys, context)

    def _global(self, lease: Lease) -> Lease:
        return lease.model_copy(update={"serial": self.global_name(lease.serial)})

    def _local(self, lease: Lease) -> Lease:
        return lease.model_copy(update={"serial": self.local_name(lease.serial)})

    def _rename(self, screenshot: Screenshot) -> Screenshot:
        return screenshot.model_copy(update={"serial": self.global_name(screenshot.serial)})


class GatewayRouter(DirectoryRouter[Gateway]):
    """Implements ``actors.interfaces.Gateway`` over any number of gateways. It is no actor: each caller has a copy."""

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        return await self.route(serial).attach(serial, holder, ttl_s, run)

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        return await self.route(lease.serial).renew(lease, ttl_s)

    async def detach(self, lease: Lease) -> None:
        await self.route(lease.serial).detach(lease)

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, Ref[ModelImage], Ref[Frame]]:
        return await self.route(lease.serial).capture(lease, settle, context)

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        return await self.route(lease.serial).perform(lease, perform, context)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Ref[ModelImage] | None, Ref[Frame] | None]:
        return await self.route(lease.serial).perform_and_capture(lease, perform, settle, context)

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        return await self.route(lease.serial).reset(lease, reset, context)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        return await self.route(lease.serial).state(lease, source, context)

    async def log(self, lease: Lease, context: CallContext) -> PhoneLog:
        return await self.route(lease.serial).log(lease, context)

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        return await self.route(lease.serial).recall(lease, keys, context)
