"""``python -m tests.actors.mllm.hostile_rounds ANSWERS SEED``: ask a hostile server until it has given so many answers.

Every role asks servers that answer with anything, alone and beside a healthy one. Prints what came of it as one JSON
object: calls by how they ended, defects (any error that is not one of ours, anything the health monitor logs, a record
that cannot be encoded), the largest size of this process in MB, and the longest time for which its loop was held up.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from typing import Any

import aiohttp

from manyhands.actors.mllm import ModelSettings, Prompt, served_name, try_question
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector, RoleSettings
from manyhands.deploy.perception.reader import peak_memory_mb
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError, ModelError
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import Span, StageResult
from manyhands.protocol.messages import CallContext, ModelCall
from manyhands.protocol.roles.role import NoteReply, Role
from tests.actors.mllm.model_servers import ModelServer, Say, serving
from tests.actors.roles.examples import (
    AFTER,
    BEFORE,
    decide_request,
    note_request,
    plan_request,
    reflect_request,
)
from tests.simulator.processes import started

AT_ONCE = 24
CALLS = 4
"""Of a role with each client."""
CALL_S = 4.0
OUR_MONITOR = "manyhands.actors.mllm.load.monitor"
NOTES = '{"notes": "kept"}'
ASKED: tuple[tuple[type[Any], Any, tuple[Any, ...]], ...] = (
    (Planner, plan_request, (BEFORE,)),
    (Operator, decide_request, (BEFORE,)),
    (Reflector, reflect_request, (BEFORE, AFTER)),
    (Notetaker, note_request, (AFTER,)),
)


class Rounds:
    """Counts what came of the calls."""

    def __init__(self, base: str, healthy: str) -> None:
        """``base``: the hostile server without ``/v1``; ``healthy``: a server of good notes."""
        self._base = base
        self._healthy = healthy
        self.ended: Counter[str] = Counter()
        self.beside_healthy: Counter[str] = Counter()
        self.defects: list[str] = []
        self.longest_lag_s = 0.0

    async def play(self, number: int) -> None:
        """Ask one server, or two, by one role, as a run does from its start to its end."""
        kind, request, images = ASKED[number % len(ASKED)]
        beside = kind is Notetaker
        urls = (f"{self._base}/s{number}/v1", *((self._healthy,) if beside else ()))
        settings = ModelSettings(
            urls=urls,
            model="stand-in",
            max_attempts=3,
            timeout_s=2.0,
            temperature=0.0 if number % 3 else 0.5,
            dialect=("qwen3-vl", "qwen2.5-vl")[number % 5 == 0],
            output=("json", "headers")[number % 7 == 0],
        )
        try:
            with suppress(ModelError, BadInput):
                await served_name(settings.model_copy(update={"model": None}))
            with suppress(BadInput):
                async with asyncio.timeout(CALL_S):
                    await try_question(settings, Role.NOTE, Prompt("", ("a",)), NoteReply)
        except TimeoutError:
            pass
        except Exception as error:  # noqa: BLE001 - a defect, whatever it is
            self._defect(error, "at the start")
        try:
            role = kind(RoleSettings(model=settings))
            await role.start()
        except BadInput:  # of pictures that are resized otherwise, say
            self.ended["bad_input at the start"] += 1
            return
        except Exception as error:  # noqa: BLE001 - a defect, whatever it is
            self._defect(error, "at the start of a role")
            return
        try:
            for step in range(CALLS):
                await self._ask(role, request(), images, step, self.beside_healthy if beside else self.ended)
        finally:
            await role.stop()

    async def _ask(self, role: Any, request: Any, images: tuple[Any, ...], step: int, ended: Counter[str]) -> None:
        context = CallContext(episode="e", step=step, deadline=time.time() + CALL_S, patience_s=0.5)
        try:
            answered = await role.answer(request, context, *images)
        except (ModelError, CallError) as error:
            ended[error.code] += 1
            self._keep(error.calls)
        except Exception as error:  # noqa: BLE001 - a defect, whatever it is
            self._defect(error, type(role).__name__)
        else:
            ended["answered"] += 1
            self._keep(answered.calls)

    def _keep(self, calls: tuple[ModelCall, ...]) -> None:
        try:
            encode(StageResult(step=0, span=Span(start=0, end=1), stage="a", calls=calls, data={}), "e")
        except ManyhandsError as error:
            self._defect(error, "a record")

    def _defect(self, error: BaseException, where: str) -> None:
        logging.getLogger(__name__).error("a defect", exc_info=error)
        self.defects.append(f"{where}: {type(error).__name__}: {str(error)[:300]}")

    async def watch_loop(self) -> None:
        """Measure for how long the loop was held up."""
        while True:
            asked = time.perf_counter()
            await asyncio.sleep(0.05)
            self.longest_lag_s = max(self.longest_lag_s, time.perf_counter() - asked - 0.05)


class _Log(logging.Handler):
    """Counts what the health monitor logs: nothing, unless it fails."""

    def __init__(self, rounds: Rounds) -> None:
        super().__init__(logging.ERROR)
        self._rounds = rounds

    def emit(self, record: logging.LogRecord) -> None:
        problem = record.exc_info[1] if record.exc_info else None
        self._rounds.defects.append(f"{record.getMessage()[:300]}: {problem!r}"[:600])


async def play(answers: int, seed: int) -> dict[str, Any]:
    """Return the figures of so many answers."""
    async with AsyncExitStack() as stack:
        _, ready = await stack.enter_async_context(started("manyhands.simulator.hostile", "--seed", str(seed)))
        healthy = await stack.enter_async_context(serving(ModelServer(Say(NOTES))))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        base = ready["url"].removesuffix("/v1")
        rounds = Rounds(base, healthy.url)
        log = _Log(rounds)
        logging.getLogger(OUR_MONITOR).addHandler(log)
        watching = asyncio.create_task(rounds.watch_loop())
        numbers = itertools.count(seed * 1000)
        began = time.monotonic()
        while True:
            async with asyncio.TaskGroup() as group:
                for _ in range(AT_ONCE):
                    group.create_task(rounds.play(next(numbers)))
            async with session.get(base + "/stand-in/counts") as response:
                counts = await response.json()
            given = sum(counts["hostile"].values())
            sys.stderr.write(f"{given} answers, {time.monotonic() - began:.0f} s\n")
            if given >= answers:
                break
        watching.cancel()
        logging.getLogger(OUR_MONITOR).removeHandler(log)
    return {
        "answers": given,
        "asked": counts["asked"],
        "kinds": len(counts["hostile"]),
        "seconds": round(time.monotonic() - began, 1),
        "alone": dict(rounds.ended),
        "beside_a_healthy_server": dict(rounds.beside_healthy),
        "defects": rounds.defects,
        "largest_mb": round(peak_memory_mb() or 0),
        "longest_lag_s": round(rounds.longest_lag_s, 2),
    }


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    sys.stdout.write(json.dumps(asyncio.run(play(int(sys.argv[1]), int(sys.argv[2]))), indent=1) + "\n")
