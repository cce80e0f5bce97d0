"""What one who asks knows of a site, and how it asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar

from manyhands.actors.clock import Clock
from manyhands.actors.edge.asker import Answer, Asker
from manyhands.actors.edge.link import Link
from manyhands.actors.edge.offset import ClockOffset
from manyhands.actors.edge.settings import RepeatSettings
from manyhands.actors.edge.versions import unlike, version_here
from manyhands.protocol.edge.messages import GONE, EdgeReply, EdgeRequest, Failed, Hello, Presence, Welcome
from manyhands.protocol.edge.topics import Topics
from manyhands.protocol.edge.wire import pack
from manyhands.protocol.errors import CallError, DeadlinePassed, Overtaken
from manyhands.protocol.phones import Lease, PhoneInfo, Receipt

R = TypeVar("R", bound=EdgeReply)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.01, 1.0
"""Pauses before what was overtaken by another request of ours is asked anew."""
CLOCK_SET_S = 0.5
"""Where the site finds a request late that has more time than this left, and its clock is another by more than this, it
was set since: the request is asked anew."""


MOST_PHONES = 4096
"""Of one site; what it tells of more is not kept."""


class OtherVersion(CallError):
    """Signal that a site runs another major version, whose answers may mean something else."""


class Call(TypedDict):
    """The fields that every request has."""

    client: str
    number: int
    expires_at: float
    traceparent: str


class LeaseCall(Call):
    """The fields that every request under a lease has."""

    lease: Lease
    episode: str
    step: int


@dataclass(frozen=True, slots=True)
class Question(Generic[R]):
    """Say what a site is asked, on which topic, and what answers it. ``what`` is one line for people."""

    make: Callable[[Call], EdgeRequest[R]]
    reply: type[R]
    topic: str
    what: str
    anew: bool = True
    """Whether it is asked anew, as another request, where one that was asked after it came before it. That is safe for
    what may be done again and for what has a key."""
    traceparent: str = ""


class Site:
    """One site: whether it is there, its clock, its phones as they were told last."""

    def __init__(self, name: str, client: str, link: Link, settings: RepeatSettings, clock: Clock) -> None:
        """``client`` is who asks. Raises BadInput for a name that no site can have."""
        self.name = name
        self.topics = Topics(name)
        self.phones: dict[str, PhoneInfo] = {}
        """By serial, also where the site is away."""
        self.offset = ClockOffset()
        self._client = client
        self._link = link
        self._clock = clock
        self._asker = Asker(link, settings, clock)
        self._presence: Presence | None = None
        self._number = 0

    # ------------------------------------------------------------------ what it tells
    @property
    def away(self) -> bool:
        """Return whether the broker says that it has lost the site; one of which it says nothing may be there."""
        return self._presence is not None and not self._presence.online

    def told(self, presence: Presence) -> None:
        """Learn whether it is there. What the broker tells of a connection that another has replaced is too late."""
        before = self._presence
        if before is not None and not presence.online and presence.since < before.since:
            return
        self._presence = presence
        if presence.online and presence != before:
            self._asker.wake()

    def told_of(self, serial: str, phone: PhoneInfo) -> None:
        """Learn what a phone is like now, or that the site lists it no more."""
        if phone.state == GONE:
            self.phones.pop(serial, None)
        elif serial in self.phones or len(self.phones) < MOST_PHONES:
            self.phones[serial] = phone

    def take(self, reply: EdgeReply, said_at: float) -> None:
        """Take a reply, which was made at ``said_at`` by its clock."""
        self._asker.take(reply, said_at)

    def wake(self) -> None:
        """Have everything that waits for an answer sent again now."""
        self._asker.wake()

    def close(self) -> None:
        """Have everything that waits for an answer fail."""
        self._asker.close()

    # ------------------------------------------------------------------ its names and times, and ours
    def same(self, what: str, answered: object, asked: object) -> None:
        """Hold what it answered against what it was asked for. Raises CallError."""
        if answered != asked:
            raise CallError(f"site {self.name} was asked for the {what} {asked!r}, and answered with {answered!r}")

    def lease_here(self, lease: Lease, serial: str, holder: str) -> Lease:
        """Return a lease of its own as it is known here. Raises CallError for one that was not asked for."""
        self.same("lease", (lease.serial, lease.holder), (serial, holder))
        expires_at = self.offset.ours(lease.expires_at)
        return lease.model_copy(update={"serial": f"{self.name}/{lease.serial}", "expires_at": expires_at})

    def lease_there(self, lease: Lease, serial: str) -> Lease:
        """Return one of ours as the site knows it, by the phone's serial there."""
        return lease.model_copy(update={"serial": serial, "expires_at": self.offset.theirs(lease.expires_at)})

    def receipt_here(self, receipt: Receipt, key: str) -> Receipt:
        """Return a receipt with the time by our clock. Raises CallError for that of another key."""
        self.same("receipt of", receipt.key, key)
        return receipt.model_copy(update={"sent_at": self.offset.ours(receipt.sent_at)})

    # ------------------------------------------------------------------ what it is asked
    def question(
        self,
        make: Callable[[Call], EdgeRequest[R]],
        reply: type[R],
        what: str,
        bare: str | None = None,
        anew: bool = True,
        traceparent: str = "",
    ) -> Question[R]:
        """Return what it is asked about a phone, by its serial there, or about none."""
        topic = self.topics.commands if bare is None else self.topics.phone_commands(bare)
        return Question(make, reply, topic, what, anew, traceparent)

    async def greet(self, deadline: float) -> None:
        """Ask who it is, and what its clock says. Raises DeadlinePassed, and OtherVersion."""
        what = f"asking whether site {self.name} is there"
        answer = await self._asked(self.question(lambda call: Hello(**call), Welcome, what), deadline)
        self.same("name", answer.reply.site, self.name)
        if unlike(answer.reply.version):
            raise OtherVersion(
                f"site {self.name} runs manyhands {answer.reply.version}, and here is {version_here()}: "
                "install versions with the same first number"
            )

    async def ask(self, question: Question[R], deadline: float) -> Answer[R]:
        """Return its answer. Raises DeadlinePassed at ``deadline`` of our clock, and what the site refuses with."""
        if not self.offset.known:
            await self.greet(deadline)
        return await self._asked(question, deadline)

    async def _asked(self, question: Question[R], deadline: float) -> Answer[R]:
        what, pause = question.what, FIRST_PAUSE_S
        while True:
            request = question.make(self._call(deadline, question.traceparent))
            answer = await self._answer(request, question.topic, deadline, what)
            reply = answer.reply
            if isinstance(reply, question.reply):
                return Answer(reply, answer.said_at, answer.asked_at, answer.came_at)
            if not isinstance(reply, Failed):
                raise CallError(
                    f"{what}: site {self.name} answered with {type(reply).__name__}; is it another version?"
                )
            error = reply.why.error()
            counts, left_s = self._link.counts, deadline - self._clock.now()
            counts.refusals += 1
            if isinstance(error, Overtaken):
                counts.overtaken += 1
                if question.anew and left_s > pause:
                    await self._clock.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE_S)
                    continue
            elif isinstance(error, DeadlinePassed):
                counts.late += 1
                if left_s > CLOCK_SET_S:
                    await self.greet(deadline)
                    if abs(self.offset.theirs(deadline) - request.expires_at) > CLOCK_SET_S:
                        continue
            raise reply.why.model_copy(update={"text": f"site {self.name}: {reply.why.text}"}).error()

    async def _answer(self, request: EdgeRequest[R], topic: str, deadline: float, what: str) -> Answer[EdgeReply]:
        try:
            answer = await self._asker.ask(topic, pack(request, self._clock.now()), deadline)
        except DeadlinePassed as error:
            raise DeadlinePassed(f"{what}: {error}{f'; site {self.name} is away' if self.away else ''}") from error
        if answer.reply.heard_at:
            self.offset.observe(answer.asked_at, answer.reply.heard_at, answer.came_at)
        self.offset.observe(answer.asked_at, answer.said_at, answer.came_at)  # the later one counts, if they contradict
        return answer

    def _call(self, deadline: float, traceparent: str) -> Call:
        return Call(
            client=self._client,
            number=self._next_number(),
            expires_at=self.offset.theirs(deadline),
            traceparent=traceparent,
        )

    def _next_number(self) -> int:
        """Return the site's time in microseconds, always more than before: it rises also from one process of ours to
        the next, wherever that runs."""
        self._number = max(self._number + 1, int(self.offset.theirs(self._clock.now()) * 1e6))
        return self._number
