"""Messages between a site and its clients: a request and a reply for each method of the gateway, and announcements.

Serials are those that adb gives, without the site's name. All times are Unix seconds **by the clock of the site**: the
client estimates the offset to its own clock (:class:`HelloRequest`) and converts. Each class has a name on the wire,
which is not the class's name: ``wire.WIRE_NAMES``.
"""

from __future__ import annotations

from importlib import metadata
from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import Field, FiniteFloat

from manyhands.protocol.base import Message
from manyhands.protocol.edge.topics import NAME
from manyhands.protocol.errors import ManyhandsError, error_of
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, Receipt, Reset, SettleSpec
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot

MAX_CHUNKS = 4096
CHUNK_BYTES = 128 * 1024
MAX_PICTURE_BYTES = 64 * 1024 * 1024
PICTURE_NAME = r"^[0-9a-f]{32}$"


# ---------------------------------------------------------------------------- bases, and errors
class EdgeReply(Message):
    """Be the reply to a request."""

    answers: str
    """The id of the request's envelope."""
    heard_at: FiniteFloat = 0
    """When the request arrived. The site's own time lies between this and ``sent_at`` of the reply's envelope; from
    these two times the client estimates the offset of the site's clock."""


R = TypeVar("R", bound=EdgeReply)


class EdgeRequest(Message, Generic[R]):
    """Be a request to a site. ``R`` is the type of the reply; a failed request gets an :class:`ErrorReply`.

    A client without a reply sends the same envelope again, byte for byte, until it expires; the site executes it once.
    """

    client: str = Field(pattern=NAME)
    """The client that sends the request; replies go to the topic of its name."""
    number: int = Field(ge=0)
    """A number that increases from request to request: under the epoch of a lease or, without a lease, from
    one client."""
    expires_at: FiniteFloat
    """When the request expires, by the site's clock. The site refuses a request that arrives later."""
    traceparent: str = ""
    """The step that the request belongs to, in the form of W3C Trace Context."""


class LeaseRequest(EdgeRequest[R]):
    """Ask something of a phone under a lease."""

    lease: Lease
    episode: str
    step: int = Field(ge=0)


class ErrorInfo(Message):
    """Carry an error: the code of its class, and its text."""

    code: str
    text: str

    @classmethod
    def of(cls, error: ManyhandsError) -> Self:
        return cls(code=error.code, text=str(error))

    def error(self) -> ManyhandsError:
        """Return the error as an exception of its class."""
        return error_of(self.code, self.text)


class ErrorReply(EdgeReply):
    """Reply that a request failed."""

    why: ErrorInfo


class EmptyReply(EdgeReply):
    """Reply that a request succeeded and has no value to return."""


# ---------------------------------------------------------------------------- the site
def installed_version() -> str:
    """Return the version of Manyhands that is installed here."""
    return metadata.version("manyhands")


class HelloReply(EdgeReply):
    """Name a site and its version."""

    site: str
    version: str
    """The version of Manyhands at the site."""

    @property
    def is_compatible(self) -> bool:
        """Return whether the site runs our major version; messages of another major version may mean something else."""
        return self.version.partition(".")[0] == installed_version().partition(".")[0]


class HelloRequest(EdgeRequest[HelloReply]):
    """Ask for the site's name, version and clock."""


class ListPhonesReply(EdgeReply):
    """List the phones of a site."""

    phones: tuple[PhoneInfo, ...]


class ListPhonesRequest(EdgeRequest[ListPhonesReply]):
    """Ask for the phones of a site."""


class RenewReply(EdgeReply):
    """Return each lease renewed, or the error that refused it."""

    leases: tuple[Lease | ErrorInfo, ...]
    """In the order of the request."""


class RenewRequest(EdgeRequest[RenewReply]):
    """Ask to extend many leases to ``ttl_s`` seconds from now."""

    leases: tuple[Lease, ...]
    ttl_s: float = Field(gt=0)


class FetchRequest(EdgeRequest[EmptyReply]):
    """Ask for chunks that did not arrive.

    If the site no longer holds the picture, the reply is the error CaptureFailed.
    """

    picture: str = Field(pattern=PICTURE_NAME)
    indices: tuple[int, ...] = Field(min_length=1, max_length=MAX_CHUNKS)


