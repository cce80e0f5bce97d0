"""Protocols between the parts. Plain classes and Ray proxies both implement them.

Arguments named ``image``, ``before``, ``after`` (a :class:`~actors.frames.ModelImage`) and ``frame``
(a :class:`~actors.frames.Frame`) may be, between Ray actors, references to such objects: Ray resolves them
before the plain class sees them. So a caller that got one from ``capture`` passes it on and never looks at
it; :data:`Handle` marks such values.

Every method may raise CallError's subclasses (DeadlinePassed, Overloaded, ActorLost); the others are named.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.base import Message
from manyhands.protocol.geometry import Size
from manyhands.protocol.journal import Scan
from manyhands.protocol.learning import LearnOrder, Recall, RecallOrder, Taught
from manyhands.protocol.lessons import Lesson, LessonTaken, MemorySnapshot, Scope, ShortcutUse
from manyhands.protocol.locating import Located, LocateQuery
from manyhands.protocol.messages import Answered, CallContext, ModelCounts
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, Receipt, SettleSpec
from manyhands.protocol.progress import EpisodeProgress, RunProgress
from manyhands.protocol.records import Record
from manyhands.protocol.roles import Request
from manyhands.protocol.runs import EpisodeIndex, EpisodeOrder, EpisodeResult
from manyhands.protocol.screens import Screen, Screenshot
from manyhands.protocol.tasks import TaskSpec

Handle = Any
"""A value, or a Ray reference to it."""


class ValueOf(Protocol):
    """Brings what a handle stands for to the process of whoever asks."""

    async def __call__(self, handle: Handle) -> Any:
        """Return the value; a handle that is the value itself comes back."""
        ...


Q = TypeVar("Q", bound=Request[Any], contravariant=True)
A = TypeVar("A", bound=Message)


class Counted(Protocol):
    """Makes model calls, and counts them."""

    async def counts(self) -> Sequence[ModelCounts]:
        """Return the figures of the model calls so far, one for each process that makes them and answers now."""
        ...


class Agent(Protocol[Q, A]):
    """Answers for one role of a step: the planner, the operator, and so on."""

    async def answer(self, request: Q, context: CallContext, *images: ModelImage) -> Answered[A]:
        """Answer a request; ``images``: those of its screenshots. Raises ModelError.

        The operator answers a reply without a valid action by a Decision with a problem.
        """
        ...


class Captioner(Protocol):
    """Gives names to icons by asking a model, once for the whole fleet."""

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        """Return the screen with captions of icons as far as they are known, or come within ``wait_s``.

        Raises CaptureFailed.
        """
        ...


class Perception(Protocol):
    """Reads screens."""

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        """Return what a screenshot shows. Raises PerceptionError."""
        ...


class Locator(Protocol):
    """Finds one thing on a screen by words (Mobile-Agent v1); whoever perceives does this, too."""

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        """Return all that may be meant, the best first. Raises PerceptionError."""
        ...


class Phone(Protocol):
    """Work on one phone, for whoever holds it. Calls come one at a time, the first one after ``prepare``."""

    @property
    def serial(self) -> str:
        """The name by which the transport knows it."""
        ...

    async def prepare(self, *, for_task: bool) -> None:
        """Return once it can be used by a new holder. Raises PhoneUnknown, PhoneLost, StoreError.

        ``for_task``: a task is about to begin. What keeps the phone from it is put right if that is possible, such as
        a screen that is off; otherwise raises PhoneUnfit.
        """

    async def release(self) -> None:
        """Put back what ``prepare`` changed. What cannot be put back now is logged, and put back the next time."""

    async def close(self) -> None:
        """End what goes on by itself after a call. The phone can be used again afterwards."""

    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        """Return the screen once it is at rest (at once without ``settle``). Raises PhoneLost, CaptureFailed."""
        ...

    async def perform(self, perform: Perform) -> Receipt:
        """Carry out one atom. Raises PhoneLost when it is certain that nothing was sent."""
        ...

    async def size(self) -> Size:
        """Return the size of its screen, which turns with the phone. Raises PhoneLost."""
        ...

    async def reset(self, key: str, seed: int | None) -> Receipt:
        """Wake, unlock, close apps, go home; have the contents made anew from ``seed`` where that is possible."""
        ...

    async def state(self, source: str) -> Mapping[str, Any]:
        """Return the JSON state that a content provider answers. Raises StateUnavailable, PhoneLost."""
        ...


class PhoneTransport(Protocol):
    """A way to reach phones, such as adb. It pickles before ``start``: a gateway starts its own."""

    async def ensure_running(self) -> None:
        """Start what this machine needs for it, and leave that running. Raises BadInput where it cannot."""

    async def start(self) -> None:
        """Open its own connections and threads."""

    async def stop(self) -> None:
        """Close them."""

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return all phones that it sees, usable or not. Raises PhoneError."""
        ...

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        """Tell all phones that it sees, at first and at each change, until cancelled. Outlives what it sees them by."""

    async def connect(self, serial: str) -> None:
        """Return once the phone can be used. Raises PhoneUnknown, PhoneLost."""

    def phone(self, serial: str) -> Phone:
        """Return the phone with this serial, whether or not it is there."""
        ...


