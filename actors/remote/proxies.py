"""One proxy per seam, each implementing the protocol of the plain class. Proxies pickle.

A method is declared from its protocol's, so that type checks compare both.
"""

from __future__ import annotations

import asyncio
import itertools
import time
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence, Set
from inspect import signature
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

import ray

from manyhands.actors.edge.client import MqttGateway
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.actors.remote.calls import (
    CANCEL_GRACE_S,
    PLAIN_CALL_S,
    Actor,
    ActorRestarting,
    ask,
    call,
    deadline_of,
)
from manyhands.actors.seams import (
    Agent,
    Captioner,
    Counted,
    Dispatch,
    FleetMemory,
    Gateway,
    Handle,
    Host,
    Learning,
    Locator,
    Perception,
    PhoneDirectory,
    Store,
)
from manyhands.actors.store import RunStore, framed
from manyhands.protocol.base import Message
from manyhands.protocol.errors import ActorLost, CallError, Overloaded
from manyhands.protocol.journal import Scan, scan
from manyhands.protocol.locating import Located, LocateQuery
from manyhands.protocol.messages import Answered, CallContext, ModelCounts
from manyhands.protocol.phones import Lease, Perform, Performed, SettleSpec
from manyhands.protocol.records import Record
from manyhands.protocol.roles import Request
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.screens import Screen, Screenshot
from manyhands.protocol.tasks import TaskSpec

P = ParamSpec("P")
T = TypeVar("T")
Q = TypeVar("Q", bound=Request[Any], contravariant=True)
A = TypeVar("A", bound=Message)

EPISODE_GRACE_S = 45.0
"""How long a cancelled episode may take to close its journal."""
RUN_GRACE_S = 60.0
HOME_SLACK = 2
"""Calls that a phone's own perception actor may have more than another: a reading in full costs a few in part."""
DISPATCH_RESTARTS, DISPATCH_WELL_S = 10, 60.0
"""How often in a row a dispatcher is started again; one that lasted for so long counts as well."""
DISPATCH_BACK_S = 600.0
"""How long one may take to be there again: what runs goes on without it meanwhile."""
PURE_RESTARTS = 3
"""How often a pure call is sent again after its actor died and was started again: the call may be why it died."""


class _One:
    """A proxy of one actor. What is not pure is called at most once."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor


def _once(
    method: Callable[Concatenate[Any, P], Awaitable[T]],
    returns: int = 1,
    limit_s: float | None = PLAIN_CALL_S,
    grace_s: float = CANCEL_GRACE_S,
) -> Callable[Concatenate[_One, P], Coroutine[Any, Any, T]]:
    """Make a method of a seam's protocol one of a proxy, with the same signature: it calls the actor once."""

    async def called(self: _One, /, *args: P.args, **kwargs: P.kwargs) -> T:
        given = signature(method).bind(self, *args, **kwargs).args[1:] if kwargs else args
        answer: T = await call(self._actor, method.__name__, given, returns=returns, limit_s=limit_s, grace_s=grace_s)
        return answer

    return called


def _repeatable(
    method: Callable[Concatenate[Any, P], Awaitable[T]], returns: int = 1
) -> Callable[Concatenate[_One, P], Coroutine[Any, Any, T]]:
    """Make a pure method of a seam's protocol one of a proxy: it is called again where the actor was restarted."""

    async def called(self: _One, /, *args: P.args, **kwargs: P.kwargs) -> T:
        given = signature(method).bind(self, *args, **kwargs).args[1:] if kwargs else args
        until = time.time() + _time_left(given)
        restarts = 0
        while True:
            try:
                answer: T = await call(self._actor, method.__name__, given, returns=returns, limit_s=_left(until))
                return answer
            except ActorRestarting:
                if restarts == PURE_RESTARTS:
                    raise
                restarts += 1
                await _restarted(self._actor, until)

    return called


async def _restarted(actor: Actor, until: float) -> None:
    """Return once Ray has started an actor again. Raises ActorLost where it does not, DeadlinePassed."""
    # Ray would send the call again by itself, but counts each second of the restart as a try.
    await ask(actor, "start", (), retries=-1, limit_s=_left(until))


