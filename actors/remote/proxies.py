"""Call actors through proxies: one per interface, with the methods of the plain class. Proxies can be pickled.

Each method is made from the protocol's method, so that type checkers compare both.
"""

from __future__ import annotations

import asyncio
import itertools
import time
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence, Set
from inspect import signature
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar, get_args

import ray

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import (
    Agent,
    Captioner,
    Counted,
    Dispatch,
    FleetMemory,
    Gateway,
    Host,
    Learning,
    LiveWriter,
    Locator,
    Perception,
    PhoneDirectory,
    Ref,
    Store,
)
from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.actors.remote.calls import (
    CANCEL_GRACE_S,
    PLAIN_CALL_S,
    Actor,
    ActorRestarting,
    Context,
    ask,
    call,
)
from manyhands.actors.store import RunStore, encode_records
from manyhands.protocol.base import Message
from manyhands.protocol.errors import ActorLost, CallError, Overloaded
from manyhands.protocol.journals.journal import Scan, scan
from manyhands.protocol.journals.records import Record
from manyhands.protocol.messages import Answered, CallContext, ModelCounts, PartialReply
from manyhands.protocol.phones import Lease, Perform, Performed, SettleSpec
from manyhands.protocol.roles.requests import Request
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.screen import Located, LocateQuery, Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

P = ParamSpec("P")
T = TypeVar("T")
Q = TypeVar("Q", bound=Request[Any], contravariant=True)
A = TypeVar("A", bound=Message)

EPISODE_GRACE_S = 45.0
"""How long a cancelled episode may take to close its journal."""
RUN_GRACE_S = 60.0
INTERVENTION_S = 90.0
"""How long an intervention may take: an action of the agent ends first, or one of the person is carried out."""
HOME_SLACK = 2
"""How many more calls than the least busy actor a phone's own perception actor may have. The other actors would have to
read the phone's screens in full, which costs several partial readings."""
DISPATCH_RESTARTS, DISPATCH_WELL_S = 10, 60.0
"""How often in a row a dispatcher is started again. A dispatcher that ran for this many seconds starts a new row."""
DISPATCH_BACK_S = 600.0
"""How long a restarted dispatcher may take to answer. Running episodes continue without a dispatcher meanwhile."""
PURE_RESTARTS = 3
"""How often a pure call is sent again after its actor died and was restarted: The call itself may be the cause of the
death."""


