"""The receiver of the documents, run as users run it, accepts what the courier sends and nothing else."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from manyhands.actors.clock import RealClock
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.webhooks import WebhookRequest
from manyhands.service.webhook_courier import WebhookCourier
from manyhands.service.webhook_post import MessagePost, make_secret
from tests.service.webhooks.conftest import WebhookBench

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs/examples/webhook_receiver.py"


@asynccontextmanager
async def example(secret: str) -> AsyncIterator[tuple[int, asyncio.StreamReader]]:
    """Run the example. Gives its port and its output."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(EXAMPLE)),
        cwd=ROOT,
        env=os.environ | {"WEBHOOK_SECRET": secret, "PORT": "0"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode()
        yield int(line.rsplit(" ", 1)[1]), process.stdout
    finally:
        process.kill()
        await process.wait()


async def test_the_example_prints_the_event_of_a_delivery(bench: WebhookBench) -> None:
    secret = make_secret()
    clock = RealClock()
    async with example(secret) as (port, output), MessagePost() as post:
        request = WebhookRequest(url=f"http://127.0.0.1:{port}/", kinds=(EventKind.PHONE_ASIDE,))
        await bench.webhooks.make(request, "ann", secret, clock.now())
        async with aiohttp.ClientSession() as stranger, stranger.post(request.url, data=b"{}") as answer:
            assert answer.status == 403
        courier = asyncio.create_task(WebhookCourier(bench.webhooks, post, clock).run())
        await bench.tell("emulator-5554")
        printed = (await asyncio.wait_for(output.readline(), 60)).decode()
        courier.cancel()
        await asyncio.gather(courier, return_exceptions=True)
    assert printed.startswith("phone.aside emulator-5554")
