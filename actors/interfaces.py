"""Protocols between the parts. Plain classes and Ray proxies both implement them.

Between Ray actors, arguments named ``image``, ``before``, ``after`` (a :class:`~actors.frames.ModelImage`) and
``frame`` (a :class:`~actors.frames.Frame`) may be references to such objects. Ray resolves them before the plain class
sees them. So a caller that got a reference from ``capture`` passes the reference on and never reads its value. The type
:data:`Ref` marks values that may be references.

Every method may raise CallError's subclasses (DeadlinePassed, Overloaded, ActorLost); docstrings name other errors.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Protocol, TypeVar, runtime_checkable

from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.base import Message
from manyhands.protocol.journals.journal import Scan
from manyhands.protocol.journals.records import Record
from manyhands.protocol.messages import Answered, CallContext, ModelCounts, ModelSession, PartialReply, SessionFacts
from manyhands.protocol.phones import (
    Lease,
    Perform,
    Performed,
    PhoneInfo,
    PhoneLog,
    Receipt,
    Reset,
    SettleSpec,
    TransportStatus,
)
from manyhands.protocol.roles.learning import LearnOrder, Recall, RecallOrder, Taught
from manyhands.protocol.roles.lessons import Lesson, LessonTaken, MemorySnapshot, Scope, ShortcutUse
from manyhands.protocol.roles.requests import Request
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.runs.progress import Decisions, EpisodeProgress, RunProgress
from manyhands.protocol.runs.results import EpisodeIndex, EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Located, LocateQuery, Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec

T = TypeVar("T")
Ref = Annotated[T, "the value itself, or a Ray reference to it"]
"""A value that may be in another process. It may be passed wherever a ``T`` is expected: Ray moves it to the called
process. Only ``ValueOf`` reads such a value."""


class ValueOf(Protocol):
    """Brings the value of a reference to the caller's process."""

    async def __call__(self, ref: Ref[T]) -> T:
        """Return the value; return anything that is no reference unchanged."""
        ...


Q = TypeVar("Q", bound=Request[Any], contravariant=True)
A = TypeVar("A", bound=Message)


class Counted(Protocol):
    """Makes model calls, and counts them."""

    async def counts(self) -> Sequence[ModelCounts]:
        """Return the counts of model calls so far, one for each process that makes them and answers now."""
        ...


class LiveWriter(Counted, Protocol):
    """Shows what a model is writing now."""

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        """Return what the model is writing now for an episode. While somebody asks, the episode's calls are streamed.

        ``episode`` is the id in the calls' CallContext.
        """
        ...


class Agent(Protocol[Q, A]):
    """Answers for one role of a step, such as the planner or the operator."""

    async def answer(self, request: Q, context: CallContext, *images: ModelImage) -> Answered[A]:
        """Answer a request. ``images``: the pictures of its screenshots.

        If the model's reply has no valid action, the operator answers with a Decision that has a problem. Raises
        ModelError.
        """
        ...


class Captioner(Protocol):
    """Names icons by asking a model, once for the whole fleet."""

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        """Return the screen with captions of icons, as far as they are known or arrive within ``wait_s``.

        Raises CaptureFailed.
        """
        ...


class Perception(Protocol):
    """Reads screens."""

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        """Return what a screenshot shows. Raises PerceptionError."""
        ...


class Locator(Protocol):
    """Finds one target on a screen by words (Mobile-Agent v1); the perception service does this too."""

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        """Return all places that may be meant, the best first. Raises PerceptionError."""
        ...


class Phone(Protocol):
    """Operates one phone for its holder. Calls come one at a time, the first after ``prepare``."""

    @property
    def serial(self) -> str:
        """Return the name by which its transport knows it."""
        ...

    async def prepare(self, *, for_task: bool) -> None:
        """Return once a new holder can use the phone.

        ``for_task``: a task is about to begin. Anything that prevents a task, such as a screen that is off, is
        corrected if possible. Otherwise this raises PhoneUnfit. Also raises PhoneUnknown, PhoneLost, StoreError.
        """

    async def release(self) -> None:
        """Restore what ``prepare`` changed.

        If that fails, the failure is logged, and the next ``release`` tries again.
        """

    async def close(self) -> None:
        """End the work that continues in the background after a call. The phone can be used again afterwards."""

    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        """Return the screen once it is at rest. Without ``settle``, return it at once.

        Raises PhoneLost, CaptureFailed.
        """
        ...

    async def perform(self, perform: Perform) -> Receipt:
        """Carry out one atom. Raises PhoneLost if certainly nothing was sent."""
        ...

    async def size(self) -> Size:
        """Return the size of its screen, whose width and height change places when the phone is turned.

        Raises PhoneLost.
        """
        ...

    async def labels(self) -> Mapping[str, str]:
        """Return the labels by which selectors of tasks choose the phone; none if it tells nothing of itself.

        Touches nothing on the phone. Raises PhoneLost.
        """
        ...

    async def reset(self, reset: Reset) -> Receipt:
        """Wake, unlock, close apps, go home; recreate the contents from the seed if possible; set up app and settings.

        Raises PhoneLost, PhoneUnfit, SetupRefused.
        """
        ...

    async def state(self, source: str) -> Mapping[str, Any]:
        """Return the JSON state that the phone has at an address. Only the transport knows the form of addresses.

        Behind adb an address is a content provider, ``content://AUTHORITY/PATH``. Raises PhoneLost, and
        StateUnavailable, which names the addresses that exist.
        """
        ...


