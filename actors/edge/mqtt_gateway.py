"""Serve the phones of sites behind a broker to the actors of a run."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.edge.link import Link, LinkCounts
from manyhands.actors.edge.mqtt_link import MqttLink
from manyhands.actors.edge.remote_site import LeaseRequestFields, RemoteSite, RequestFields
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.actors.edge.site_registry import LinkFactory, SiteRegistry
from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.edge.messages import (
    AttachReply,
    AttachRequest,
    CaptureReply,
    CaptureRequest,
    ConnectRequest,
    DetachRequest,
    EdgeReply,
    EdgeRequest,
    EmptyReply,
    ListPhonesReply,
    ListPhonesRequest,
    LookRequest,
    PerformAndCaptureReply,
    PerformAndCaptureRequest,
    PerformRequest,
    ReadLabelsReply,
    ReadLabelsRequest,
    RecallReceiptsReply,
    RecallReceiptsRequest,
    ReceiptReply,
    ResetRequest,
    SizeReply,
    SizeRequest,
    StateReply,
    StateRequest,
)
from manyhands.protocol.errors import CallError, LogUnavailable, ManyhandsError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, PhoneLog, Receipt, Reset, SettleSpec
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot

R = TypeVar("R", bound=EdgeReply)

SITE_AWAY = "site away"
"""The state of a phone whose site is away."""
PICTURE_MARGIN_S = 0.5
"""How long before its deadline a call stops waiting for the picture, so that the receipt still reaches the caller."""
MAX_LATENCIES = 10_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallLatency:
    """Hold the latency of one call under a lease in milliseconds: in total, and the part at the site."""

    method: str
    episode: str
    step: int
    ms: float
    site_ms: float


@dataclass(slots=True)
class CallTimer:
    """Hold the name of a call, and the seconds that the site took for it.

    The code that makes the call sets the seconds.
    """

    method: str
    site_s: float = 0.0


class LatencyLog:
    """Record the latencies of the last calls."""

    def __init__(self, now: Callable[[], float]) -> None:
        """``now`` returns seconds."""
        self._now = now
        self._latencies = deque[CallLatency](maxlen=MAX_LATENCIES)

    def all(self) -> tuple[CallLatency, ...]:
        """Return the latencies, the oldest first."""
        return tuple(self._latencies)

    @contextmanager
    def timed(self, method: str, context: CallContext) -> Iterator[CallTimer]:
        """Time a call, and record it unless it raises."""
        timer, started_at = CallTimer(method), self._now()
        yield timer
        ms = max(0.0, self._now() - started_at) * 1000
        self._latencies.append(CallLatency(method, context.episode, context.step, ms, timer.site_s * 1000))


def mqtt_link(settings: MqttGatewaySettings, client: str) -> Link:
    """Return a link to the broker of the settings.

    ``client`` is the name that sites see. The MQTT client id has a secret part in addition, because anybody who knows
    the whole id could disconnect the link.
    """
    return MqttLink(f"manyhands-{client}-{secrets.token_hex(8)}", settings.broker, settings.link)


class MqttGateway:
    """Implements ``actors.interfaces.Gateway`` for the phones of sites, whose serials are ``site/serial`` here.

    A request is repeated until its reply arrives or its deadline passes. The site executes a request once: it
    recognizes repeats by the key, the id and the number. Times are converted between the site's clock and ours.
    """

    def __init__(
        self, settings: MqttGatewaySettings, link_factory: LinkFactory = mqtt_link, clock: Clock | None = None
    ) -> None:
        self._settings = settings
        self._link_factory = link_factory
        self._clock = clock or RealClock()
        self._registry: SiteRegistry | None = None
        self._latencies = LatencyLog(self._clock.now)

    async def start(self) -> None:
        """Connect, and shake hands with the sites. Raises BadInput for an error that a retry does not fix."""
        self._registry = sites = SiteRegistry(self._settings, self._link_factory, self._clock)
        try:
            await sites.start()
        except BaseException:
            self._registry = None
            raise

    async def stop(self) -> None:
        """Give cancelled leases back, fail pending requests, and close the connections."""
        if self._registry is None:
            return
        try:
            await self._registry.stop()
        finally:
            self._registry = None

    def _sites(self) -> SiteRegistry:
        """Return the registry of sites. Raises CallError before the start, and after the stop."""
        if self._registry is None:
            raise CallError("the gateway is not started, or was stopped")
        return self._registry

    # ------------------------------------------------------------------ without a lease
    async def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones of all sites; for a site that does not answer, the phones announced last."""
        listed = await asyncio.gather(*map(self._phones_of, self._sites().by_name.values()))
        return tuple(phone for phones in listed for phone in phones)

    async def _phones_of(self, site: RemoteSite) -> list[PhoneInfo]:
        changes = {"state": SITE_AWAY, "advice": ""}
        phones = tuple(site.phones.values())
        if not site.away:
            limit_s, what = self._settings.list_s, f"listing the phones of site {site.name}"
            try:
                spec = site.specify(lambda fields: ListPhonesRequest(**fields), ListPhonesReply, what)
                phones, changes = (await self._sites().call(site, spec, limit_s)).phones, {}
            except ManyhandsError as error:
                _log.info("the phones of site %s are told as they were: %s", site.name, error)
        return [phone.model_copy(update={"serial": f"{site.name}/{phone.serial}", **changes}) for phone in phones]

    async def connect(self, serial: str) -> None:
        await self._ask("connecting", serial, EmptyReply, lambda bare, fields: ConnectRequest(serial=bare, **fields))

    async def size(self, serial: str) -> Size:
        def create(bare: str, fields: RequestFields) -> SizeRequest:
            return SizeRequest(serial=bare, **fields)

        return (await self._ask("the size of", serial, SizeReply, create)).size

    async def labels(self, serial: str) -> Mapping[str, str]:
        def create(bare: str, fields: RequestFields) -> ReadLabelsRequest:
            return ReadLabelsRequest(serial=bare, **fields)

        return (await self._ask("the labels of", serial, ReadLabelsReply, create)).labels

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        def create(bare: str, fields: RequestFields) -> LookRequest:
            return LookRequest(serial=bare, source=source, **fields)

        return (await self._ask("looking at", serial, StateReply, create)).state

    async def _ask(
        self, what: str, serial: str, reply: type[R], create: Callable[[str, RequestFields], EdgeRequest[R]]
    ) -> R:
        """Ask a phone's site without a lease. ``create``: makes the request from the serial that the site uses."""
        sites = self._sites()
        site, bare = await sites.find_responsive(serial)
        return await sites.call(
            site, site.specify(lambda fields: create(bare, fields), reply, f"{what} {serial}", bare)
        )

    # ------------------------------------------------------------------ leases
    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        """Return a lease. If the caller is cancelled meanwhile, the lease is given back.

        Raises PhoneLost if the site is away or does not answer at once.
        """
        sites = self._sites()
        site, bare = await sites.find_responsive(serial)
        with sites.admission.admitted():
            attaching = asyncio.create_task(self._attach(site, bare, holder, ttl_s, run))
            try:
                return await asyncio.shield(attaching)
            except asyncio.CancelledError:
                sites.spawn(self._release(site, bare, attaching))
                raise

    async def _attach(self, site: RemoteSite, bare: str, holder: str, ttl_s: float, run: str) -> Lease:
        """Request a lease.

        If a newer request superseded this one, do not ask again: the newer lease must stay valid.
        """
        deadline, what = self._clock.now() + self._settings.plain_s, f"attaching {site.name}/{bare}"

        def create(fields: RequestFields) -> AttachRequest:
            return AttachRequest(serial=bare, holder=holder, ttl_s=ttl_s, run=run, **fields)

        attached = await site.call(site.specify(create, AttachReply, what, bare, retry_if_superseded=False), deadline)
        return site.to_local_lease(attached.reply.lease, bare, holder)

    async def _release(self, site: RemoteSite, bare: str, attaching: asyncio.Task[Lease]) -> None:
        """Give back the lease of a cancelled caller, even while the gateway stops and admits no calls."""
        what = f"giving {site.name}/{bare} back"
        try:
            theirs = site.to_site_lease(await attaching, bare)
            deadline = self._clock.now() + self._settings.plain_s
            await site.call(
                site.specify(lambda fields: DetachRequest(lease=theirs, **fields), EmptyReply, what, bare), deadline
            )
        except ManyhandsError as error:
            _log.info("there is no lease to be given back, or it runs out: %s", error)

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the renewed lease. One request renews several leases of a site."""
        sites = self._sites()
        site, theirs = sites.find_by_lease(lease)
        with sites.admission.admitted():
            renewed = await sites.renewals[site.name].renew(theirs, ttl_s)
        site.check_equal("epoch", renewed.epoch, theirs.epoch)
        return site.to_local_lease(renewed, theirs.serial, theirs.holder)

    async def detach(self, lease: Lease) -> None:
        """Give a lease back. If the site cannot be reached, the lease expires."""
        sites = self._sites()
        site, theirs = sites.find_by_lease(lease)
        what = f"giving {lease.serial} back"
        await sites.call(
            site, site.specify(lambda fields: DetachRequest(lease=theirs, **fields), EmptyReply, what, theirs.serial)
        )

    # ------------------------------------------------------------------ captures
    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        pictures = self._sites().pictures

        def create(fields: LeaseRequestFields) -> CaptureRequest:
            return CaptureRequest(settle=settle, have=pictures.cached_names(lease.serial), **fields)

        with self._latencies.timed("capture", context) as timer:
            site, captured = await self._call_under_lease(lease, context, create, CaptureReply, timer)
            return await pictures.complete(site, lease.serial, captured.screenshot, captured.picture, context.deadline)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        def create(fields: LeaseRequestFields) -> StateRequest:
            return StateRequest(source=source, **fields)

        with self._latencies.timed("state", context) as timer:
            site, reply = await self._call_under_lease(lease, context, create, StateReply, timer)
            return self._sites().pictures.localize(site.name, source, reply.state)

    async def log(self, lease: Lease, context: CallContext) -> PhoneLog:
        """Raise LogUnavailable: a log would take the room of pictures on the link."""
        raise LogUnavailable(f"phone {lease.serial} is behind a broker: its log is not available over MQTT")

    # ------------------------------------------------------------------ actions
    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        def create(fields: LeaseRequestFields) -> PerformRequest:
            return PerformRequest(perform=perform, **fields)

        with self._latencies.timed("perform", context) as timer:
            site, received = await self._call_under_lease(lease, context, create, ReceiptReply, timer)
            return site.to_local_receipt(received.receipt, perform.key)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        """Perform and capture in one round trip. The site sends the picture right after the reply."""
        pictures = self._sites().pictures

        def create(fields: LeaseRequestFields) -> PerformAndCaptureRequest:
            return PerformAndCaptureRequest(
                perform=perform, settle=settle, have=pictures.cached_names(lease.serial), **fields
            )

        with self._latencies.timed("perform_and_capture", context) as timer:
            site, reply = await self._call_under_lease(lease, context, create, PerformAndCaptureReply, timer)
            performed, began_at = reply.performed, self._clock.now()
            receipt = site.to_local_receipt(performed.receipt, perform.key)
            if performed.screenshot is None or reply.picture is None:
                return Performed(receipt=receipt), None, None
            try:
                deadline = context.deadline - PICTURE_MARGIN_S
                screenshot, image, frame = await pictures.complete(
                    site, lease.serial, performed.screenshot, reply.picture, deadline
                )
            except ManyhandsError as error:
                _log.info("%s: no picture after %s: %s", lease.serial, perform.key, error)
                return Performed(receipt=receipt), None, None
            looked_ms = performed.looked_ms + (self._clock.now() - began_at) * 1000
            return Performed(receipt=receipt, screenshot=screenshot, looked_ms=max(0.0, looked_ms)), image, frame

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        def create(fields: LeaseRequestFields) -> ResetRequest:
            return ResetRequest(reset=reset, **fields)

        with self._latencies.timed("reset", context) as timer:
            site, received = await self._call_under_lease(lease, context, create, ReceiptReply, timer)
            return site.to_local_receipt(received.receipt, reset.key)

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        def create(fields: LeaseRequestFields) -> RecallReceiptsRequest:
            return RecallReceiptsRequest(keys=tuple(keys), **fields)

        with self._latencies.timed("recall", context) as timer:
            site, recalled = await self._call_under_lease(lease, context, create, RecallReceiptsReply, timer)
            site.check_equal("number of receipts", len(recalled.receipts), len(keys))
            return [site.to_local_receipt(receipt, key) for receipt, key in zip(recalled.receipts, keys, strict=True)]

    # ------------------------------------------------------------------ figures
    async def latencies(self) -> tuple[CallLatency, ...]:
        """Return the latencies of the last calls under leases, up to 10,000."""
        return self._latencies.all()

    async def counts(self) -> LinkCounts:
        """Return a copy of the counts of the link."""
        return replace(self._sites().link.counts)

    async def _call_under_lease(
        self,
        lease: Lease,
        context: CallContext,
        create: Callable[[LeaseRequestFields], EdgeRequest[R]],
        reply: type[R],
        timer: CallTimer,
    ) -> tuple[RemoteSite, R]:
        """Send a request under a lease, and record the time that the site took."""
        site, answer = await self._sites().call_under_lease(lease, context, create, reply, timer.method)
        timer.site_s = answer.site_s
        return site, answer.reply
