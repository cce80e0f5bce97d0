"""Represent a site on the client's side: its presence, phones and clock, and requests to it.

The offset of its clock is estimated from timed replies, with bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar

from manyhands.actors.clock import Clock
from manyhands.actors.edge.link import Link
from manyhands.actors.edge.rpc_client import RpcClient, TimedReply
from manyhands.protocol.edge.messages import (
    GONE,
    EdgeReply,
    EdgeRequest,
    ErrorReply,
    HelloReply,
    HelloRequest,
    Presence,
    installed_version,
)
from manyhands.protocol.edge.topics import Topics
from manyhands.protocol.edge.wire import pack
from manyhands.protocol.errors import CallError, DeadlinePassed, Superseded
from manyhands.protocol.phones import Lease, PhoneInfo, Receipt
from manyhands.protocol.utilities.backoff import Backoff

R = TypeVar("R", bound=EdgeReply)

SUPERSEDED = Backoff(first_s=0.01, longest_s=1.0)
"""The pauses before a superseded request is created anew."""
CLOCK_STEP_S = 0.5
"""A site may refuse a request as expired. If the request had more time left than this, and the site's clock differs
from our estimate by more than this, the site's clock was set. Then the request is created anew."""


MAX_PHONES = 4096
"""The most phones of one site; more are ignored."""

MAX_DRIFT = 5e-4
"""The drift of two clocks against each other, in seconds per second. NTP changes a clock's rate by at most
this much."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    least: float
    most: float
    at: float
    """When the bounds were observed, by our clock."""

    def at_time(self, now: float) -> _Bounds:
        """Return the bounds for the time ``now``. They are wider by the drift since the observation."""
        slack = MAX_DRIFT * abs(now - self.at)
        return _Bounds(self.least - slack, self.most + slack, now)


class ClockOffset:
    """Estimate the offset from replies that contain the site's time. All times are Unix seconds.

    The site put its time into the reply after our request was sent and before the reply arrived. So each reply gives a
    lower and an upper bound of the offset, however long the messages travelled. The estimate is the intersection of all
    bounds. If bounds contradict each other, a clock was set; then only the newest reply counts.
    """

    def __init__(self) -> None:
        self._bounds: _Bounds | None = None

    @property
    def is_known(self) -> bool:
        """Return whether any reply was observed."""
        return self._bounds is not None

    @property
    def seconds(self) -> float:
        """Return how far the site's clock is ahead; 0 before the first reply."""
        return 0.0 if self._bounds is None else (self._bounds.least + self._bounds.most) / 2

    def error_s(self, now: float) -> float:
        """Return the largest error of the estimate. Raises ValueError before the first reply."""
        if self._bounds is None:
            raise ValueError("no reply has been timed yet")
        bounds = self._bounds.at_time(now)
        return (bounds.most - bounds.least) / 2

    def observe(self, asked_at: float, site_time: float, answered_at: float) -> None:
        """Add a reply.

        It has ``site_time`` by the site's clock, was requested at ``asked_at`` and arrived at ``answered_at``, both by
        our clock.
        """
        if answered_at < asked_at:
            return  # our own clock was set back meanwhile: no information
        observed = _Bounds(site_time - answered_at, site_time - asked_at, asked_at).at_time(answered_at)
        before = None if self._bounds is None else self._bounds.at_time(answered_at)
        if before is None or observed.least > before.most or observed.most < before.least:
            self._bounds = observed
        else:
            self._bounds = _Bounds(max(observed.least, before.least), min(observed.most, before.most), answered_at)

    def to_site(self, local: float) -> float:
        """Convert a time of our clock to the site's clock."""
        return local + self.seconds

    def to_local(self, site_time: float) -> float:
        """Convert a time of the site's clock to our clock."""
        return site_time - self.seconds


class IncompatibleVersion(CallError):
    """Signal that a site runs another major version, whose messages may mean something else."""


