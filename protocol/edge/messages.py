"""What is asked of a site and its phones, and what it answers: a request and a reply for each method of its gateway.

Serials are those that adb gives, without the site's name. All times are Unix seconds **by the clock of the site**: who
asks measures how far that is from its own (:class:`Hello`) and translates.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import Field, FiniteFloat

from manyhands.protocol.base import Message
from manyhands.protocol.edge.topics import NAME
from manyhands.protocol.errors import ManyhandsError, error_of
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, Receipt, SettleSpec
from manyhands.protocol.screens import Screenshot

MOST_CHUNKS = 4096
CHUNK_BYTES = 128 * 1024
MOST_PICTURE_BYTES = 64 * 1024 * 1024
PICTURE_NAME = r"^[0-9a-f]{32}$"


# ---------------------------------------------------------------------------- of every reply and request
class EdgeReply(Message):
    """Answer a request."""

    answers: str
    """The id of the envelope that it answers."""
    heard_at: FiniteFloat = 0
    """When the request arrived: between that and ``sent_at`` of the envelope lies the site's own time, and with these
    two the asker's clock is compared with the site's."""


R = TypeVar("R", bound=EdgeReply)


class EdgeRequest(Message, Generic[R]):
    """Ask something of a site; ``R`` is what it answers, or :class:`Failed`.

    Whoever has no answer sends the same envelope again, byte for byte, as long as it has not expired: it is done once.
    """

    client: str = Field(pattern=NAME)
    """Who asks, and is answered on the topic of its own."""
    number: int = Field(ge=0)
    """Rises within the epoch of a lease, or within the client where a request has no lease."""
    expires_at: FiniteFloat
    """By the clock of the site. What arrives later is refused."""
    traceparent: str = ""
    """The step that it belongs to, as W3C Trace Context writes it."""


class LeaseRequest(EdgeRequest[R]):
    """Ask something of a phone under a lease."""

    lease: Lease
    episode: str
    step: int = Field(ge=0)


class Refusal(Message):
    """Hold an error as it travels."""

    code: str
    text: str

    @classmethod
    def of(cls, error: ManyhandsError) -> Self:
        return cls(code=error.code, text=str(error))

    def error(self) -> ManyhandsError:
        """Return the error as its own type."""
        return error_of(self.code, self.text)


class Failed(EdgeReply):
    """Answer any request that came to nothing."""

    why: Refusal


class Done(EdgeReply):
    """Answer a request that has nothing else to tell."""


# ---------------------------------------------------------------------------- the site
class Welcome(EdgeReply):
    """Introduce a site."""

    site: str
    version: str
    """That of Manyhands."""


class Hello(EdgeRequest[Welcome]):
    """Ask who a site is, and what its clock says."""


class Phones(EdgeReply):
    phones: tuple[PhoneInfo, ...]


class ListPhones(EdgeRequest[Phones]):
    """Ask which phones there are."""


class Renewed(EdgeReply):
    leases: tuple[Lease | Refusal, ...]
    """In the order of the request."""


class Renew(EdgeRequest[Renewed]):
    """Ask for many leases to run ``ttl_s`` from now."""

    leases: tuple[Lease, ...]
    ttl_s: float = Field(gt=0)


class Fetch(EdgeRequest[Done]):
    """Ask for chunks of a picture that did not arrive. Raises CaptureFailed for one that the site has no more."""

    picture: str = Field(pattern=PICTURE_NAME)
    indices: tuple[int, ...] = Field(min_length=1, max_length=MOST_CHUNKS)


# ---------------------------------------------------------------------------- a phone, without a lease
class Connect(EdgeRequest[Done]):
    """Ask for a phone to be reached."""

    serial: str


class SizeTold(EdgeReply):
    size: Size


class AskSize(EdgeRequest[SizeTold]):
    serial: str


class StateTold(EdgeReply):
    state: dict[str, Any]


class Look(EdgeRequest[StateTold]):
    """Ask for the state that a content provider answers, without a lease."""

    serial: str
    source: str


class Attached(EdgeReply):
    lease: Lease


class Attach(EdgeRequest[Attached]):
    serial: str
    holder: str
    ttl_s: float = Field(gt=0)
    run: str = ""


class Detach(EdgeRequest[Done]):
    lease: Lease


# ---------------------------------------------------------------------------- a phone, under a lease
class Picture(Message):
    """Name a picture that travels in chunks beside the reply."""

    name: str = Field(pattern=PICTURE_NAME)
    """BLAKE3 (128 bits) of its bytes."""
    form: Literal["jpeg", "png"]
    size: int = Field(ge=1, le=MOST_PICTURE_BYTES)
    """Its bytes."""
    count: int = Field(ge=1, le=MOST_CHUNKS)
    """Its chunks."""


class Captured(EdgeReply):
    screenshot: Screenshot
    """Its content id is that of the pixels that the site saw."""
    picture: Picture


class Capture(LeaseRequest[Captured]):
    settle: SettleSpec | None = None
    have: tuple[str, ...] = Field(default=(), max_length=64)
    """Names of pictures that the asker has: they are not sent again."""


class Received(EdgeReply):
    receipt: Receipt


class PerformOnce(LeaseRequest[Received]):
    perform: Perform


class Shown(EdgeReply):
    performed: Performed
    picture: Picture | None = None
    """None where there is no screenshot."""


class PerformAndCapture(LeaseRequest[Shown]):
    perform: Perform
    settle: SettleSpec | None = None
    have: tuple[str, ...] = Field(default=(), max_length=64)


class Reset(LeaseRequest[Received]):
    key: str
    seed: int | None = None


class AskState(LeaseRequest[StateTold]):
    source: str


class Recalled(EdgeReply):
    receipts: tuple[Receipt, ...]


class Recall(LeaseRequest[Recalled]):
    keys: tuple[str, ...]


# ---------------------------------------------------------------------------- told without being asked
GONE = "gone"
"""The state of a phone that its site lists no more."""


class PictureChunk(Message):
    """Carry a part of a picture; its bytes travel behind the message (``wire.Packet``)."""

    picture: str = Field(pattern=PICTURE_NAME)
    index: int = Field(ge=0, le=MOST_CHUNKS - 1)
    count: int = Field(ge=1, le=MOST_CHUNKS)


class Presence(Message):
    """Tell whether a site is there: retained at the broker, which tells ``online`` false when it loses the site."""

    site: str = Field(pattern=NAME)
    session: str
    """Of one process of the site."""
    online: bool
    since: float
    """When the process connected."""


REQUESTS: tuple[type[EdgeRequest[Any]], ...] = (
    *(Hello, ListPhones, Renew, Fetch),
    *(Connect, AskSize, Look, Attach, Detach),
    *(Capture, PerformOnce, PerformAndCapture, Reset, AskState, Recall),
)
REPLIES: tuple[type[EdgeReply], ...] = (
    *(Failed, Done, Welcome, Phones, Renewed),
    *(SizeTold, StateTold, Attached, Captured, Received, Shown, Recalled),
)
TOLD: tuple[type[Message], ...] = (PictureChunk, Presence, PhoneInfo)
