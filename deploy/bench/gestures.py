"""Random actions on a virtual phone, each judged by the cheap verdicts alone: many more verdicts than tasks give.

No model, no perception, no Ray: actions and screenshots go through a gateway over a real adb server. What was done and
judged is left as a run folder, journal and ledger, like that of any run; actions that only a model could judge have no
verdict in it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

import yaml

from actors.episode.state import StepState
from actors.episode.verdicts import without_model
from actors.phones import AdbGateway, GatewaySettings
from deploy.adb import AdbServer
from deploy.settings import FleetSettings
from deploy.stand_ins import PROVIDER, VIRTUAL_SOURCE
from protocol import private
from protocol.actions import Atom, Back, Enter, Home, OpenApp, Swipe, SwitchApp, Tap, Type
from protocol.errors import BadInput
from protocol.journal import encode
from protocol.memory import LongTermMemory
from protocol.messages import CallContext, Decision
from protocol.phones import Lease, Perform, action_key
from protocol.records import Acted, ActionReceived, ActionSent, Decided, EpisodeStarted, Record, Reflected, Span
from protocol.screens import Screenshot
from protocol.tasks import TaskSpec
from simulator.fleet import VirtualFleet, parse_size, virtual_phones
from simulator.phone import VirtualPhone

THINK_S = 1.0
"""Between a screenshot and the next action, as a model has it: what comes late can then be seen to come."""
CALL_S = 60.0
LEASE_S = 3600.0
TEXTS = ("a", "hello world", "naïve 你好", "👍 ok", "two words and more of them")
TYPING = 0.35
"""Share of typing while the keyboard is shown."""

Tell = Callable[[int], None]
"""Called with the number of actions so far."""


@dataclass(slots=True)
class _Phone:
    """The phone that is played with, and what was written of it."""

    device: VirtualPhone
    gateway: AdbGateway
    lease: Lease
    settings: FleetSettings
    episode: str
    """Unique, for keys that a gateway has seen before are not sent again."""
    records: list[Record]

    async def look(self) -> Screenshot:
        screenshot, _, _ = await self.gateway.capture(self.lease, self.settings.episode.settle, _context())
        return screenshot

    async def act(self, step: int, action: Atom, seen: Screenshot) -> Screenshot:
        """Carry out and judge one action; the screen after it."""
        key, began = action_key(self.episode, step, 1, 0), time.time()
        sent = ActionSent(at=began, step=step, key=key, action=action)
        receipt = await self.gateway.perform(self.lease, Perform(key=key, action=action), _context())
        span = Span(start=began, end=time.time())
        shown = await self.look()
        decision = Decision(thought="", action=action, expectation="")
        acted = Acted(step=step, span=span, problem=receipt.detail if receipt.status == "refused" else None)
        before = StepState(screenshot=seen, decision=decision, sent=(sent,), receipts=(receipt,), acted=acted)
        self.records += [
            Decided(step=step, span=span, decision=decision),
            sent,
            ActionReceived(step=step, receipt=receipt),
            acted,
        ]
        verdict = without_model(before, StepState(screenshot=shown), "", self.settings.episode.cheap)
        if verdict is not None:
            self.records.append(Reflected(step=step, span=span, reflection=verdict))
        return shown


async def play_gestures(
    settings: FleetSettings, count: int, adb: AdbServer, out: Path, tell: Tell, think_s: float = THINK_S
) -> Path:
    """The run folder of so many actions on one virtual phone. Raises BadInput, and what phones raise."""
    virtual = settings.virtual
    timing = (virtual.transitions, virtual.seed) if virtual.transitions else None
    fleet = VirtualFleet(1, virtual_phones(*parse_size(virtual.size), transitions=timing), seed=virtual.seed)
    await adb.ensure()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(fleet)
        stack.push_async_callback(adb.disconnect, fleet.serials)
        await adb.connect(fleet.serials)
        gateway = AdbGateway(
            GatewaySettings(
                adb_host=adb.host,
                adb_port=adb.port,
                state_dir=settings.state_dir,
                label_providers=(f"{PROVIDER}/apps",),
                reset_provider=PROVIDER,
            )
        )
        await gateway.start()
        stack.push_async_callback(gateway.stop)
        lease = await gateway.attach(fleet.serials[0], f"bench verdicts {time.time_ns()}", LEASE_S)
        stack.push_async_callback(gateway.detach, lease)
        end = fleet.endpoints[0].phone
        assert isinstance(end.device, VirtualPhone)
        episode = f"gestures-1-{secrets.token_hex(6)}"
        phone = _Phone(end.device, gateway, lease, settings, episode, [_started(settings, lease, episode)])
        random, seen = Random(f"gestures {virtual.seed}"), await phone.look()
        for step in range(count):
            seen = await phone.act(step, _chosen(random, phone.device), seen)
            tell(step + 1)
            await asyncio.sleep(think_s)
        await asyncio.to_thread(_write, out, phone, {"serial": lease.serial, "rows": end.ledger.rows()})
    return out


def _context() -> CallContext:
    return CallContext(episode="gestures", step=0, deadline=time.time() + CALL_S)


def _chosen(random: Random, phone: VirtualPhone) -> Atom:
    """Mostly taps on texts, for what lies elsewhere seldom reacts; typing where the keyboard is shown."""
    if phone.keyboard_shown() and random.random() < TYPING:
        return Type(text=random.choice(TEXTS), clear=random.random() < 0.3)
    draw = random.random()
    if draw < 0.2:
        return OpenApp(app=random.choice([app.label for app in phone.apps()]))
    if draw < 0.45:
        return random.choice((Home(), Back(), Back(), Enter(), SwitchApp()))
    if draw < 0.6:
        x, up, down = phone.width // 2, phone.height // 4, phone.height * 3 // 4
        return random.choice((Swipe(x1=x, y1=down, x2=x, y2=up), Swipe(x1=x, y1=up, x2=x, y2=down)))
    boxes = [box for _, box in phone.layout()]
    if draw < 0.9 and boxes:
        box = random.choice(boxes)
        x, y = box.x + box.w // 2, box.y + box.h // 2
        return Tap(x=min(max(0, x), phone.width - 1), y=min(max(0, y), phone.height - 1))
    return Tap(x=random.randrange(phone.width), y=random.randrange(phone.height))


def _started(settings: FleetSettings, lease: Lease, episode: str) -> EpisodeStarted:
    task = TaskSpec(id="gestures", goal="random actions")
    return EpisodeStarted(
        at=time.time(),
        run="gestures",
        episode=episode,
        attempt=1,
        task=task,
        serial=lease.serial,
        epoch=lease.epoch,
        profile=settings.episode.profile,
        schedule=settings.episode.schedule,
        memory=LongTermMemory(),
    )


def _write(out: Path, phone: _Phone, ledger: object) -> None:
    episode = out / "episodes" / phone.episode
    try:
        for folder in (out, out / "episodes"):
            private.make_folder(folder)
        for folder in (episode, out / "ledgers"):
            private.make_folder(folder, exist_ok=False)
    except OSError as error:
        raise BadInput(f"{out}: {error.strerror or error}") from error
    asked = {"phones_source": VIRTUAL_SOURCE, "settings": phone.settings.model_dump(mode="json", exclude={"out"})}
    private.write_text(out / "run.yaml", yaml.safe_dump(asked))
    private.write_text(out / "ledgers" / "phone.json", json.dumps(ledger))
    private.write_bytes(episode / "journal.mh", b"".join(encode(record, phone.episode) for record in phone.records))