@runtime_checkable
class LoggedPhone(Protocol):
    """Tells what a phone logs. A transport whose phones have no such log leaves this out."""

    async def log(self) -> PhoneLog:
        """Return what the phone has logged since the last call, of which the first begins to follow the log.

        ``close`` and ``prepare`` of the phone end that. Raises PhoneLost.
        """
        ...


class PhoneTransport(Protocol):
    """A way to reach phones, such as adb. It can be pickled until ``start``: a gateway gets a copy and starts that."""

    async def ensure_running(self) -> None:
        """Start what this machine needs to reach phones, such as an adb server. It continues to run.

        Raises BadInput if it does not start.
        """

    async def status(self) -> TransportStatus:
        """Return the name of what reaches the phones, and whether it runs. Start nothing.

        May be called before ``start``.
        """
        ...

    async def start(self) -> None:
        """Open this transport's own connections and threads."""

    async def stop(self) -> None:
        """Close this transport's own connections and threads."""

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return all phones that the transport sees, usable or not. Raises PhoneError."""
        ...

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        """Report all phones that the transport sees, at first and at each change, until cancelled.

        Continue after the loss of a server.
        """

    async def connect(self, serial: str) -> None:
        """Return once the phone can be used. Raises PhoneUnknown, PhoneLost."""

    def phone(self, serial: str) -> Phone:
        """Return the phone with this serial, even if it is not connected."""
        ...


class PhoneDirectory(Protocol):
    """Lists and describes phones, without a lease: it touches none of them.

    Every call may be repeated. Raises CallError if the process that knows the phones does not answer.
    """

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return all phones that the directory sees, usable or not. Raises PhoneError."""
        ...

    async def connect(self, serial: str) -> None:
        """Return once the phone can be used. Raises PhoneUnknown, PhoneLost."""

    async def size(self, serial: str) -> Size:
        """Return the size of a phone's screen, whose width and height change places when the phone is turned.

        Raises PhoneLost.
        """
        ...

    async def labels(self, serial: str) -> Mapping[str, str]:
        """Return the labels that a phone tells of itself, without its serial. Raises PhoneUnknown, PhoneLost."""
        ...

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        """Return the JSON state that a phone has at an address. Raises StateUnavailable, PhoneLost."""
        ...


