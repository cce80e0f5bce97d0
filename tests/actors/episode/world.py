"""A small world behind the seams: a phone made of named screens, roles that are functions of what they are shown.

Every method takes the time that ``latency`` says and fails where ``fault`` says so, both by the method's name
and how often it was called; what was asked of whom, and when, is in ``calls``.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manyhands.actors.clock import Clock
from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.actions import Action, Back, Tap
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import LeaseLost, ManyhandsError, PhoneBusy, SpeculationRefused
from manyhands.protocol.geometry import Box, Size
from manyhands.protocol.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.messages import Answered, CallContext, ModelCall
from manyhands.protocol.phones import Lease, Perform, Performed, Receipt, SettleSpec
from manyhands.protocol.records import ActionSent, Record
from manyhands.protocol.roles import (
    DecideRequest,
    Decision,
    NoteRequest,
    Notes,
    Plan,
    PlanRequest,
    Reflection,
    ReflectRequest,
    Role,
    Subgoal,
)
from manyhands.protocol.runs import EpisodeOrder, EpisodeSettings
from manyhands.protocol.screens import Element, Screen, Screenshot
from manyhands.protocol.tasks import TaskSpec
from tests.virtual_clock import START, VirtualClock

SIZE = Size(width=100, height=200)
SERIAL = "phone-1"
SEARCH = Shortcut(
    name="Search",
    arguments=("x", "y", "text"),
    steps=(
        ShortcutStep(name="Tap", arguments_map={"x": "x", "y": "y"}),
        ShortcutStep(name="Type", arguments_map={"text": "text"}),
        ShortcutStep(name="Enter"),
    ),
)
CALL = ModelCall(role=Role.PLAN, server="s", request={}, reply="?", started_at=START, latency_ms=1.0)


def content_id(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()


def tap(number: int) -> Tap:
    """The right action on screen ``s<number>`` of the default world."""
    return Tap(x=number % SIZE.width, y=100)


def next_screen(screen: str, action: Action) -> str:
    """The default world: s0, s1, s2, ... by the right tap; a wrong tap leads astray, Back leads back."""
    if isinstance(action, Back):
        return screen.removeprefix("wrong-")
    if screen.startswith("s") and action == tap(int(screen[1:])):
        return f"s{int(screen[1:]) + 1}"
    return screen if screen.startswith("wrong-") else f"wrong-{screen}"


def right_action(screen: str) -> Action:
    return Back() if screen.startswith("wrong-") else tap(int(screen[1:]))


@dataclass
class World:
    clock: Clock = field(default_factory=VirtualClock)
    goal_screen: str = "s3"
    screen: str = "s0"
    moves: Callable[[str, Action], str] = next_screen
    chooses: Callable[[DecideRequest], Action | str] = lambda request: right_action(shown(request.screen))
    """The operator's action, or the problem with its reply."""
    changes: Callable[[PlanRequest, str], str] = lambda request, screen: "keep"
    """What the planner, who sees the screen of that name, does to the subgoal before."""
    reached: Callable[[str], bool | None] = lambda screen: None
    """What the reflector, who sees the screen of that name, says of the subgoal, if it is asked."""
    room: Callable[[str, int], bool] = lambda method, count: True
    """Whether a role has room for what it is asked ahead of time."""
    judges: Callable[[ReflectRequest], Outcome] | None = None
    latency: Callable[[str, int], float] = lambda method, count: 0.0
    fault: Callable[[str, int], BaseException | None] = lambda method, count: None
    refuses: Mapping[str, str] = field(default_factory=dict)
    """Names of atoms that the gateway refuses, and why."""
    forgets: Callable[[str], bool] = lambda key: False
    """Keys whose receipt says that nobody knows."""
    calls: list[tuple[str, float, float, Any]] = field(default_factory=list)
    """Method, when it began and ended, and what was asked."""
    begun: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    """What was asked by each method, in the order in which it began."""
    count: Counter[str] = field(default_factory=Counter)
    ledger: list[str] = field(default_factory=list)
    unwritten: list[str] = field(default_factory=list)
    """Keys that came to the phone before they were on disk."""
    journals: dict[str, list[Record]] = field(default_factory=dict)
    appends: list[int] = field(default_factory=list)
    screens: dict[str, Frame] = field(default_factory=dict)
    queue_ms: float = 0.0
    """What the gateway says that each capture and action waited for its turn."""
    epoch: int = 1
    in_flight: int = 0
    most_in_flight: int = 0
    cancelled: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def asked(self, method: str, what: Any = None, counted: bool = False) -> Any:
        began, count = self.clock.now(), self.count[method]
        self.count[method] += 1
        self.begun[method].append(what)
        self.in_flight += counted
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.clock.sleep(self.latency(method, count))
            error = self.fault(method, count)
            if error is not None:
                raise error
            yield
        except asyncio.CancelledError:
            self.cancelled.append(method)
            raise
        finally:
            self.in_flight -= counted
            self.calls.append((method, began, self.clock.now(), what))

    def admit(self, method: str, context: CallContext) -> None:
        """Raises SpeculationRefused for what is asked ahead of time."""
        if context.speculative and not self.room(method, self.count[method]):
            self.count[method] += 1
            self.begun[method].append(None)
            raise SpeculationRefused("busy")

    def requests(self, method: str) -> list[Any]:
        return [what for name, _, _, what in self.calls if name == method]

    def collaborators(self) -> Collaborators:
        return Collaborators(
            agents={
                Role.PLAN: WorldPlanner(self),
                Role.DECIDE: WorldOperator(self),
                Role.REFLECT: WorldReflector(self),
                Role.NOTE: WorldNotetaker(self),
            },
            perception=WorldPerception(self),
            gateway=WorldGateway(self),
            store=WorldStore(self),
        )

    def host(self, **settings: Any) -> EpisodeHost:
        return EpisodeHost(HostSettings(**settings), self.collaborators(), self.clock)


