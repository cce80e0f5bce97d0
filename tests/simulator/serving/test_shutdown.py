"""Processes of the simulator end when they are told to, in every state, and when who started them is gone."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from manyhands.protocol.roles.role import PlanReply
from manyhands.simulator.serving.shutdown import STOP_S
from tests.simulator.processes import SLACK_S, all_gone, children, started
from tests.simulator.rehearsal.parts import body, display_page, text_image

BIG = (1080, 2400)
REHEARSAL = ("manyhands.simulator.rehearsal", "--port", "0")


@asynccontextmanager
async def asked_to_read(url: str) -> AsyncIterator[None]:
    """Within the block the model's OCR worker is at work on a large picture, whose page is half a megabyte."""
    asked = body(PlanReply, display_page(), [text_image(*(f"Line {n}" for n in range(40)), size=BIG)])
    async with aiohttp.ClientSession() as session:

        async def post() -> None:
            async with session.post(f"{url}/chat/completions", json=asked) as response:
                await response.read()

        posting = asyncio.create_task(post())
        try:
            while not await running(session, url):
                await asyncio.sleep(0.005)
            yield
        finally:
            posting.cancel()
            await asyncio.gather(posting, return_exceptions=True)


async def running(session: aiohttp.ClientSession, url: str) -> bool:
    async with session.get(url.removesuffix("/v1") + "/metrics") as response:
        return 'stand_in_requests_total{model_name="manyhands-rehearsed"} 0' not in await response.text()


# ---------------------------------------------------------------------------- the rehearsed model
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
async def test_it_ends_while_a_picture_is_being_read(number: signal.Signals) -> None:
    """The worker's answer then fills its pipe, which nobody reads: it once was waited for for ever."""
    async with started(*REHEARSAL) as (process, ready):
        workers = children(process.pid)
        assert len(workers) == 1
        async with asked_to_read(ready["url"]):
            process.send_signal(number)
            async with asyncio.timeout(STOP_S + SLACK_S):
                assert await process.wait() == 0
        await all_gone(workers, SLACK_S)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_it_ends_though_its_worker_does_nothing_any_more(number: signal.Signals) -> None:
    async with started(*REHEARSAL) as (process, ready):
        workers = children(process.pid)
        async with asked_to_read(ready["url"]):
            workers[0].suspend()
            process.send_signal(number)
            async with asyncio.timeout(STOP_S + SLACK_S):
                assert await process.wait() == 0
        await all_gone(workers, SLACK_S)


async def test_its_worker_ends_when_it_is_killed() -> None:
    async with started(*REHEARSAL) as (process, ready):
        workers = children(process.pid)
        async with asked_to_read(ready["url"]):
            process.kill()
            await process.wait()
        await all_gone(workers, STOP_S + SLACK_S)


async def test_under_nohup_a_terminal_that_goes_is_nothing() -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async with started(*REHEARSAL, preexec_fn=ignore) as (process, _):
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S + SLACK_S):
            assert await process.wait() == 0


# ---------------------------------------------------------------------------- every state
STUCK = """
    import argparse, asyncio, contextlib, sys, time
    import manyhands.simulator.serving.shutdown
    from manyhands.simulator.serving.command_line import serve

    manyhands.simulator.serving.shutdown.STOP_S = 0.5

    class Server:
        url = "http://nowhere"

    @contextlib.asynccontextmanager
    async def opened():
        if sys.argv[1] == "busy":
            asyncio.get_running_loop().call_soon(lambda: [time.sleep(0.001) for _ in range(10**6)])
        yield Server()
        if sys.argv[1] == "waiting":
            await asyncio.Event().wait()
        if sys.argv[1] == "thread":
            await asyncio.to_thread(time.sleep, 1000)

    serve(opened(), {}, argparse.Namespace(json=True, until_stdin_closes=True))
"""


@pytest.mark.parametrize(
    ("state", "how"),
    [
        *itertools.product(["busy", "waiting", "thread"], ["SIGTERM", "SIGHUP"]),
        # A loop that is held up does not see its stdin; who started it sends SIGTERM after that.
        *itertools.product(["waiting", "thread"], ["stdin closes"]),
    ],
)
async def test_what_would_never_end_is_ended(tmp_path: Path, state: str, how: str) -> None:
    """By the system: no loop that is held up, no wait and no thread of this process can put it off."""
    (tmp_path / "stuck.py").write_text(textwrap.dedent(STUCK))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))}
    async with started("stuck", state, env=environment) as (process, _):
        assert process.stdin is not None
        if how == "stdin closes":
            process.stdin.close()
        else:
            process.send_signal(signal.Signals[how])
        async with asyncio.timeout(SLACK_S):
            assert await process.wait() == -signal.SIGALRM


# ---------------------------------------------------------------------------- virtual phones
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "module", ["manyhands.simulator.fleet", "manyhands.simulator.canned.phones", "manyhands.simulator.canned.model"]
)
async def test_phones_and_the_canned_model_end(module: str, number: signal.Signals) -> None:
    async with started(module) as (process, ready):
        if "ports" in ready:  # a client that has asked for something endless, and one that says nothing
            await asyncio.open_connection("127.0.0.1", ready["ports"][0])
        process.send_signal(number)
        async with asyncio.timeout(STOP_S + SLACK_S):
            assert await process.wait() == 0
