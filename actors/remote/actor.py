"""Create Ray actors: of plain classes, which start and stop with their actor, and of classes that travel as code."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from typing import Any, TypedDict, Unpack

import ray
from ray import cloudpickle
from ray.exceptions import ActorHandleNotFoundError, RayError

from manyhands.actors.remote.calls import ACTOR_MARGIN_S, Actor, ask, pack_answer, unpack_call
from manyhands.protocol.errors import ActorLost, DeadlinePassed
from manyhands.protocol.utilities.host_clock import HOST_CLOCK


class ActorOptions(TypedDict, total=False):
    """Hold the options of Ray that we use, by Ray's names."""

    name: str
    namespace: str
    get_if_exists: bool
    num_cpus: float
    num_gpus: float
    max_concurrency: int
    max_restarts: int
    label_selector: dict[str, str]
    fallback_strategy: list[dict[str, dict[str, str]]]
    runtime_env: dict[str, str]


def preferring(node: str, options: ActorOptions) -> ActorOptions:
    """Return options that start an actor on a node, or on another if that node is gone, even at a restart.

    Ray's own soft affinity to a node places actors that request no CPU anywhere.
    """
    preferred = options.copy()
    preferred["label_selector"] = {"ray.io/node-id": node}
    preferred["fallback_strategy"] = [{"label_selector": {}}]
    return preferred


class _PlainClassActor:
    """Run a plain class in Ray.

    The plain class is created and started before the first call, also after a restart by Ray.
    """

    def __init__(self, plain: bytes) -> None:
        """``plain``: the class, its arguments and the creator's time, pickled."""
        self._cls, self._args, anchor = pickle.loads(plain)
        HOST_CLOCK.adopt(anchor)
        self._plain: Any = None
        self._opening = asyncio.Lock()
        self._stopped = False

    async def start(self) -> None:
        async with self._opening:
            if self._stopped:
                raise ActorLost(f"{self._cls.__name__} has been stopped")
            if self._plain is None:
                plain = self._cls(*self._args)
                await plain.start()
                self._plain = plain

    async def stop(self) -> None:
        async with self._opening:
            self._stopped = True
            if self._plain is not None:
                await self._plain.stop()

    async def call(self, packed: bytes, *references: Any) -> Any:
        """Make a packed call (``pack_call``).

        Ray resolves only references that are direct arguments, so ``references`` holds those of the packed call.
        """
        await self.start()
        method, args, returns, context = unpack_call(packed, references)
        if context is None:
            return pack_answer(await getattr(self._plain, method)(*args), returns)
        try:
            async with asyncio.timeout(context.deadline + ACTOR_MARGIN_S - HOST_CLOCK.now()) as limit:
                return pack_answer(await getattr(self._plain, method)(*args), returns)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise DeadlinePassed(f"{self._cls.__name__}.{method}: its deadline has passed") from error


async def spawn(cls: type[Any], *args: Any, **options: Unpack[ActorOptions]) -> Actor:
    """Create an actor of a plain class and start it.

    An actor reserves no CPU in Ray unless ``options`` say so, and spreads over nodes unless a label selector chooses
    them. Ray admits 1000 calls at a time to the actor. That is more than the plain class admits, so the plain class
    refuses further calls with a typed error. Raises what the constructor or ``start`` raises.
    """
    arguments: dict[str, Any] = {
        "num_cpus": 0,
        "max_concurrency": 1000,
        # Ray's own record of every call costs more than a tenth of the call; our records are in the journals.
        "enable_task_events": False,
        **({} if "label_selector" in options else {"scheduling_strategy": "SPREAD"}),
        **options,
    }
    actor_class = type(cls.__name__, (_PlainClassActor,), {})
    # The arguments are passed as bytes, because a restart needs them again. Ray would keep handles among them in its
    # object store, where they may be gone by then.
    plain = cloudpickle.dumps((cls, args, HOST_CLOCK.anchor))
    actor = Actor(ray.remote(actor_class).options(**arguments).remote(plain), options.get("name", cls.__name__))
    try:
        await ask(actor, "start", (), limit_s=None)
    except BaseException:
        if not options.get("get_if_exists"):
            _kill(actor)
        raise
    return actor


async def stop(actor: Actor, limit_s: float = 10.0) -> None:
    """Call the plain class's ``stop``, then end the process. If the actor is already gone, return without an error."""
    try:
        await ask(actor, "stop", (), limit_s=limit_s)
    except (ActorLost, DeadlinePassed):
        return  # the process is killed below; no further call is needed
    finally:
        _kill(actor)


def _kill(actor: Actor) -> None:
    """End an actor's process. Return without an error if its Ray has ended: then the process has ended too."""
    if ray.is_initialized():  # otherwise this would start Ray
        with contextlib.suppress(ActorHandleNotFoundError):  # the actor is of an earlier Ray of this process
            ray.kill(actor.handle)


class BareActor:
    """Hold an actor of a class that imports no module of ours, created without waiting for it.

    Ray sends the class as code, so the actor also runs on nodes with another version of Manyhands, or without
    Manyhands.
    """

    def __init__(self, cls: type[Any], **options: Unpack[ActorOptions]) -> None:
        """Create it; it reserves no CPU in Ray unless ``options`` say so."""
        arguments: dict[str, Any] = {"num_cpus": 0, "enable_task_events": False, **options}
        self._handle: Any = ray.remote(cls).options(**arguments).remote()

    async def call(self, method: str, *args: Any) -> Any:
        """Call a method. Raises ActorLost if Ray reports anything but an answer."""
        try:
            return await getattr(self._handle, method).remote(*args)
        except RayError as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise ActorLost(lines[-1].strip()) from error

    def kill(self) -> None:
        """End its process, or stop waiting for one."""
        ray.kill(self._handle)
