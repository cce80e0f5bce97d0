"""Plain classes made into actors: created, started, stopped."""

from __future__ import annotations

import asyncio
import pickle
import time
from typing import Any, TypedDict, Unpack

import ray
from ray import cloudpickle

from manyhands.actors.remote.calls import ACTOR_MARGIN_S, Actor, ask, deadline_of, pack_answer, unpack_call
from manyhands.protocol.errors import ActorLost, DeadlinePassed


class ActorOptions(TypedDict, total=False):
    """Ray's options that we use, by Ray's names."""

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
    """Return options by which an actor starts on a node, and on another where that one is gone, also later.

    Ray's own soft affinity to a node puts actors that ask for no CPU anywhere.
    """
    chosen = options.copy()
    chosen["label_selector"] = {"ray.io/node-id": node}
    chosen["fallback_strategy"] = [{"label_selector": {}}]
    return chosen


class _Shell:
    """What Ray runs. The plain class is made and started before its first call, also after Ray restarted us."""

    def __init__(self, plain: bytes) -> None:
        """``plain``: the class and its arguments, pickled."""
        self._cls, self._args = pickle.loads(plain)
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

    async def call(self, packed: bytes, *given: Any) -> Any:
        """Make a packed call (``pack_call``). Ray resolves references only where they are arguments: ``given``."""
        await self.start()
        method, args, returns = unpack_call(packed, given)
        deadline = deadline_of(args)
        if deadline is None:
            return pack_answer(await getattr(self._plain, method)(*args), returns)
        try:
            async with asyncio.timeout(deadline + ACTOR_MARGIN_S - time.time()) as limit:
                return pack_answer(await getattr(self._plain, method)(*args), returns)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise DeadlinePassed(f"{self._cls.__name__}.{method}: its deadline has passed") from error


async def spawn(cls: type[Any], *args: Any, **options: Unpack[ActorOptions]) -> Actor:
    """Create an actor of a plain class and start it. Raises what its constructor or ``start`` raise.

    An actor takes no CPU in Ray's books unless ``options`` give it some, spreads over nodes unless a label selector
    chooses them, and admits 1000 calls at once: more than its own admission limit, which refuses by type.
    """
    chosen: dict[str, Any] = {
        "num_cpus": 0,
        "max_concurrency": 1000,
        # A record of every call in Ray's own books costs more than a tenth of the call; ours are in the journals.
        "enable_task_events": False,
        **({} if "label_selector" in options else {"scheduling_strategy": "SPREAD"}),
        **options,
    }
    shell = type(cls.__name__, (_Shell,), {})
    # As bytes, for a restart needs them again: Ray would hold handles among the arguments in its object store,
    # from which they may be gone by then.
    plain = cloudpickle.dumps((cls, args))
    actor = Actor(ray.remote(shell).options(**chosen).remote(plain), options.get("name", cls.__name__))
    try:
        await ask(actor, "start", (), limit_s=None)
    except BaseException:
        if not options.get("get_if_exists"):
            ray.kill(actor.handle)
        raise
    return actor


async def stop(actor: Actor, limit_s: float = 10.0) -> None:
    """Call the plain class's ``stop``, then end the process. An actor that is gone already is no error."""
    try:
        await ask(actor, "stop", (), limit_s=limit_s)
    except (ActorLost, DeadlinePassed):
        return  # killed below; there is nothing left in it to be asked
    finally:
        ray.kill(actor.handle)