class RequestFields(TypedDict):
    """Hold the fields that every request has."""

    client: str
    number: int
    expires_at: float
    traceparent: str


class LeaseRequestFields(RequestFields):
    """Hold the fields that every request under a lease has."""

    lease: Lease
    episode: str
    step: int


@dataclass(frozen=True, slots=True)
class RequestSpec(Generic[R]):
    """Specify a request: how to create it, the type of its reply, and its topic. ``what`` is one line for people."""

    create: Callable[[RequestFields], EdgeRequest[R]]
    reply: type[R]
    topic: str
    what: str
    retry_if_superseded: bool = True
    """Whether to create the request anew, with a new number, if a newer request reached the site first. This is safe
    for a request that may be executed twice or has a key."""
    traceparent: str = ""


class RemoteSite:
    """Hold the state of one site, and call it."""

    def __init__(self, name: str, client: str, link: Link, repeat: Backoff, clock: Clock) -> None:
        """``client``: our name in requests. Raises BadInput for an invalid name of a site."""
        self.name = name
        self.topics = Topics(name)
        self.phones: dict[str, PhoneInfo] = {}
        """The phones as last announced, by serial, even while the site is away."""
        self.offset = ClockOffset()
        self._client = client
        self._link = link
        self._clock = clock
        self._rpc = RpcClient(link, repeat, clock)
        self._presence: Presence | None = None
        self._number = 0

    # ------------------------------------------------------------------ announcements and replies
    @property
    def away(self) -> bool:
        """Return whether the broker reports the site as lost.

        Before its first announcement a site does not count as away.
        """
        return self._presence is not None and not self._presence.online

    def update_presence(self, presence: Presence) -> None:
        """Set the presence. Ignore the last will of a connection that has been replaced."""
        before = self._presence
        if before is not None and not presence.online and presence.since < before.since:
            return
        self._presence = presence
        if presence.online and presence != before:
            self._rpc.resend_all()

    def update_phone(self, serial: str, phone: PhoneInfo) -> None:
        """Set the state of a phone, or remove one that the site no longer lists."""
        if phone.state == GONE:
            self.phones.pop(serial, None)
        elif serial in self.phones or len(self.phones) < MAX_PHONES:
            self.phones[serial] = phone

    def receive_reply(self, reply: EdgeReply, sent_at: float) -> None:
        """Pass a reply to its request; ``sent_at`` is by the site's clock."""
        self._rpc.receive(reply, sent_at)

    def resend_all(self) -> None:
        """Send all pending requests again now."""
        self._rpc.resend_all()

    def fail_all(self) -> None:
        """Fail all pending requests."""
        self._rpc.fail_all()

    # ------------------------------------------------------------------ conversion of names and times
    def check_equal(self, what: str, answered: object, requested: object) -> None:
        """Compare a field of a reply with the request. Raises CallError if they differ."""
        if answered != requested:
            raise CallError(f"site {self.name} was asked for the {what} {requested!r}, and answered with {answered!r}")

    def to_local_lease(self, lease: Lease, serial: str, holder: str) -> Lease:
        """Convert a lease of the site to our names and times. Raises CallError for a lease that was not requested."""
        self.check_equal("lease", (lease.serial, lease.holder), (serial, holder))
        expires_at = self.offset.to_local(lease.expires_at)
        return lease.model_copy(update={"serial": f"{self.name}/{lease.serial}", "expires_at": expires_at})

    def to_site_lease(self, lease: Lease, serial: str) -> Lease:
        """Convert a lease of ours to the site's names and times; ``serial`` is the phone's serial there."""
        return lease.model_copy(update={"serial": serial, "expires_at": self.offset.to_site(lease.expires_at)})

    def to_local_receipt(self, receipt: Receipt, key: str) -> Receipt:
        """Convert a receipt to our time. Raises CallError for a receipt of another key."""
        self.check_equal("receipt of", receipt.key, key)
        return receipt.model_copy(update={"sent_at": self.offset.to_local(receipt.sent_at)})

    # ------------------------------------------------------------------ requests
    def specify(
        self,
        create: Callable[[RequestFields], EdgeRequest[R]],
        reply: type[R],
        what: str,
        bare: str | None = None,
        retry_if_superseded: bool = True,
        traceparent: str = "",
    ) -> RequestSpec[R]:
        """Return the specification of a request. ``bare``: the serial at the site; None if no phone is meant."""
        topic = self.topics.commands if bare is None else self.topics.phone_commands(bare)
        return RequestSpec(create, reply, topic, what, retry_if_superseded, traceparent)

    async def handshake(self, deadline: float) -> None:
        """Ask for the site's identity and clock. Raises DeadlinePassed, and IncompatibleVersion."""
        what = f"asking whether site {self.name} is there"
        answer = await self._call_until_decided(
            self.specify(lambda fields: HelloRequest(**fields), HelloReply, what), deadline
        )
        self.check_equal("name", answer.reply.site, self.name)
        if not answer.reply.is_compatible:
            raise IncompatibleVersion(
                f"site {self.name} runs manyhands {answer.reply.version}, and here is {installed_version()}: "
                "install versions with the same first number"
            )

    async def call(self, spec: RequestSpec[R], deadline: float) -> TimedReply[R]:
        """Send a request and return its reply. Raises DeadlinePassed at ``deadline``, and the site's error."""
        if not self.offset.is_known:
            await self.handshake(deadline)
        return await self._call_until_decided(spec, deadline)

    async def _call_until_decided(self, spec: RequestSpec[R], deadline: float) -> TimedReply[R]:
        what, pauses = spec.what, SUPERSEDED.pauses()
        while True:
            request = spec.create(self._request_fields(deadline, spec.traceparent))
            answer = await self._call_once(request, spec.topic, deadline, what)
            reply = answer.reply
            if isinstance(reply, spec.reply):
                return TimedReply(reply, answer.sent_at, answer.asked_at, answer.arrived_at)
            if not isinstance(reply, ErrorReply):
                raise CallError(
                    f"{what}: site {self.name} answered with {type(reply).__name__}; is it another version?"
                )
            error = reply.why.error()
            counts, left_s = self._link.counts, deadline - self._clock.now()
            counts.refusals += 1
            if isinstance(error, Superseded):
                counts.overtaken += 1
                if spec.retry_if_superseded and left_s > (pause_s := next(pauses)):
                    await self._clock.sleep(pause_s)
                    continue
            elif isinstance(error, DeadlinePassed):
                counts.late += 1
                if left_s > CLOCK_STEP_S:
                    await self.handshake(deadline)
                    if abs(self.offset.to_site(deadline) - request.expires_at) > CLOCK_STEP_S:
                        continue
            raise reply.why.model_copy(update={"text": f"site {self.name}: {reply.why.text}"}).error()

    async def _call_once(
        self, request: EdgeRequest[R], topic: str, deadline: float, what: str
    ) -> TimedReply[EdgeReply]:
        try:
            answer = await self._rpc.call(topic, pack(request, self._clock.now()), deadline)
        except DeadlinePassed as error:
            raise DeadlinePassed(f"{what}: {error}{f'; site {self.name} is away' if self.away else ''}") from error
        if answer.reply.heard_at:
            self.offset.observe(answer.asked_at, answer.reply.heard_at, answer.arrived_at)
        self.offset.observe(
            answer.asked_at, answer.sent_at, answer.arrived_at
        )  # if the two contradict each other, the newer one counts
        return answer

    def _request_fields(self, deadline: float, traceparent: str) -> RequestFields:
        return RequestFields(
            client=self._client,
            number=self._next_number(),
            expires_at=self.offset.to_site(deadline),
            traceparent=traceparent,
        )

    def _next_number(self) -> int:
        """Return the site's time in microseconds. It always increases, even after a restart of our process."""
        self._number = max(self._number + 1, int(self.offset.to_site(self._clock.now()) * 1e6))
        return self._number
