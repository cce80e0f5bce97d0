"""Serve the phones of sites behind a broker to those who hold leases on them: the other end of gateways elsewhere."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.edge.link import Link, LinkCounts
from manyhands.actors.edge.mqtt import MqttLink
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.actors.edge.site import Call, LeaseCall, Site
from manyhands.actors.edge.sites import MakeLink, Sites
from manyhands.actors.edge.took import LastCalls, Measuring, Took
from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.edge.messages import (
    AskSize,
    AskState,
    Attach,
    Attached,
    Capture,
    Captured,
    Connect,
    Detach,
    Done,
    EdgeReply,
    EdgeRequest,
    ListPhones,
    Look,
    PerformAndCapture,
    PerformOnce,
    Phones,
    Recall,
    Recalled,
    Received,
    Reset,
    Shown,
    SizeTold,
    StateTold,
)
from manyhands.protocol.errors import CallError, ManyhandsError
from manyhands.protocol.geometry import Size
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, Receipt, SettleSpec
from manyhands.protocol.screens import Screenshot

R = TypeVar("R", bound=EdgeReply)

SITE_AWAY = "site away"
"""The state of a phone that its site told last, and that has gone since."""
PICTURE_MARGIN_S = 0.5
"""So long before its deadline a call that has a receipt gives up the picture: the receipt must arrive."""
_log = logging.getLogger(__name__)


def mqtt_link(settings: MqttGatewaySettings, client: str) -> Link:
    """Return a link to the broker of the settings.

    Every site is told ``client``, and nobody the rest of the link's name: whoever knew that could throw it out.
    """
    return MqttLink(f"manyhands-{client}-{secrets.token_hex(8)}", settings.broker, settings.link)


class MqttGateway:
    """Implements ``actors.seams.Gateway`` for the phones of sites, whose serials are ``site/serial`` here.

    A request is sent again until it is answered or its deadline has passed, and done once: its key, its id and the
    number that rises with each see to that at the site. Times go by the site's clock there, and by ours here.
    """

    def __init__(self, settings: MqttGatewaySettings, link: MakeLink = mqtt_link, clock: Clock | None = None) -> None:
        self._settings = settings
        self._make_link = link
        self._clock = clock or RealClock()
        self._started: Sites | None = None
        self._calls = LastCalls(self._clock.now)

    async def start(self) -> None:
        """Connect, and greet the sites that are there. Raises BadInput for what another try does not mend."""
        self._started = sites = Sites(self._settings, self._make_link, self._clock)
        try:
            await sites.start()
        except BaseException:
            self._started = None
            raise

    async def stop(self) -> None:
        """Give back what nobody wants any more, end what waits, and close the connections."""
        if self._started is None:
            return
        try:
            await self._started.stop()
        finally:
            self._started = None

    def _sites(self) -> Sites:
        """Return the sites that are asked. Raises CallError before the start, and after the end."""
        if self._started is None:
            raise CallError("the gateway is not started, or was stopped")
        return self._started

    # ------------------------------------------------------------------ without a lease
    async def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones of all sites; those of a site that does not tell, as it told them last."""
        listed = await asyncio.gather(*map(self._phones_of, self._sites().by_name.values()))
        return tuple(phone for phones in listed for phone in phones)

    async def _phones_of(self, site: Site) -> list[PhoneInfo]:
        changes = {"state": SITE_AWAY}
        phones = tuple(site.phones.values())
        if not site.away:
            limit_s, what = self._settings.list_s, f"listing the phones of site {site.name}"
            try:
                question = site.question(lambda call: ListPhones(**call), Phones, what)
                phones, changes = (await self._sites().ask(site, question, limit_s)).phones, {}
            except ManyhandsError as error:
                _log.info("the phones of site %s are told as they were: %s", site.name, error)
        return [phone.model_copy(update={"serial": f"{site.name}/{phone.serial}", **changes}) for phone in phones]

    async def connect(self, serial: str) -> None:
        sites = self._sites()
        site, bare = await sites.greeted(serial)
        what = f"connecting {serial}"
        await sites.ask(site, site.question(lambda call: Connect(serial=bare, **call), Done, what, bare))

    async def size(self, serial: str) -> Size:
        sites = self._sites()
        site, bare = await sites.greeted(serial)
        what = f"the size of {serial}"
        question = site.question(lambda call: AskSize(serial=bare, **call), SizeTold, what, bare)
        return (await sites.ask(site, question)).size

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        sites = self._sites()
        site, bare = await sites.greeted(serial)

        def make(call: Call) -> Look:
            return Look(serial=bare, source=source, **call)

        return (await sites.ask(site, site.question(make, StateTold, f"looking at {serial}", bare))).state

    # ------------------------------------------------------------------ leases
    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        """Return a lease; a site that is away, or does not say at once that it is there, is PhoneLost.

        Cancelled meanwhile, what it gets is given back.
        """
        sites = self._sites()
        site, bare = await sites.greeted(serial)
        with sites.calls.admitted():
            asking = asyncio.create_task(self._attach(site, bare, holder, ttl_s, run))
            try:
                return await asyncio.shield(asking)
            except asyncio.CancelledError:
                sites.own(self._undo(site, bare, asking))
                raise

    async def _attach(self, site: Site, bare: str, holder: str, ttl_s: float, run: str) -> Lease:
        """Ask for a lease, but never anew where a newer question came before it: that one's lease must stay."""
        deadline, what = self._clock.now() + self._settings.plain_s, f"attaching {site.name}/{bare}"

        def make(call: Call) -> Attach:
            return Attach(serial=bare, holder=holder, ttl_s=ttl_s, run=run, **call)

        attached = await site.ask(site.question(make, Attached, what, bare, anew=False), deadline)
        return site.lease_here(attached.reply.lease, bare, holder)

    async def _undo(self, site: Site, bare: str, attaching: asyncio.Task[Lease]) -> None:
        """Give back a lease when whoever asked for it is gone, also while all stops and no call is admitted."""
        what = f"giving {site.name}/{bare} back"
        try:
            theirs = site.lease_there(await attaching, bare)
            deadline = self._clock.now() + self._settings.plain_s
            await site.ask(site.question(lambda call: Detach(lease=theirs, **call), Done, what, bare), deadline)
        except ManyhandsError as error:
            _log.info("there is no lease to be given back, or it runs out: %s", error)

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the lease, renewed in one request with others of its site."""
        sites = self._sites()
        site, theirs = sites.of_lease(lease)
        with sites.calls.admitted():
            renewed = await sites.renewals[site.name].renew(theirs, ttl_s)
        site.same("epoch", renewed.epoch, theirs.epoch)
        return site.lease_here(renewed, theirs.serial, theirs.holder)

    async def detach(self, lease: Lease) -> None:
        """Give the phone back; where its site cannot be told, its lease runs out."""
        sites = self._sites()
        site, theirs = sites.of_lease(lease)
        what = f"giving {lease.serial} back"
        await sites.ask(site, site.question(lambda call: Detach(lease=theirs, **call), Done, what, theirs.serial))

    # ------------------------------------------------------------------ looking
    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        looking = self._sites().looking

        def make(fields: LeaseCall) -> Capture:
            return Capture(settle=settle, have=looking.have(lease.serial), **fields)

        with self._calls.measured("capture", context) as measuring:
            site, captured = await self._under(lease, context, make, Captured, measuring)
            return await looking.shown(site, lease.serial, captured.screenshot, captured.picture, context.deadline)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        def make(fields: LeaseCall) -> AskState:
            return AskState(source=source, **fields)

        with self._calls.measured("state", context) as measuring:
            return (await self._under(lease, context, make, StateTold, measuring))[1].state

    # ------------------------------------------------------------------ touching
    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        def make(fields: LeaseCall) -> PerformOnce:
            return PerformOnce(perform=perform, **fields)

        with self._calls.measured("perform", context) as measuring:
            site, received = await self._under(lease, context, make, Received, measuring)
            return site.receipt_here(received.receipt, perform.key)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        """Perform and capture in one round trip; the picture follows the reply at once."""
        looking = self._sites().looking

        def make(fields: LeaseCall) -> PerformAndCapture:
            return PerformAndCapture(perform=perform, settle=settle, have=looking.have(lease.serial), **fields)

        with self._calls.measured("perform_and_capture", context) as measuring:
            site, shown = await self._under(lease, context, make, Shown, measuring)
            performed, began_at = shown.performed, self._clock.now()
            receipt = site.receipt_here(performed.receipt, perform.key)
            if performed.screenshot is None or shown.picture is None:
                return Performed(receipt=receipt), None, None
            try:
                deadline = context.deadline - PICTURE_MARGIN_S
                screenshot, image, frame = await looking.shown(
                    site, lease.serial, performed.screenshot, shown.picture, deadline
                )
            except ManyhandsError as error:
                _log.info("%s: no picture after %s: %s", lease.serial, perform.key, error)
                return Performed(receipt=receipt), None, None
            looked_ms = performed.looked_ms + (self._clock.now() - began_at) * 1000
            return Performed(receipt=receipt, screenshot=screenshot, looked_ms=max(0.0, looked_ms)), image, frame

    async def reset(self, lease: Lease, key: str, seed: int | None, context: CallContext) -> Receipt:
        def make(fields: LeaseCall) -> Reset:
            return Reset(key=key, seed=seed, **fields)

        with self._calls.measured("reset", context) as measuring:
            site, received = await self._under(lease, context, make, Received, measuring)
            return site.receipt_here(received.receipt, key)

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        def make(fields: LeaseCall) -> Recall:
            return Recall(keys=tuple(keys), **fields)

        with self._calls.measured("recall", context) as measuring:
            site, recalled = await self._under(lease, context, make, Recalled, measuring)
            site.same("number of receipts", len(recalled.receipts), len(keys))
            return [site.receipt_here(receipt, key) for receipt, key in zip(recalled.receipts, keys, strict=True)]

    # ------------------------------------------------------------------ what it took
    async def took(self) -> tuple[Took, ...]:
        """Return what the last calls under leases took, up to 10,000."""
        return self._calls.all()

    async def counts(self) -> LinkCounts:
        """Return what the link, and those who ask over it, counted so far."""
        return replace(self._sites().link.counts)

    async def _under(
        self,
        lease: Lease,
        context: CallContext,
        make: Callable[[LeaseCall], EdgeRequest[R]],
        reply: type[R],
        measuring: Measuring,
    ) -> tuple[Site, R]:
        """Ask a phone's site something under its lease, and note what that took there."""
        site, answer = await self._sites().ask_under(lease, context, make, reply, measuring.method)
        measuring.site_s = answer.site_s
        return site, answer.reply
