"""Carry out requests at a gateway, and say what came of them as replies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manyhands.actors.edge.kept import KeptPictures
from manyhands.actors.edge.settings import SiteSettings
from manyhands.actors.edge.versions import version_here
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.seams import Gateway
from manyhands.protocol.edge import messages as edge
from manyhands.protocol.errors import CaptureFailed, ManyhandsError, UnknownKind
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease

ENCODERS = 2
"""PNGs that are made at a time, where pictures are sent lossless; each takes a core."""
_log = logging.getLogger(__name__)

Chunks = Iterable[tuple[edge.PictureChunk, bytes]]


@dataclass(frozen=True, slots=True)
class Said:
    """Hold a reply, and the chunks that follow it."""

    reply: edge.EdgeReply
    chunks: Chunks = ()


class Answering:
    """Answer what is asked of a site. Raises what its gateway raises."""

    def __init__(self, gateway: Gateway, settings: SiteSettings) -> None:
        self._gateway = gateway
        self._settings = settings
        self._kept = KeptPictures(settings.chunk_bytes)
        self._encoders = asyncio.Semaphore(ENCODERS)

    async def answer(self, id: str, request: edge.EdgeRequest[Any], heard_at: float) -> Said:
        """Return the reply to the request in the envelope with this id."""
        known = {"answers": id, "heard_at": heard_at}
        match request:
            case edge.Capture():
                return await self._capture(request, known)
            case edge.PerformAndCapture():
                return await self._perform_and_capture(request, known)
            case edge.Fetch():
                return Said(edge.Done(**known), self._kept.chunks(request.picture, frozenset(request.indices)))
            case edge.LeaseRequest():
                return Said(await self._under_lease(request, known))
            case _:
                return Said(await self._without_lease(request, known))

    async def _without_lease(self, request: edge.EdgeRequest[Any], known: dict[str, Any]) -> edge.EdgeReply:
        gateway = self._gateway
        match request:
            case edge.Hello():
                return edge.Welcome(**known, site=self._settings.site, version=version_here())
            case edge.ListPhones():
                return edge.Phones(**known, phones=tuple(await gateway.phones()))
            case edge.Connect():
                await gateway.connect(request.serial)
                return edge.Done(**known)
            case edge.AskSize():
                return edge.SizeTold(**known, size=await gateway.size(request.serial))
            case edge.Look():
                return edge.StateTold(**known, state=dict(await gateway.look(request.serial, request.source)))
            case edge.Attach():
                ttl_s = self._ttl_s(request.ttl_s)
                lease = await gateway.attach(request.serial, request.holder, ttl_s, request.run)
                return edge.Attached(**known, lease=lease)
            case edge.Renew():
                ttl_s = self._ttl_s(request.ttl_s)
                leases = [await self._renewed(lease, ttl_s) for lease in request.leases]  # one thread renews them
                return edge.Renewed(**known, leases=tuple(leases))
            case edge.Detach():
                await gateway.detach(request.lease)
                return edge.Done(**known)
            case _:
                raise UnknownKind(f"{type(request).__name__} is not answered here")

    async def _under_lease(self, request: edge.LeaseRequest[Any], known: dict[str, Any]) -> edge.EdgeReply:
        gateway, lease, context = self._gateway, request.lease, _context(request)
        match request:
            case edge.PerformOnce():
                return edge.Received(**known, receipt=await gateway.perform(lease, request.perform, context))
            case edge.Reset():
                return edge.Received(**known, receipt=await gateway.reset(lease, request.key, request.seed, context))
            case edge.AskState():
                return edge.StateTold(**known, state=dict(await gateway.state(lease, request.source, context)))
            case edge.Recall():
                return edge.Recalled(**known, receipts=tuple(await gateway.recall(lease, request.keys, context)))
            case _:
                raise UnknownKind(f"{type(request).__name__} is not answered here")

    def _ttl_s(self, asked_s: float) -> float:
        """While a link is cut nobody else may take the phone: the site knows how long that lasts at its place."""
        return max(asked_s, self._settings.lease_s)

    async def _renewed(self, lease: Lease, ttl_s: float) -> Lease | edge.Refusal:
        try:
            return await self._gateway.renew(lease, ttl_s)
        except ManyhandsError as error:
            return edge.Refusal.of(error)

    # ------------------------------------------------------------------ pictures
    async def _capture(self, request: edge.Capture, known: dict[str, Any]) -> Said:
        screenshot, image, frame = await self._gateway.capture(request.lease, request.settle, _context(request))
        picture = await self._picture(image, frame)
        return Said(edge.Captured(**known, screenshot=screenshot, picture=picture), self._unless(request.have, picture))

    async def _perform_and_capture(self, request: edge.PerformAndCapture, known: dict[str, Any]) -> Said:
        performed, image, frame = await self._gateway.perform_and_capture(
            request.lease, request.perform, request.settle, _context(request)
        )
        if performed.screenshot is None:
            return Said(edge.Shown(**known, performed=performed))
        try:
            picture = await self._picture(image, frame)
        except CaptureFailed as error:  # no reason to lose the receipt
            _log.info("%s: no picture after %s: %s", request.lease.serial, request.perform.key, error)
            return Said(edge.Shown(**known, performed=performed.model_copy(update={"screenshot": None})))
        return Said(edge.Shown(**known, performed=performed, picture=picture), self._unless(request.have, picture))

    def _unless(self, have: tuple[str, ...], picture: edge.Picture) -> Chunks:
        return () if picture.name in have else self._kept.chunks(picture.name)

    async def _picture(self, image: ModelImage, frame: Frame) -> edge.Picture:
        """Keep the picture that is sent: the model's JPEG, which is made already, or the lossless frame as a PNG."""
        if not self._settings.lossless:
            return self._kept.add("jpeg", image.jpeg)
        async with self._encoders:
            png = await asyncio.to_thread(frame.png)
        return self._kept.add("png", png)


def _context(request: edge.LeaseRequest[Any]) -> CallContext:
    return CallContext(
        episode=request.episode, step=request.step, deadline=request.expires_at, traceparent=request.traceparent
    )