class PhoneDirectory(Protocol):
    """Tells what phones there are and what they are like, without a lease: it touches none of them.

    All of it may be asked again. Raises CallError where whoever knows the phones does not answer.
    """

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return all phones that it sees, usable or not. Raises PhoneError."""
        ...

    async def connect(self, serial: str) -> None:
        """Return once the phone can be used. Raises PhoneUnknown, PhoneLost."""

    async def size(self, serial: str) -> Size:
        """Return the size of a phone's screen, which turns with the phone. Raises PhoneLost."""
        ...

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        """Return the JSON state that a phone's content provider answers. Raises StateUnavailable, PhoneLost."""
        ...


class Gateway(PhoneDirectory, Protocol):
    """Serves all phones of one host, with leases and action keys. What is no part of the directory needs a lease.

    ``attach`` gives one. Raises PhoneUnknown, PhoneBusy and PhoneUnfit (attach), LeaseLost, and what Phone raises.
    """

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        """Return a lease once the phone is ready for its holder.

        Who holds it gets a new lease at once, with the next epoch, and its older one is void. A ``run`` that is
        refused has the phone's next free turn, as long as it goes on asking.
        """
        ...

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the lease, to run ``ttl_s`` from now."""
        ...

    async def detach(self, lease: Lease) -> None:
        """Give the phone back; a lease that is already lost is no error."""

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, Handle, Handle]:
        """Return Screenshot, ModelImage and Frame; behind Ray the last two are references."""
        ...

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        """Carry out one atom, unless its key was seen before: then return its first receipt."""
        ...

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Handle, Handle]:
        """Perform, then capture; raise what ``perform`` raises.

        A picture that fails costs no receipt: both handles are then None.
        """
        ...

    async def reset(self, lease: Lease, key: str, seed: int | None, context: CallContext) -> Receipt: ...

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]: ...

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        """Return what became of actions, once none is under way any more: per key its first receipt.

        ``unknown``: it was begun, and no receipt was written. ``refused``: it was never begun, and never will be,
        for that receipt is written now.
        """
        ...


class Store(Protocol):
    """Keeps the run folder. Raises StoreError; StoreFull where the disk takes no more now."""

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        """Append records, whose places in the journal begin with ``first``; return after fsync.

        What was appended before, with the same places, may be appended again. Raises StaleEpoch once the episode goes
        on under a newer epoch than ``epoch``, that of the lease under which the records were written.
        """

    async def read(self, episode: str, epoch: int) -> Scan:
        """Return what stands in a journal. From now on what an epoch older than ``epoch`` appends to it is refused.

        Raises StaleEpoch.
        """
        ...

    async def index(self) -> Sequence[EpisodeIndex]:
        """Return where each episode stands, in the order in which they started."""
        ...

    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        """Write screens/<content id>.png once, each. Behind Ray frames may be references, arguments of their own."""

    async def screen(self, content_id: str) -> bytes | None:
        """Return the PNG of a screen; None for one that is not in the folder."""
        ...


class FleetMemory(Protocol):
    """Keeps what a fleet has learned, beside its file. Raises StoreError; StoreFull where the disk is full."""

    async def known(self, scopes: Sequence[Scope]) -> MemorySnapshot:
        """Return what these scopes know, all of one version, the first scope's first; without what is put aside."""
        ...

    async def search(self, scopes: Sequence[Scope], words: str, most: int) -> MemorySnapshot:
        """Return what fits some words best, by full-text search in English and in pairs of Chinese characters.

        Initial tips and shortcuts are always among it.
        """
        ...

    async def teach(self, lesson: Lesson) -> LessonTaken:
        """Take a lesson in one transaction; one that was taken before is not taken again."""
        ...

    async def used(self, use: ShortcutUse) -> None:
        """Take in how a use of a shortcut went; that may put it aside."""

    async def put_aside(self, shortcuts: Sequence[str]) -> Mapping[str, str]:
        """Return those of some shortcuts (``ID@VERSION``) that are put aside, each with the reason."""
        ...


class Learning(Protocol):
    """Says what tasks know from the start, and has them teach what they met. What fails costs the lesson alone."""

    async def recall(self, order: RecallOrder) -> Recall:
        """Return what a task is to know. Raises what FleetMemory raises."""
        ...

    async def learn(self, order: LearnOrder) -> Taught:
        """Have an episode that has ended teach, and write that into its journal; one that has taught does not again.

        Raises StoreError where its journal cannot be read or written.
        """
        ...


class Host(Protocol):
    """Runs episodes as coroutines."""

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        """Return how the episode ended, always; cancelling it ends it as ``cancelled``.

        One that runs here is joined, of one that ended here the result is returned, unless the order's lease is newer.
        """
        ...

    async def progress(self) -> Sequence[EpisodeProgress]: ...

    async def replace(self) -> None:
        """Have a host that has stopped answering ended, and another started in its place. Nothing of it goes on."""


class Dispatch(Protocol):
    """Hands tasks to hosts with the phones that it leases."""

    async def run(self, batch: str, tasks: Sequence[TaskSpec], begun: bool = False) -> Sequence[EpisodeResult]:
        """Return the deciding result of each task, in the order of ``tasks``. ``batch`` names them within their run.

        ``begun``: some of it may have been carried out before. What has been decided stays, what runs goes on.
        """
        ...

    async def progress(self) -> RunProgress: ...
