"""Whatever happens to receiver and service, each event arrives at least once, with one id."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.protocol.service.webhooks import WebhookMessage
from manyhands.service.database.engine import ServiceDatabase
from tests.service.jumping_clock import JumpingClock
from tests.service.webhooks.conftest import WebhookBench
from tests.service.webhooks.receiver import Receiver, answer_with

HAPPENINGS = st.lists(
    st.sampled_from(["event", "events", "down", "up", "refuse", "busy", "accept", "wait", "kill"]),
    min_size=3,
    max_size=14,
)


@given(HAPPENINGS)
@settings(max_examples=15, deadline=None)
def test_no_event_is_lost(happenings: list[str]) -> None:
    with TemporaryDirectory() as folder:
        told, received = asyncio.run(play(Path(folder), happenings))
    assert Counter(received.values()) == Counter(told)


async def play(folder: Path, happenings: list[str]) -> tuple[list[str], dict[str, str | None]]:
    """Let these things happen, and then all go well again. Return the events told, and those received by their ids."""
    database = await ServiceDatabase.open(str(folder / "service.db"))
    bench = WebhookBench(database, JumpingClock(1_800_000_000.0))
    told: list[str] = []
    left = list(happenings)
    async with Receiver() as receiver:
        await bench.make(receiver.url)
        while left:
            async with bench.running():
                while left:
                    happening = left.pop(0)
                    if happening == "kill":
                        assert bench.courier is not None
                        bench.courier.wake()
                        await asyncio.sleep(0)
                        break
                    await happen(bench, receiver, happening, told)
        receiver.answer = answer_with(200)
        await receiver.go_down()
        await receiver.come_up()
        async with bench.running():
            for _ in range(8):
                await bench.advance(3600)
    await database.close()
    return told, {one.id: WebhookMessage.model_validate_json(one.body).data.phone for one in receiver.messages}


async def happen(bench: WebhookBench, receiver: Receiver, happening: str, told: list[str]) -> None:
    match happening:
        case "event" | "events":
            names = [f"p{len(told) + count}" for count in range(1 if happening == "event" else 7)]
            told += names
            await bench.tell(*names)
        case "down":
            await receiver.go_down()
        case "up":
            await receiver.go_down()
            await receiver.come_up()
        case "refuse":
            receiver.answer = answer_with(500)
        case "busy":
            receiver.answer = answer_with(429, Retry_After="100")
        case "accept":
            receiver.answer = answer_with(204)
        case _:
            await bench.advance(400)
