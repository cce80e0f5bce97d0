"""Execute requests on the gateway of a site, each once, and return the replies.

Replies are cached by request, and requests that are older than the newest under their lease are refused.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from cachetools import FIFOCache, LRUCache

from manyhands.actors.edge.picture_chunks import SentPictures
from manyhands.actors.edge.settings import SiteSettings
from manyhands.actors.interfaces import Gateway
from manyhands.protocol.edge import messages as edge
from manyhands.protocol.edge.messages import AttachRequest, EdgeRequest, LeaseRequest, RenewRequest
from manyhands.protocol.errors import CaptureFailed, ManyhandsError, UnknownKind
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease

_log = logging.getLogger(__name__)

Chunks = Iterable[tuple[edge.PictureChunk, bytes]]

MAX_REPLIES = 8192
MAX_BYTES = 16 * 1024 * 1024
MAX_SCOPES = 8192


class _CachedReply(NamedTuple):
    packed: bytes
    expires_at: float


class ReplyCache:
    """Cache packed replies by the ids of their requests, until the requests expire.

    Beyond the limits the oldest go first. If a reply was dropped too early, a repeat of its request is still not
    executed: :class:`SequenceGuard` refuses the number.
    """

    def __init__(self, max_replies: int = MAX_REPLIES, max_bytes: int = MAX_BYTES) -> None:
        self._max_replies = max_replies
        self._running: set[str] = set()
        self._replies: MutableMapping[str, _CachedReply] = FIFOCache(
            max_bytes, lambda reply: min(len(reply.packed), max_bytes)
        )

    def is_known(self, request: str) -> bool:
        """Return whether a request runs, or has a cached reply."""
        return request in self._running or request in self._replies

    def get(self, request: str) -> bytes | None:
        """Return the packed reply to a request; None if there is none."""
        reply = self._replies.get(request)
        return None if reply is None else reply.packed

    def begin(self, request: str) -> None:
        """Mark a request as running."""
        self._running.add(request)

    def forget(self, request: str) -> None:
        """Unmark a running request that gets no reply, or whose reply is not cached."""
        self._running.discard(request)

    def put(self, request: str, packed: bytes, expires_at: float, now: float) -> None:
        """Cache a reply until ``expires_at``. Drop replies that have expired, and the oldest beyond the limit."""
        self._running.discard(request)
        self._replies[request] = _CachedReply(packed, expires_at)
        while len(self._replies) > self._max_replies or self._oldest_expires_at() <= now:
            self._replies.popitem()

    def _oldest_expires_at(self) -> float:
        return next((reply.expires_at for reply in self._replies.values()), float("inf"))


class SequenceGuard:
    """Remember the newest request number: under each lease, and of each client for requests without a lease."""

    def __init__(self, max_scopes: int = MAX_SCOPES) -> None:
        self._newest: MutableMapping[Hashable, int] = LRUCache(max_scopes)

    def is_superseded(self, request: EdgeRequest[Any]) -> bool:
        """Return whether a newer request arrived before this one. If none did, remember this request's number.

        Beyond its limit the guard forgets leases. Then the gateway's database decides whether such a lease is still
        valid.
        """
        scope = _scope_of(request)
        if scope is None:
            return False
        newest = self._newest.get(scope, -1)
        self._newest[scope] = max(newest, request.number)
        return request.number <= newest


def _scope_of(request: EdgeRequest[Any]) -> Hashable | None:
    """Return the scope in which the request's number increases; None if the request may arrive in any order."""
    match request:
        case LeaseRequest():
            return request.lease.serial, request.lease.epoch
        case AttachRequest():
            return request.client, request.serial
        case RenewRequest():
            return request.client
        case _:
            return None


@dataclass(frozen=True, slots=True)
class HandlerResult:
    """Hold a reply, and the chunks of its picture, which are sent after it."""

    reply: edge.EdgeReply
    chunks: Chunks = ()


