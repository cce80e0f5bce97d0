"""A small world behind the interfaces: a phone made of named screens, roles that are functions of what they are shown.

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
from typing import Any, Literal

import numpy as np

from manyhands.actors.clock import Clock
from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.episode.stages.permission import FRONT
from manyhands.actors.frames import Frame, ModelImage
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import (
    LeaseLost,
    ManyhandsError,
    PhoneBusy,
    SpeculationRefused,
    StaleEpoch,
)
from manyhands.protocol.journals.journal import Scan, encode, scan
from manyhands.protocol.journals.records import ActionSent, CheckPrepared, Record
from manyhands.protocol.messages import Answered, CallContext, ModelCall
from manyhands.protocol.phones import (
    CRASHES,
    DESCRIPTION,
    AppCrash,
    Lease,
    Perform,
    Performed,
    PhoneLog,
    Receipt,
    Reset,
    SettleSpec,
)
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import (
    DecideRequest,
    Decision,
    NoteRequest,
    Notes,
    Plan,
    PlanRequest,
    Reflection,
    ReflectRequest,
    Request,
    Subgoal,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeIndex, EpisodeOrder
from manyhands.protocol.screens.actions import Action, Back, Tap
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Keyboard, Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec
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


def call_of(role: Role, messages: list[dict[str, Any]] | None = None, reply: str = "said") -> ModelCall:
    request = {"messages": messages or []}
    return ModelCall(role=role, server="s", request=request, reply=reply, started_at=START, latency_ms=1.0)


def decided(chosen: Action | str, thought: str, expectation: str = "the next screen", seen: str = "") -> Decision:
    """The decision for an action, or with the problem of a reply that holds none."""
    action, problem = (None, chosen) if isinstance(chosen, str) else (chosen, None)
    return Decision(thought=thought, action=action, expectation=expectation, problem=problem, observation=seen)


CALL = call_of(Role.PLAN)


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
    label: Callable[[str], str] = lambda screen: ""
    """What stands where the right action taps, on the screen of that name."""
    product: str = "manyhands_world"
    """What the phone tells of itself: it is a virtual one, unless a test says otherwise."""
    moves: Callable[[str, Action], str] = next_screen
    chooses: Callable[[DecideRequest], Action | str] = lambda request: right_action(shown(request.screen))
    """The operator's action, or the problem with its reply."""
    changes: Callable[[PlanRequest, str], str] = lambda request, screen: "keep"
    """What the planner, who sees the screen of that name, does to the subgoal before."""
    plans: str = "tap on"
    """The text of the planner's plan."""
    reached: Callable[[str], bool | None] = lambda screen: None
    """What the reflector, who sees the screen of that name, says of the subgoal, if it is asked."""
    room: Callable[[str, int], bool] = lambda method, count: True
    """Whether a role has room for what it is asked ahead of time."""
    judges: Callable[[ReflectRequest], Outcome] | None = None
    draws: Callable[[str], bytes] = lambda screen: b"a picture"
    """The picture of the screen of that name, as models get it."""
    sends_home: Callable[[str], str] = lambda screen: ""
    """Why the phone went home from an app before it showed the screen of that name."""
    latency: Callable[[str, int], float] = lambda method, count: 0.0
    fault: Callable[[str, int], BaseException | None] = lambda method, count: None
    labels_fit: bool = True
    """Whether an app that a check opens has exactly the label that the check names."""
    refuses: Mapping[str, str] = field(default_factory=dict)
    """Names of atoms that the gateway refuses, and why."""
    forgets: Callable[[str], bool] = lambda key: False
    """Keys whose receipt says that nobody knows."""
    loses: Callable[[int], BaseException | float | None] = lambda count: None
    """What comes between an action that was carried out and the answer: an error, or so many seconds."""
    calls: list[tuple[str, float, float, Any]] = field(default_factory=list)
    """Method, when it began and ended, and what was asked."""
    begun: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    """What was asked by each method, in the order in which it began."""
    count: Counter[str] = field(default_factory=Counter)
    ledger: list[str] = field(default_factory=list)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    """The first receipt of each key, as a gateway keeps it."""
    unwritten: list[str] = field(default_factory=list)
    """Keys that came to the phone before they were on disk."""
    journals: dict[str, list[Record]] = field(default_factory=dict)
    on_disk: dict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    """The same journals as bytes."""
    places: Counter[str] = field(default_factory=Counter)
    """How many places of each journal are written."""
    fences: Counter[str] = field(default_factory=Counter)
    """The epoch below which nobody may write into a journal any more."""
    appends: list[int] = field(default_factory=list)
    screens: dict[str, Frame] = field(default_factory=dict)
    logs: defaultdict[str, list[PhoneLog]] = field(default_factory=lambda: defaultdict(list))
    """What was logged beside each episode."""
    names: dict[str, str] = field(default_factory=dict)
    """Names of the screens that were captured, by content id."""
    queue_ms: float = 0.0
    """What the gateway says that each capture and action waited for its turn."""
    epoch: int = 1
    app: str = "org.example"
    front: str = ""
    """The app that has come to the front since every screenshot; empty if none has."""
    keyboard: Callable[[str], Keyboard] = lambda screen: "hidden"
    covered: Callable[[str], bool] = lambda screen: False
    """Whether a dialog lies over the screen of that name."""
    hides: Callable[[str], Literal["", "black", "secure"]] = lambda screen: ""
    """Whether the screen of that name is black in its picture, and whether the phone says that it forbids pictures."""
    app_version: str | None = None
    crashes: Callable[[float], Sequence[AppCrash]] = lambda now: ()
    """What the phone tells at a time of crashes of the app under test."""
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

    def asked_of(self, role: Role) -> list[Any]:
        """What a role was asked, in the order in which it began."""
        asked = itertools.chain.from_iterable(self.begun.values())
        return [request for request in asked if isinstance(request, Request) and request.role is role]

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

    def rewrite(self, episode: str, records: Sequence[Record], epoch: int = 1) -> None:
        """Put other records into a journal."""
        framed = (encode(one, episode, getattr(one, "step", None), seq, epoch) for seq, one in enumerate(records))
        self.on_disk[episode] = bytearray(b"".join(framed))
        self.journals[episode], self.places[episode] = list(records), len(records)

    def shown_on(self, image: ModelImage) -> str:
        """The name of the screen of a picture."""
        return self.names[image.content_id]

    def shown_on_id(self, content_id: str | None) -> str:
        """The name of the screen with this content id."""
        return self.names[content_id or ""]

    def written(self, episode: str) -> tuple[Record, ...]:
        """The journal of an episode, as it is read from a file."""
        return scan(bytes(self.on_disk[episode])).records

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

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
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
                keyboard=self.world.keyboard(name),
                app=self.world.app,
                app_version=self.world.app_version,
                sent_home=self.world.sends_home(name),
                is_black=bool(self.world.hides(name)),
                is_secure=self.world.hides(name) == "secure",
            )
            pixels = np.zeros((2, 2, 3), np.uint8)
            self.world.names[screenshot.content_id] = name
            return screenshot, ModelImage(screenshot.content_id, self.world.draws(name)), Frame("rgb", pixels)

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        records = itertools.chain.from_iterable(self.world.journals.values())
        sent = (ActionSent, CheckPrepared)
        if not any(isinstance(record, sent) and record.key == perform.key for record in records):
            self.world.unwritten.append(perform.key)
        async with self.world.asked("perform", perform, counted=True):
            self._check(lease)
            if perform.key in self.world.receipts:
                return self.world.receipts[perform.key].model_copy(update={"repeated": True})
            reason = self.world.refuses.get(perform.action.name)
            if reason is None:
                self.world.ledger.append(perform.key)
                self.world.screen = self.world.moves(self.world.screen, perform.action)
            status = "refused" if reason else "unknown" if self.world.forgets(perform.key) else "done"
            receipt = Receipt(
                key=perform.key,
                status=status,
                detail=reason or "",
                opens="com.example" if ":check:" in perform.key and self.world.labels_fit else None,
                sent_at=self.world.clock.now(),
                ms=1.0,
                queue_ms=self.world.queue_ms,
            )
            self.world.receipts[perform.key] = receipt
        self.world.count["answer"] += 1
        lost = self.world.loses(self.world.count["answer"] - 1)
        await self.world.clock.sleep(lost if isinstance(lost, float) else 0.0)
        if isinstance(lost, BaseException):
            raise lost
        return receipt

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

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        async with self.world.asked("reset", (reset.key, reset.seed)):
            self._check(lease)
            return Receipt(key=reset.key, status="done", sent_at=self.world.clock.now(), ms=1.0)

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        if source == DESCRIPTION:
            return {"product": self.world.product}
        if source.startswith(CRASHES):
            self.world.count["crashes"] += 1
            return {"crashes": [one.model_dump() for one in self.world.crashes(self.world.clock.now())]}
        if source == FRONT:
            return {"app": {"front": self.world.front or self.world.app}}
        async with self.world.asked("state", source, counted=True):
            self._check(lease)
            return {"screen": self.world.screen}

    async def size(self, serial: str) -> Size:
        async with self.world.asked("size", serial):
            return SIZE

    async def log(self, lease: Lease, context: CallContext) -> PhoneLog:
        async with self.world.asked("log", context):
            self._check(lease)
            return PhoneLog(text=f"{self.world.count['log']} password=hunter2\n", clock_offset_s=0.0)

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        async with self.world.asked("recall", tuple(keys)):
            self._check(lease)
            now = self.world.clock.now()
            found = []
            for key in keys:
                known = self.world.receipts.get(key)
                refused = Receipt(key=key, status="refused", detail="never begun", sent_at=now, ms=0, never_begun=True)
                found.append(refused if known is None else known.model_copy(update={"repeated": True}))
                self.world.receipts.setdefault(key, refused)
            return found