def shown(screen: Screen) -> str:
    """The name of a screen, as perception read it."""
    return screen.elements[0].content


def order(episode: str = "run-task-1", task: Mapping[str, Any] | None = None, **settings: Any) -> EpisodeOrder:
    return EpisodeOrder(
        run="run",
        episode=episode,
        attempt=1,
        task=TaskSpec.model_validate({"id": "task", "goal": "Go to the goal", **(task or {})}),
        lease=Lease(serial=SERIAL, holder="test", epoch=1, expires_at=START + 30),
        memory=LongTermMemory(tips=("look",), shortcuts=(SEARCH,)),
        settings=EpisodeSettings.model_validate(settings),
    )


@dataclass
class WorldGateway:
    world: World

    def _check(self, lease: Lease) -> None:
        if lease.epoch != self.world.epoch:
            raise LeaseLost(f"lease {lease.epoch} of {lease.serial} is old; the newest is {self.world.epoch}")

    async def attach(self, serial: str, holder: str, ttl_s: float) -> Lease:
        raise PhoneBusy(f"{serial} is held by another")

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        async with self.world.asked("renew", lease):
            self._check(lease)
            return lease.model_copy(update={"expires_at": self.world.clock.now() + ttl_s})

    async def detach(self, lease: Lease) -> None:
        raise AssertionError("the dispatcher detaches")

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        async with self.world.asked("capture", context, counted=True):
            self._check(lease)
            name = self.world.screen
            screenshot = Screenshot(
                content_id=content_id(name),
                size=SIZE,
                serial=SERIAL,
                taken_at=self.world.clock.now(),
                capture_ms=1.0,
                queue_ms=self.world.queue_ms,
                keyboard="hidden",
                app="org.example",
            )
            pixels = np.zeros((2, 2, 3), np.uint8)
            return screenshot, ModelImage(screenshot.content_id, name.encode()), Frame("rgb", pixels)

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        records = itertools.chain.from_iterable(self.world.journals.values())
        if not any(isinstance(record, ActionSent) and record.key == perform.key for record in records):
            self.world.unwritten.append(perform.key)
        async with self.world.asked("perform", perform, counted=True):
            self._check(lease)
            reason = self.world.refuses.get(perform.action.name)
            if reason is None:
                self.world.ledger.append(perform.key)
                self.world.screen = self.world.moves(self.world.screen, perform.action)
            status = "refused" if reason else "unknown" if self.world.forgets(perform.key) else "done"
            return Receipt(
                key=perform.key,
                status=status,
                detail=reason or "",
                sent_at=self.world.clock.now(),
                ms=1.0,
                queue_ms=self.world.queue_ms,
            )

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        receipt, began = await self.perform(lease, perform, context), self.world.clock.now()
        try:
            shot, image, frame = await self.capture(lease, settle, context)
        except ManyhandsError:
            return Performed(receipt=receipt), None, None
        looked_ms = (self.world.clock.now() - began) * 1000
        return Performed(receipt=receipt, screenshot=shot, looked_ms=looked_ms), image, frame

    async def reset(self, lease: Lease, key: str, seed: int | None, context: CallContext) -> Receipt:
        async with self.world.asked("reset", (key, seed)):
            self._check(lease)
            return Receipt(key=key, status="done", sent_at=self.world.clock.now(), ms=1.0)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        async with self.world.asked("state", source, counted=True):
            self._check(lease)
            return {"screen": self.world.screen}