# ---------------------------------------------------------------------------- a phone, without a lease
class ConnectRequest(EdgeRequest[EmptyReply]):
    """Ask the site to connect to a phone."""

    serial: str


class SizeReply(EdgeReply):
    """Return the size of a screen, in pixels."""

    size: Size


class SizeRequest(EdgeRequest[SizeReply]):
    """Ask for the size of a phone's screen."""

    serial: str


class ReadLabelsReply(EdgeReply):
    """Return the labels that a phone tells of itself."""

    labels: dict[str, str]


class ReadLabelsRequest(EdgeRequest[ReadLabelsReply]):
    """Ask for the labels of a phone."""

    serial: str


class StateReply(EdgeReply):
    """Return the state that a phone reports for a ``source``."""

    state: dict[str, Any]


class LookRequest(EdgeRequest[StateReply]):
    """Ask for the state of a phone, without a lease."""

    serial: str
    source: str


class AttachReply(EdgeReply):
    """Return a new lease."""

    lease: Lease


class AttachRequest(EdgeRequest[AttachReply]):
    """Ask for a lease on a phone, for ``ttl_s`` seconds."""

    serial: str
    holder: str
    ttl_s: float = Field(gt=0)
    run: str = ""


class DetachRequest(EdgeRequest[EmptyReply]):
    """Give a lease back."""

    lease: Lease


# ---------------------------------------------------------------------------- a phone, under a lease
class PictureInfo(Message):
    """Describe a picture that travels in chunks beside the reply."""

    name: str = Field(pattern=PICTURE_NAME)
    """BLAKE3 (128 bits) of its bytes."""
    form: Literal["jpeg", "png"]
    size: int = Field(ge=1, le=MAX_PICTURE_BYTES)
    """Number of its bytes."""
    count: int = Field(ge=1, le=MAX_CHUNKS)
    """Number of its chunks."""


class CaptureReply(EdgeReply):
    """Return a screenshot, and describe its picture."""

    screenshot: Screenshot
    """Its content id is a hash of the pixels at the site."""
    picture: PictureInfo


class CaptureRequest(LeaseRequest[CaptureReply]):
    """Ask for a screenshot."""

    settle: SettleSpec | None = None
    have: tuple[str, ...] = Field(default=(), max_length=64)
    """Names of pictures that the client has cached. The site does not send these again."""


class ReceiptReply(EdgeReply):
    """Return the receipt of an action."""

    receipt: Receipt


class PerformRequest(LeaseRequest[ReceiptReply]):
    """Ask to perform an action. The site performs an action once for its key."""

    perform: Perform


class PerformAndCaptureReply(EdgeReply):
    """Return a receipt with the screenshot after the action, and describe its picture."""

    performed: Performed
    picture: PictureInfo | None = None
    """None where there is no screenshot."""


class PerformAndCaptureRequest(LeaseRequest[PerformAndCaptureReply]):
    """Ask to perform an action and capture the screen after it."""

    perform: Perform
    settle: SettleSpec | None = None
    have: tuple[str, ...] = Field(default=(), max_length=64)


class ResetRequest(LeaseRequest[ReceiptReply]):
    """Ask to reset a phone. The site resets it once for each key."""

    reset: Reset


class StateRequest(LeaseRequest[StateReply]):
    """Ask for the state of a phone under its lease."""

    source: str


class RecallReceiptsReply(EdgeReply):
    """Return a receipt for each key, in the order of the request."""

    receipts: tuple[Receipt, ...]


class RecallReceiptsRequest(LeaseRequest[RecallReceiptsReply]):
    """Ask for the receipts of actions, by their keys. A key that the site never began is refused from now on."""

    keys: tuple[str, ...]


# ---------------------------------------------------------------------------- announcements
GONE = "gone"
"""The state of a phone that its site no longer lists."""


class PictureChunk(Message):
    """Be one part of a picture. The bytes of the part follow the message (``wire.Packet``)."""

    picture: str = Field(pattern=PICTURE_NAME)
    index: int = Field(ge=0, le=MAX_CHUNKS - 1)
    count: int = Field(ge=1, le=MAX_CHUNKS)


class Presence(Message):
    """Announce whether a site is connected. Retained at the broker; the site's last will says ``online`` false."""

    site: str = Field(pattern=NAME)
    session: str
    """Names one process of the site."""
    online: bool
    since: float
    """When that process connected."""