class RequestHandler:
    """Map each type of request to a method of ``actors.interfaces.Gateway``, and its result to a reply."""

    def __init__(self, gateway: Gateway, settings: SiteSettings) -> None:
        self._gateway = gateway
        self._settings = settings
        self._pictures = SentPictures(settings)

    async def handle(self, id: str, request: edge.EdgeRequest[Any], heard_at: float) -> HandlerResult:
        """Return the reply to the request in the envelope ``id``, which arrived at ``heard_at`` (Unix seconds).

        Raises the gateway's errors, and UnknownKind.
        """
        common = {"answers": id, "heard_at": heard_at}
        match request:
            case edge.CaptureRequest():
                return await self._capture(request, common)
            case edge.PerformAndCaptureRequest():
                return await self._perform_and_capture(request, common)
            case edge.FetchRequest():
                chunks = self._pictures.chunks(request.picture, frozenset(request.indices))
                return HandlerResult(edge.EmptyReply(**common), chunks)
            case edge.LeaseRequest():
                return HandlerResult(await self._handle_with_lease(request, common))
            case _:
                return HandlerResult(await self._handle_without_lease(request, common))

    async def _handle_without_lease(self, request: edge.EdgeRequest[Any], common: dict[str, Any]) -> edge.EdgeReply:
        gateway = self._gateway
        match request:
            case edge.HelloRequest():
                return edge.HelloReply(**common, site=self._settings.site, version=edge.installed_version())
            case edge.ListPhonesRequest():
                return edge.ListPhonesReply(**common, phones=tuple(await gateway.phones()))
            case edge.ConnectRequest():
                await gateway.connect(request.serial)
                return edge.EmptyReply(**common)
            case edge.SizeRequest():
                return edge.SizeReply(**common, size=await gateway.size(request.serial))
            case edge.ReadLabelsRequest():
                return edge.ReadLabelsReply(**common, labels=dict(await gateway.labels(request.serial)))
            case edge.LookRequest():
                return edge.StateReply(**common, state=dict(await gateway.look(request.serial, request.source)))
            case edge.AttachRequest():
                ttl_s = self._lease_ttl_s(request.ttl_s)
                lease = await gateway.attach(request.serial, request.holder, ttl_s, request.run)
                return edge.AttachReply(**common, lease=lease)
            case edge.RenewRequest():
                ttl_s = self._lease_ttl_s(request.ttl_s)
                leases = [await self._renew(lease, ttl_s) for lease in request.leases]  # one thread renews all of them
                return edge.RenewReply(**common, leases=tuple(leases))
            case edge.DetachRequest():
                await gateway.detach(request.lease)
                return edge.EmptyReply(**common)
            case _:
                raise UnknownKind(f"{type(request).__name__} is not answered here")

    async def _handle_with_lease(self, request: edge.LeaseRequest[Any], common: dict[str, Any]) -> edge.EdgeReply:
        gateway, lease, context = self._gateway, request.lease, _call_context(request)
        match request:
            case edge.PerformRequest():
                return edge.ReceiptReply(**common, receipt=await gateway.perform(lease, request.perform, context))
            case edge.ResetRequest():
                receipt = await gateway.reset(lease, request.reset, context)
                return edge.ReceiptReply(**common, receipt=receipt)
            case edge.StateRequest():
                return edge.StateReply(**common, state=dict(await gateway.state(lease, request.source, context)))
            case edge.RecallReceiptsRequest():
                receipts = await gateway.recall(lease, request.keys, context)
                return edge.RecallReceiptsReply(**common, receipts=tuple(receipts))
            case _:
                raise UnknownKind(f"{type(request).__name__} is not answered here")

    def _lease_ttl_s(self, requested_s: float) -> float:
        """Return the seconds for which a lease is granted: at least ``lease_s``, so that the lease outlasts
        an interrupted link.
        """
        return max(requested_s, self._settings.lease_s)

    async def _renew(self, lease: Lease, ttl_s: float) -> Lease | edge.ErrorInfo:
        try:
            return await self._gateway.renew(lease, ttl_s)
        except ManyhandsError as error:
            return edge.ErrorInfo.of(error)

    # ------------------------------------------------------------------ pictures
    async def _capture(self, request: edge.CaptureRequest, common: dict[str, Any]) -> HandlerResult:
        screenshot, image, frame = await self._gateway.capture(request.lease, request.settle, _call_context(request))
        picture = await self._pictures.encode(image, frame)
        reply = edge.CaptureReply(**common, screenshot=screenshot, picture=picture)
        return HandlerResult(reply, self._chunks_to_send(picture, request.have))

    async def _perform_and_capture(
        self, request: edge.PerformAndCaptureRequest, common: dict[str, Any]
    ) -> HandlerResult:
        performed, image, frame = await self._gateway.perform_and_capture(
            request.lease, request.perform, request.settle, _call_context(request)
        )
        if performed.screenshot is None or image is None or frame is None:
            return HandlerResult(edge.PerformAndCaptureReply(**common, performed=performed))
        try:
            picture = await self._pictures.encode(image, frame)
        except CaptureFailed as error:  # the receipt must be sent all the same
            _log.info("%s: no picture after %s: %s", request.lease.serial, request.perform.key, error)
            performed = performed.model_copy(update={"screenshot": None})
            return HandlerResult(edge.PerformAndCaptureReply(**common, performed=performed))
        reply = edge.PerformAndCaptureReply(**common, performed=performed, picture=picture)
        return HandlerResult(reply, self._chunks_to_send(picture, request.have))

    def _chunks_to_send(self, picture: edge.PictureInfo, cached_names: tuple[str, ...]) -> Chunks:
        """Return the chunks of a picture; none if the client has cached it."""
        return () if picture.name in cached_names else self._pictures.chunks(picture.name)


def _call_context(request: edge.LeaseRequest[Any]) -> CallContext:
    return CallContext(
        episode=request.episode, step=request.step, deadline=request.expires_at, traceparent=request.traceparent
    )