@dataclass
class WorldPerception:
    world: World

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        name = self.world.screen
        assert content_id(name) == screenshot.content_id
        async with self.world.asked("perceive", screenshot, counted=True):
            element = Element(kind="text", box=Box(x1=0, y1=20, x2=40, y2=30), content=name, confidence=1.0)
            return Screen(
                content_id=screenshot.content_id, size=SIZE, elements=(element,), keyboard=screenshot.keyboard
            )


@dataclass
class WorldPlanner:
    world: World

    async def answer(self, request: PlanRequest, context: CallContext, *images: ModelImage) -> Answered[Plan]:
        (image,) = images
        self.world.admit("plan", context)
        async with self.world.asked("plan", request, counted=True):
            assert image.content_id == request.screenshot.content_id
            finished = image.jpeg.decode() == self.world.goal_screen
            before = request.previous.subgoal.id if request.previous else 0
            change = self.world.changes(request, image.jpeg.decode()) if request.previous else "replan"
            plan = Plan(
                thought="there" if finished else "go on",
                text="tap on",
                subgoal=Subgoal(id=before + (change != "keep"), text=f"leave {image.jpeg.decode()}"),
                change=change,
                status="finished" if finished else "continue",
            )
            return Answered[Plan](value=plan, calls=(CALL,), queue_ms=0.0)


@dataclass
class WorldOperator:
    world: World

    async def answer(self, request: DecideRequest, context: CallContext, *images: ModelImage) -> Answered[Decision]:
        (image,) = images
        self.world.admit("decide", context)
        number = self.world.count["decide"]
        async with self.world.asked("decide", request, counted=True):
            assert image.content_id == request.screenshot.content_id == request.screen.content_id
            chosen = self.world.chooses(request)
            if isinstance(chosen, str):
                decision = Decision(thought="", action=None, expectation="", problem=chosen)
            else:
                decision = Decision(thought=f"so {number}", action=chosen, expectation="the next screen")
            return Answered[Decision](value=decision, calls=(CALL,))


@dataclass
class WorldReflector:
    world: World

    async def answer(self, request: ReflectRequest, context: CallContext, *images: ModelImage) -> Answered[Reflection]:
        before, after = images
        async with self.world.asked("verify", request, counted=True):
            assert before.content_id == request.before.content_id
            assert after.content_id == request.after.content_id
            if self.world.judges is not None:
                outcome = self.world.judges(request)
            else:
                outcome = Outcome.B if after.jpeg.startswith(b"wrong-") else Outcome.A
            good = outcome is Outcome.A
            reflection = Reflection(
                outcome=outcome,
                error="" if good else "this is not the page",
                progress=f"{request.progress}>{after.jpeg.decode()}" if good else "",
                made_by="model",
                subgoal_reached=self.world.reached(after.jpeg.decode()) if request.asks_subgoal else None,
            )
            return Answered[Reflection](value=reflection, calls=(CALL,))


@dataclass
class WorldNotetaker:
    world: World

    async def answer(self, request: NoteRequest, context: CallContext, *images: ModelImage) -> Answered[Notes]:
        (image,) = images
        async with self.world.asked("note", request, counted=True):
            assert image.content_id == request.screenshot.content_id
            notes = f"{request.notes} {shown(request.screen)}".strip()
            return Answered[Notes](value=Notes(text=notes), calls=(CALL,))


@dataclass
class WorldStore:
    world: World

    async def append(self, episode: str, records: Sequence[Record]) -> None:
        async with self.world.asked("append"):
            self.world.appends.append(len(records))
            self.world.journals.setdefault(episode, []).extend(records)

    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        async with self.world.asked("put_screens"):
            assert not set(content_ids) & set(self.world.screens)
            self.world.screens.update(zip(content_ids, frames, strict=True))