@dataclass
class WorldPerception:
    world: World

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        name = self.world.shown_on_id(screenshot.content_id)
        async with self.world.asked("perceive", screenshot, counted=True):
            element = Element(kind="text", box=Box(x1=0, y1=20, x2=40, y2=30), content=name, confidence=1.0)
            box = Box(x1=0, y1=95, x2=40, y2=105)
            below = [Element(kind="text", box=box, content=text, confidence=1.0) for text in (self.world.label(name),)]
            return Screen(
                content_id=screenshot.content_id,
                size=SIZE,
                elements=(element, *(one for one in below if one.content)),
                keyboard=screenshot.keyboard,
                dialog=element.box if self.world.covered(name) else None,
            )


@dataclass
class WorldPlanner:
    world: World

    async def answer(self, request: PlanRequest, context: CallContext, *images: ModelImage) -> Answered[Plan]:
        assert [image.content_id for image in images] == [one.content_id for one in request.screenshots]
        self.world.admit("plan", context)
        async with self.world.asked("plan", request, counted=True):
            seen = self.world.shown_on_id(request.screenshot.content_id)
            finished = seen == self.world.goal_screen
            before = request.previous.subgoal.id if request.previous else 0
            change = self.world.changes(request, seen) if request.previous else "replan"
            plan = Plan(
                thought="there" if finished else "go on",
                text=self.world.plans,
                subgoal=Subgoal(id=before + (change != "keep"), text=f"leave {seen}"),
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
            assert image.content_id == request.screenshot.content_id
            assert request.screen is None or request.screen.content_id == image.content_id
            decision = decided(self.world.chooses(request), f"so {number}")
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
                outcome = Outcome.B if self.world.shown_on(after).startswith("wrong-") else Outcome.A
            good = outcome is Outcome.A
            reflection = Reflection(
                outcome=outcome,
                error="" if good else "this is not the page",
                progress=f"{request.progress}>{self.world.shown_on(after)}" if good else "",
                made_by="model",
                subgoal_reached=self.world.reached(self.world.shown_on(after)) if request.asks_subgoal else None,
            )
            return Answered[Reflection](value=reflection, calls=(CALL,))


@dataclass
class WorldNotetaker:
    world: World

    async def answer(self, request: NoteRequest, context: CallContext, *images: ModelImage) -> Answered[Notes]:
        (image,) = images
        async with self.world.asked("note", request, counted=True):
            assert image.content_id == request.screenshot.content_id
            notes = f"{request.notes} {self.world.shown_on(image)}".strip()
            return Answered[Notes](value=Notes(text=notes), calls=(CALL,))


@dataclass
class WorldStore:
    world: World

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        async with self.world.asked("append"):
            if epoch < self.world.fences[episode]:
                raise StaleEpoch(f"{episode} goes on under epoch {self.world.fences[episode]}")
            self.world.appends.append(len(records))
            self.world.journals.setdefault(episode, []).extend(records)
            for seq, record in enumerate(records, start=first):
                assert seq <= self.world.places[episode]
                self.world.places[episode] = max(self.world.places[episode], seq + 1)
                self.world.on_disk[episode] += encode(record, episode, getattr(record, "step", None), seq, epoch)

    async def read(self, episode: str, epoch: int) -> Scan:
        async with self.world.asked("read"):
            self.world.fences[episode] = max(epoch, self.world.fences[episode])
            return scan(bytes(self.world.on_disk[episode]))

    async def index(self) -> Sequence[EpisodeIndex]:
        raise NotImplementedError

    async def screen(self, content_id: str) -> bytes | None:
        frame = self.world.screens.get(content_id)
        return None if frame is None else frame.png()

    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        async with self.world.asked("put_screens"):
            self.world.screens.update(zip(content_ids, frames, strict=True))

    async def append_log(self, episode: str, log: PhoneLog) -> None:
        async with self.world.asked("append_log", log):
            self.world.logs[episode].append(log)