class _SingleActorProxy:
    """A proxy of one actor. Methods that are not pure are called at most once."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor


def _at_most_once(
    method: Callable[Concatenate[Any, P], Awaitable[T]],
    returns: int = 1,
    context: str = "",
    limit_s: float | None = PLAIN_CALL_S,
    grace_s: float = CANCEL_GRACE_S,
) -> Callable[Concatenate[_SingleActorProxy, P], Coroutine[Any, Any, T]]:
    """Turn an interface's method into a proxy method with the same signature, which calls the actor once.

    ``context``: the name of the parameter that carries the call's deadline; empty if there is none.
    """
    context_at = _context_place(method, context)

    async def called(self: _SingleActorProxy, /, *args: P.args, **kwargs: P.kwargs) -> T:
        arguments = signature(method).bind(self, *args, **kwargs).args[1:] if kwargs else args
        answer: T = await call(
            self._actor,
            method.__name__,
            arguments,
            context=_context_in(arguments, context_at),
            returns=returns,
            limit_s=limit_s,
            grace_s=grace_s,
        )
        return answer

    return called


def _repeatable(
    method: Callable[Concatenate[Any, P], Awaitable[T]], returns: int = 1, context: str = ""
) -> Callable[Concatenate[_SingleActorProxy, P], Coroutine[Any, Any, T]]:
    """Make a pure method of an interface one of a proxy: the method is called again if the actor was restarted."""
    context_at = _context_place(method, context)

    async def called(self: _SingleActorProxy, /, *args: P.args, **kwargs: P.kwargs) -> T:
        arguments = signature(method).bind(self, *args, **kwargs).args[1:] if kwargs else args
        carried = _context_in(arguments, context_at)
        until = HOST_CLOCK.now() + _time_left(carried)
        restarts = 0
        while True:
            try:
                answer: T = await call(
                    self._actor, method.__name__, arguments, context=carried, returns=returns, limit_s=_remaining(until)
                )
                return answer
            except ActorRestarting:
                if restarts == PURE_RESTARTS:
                    raise
                restarts += 1
                await _await_restart(self._actor, until)

    return called


def _context_in(args: Sequence[Any], place: int | None) -> Context | None:
    """Return the context among the arguments of a call."""
    context: Context | None = None if place is None else args[place]
    return context


def _context_place(method: Callable[..., Any], name: str) -> int | None:
    """Return the place of a method's context among its arguments; None if it has none.

    Raises LookupError if ``name`` is not the parameter that carries a deadline, because the call would then have no
    deadline.
    """
    parameters = list(signature(method, eval_str=True).parameters.values())[1:]
    carrying = [place for place, one in enumerate(parameters) if one.annotation in get_args(Context)]
    if [parameters[place].name for place in carrying] != ([name] if name else []):
        raise LookupError(f"{method.__qualname__}: {name or 'nothing'!r} is not the parameter with its deadline")
    return carrying[0] if carrying else None


async def _await_restart(actor: Actor, until: float) -> None:
    """Return once Ray has restarted an actor. Raises ActorLost if Ray does not, and DeadlinePassed."""
    # Ray would send the call again by itself, but it counts each second of the restart as a try.
    await ask(actor, "start", (), retries=-1, limit_s=_remaining(until))


class _ReplicatedProxy:
    """A proxy of one or more equivalent actors: a call goes to the actor with the fewest calls in flight."""

    grace_s: ClassVar[float] = CANCEL_GRACE_S
    """How long a late or cancelled call may take to end."""

    def __init__(self, *actors: Actor) -> None:
        if not actors:
            raise ValueError(f"{type(self).__name__} needs at least one actor")
        self._actors = actors
        self._in_flight = [0] * len(actors)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._actors

    async def _pure(
        self,
        context: CallContext,
        method: Callable[Concatenate[Any, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Call a pure method.

        If a replica is lost or refuses, the call goes to each other replica in turn, then waits for a restart.
        """
        untried = set(range(len(self._actors)))
        restarting: int | None = None
        restarts = 0
        while True:
            index = self._choose(untried, args)
            untried.remove(index)
            self._in_flight[index] += 1
            try:
                answer: T = await call(
                    self._actors[index], method.__name__, args, context=context, grace_s=self.grace_s
                )
                return answer
            except (ActorLost, Overloaded) as error:
                restarting = index if isinstance(error, ActorRestarting) else restarting
                if not untried:
                    if restarting is None or restarts == PURE_RESTARTS:
                        raise
                    await _await_restart(self._actors[restarting], HOST_CLOCK.now() + _time_left(context))
                    untried, restarting, restarts = {restarting}, None, restarts + 1
            finally:
                self._in_flight[index] -= 1

    async def _answers(self, method: str, *args: Any) -> list[Any]:
        """Return the answers of the replicas that answer."""
        pending = (call(actor, method, args) for actor in self._actors)
        answers = await asyncio.gather(*pending, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, CallError):
                raise answer
        return [answer for answer in answers if not isinstance(answer, BaseException)]

    def _choose(self, untried: Set[int], _: Sequence[Any]) -> int:
        return min(untried, key=lambda number: (self._in_flight[number], number))


class _ModelProxy(_ReplicatedProxy, LiveWriter):
    """A proxy of actors that ask a model."""

    async def counts(self) -> Sequence[ModelCounts]:
        """Return the counts of each replica that answers. A restarted replica counts from 0."""
        counts: list[Sequence[ModelCounts]] = await self._answers(Counted.counts.__name__)
        return tuple(itertools.chain.from_iterable(counts))

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        """Return what the replicas that answer get written now for an episode."""
        texts: list[Sequence[PartialReply]] = await self._answers(LiveWriter.partial_replies.__name__, episode)
        return tuple(itertools.chain.from_iterable(texts))