class _Replicas:
    """A proxy of one or more actors that answer alike: a call goes to the one with the fewest in flight."""

    grace_s: ClassVar[float] = CANCEL_GRACE_S
    """How long a call that is late or cancelled may take to end."""

    def __init__(self, *actors: Actor) -> None:
        if not actors:
            raise ValueError(f"{type(self).__name__} needs at least one actor")
        self._actors = actors
        self._in_flight = [0] * len(actors)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._actors

    async def _pure(self, method: Callable[Concatenate[Any, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a pure method; a call that is lost or refused goes to each other replica, then waits for a restart."""
        untried = set(range(len(self._actors)))
        restarting: int | None = None
        restarts = 0
        while True:
            index = self._choose(untried, args)
            untried.remove(index)
            self._in_flight[index] += 1
            try:
                answer: T = await call(self._actors[index], method.__name__, args, grace_s=self.grace_s)
                return answer
            except (ActorLost, Overloaded) as error:
                restarting = index if isinstance(error, ActorRestarting) else restarting
                if not untried:
                    if restarting is None or restarts == PURE_RESTARTS:
                        raise
                    await _restarted(self._actors[restarting], time.time() + _time_left(args))
                    untried, restarting, restarts = {restarting}, None, restarts + 1
            finally:
                self._in_flight[index] -= 1

    async def _answers(self, method: str) -> list[Any]:
        """Return the answers of the replicas that give one."""
        asked = (call(actor, method, ()) for actor in self._actors)
        answers = await asyncio.gather(*asked, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, CallError):
                raise answer
        return [answer for answer in answers if not isinstance(answer, BaseException)]

    def _choose(self, untried: Set[int], _: Sequence[Any]) -> int:
        return min(untried, key=lambda number: (self._in_flight[number], number))


class _ModelProxy(_Replicas, Counted):
    """A proxy of actors that ask a model."""

    async def counts(self) -> Sequence[ModelCounts]:
        """Return the counts of each replica that answers; one that is being started again counts from 0."""
        counts: list[Sequence[ModelCounts]] = await self._answers(Counted.counts.__name__)
        return tuple(itertools.chain.from_iterable(counts))


def _left(until: float) -> float:
    return max(0.0, until - time.time())


def _time_left(args: Sequence[Any]) -> float:
    deadline = deadline_of(args)
    return PLAIN_CALL_S if deadline is None else max(0.0, deadline - time.time())


class AgentProxy(_ModelProxy, Agent[Q, A]):
    """A proxy of the actors of one role."""

    async def answer(self, request: Q, context: CallContext, *images: ModelImage) -> Answered[A]:
        return await self._pure(Agent[Q, A].answer, request, context, *images)


class CaptionerProxy(_ModelProxy, Captioner):
    """A proxy of one actor: what it knows is for all phones."""

    grace_s = 0.2  # one that has stopped answering is not waited for: the step goes on without captions

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        return await self._pure(Captioner.caption, screen, frame, route, wait_s, context)


class PerceptionProxy(_Replicas, Perception, Locator):
    """Sends a phone's pictures to the actor that remembers its pages, unless others have much less to do."""

    async def counts(self) -> Sequence[PerceptionCounts]:
        """Return the counts of each replica that answers; one that is being started again counts from 0."""
        return await self._answers("counts")

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        return await self._pure(Perception.perceive, screenshot, frame, context)

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        return await self._pure(Locator.locate, screenshot, frame, query, context)

    def _choose(self, untried: Set[int], args: Sequence[Any]) -> int:
        return home_first(args[0].serial, self._in_flight, untried)


def home_first(serial: str, in_flight: Sequence[int], untried: Set[int]) -> int:
    """Return the replica that has ``serial``'s past, the same in every process.

    The least busy one takes its place where it has been tried or is busy.
    ``in_flight``: calls by replica. ``untried``: replicas that may be chosen, at least one.
    """
    home = zlib.crc32(serial.encode()) % len(in_flight)
    least = min(untried, key=lambda number: (in_flight[number], number))
    return home if home in untried and in_flight[home] - in_flight[least] <= HOME_SLACK else least


class DirectoryProxy(_One, PhoneDirectory):
    """A proxy of whoever tells what phones there are."""

    phones = _repeatable(PhoneDirectory.phones)
    connect = _repeatable(PhoneDirectory.connect)
    size = _repeatable(PhoneDirectory.size)
    look = _repeatable(PhoneDirectory.look)


class GatewayProxy(DirectoryProxy, Gateway):
    """A proxy of the gateway. Pictures stay behind it: callers get references, and pass them on as arguments."""

    attach = _once(Gateway.attach)
    detach = _once(Gateway.detach)
    perform = _once(Gateway.perform)
    reset = _once(Gateway.reset)
    renew = _repeatable(Gateway.renew)
    capture = _repeatable(Gateway.capture, returns=3)
    state = _repeatable(Gateway.state)
    recall = _repeatable(Gateway.recall)

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Handle, Handle]:
        """Perform, then capture; without a picture both references are None."""
        performed, image, frame = await call(
            self._actor, Gateway.perform_and_capture.__name__, (lease, perform, settle, context), returns=3
        )
        return (performed, image, frame) if performed.screenshot is not None else (performed, None, None)


class LinkedGatewayProxy(GatewayProxy):
    """A proxy of a gateway to phones behind a broker, which tells about its link."""

    counts = _repeatable(MqttGateway.counts)
    took = _repeatable(MqttGateway.took)


class StoreProxy(_One, Store):
    """A proxy of the store."""

    index = _repeatable(Store.index)
    put_screens = _once(Store.put_screens)
    screen = _repeatable(Store.screen)
    _append_framed = _once(RunStore.append_framed)
    _read_framed = _repeatable(RunStore.read_framed)

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        """Append records. They travel as the journal will hold them: encoded once, and not pickled before."""
        await self._append_framed(episode, framed(episode, records, first, epoch))

    async def read(self, episode: str, epoch: int) -> Scan:
        """Read a journal, which travels as it lies on disk."""
        return await asyncio.to_thread(scan, await self._read_framed(episode, epoch))


class MemoryProxy(_One, FleetMemory):
    """A proxy of the keeper of a memory, which takes nothing twice: all of it may be asked again."""

    known = _repeatable(FleetMemory.known)
    search = _repeatable(FleetMemory.search)
    teach = _repeatable(FleetMemory.teach)
    used = _repeatable(FleetMemory.used)
    put_aside = _repeatable(FleetMemory.put_aside)


class LearningProxy(_One, Learning):
    """A proxy of a teacher, which keeps nothing, and teaches no episode twice: all of it may be asked again."""

    recall = _repeatable(Learning.recall)
    learn = _repeatable(Learning.learn)


class HostProxy(_One, Host):
    """A proxy of a host. ``run_episode`` takes as long as the episode, which has limits of its own."""

    run_episode = _once(Host.run_episode, limit_s=None, grace_s=EPISODE_GRACE_S)
    progress = _once(Host.progress, grace_s=0.2)  # nobody waits for one that does not answer

    async def replace(self) -> None:
        """Have Ray end the process, also a frozen one (it needs about 5 s for that), and start it again."""
        ray.kill(self._actor.handle, no_restart=False)


class DispatchProxy(_One, Dispatch):
    """A proxy of a dispatcher. ``run`` takes as long as the run."""

    progress = _repeatable(Dispatch.progress)

    async def run(self, batch: str, tasks: Sequence[TaskSpec], begun: bool = False) -> Sequence[EpisodeResult]:
        """Return the results of a batch. A dispatcher that dies meanwhile is started again, and takes up what runs."""
        in_a_row, lasted_since = 0, time.monotonic()
        while True:
            try:
                args = (batch, tasks, begun)
                results: Sequence[EpisodeResult] = await call(
                    self._actor, Dispatch.run.__name__, args, limit_s=None, grace_s=RUN_GRACE_S
                )
                return results
            except ActorRestarting:
                in_a_row = 1 if time.monotonic() - lasted_since > DISPATCH_WELL_S else in_a_row + 1
                if in_a_row > DISPATCH_RESTARTS:
                    raise
                await _restarted(self._actor, time.time() + DISPATCH_BACK_S)
                begun, lasted_since = True, time.monotonic()
