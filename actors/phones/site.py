"""Call the phones of one machine ``site/serial``, for a run that has phones at several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.phones.directory import TransportDirectory
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings
from manyhands.actors.seams import PhoneDirectory, PhoneTransport
from manyhands.protocol.errors import PhoneUnknown
from manyhands.protocol.geometry import Size
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, Receipt, SettleSpec
from manyhands.protocol.screens import Screenshot

D = TypeVar("D", bound=PhoneDirectory)


class _Site(Generic[D]):
    """Implement ``actors.seams.PhoneDirectory`` under the names that the phones of a site have elsewhere."""

    def __init__(self, site: str, inner: D) -> None:
        self._site = site
        self._inner = inner

    async def phones(self) -> Sequence[PhoneInfo]:
        listed = await self._inner.phones()
        return [phone.model_copy(update={"serial": self._named(phone.serial)}) for phone in listed]

    async def connect(self, serial: str) -> None:
        await self._inner.connect(self._bare(serial))

    async def size(self, serial: str) -> Size:
        return await self._inner.size(self._bare(serial))

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        return await self._inner.look(self._bare(serial), source)

    def _named(self, bare: str) -> str:
        return f"{self._site}/{bare}"

    def _bare(self, serial: str) -> str:
        site, _, bare = serial.partition("/")
        if site != self._site or not bare:
            raise PhoneUnknown(f"{serial!r} is no phone of {self._site}")
        return bare


class SiteDirectory(_Site[TransportDirectory]):
    """Implements ``actors.seams.PhoneDirectory`` for the phones of the machine on which it stands."""

    def __init__(self, site: str, transport: PhoneTransport) -> None:
        super().__init__(site, TransportDirectory(transport))
        self._transport = transport

    async def start(self) -> None:
        """Start what the machine needs. Raises BadInput."""
        await self._transport.ensure_running()
        await self._transport.start()

    async def stop(self) -> None:
        await self._transport.stop()


class SiteGateway(_Site[PhoneGateway]):
    """Implements ``actors.seams.Gateway`` for the phones of the machine on which it stands."""

    def __init__(self, site: str, settings: GatewaySettings, transport: PhoneTransport) -> None:
        super().__init__(site, PhoneGateway(settings, transport))

    async def start(self) -> None:
        await self._inner.start()

    async def stop(self) -> None:
        await self._inner.stop()

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        return self._ours(await self._inner.attach(self._bare(serial), holder, ttl_s, run))

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        return self._ours(await self._inner.renew(self._theirs(lease), ttl_s))

    async def detach(self, lease: Lease) -> None:
        await self._inner.detach(self._theirs(lease))

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        screenshot, image, frame = await self._inner.capture(self._theirs(lease), settle, context)
        return self._shown(screenshot), image, frame

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        return await self._inner.perform(self._theirs(lease), perform, context)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        performed, image, frame = await self._inner.perform_and_capture(self._theirs(lease), perform, settle, context)
        if performed.screenshot is not None:
            performed = performed.model_copy(update={"screenshot": self._shown(performed.screenshot)})
        return performed, image, frame

    async def reset(self, lease: Lease, key: str, seed: int | None, context: CallContext) -> Receipt:
        return await self._inner.reset(self._theirs(lease), key, seed, context)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        return await self._inner.state(self._theirs(lease), source, context)

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        return await self._inner.recall(self._theirs(lease), keys, context)

    def _ours(self, lease: Lease) -> Lease:
        return lease.model_copy(update={"serial": self._named(lease.serial)})

    def _theirs(self, lease: Lease) -> Lease:
        return lease.model_copy(update={"serial": self._bare(lease.serial)})

    def _shown(self, screenshot: Screenshot) -> Screenshot:
        return screenshot.model_copy(update={"serial": self._named(screenshot.serial)})