def _remaining(until: float) -> float:
    return max(0.0, until - HOST_CLOCK.now())


def _time_left(context: Context | None) -> float:
    return PLAIN_CALL_S if context is None else _remaining(context.deadline)


class AgentProxy(_ModelProxy, Agent[Q, A]):
    """A proxy of the actors of one role."""

    async def answer(self, request: Q, context: CallContext, *images: ModelImage) -> Answered[A]:
        return await self._pure(context, Agent[Q, A].answer, request, context, *images)


class NamedAgentProxy(Agent[Q, A], LiveWriter):
    """A proxy of one role's actor that is found by its name at the first call, as it may be spawned later."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._found: AgentProxy[Q, A] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name,)

    async def answer(self, request: Q, context: CallContext, *images: ModelImage) -> Answered[A]:
        """Answer a request. Raises ActorLost if there is no actor of that name, and ModelError."""
        if self._found is None:
            try:
                handle = await asyncio.to_thread(ray.get_actor, self.name)
            except ValueError as error:
                raise ActorLost(f"{self.name}: no such actor") from error
            self._found = AgentProxy(Actor(handle, self.name))
        return await self._found.answer(request, context, *images)

    def use(self, actor: Actor) -> None:
        """Use an actor that this process has spawned."""
        self._found = AgentProxy(actor)

    async def counts(self) -> Sequence[ModelCounts]:
        """Return the actor's counts; empty if this process has not found the actor yet."""
        return () if self._found is None else await self._found.counts()

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        """Return what the actor gets written now; empty if this process has not found the actor yet."""
        return () if self._found is None else await self._found.partial_replies(episode)


class CaptionerProxy(_ModelProxy, Captioner):
    """A proxy of one actor, whose captions serve all phones."""

    grace_s = 0.2  # the step continues without captions rather than wait for a silent captioner

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        return await self._pure(context, Captioner.caption, screen, frame, route, wait_s, context)


class PerceptionProxy(_ReplicatedProxy, Perception, Locator):
    """Sends a phone's pictures to the actor that remembers its pages, unless others are much less busy."""

    async def counts(self) -> Sequence[PerceptionCounts]:
        """Return the counts of each replica that answers. A restarted replica counts from 0."""
        return await self._answers("counts")

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        return await self._pure(context, Perception.perceive, screenshot, frame, context)

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        return await self._pure(context, Locator.locate, screenshot, frame, query, context)

    def _choose(self, untried: Set[int], args: Sequence[Any]) -> int:
        return home_first(args[0].serial, self._in_flight, untried)


def home_first(serial: str, in_flight: Sequence[int], untried: Set[int]) -> int:
    """Return the replica that has ``serial``'s history, which is the same in every process.

    If that replica has been tried or is busy, return the least busy one. ``in_flight``: calls by replica. ``untried``:
    replicas that may be chosen, at least one.
    """
    home = zlib.crc32(serial.encode()) % len(in_flight)
    least = min(untried, key=lambda number: (in_flight[number], number))
    return home if home in untried and in_flight[home] - in_flight[least] <= HOME_SLACK else least


class DirectoryProxy(_SingleActorProxy, PhoneDirectory):
    """A proxy of the directory of phones."""

    phones = _repeatable(PhoneDirectory.phones)
    connect = _repeatable(PhoneDirectory.connect)
    size = _repeatable(PhoneDirectory.size)
    labels = _repeatable(PhoneDirectory.labels)
    look = _repeatable(PhoneDirectory.look)


class GatewayProxy(DirectoryProxy, Gateway):
    """A proxy of the gateway.

    Pictures stay in its process: callers get references to them and pass these on as arguments.
    """

    attach = _at_most_once(Gateway.attach)
    detach = _at_most_once(Gateway.detach)
    perform = _at_most_once(Gateway.perform, context="context")
    reset = _at_most_once(Gateway.reset, context="context")
    renew = _repeatable(Gateway.renew)
    capture = _repeatable(Gateway.capture, returns=3, context="context")
    state = _repeatable(Gateway.state, context="context")
    recall = _repeatable(Gateway.recall, context="context")
    log = _at_most_once(Gateway.log, context="context")

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Ref[ModelImage] | None, Ref[Frame] | None]:
        """Perform, then capture; without a picture both references are None."""
        performed, image, frame = await call(
            self._actor,
            Gateway.perform_and_capture.__name__,
            (lease, perform, settle, context),
            context=context,
            returns=3,
        )
        return (performed, image, frame) if performed.screenshot is not None else (performed, None, None)