class Gateway(PhoneDirectory, Protocol):
    """Serves all phones of one host, with leases and action keys. Methods outside the directory need a lease.

    ``attach`` returns a lease. It raises PhoneUnknown, PhoneBusy and PhoneUnfit. Methods under a lease raise LeaseLost,
    and the errors of Phone.
    """

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        """Return a lease once the phone is ready for its holder.

        A holder that already has the phone gets a new lease at once, with the next epoch, and its older lease is void.
        A ``run`` that is refused gets the phone when it is free, before runs that ask for the first time later. It must
        continue to ask.
        """
        ...

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the lease, which now expires ``ttl_s`` from now."""
        ...

    async def detach(self, lease: Lease) -> None:
        """Give the phone back. A lease that is already lost causes no error."""

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, Ref[ModelImage], Ref[Frame]]:
        """Return Screenshot, ModelImage and Frame; with Ray the last two are references."""
        ...

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        """Carry out one atom. If its key was seen before, return its first receipt instead."""
        ...

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Ref[ModelImage] | None, Ref[Frame] | None]:
        """Perform, then capture. Raises the errors of ``perform``.

        If the capture fails, the receipt is returned all the same, and both references are None.
        """
        ...

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt: ...

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]: ...

    async def log(self, lease: Lease, context: CallContext) -> PhoneLog:
        """Return what the phone has logged since the last call of this holder. Waits for no other call.

        Raises LogUnavailable.
        """
        ...

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        """Return the first receipt of each key, once none of these actions is running any more.

        Two receipts are made here. ``unknown``: the action was begun, but no receipt was written. ``refused``: the
        action was never begun. Because this receipt is written now, it never will be.
        """
        ...


class Store(Protocol):
    """Keeps the run folder. Raises StoreError; StoreFull if the disk has no space."""

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        """Append records to a journal and return after fsync. ``first``: the place of the first record.

        Records may be appended again with the same places. ``epoch``: the epoch of the lease under which the records
        were written. Raises StaleEpoch once the episode continues under a newer epoch.
        """

    async def read(self, episode: str, epoch: int) -> Scan:
        """Return a journal's records. From now on, the journal refuses appends of an epoch older than ``epoch``.

        Raises StaleEpoch.
        """
        ...

    async def index(self) -> Sequence[EpisodeIndex]:
        """Return a summary of each episode, in the order in which they started."""
        ...

    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        """Write screens/<content id>.png once each. With Ray, frames may be references, each its own argument."""

    async def screen(self, content_id: str) -> bytes | None:
        """Return the PNG of a screen; None if it is not in the folder."""
        ...

    async def append_log(self, episode: str, log: PhoneLog) -> None:
        """Append what a phone has logged to the log file of an episode. Too long a file loses its oldest lines."""


class FleetMemory(Protocol):
    """Keeps what a fleet has learned in a file. Raises StoreError; StoreFull if the disk is full."""

    async def known(self, scopes: Sequence[Scope]) -> MemorySnapshot:
        """Return the tips and shortcuts of these scopes, in the order of the scopes, all of one version of the memory.

        Leave out quarantined shortcuts.
        """
        ...

    async def search(self, scopes: Sequence[Scope], words: str, most: int) -> MemorySnapshot:
        """Return the tips and shortcuts that fit some words best, by full-text search.

        English is searched by words, Chinese by pairs of characters.
        """
        ...

    async def teach(self, lesson: Lesson) -> LessonTaken:
        """Record a lesson in one transaction, unless it has already been recorded."""
        ...

    async def used(self, use: ShortcutUse) -> None:
        """Record how a use of a shortcut ended, which may quarantine the shortcut."""

    async def put_aside(self, shortcuts: Sequence[str]) -> Mapping[str, str]:
        """Return those of ``shortcuts`` (``ID@VERSION``) that are quarantined, each with the reason."""
        ...


class Learning(Protocol):
    """Recalls what tasks know from the start, and makes lessons of ended tasks.

    If learning fails, only that lesson is lost.
    """

    async def recall(self, order: RecallOrder) -> Recall:
        """Return what a task should know. Raises the errors of FleetMemory."""
        ...

    async def learn(self, order: LearnOrder) -> Taught:
        """Make the lesson of an ended episode and write it into the episode's journal. Each episode teaches once.

        Raises StoreError if the journal cannot be read or written.
        """
        ...


class ModelSessions(Protocol):
    """Gives each episode its own way to its model, at a trainer's gateway, which records the calls.

    Each method may be called again with the same episode, and then changes nothing. It obeys a gateway that asks it to
    wait, until ``deadline`` (Unix seconds). Raises ModelUnreachable, and ModelRefused if another try does not help.
    """

    async def open(self, facts: SessionFacts, deadline: float) -> ModelSession:
        """Open an episode's session, or return it if it is open."""
        ...

    async def close(self, episode: str, reward: float, deadline: float) -> None:
        """End an episode's session with the reward."""
        ...

    async def discard(self, episode: str, deadline: float) -> None:
        """End an episode's session so that nobody learns from it."""
        ...


class Host(Protocol):
    """Runs episodes as coroutines."""

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        """Run an episode and return how it ended, in every case.

        Cancelling this call ends the episode as ``cancelled``. If the episode already runs here, wait for it. If it has
        ended here, return its result. An order with a newer lease starts it again instead.
        """
        ...

    async def progress(self) -> Sequence[EpisodeProgress]: ...

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Carry out what a person asks of an episode that runs here. The answer to ``StopEpisode`` comes at its end.

        Raises InterventionRefused, BadInput, and the errors of the phone and of the store.
        """
        ...

    async def replace(self) -> None:
        """End a host that has stopped answering, and start another in its place. The host's episodes end."""


class Dispatch(Protocol):
    """Assigns tasks to hosts, with the phones that it leases."""

    async def run(self, batch: str, tasks: Sequence[TaskSpec], recover: bool = False) -> Sequence[EpisodeResult]:
        """Return the deciding result of each task, in the order of ``tasks``.

        ``batch``: the name of these tasks within their run.

        ``recover``: part of the batch may have been run before. Decided tasks stay decided, and running episodes
        continue.
        """
        ...

    async def progress(self) -> RunProgress: ...

    async def decisions(self, last: Decisions) -> Decisions:
        """Return the results that follow the ``last`` answer."""
        ...

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Carry out what a person asks of a running episode. The answer to ``StopEpisode`` comes at its end.

        Raises InterventionRefused, its subclass EpisodeNotRunning, BadInput, and the errors of the phone and of the
        store.
        """
        ...