class LinkedGatewayProxy(GatewayProxy):
    """A proxy of a gateway to phones behind a broker, with figures of its link."""

    counts = _repeatable(MqttGateway.counts)
    latencies = _repeatable(MqttGateway.latencies)


class StoreProxy(_SingleActorProxy, Store):
    """A proxy of the store."""

    index = _repeatable(Store.index)
    put_screens = _at_most_once(Store.put_screens)
    screen = _repeatable(Store.screen)
    append_log = _at_most_once(Store.append_log)
    _append_encoded = _at_most_once(RunStore.append_encoded)
    _read_encoded = _repeatable(RunStore.read_encoded)

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        """Append records. The records are encoded once, as the journal stores them, and not pickled."""
        await self._append_encoded(episode, encode_records(episode, records, first, epoch))

    async def read(self, episode: str, epoch: int) -> Scan:
        """Read a journal, which is transferred as its bytes on disk."""
        return await asyncio.to_thread(scan, await self._read_encoded(episode, epoch))


class MemoryProxy(_SingleActorProxy, FleetMemory):
    """A proxy of the memory service. The service records nothing twice, so every call may be repeated."""

    known = _repeatable(FleetMemory.known)
    search = _repeatable(FleetMemory.search)
    teach = _repeatable(FleetMemory.teach)
    used = _repeatable(FleetMemory.used)
    put_aside = _repeatable(FleetMemory.put_aside)


class LearningProxy(_SingleActorProxy, Learning):
    """A proxy of a teacher. A teacher has no state and lets no episode teach twice, so every call may be repeated."""

    recall = _repeatable(Learning.recall, context="order")
    learn = _repeatable(Learning.learn, context="order")


class HostProxy(_SingleActorProxy, Host):
    """A proxy of a host. ``run_episode`` takes as long as the episode, which has limits of its own."""

    run_episode = _at_most_once(Host.run_episode, limit_s=None, grace_s=EPISODE_GRACE_S)
    progress = _at_most_once(Host.progress, grace_s=0.2)  # nobody waits for a host that does not answer
    intervene = _at_most_once(Host.intervene, limit_s=INTERVENTION_S, grace_s=0.2)

    async def replace(self) -> None:
        """End the process through Ray, even a frozen one (Ray needs about 5 s for that), and start it again."""
        ray.kill(self._actor.handle, no_restart=False)


class DispatchProxy(_SingleActorProxy, Dispatch):
    """A proxy of a dispatcher. ``run`` takes as long as the run."""

    progress = _repeatable(Dispatch.progress)
    decisions = _repeatable(Dispatch.decisions)
    intervene = _at_most_once(Dispatch.intervene, limit_s=INTERVENTION_S + 1.0, grace_s=0.2)

    async def run(self, batch: str, tasks: Sequence[TaskSpec], recover: bool = False) -> Sequence[EpisodeResult]:
        """Return the results of a batch. A dispatcher that dies meanwhile is restarted, and continues what runs."""
        in_a_row, lasted_since = 0, time.monotonic()
        while True:
            try:
                args = (batch, tasks, recover)
                results: Sequence[EpisodeResult] = await call(
                    self._actor, Dispatch.run.__name__, args, limit_s=None, grace_s=RUN_GRACE_S
                )
                return results
            except ActorRestarting:
                in_a_row = 1 if time.monotonic() - lasted_since > DISPATCH_WELL_S else in_a_row + 1
                if in_a_row > DISPATCH_RESTARTS:
                    raise
                await _await_restart(self._actor, HOST_CLOCK.now() + DISPATCH_BACK_S)
                recover, lasted_since = True, time.monotonic()
