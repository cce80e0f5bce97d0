"""Run a fleet in its own process, which plays the batches of tasks that are sent to it.

A process has one Ray, and a fleet has one run folder. So if schedules take turns, task by task, each schedule needs a
process. Each schedule also has its own phones, model server and caches, so that it cannot use what another one read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

from manyhands.deploy.child_process import SidecarProcess
from manyhands.deploy.command_line.output import carry_out
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import first_error
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec

READY_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 60.0
"""Seconds for a fleet to stop its actors and remove its phones from adb's list.

A fleet that is killed earlier would leave its phones in the list.
"""
LONGEST_LINE = 16 * 2**20
METRICS_TIMEOUT_S = 5.0
T = TypeVar("T")
_TOKENS = re.compile(r"^vllm:(?:prompt|generation)_tokens_total(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


class Player(SidecarProcess):
    """Run a fleet in another process while the context is open. Afterwards its run folder is complete."""

    def __init__(self, settings: FleetSettings, log: Path) -> None:
        arguments = ["--settings", settings.model_dump_json(exclude_none=True)]
        super().__init__("manyhands.benchmarks.step.player", arguments, log, READY_TIMEOUT_S, STOP_TIMEOUT_S)
        self.server_tokens: int | None = None
        """Tokens that the fleet's model servers had processed after the last batch; None if a server does not count."""

    @property
    def folder(self) -> Path:
        return Path(self.ready["folder"])

    async def play(self, tasks: Sequence[TaskSpec]) -> tuple[EpisodeResult, ...]:
        """Carry out a batch; return the deciding result of each task.

        Raises BadInput, CallError if the process ended.
        """
        await self.write_line(json.dumps([task.model_dump(mode="json", by_alias=True) for task in tasks]))
        answer = await self.read_json()
        self.server_tokens = answer["server_tokens"]
        return tuple(EpisodeResult.model_validate(result) for result in answer["results"])


# ---------------------------------------------------------------------------- the process
def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Serve batches from stdin. Exit code 0 after the end of stdin, 2 for bad input, 1 for any other of our errors."""
    parser = argparse.ArgumentParser(prog="python -m manyhands.benchmarks.step.player", description=__doc__)
    parser.add_argument("--settings", required=True, help="FleetSettings as JSON")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args(arguments)
    settings = FleetSettings(**json.loads(options.settings))
    carry_out(lambda: _serve(settings), as_json=False)


async def _serve(settings: FleetSettings) -> int:
    lines = asyncio.StreamReader(limit=LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    with _own_stdout() as out:
        async with Fleet(settings) as fleet:
            _say(out, {"folder": str(fleet.folder)})
            while line := await lines.readline():
                tasks = tuple(TaskSpec.model_validate(task) for task in json.loads(line))
                results = await unless_closed(lines, fleet.run_batch(tasks))
                if results is None:
                    return 0
                await asyncio.to_thread(fleet.summary)
                tokens = await asyncio.to_thread(_server_tokens, fleet.folder)
                _say(out, {"results": [one.model_dump(mode="json") for one in results], "server_tokens": tokens})
    return 0


async def unless_closed(lines: asyncio.StreamReader, work: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of ``work``. If ``lines`` end before, nobody waits for the result: cancel and return None.

    No further line may arrive while ``work`` runs.
    """
    with first_error():
        async with asyncio.TaskGroup() as group:
            working = group.create_task(work)
            closing = group.create_task(lines.readline())
            await asyncio.wait((working, closing), return_when=asyncio.FIRST_COMPLETED)
            working.cancel()
            closing.cancel()
    return None if working.cancelled() else working.result()


@contextmanager
def _own_stdout() -> Iterator[TextIO]:
    """Reserve stdout for our own lines. What libraries print goes to stderr, that is into the log."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        yield out


def _say(out: TextIO, value: dict[str, Any]) -> None:
    out.write(json.dumps(value) + "\n")
    out.flush()


def _server_tokens(folder: Path) -> int | None:
    """Count the tokens that the run's model servers processed; None if one of them does not count."""
    models = RunFolder(folder).asked["models"].values()
    counts = [_tokens_of(server) for server in {server for model in models for server in model["servers"]}]
    counted = [tokens for tokens in counts if tokens is not None]
    return sum(counted) if counted and len(counted) == len(counts) else None


def _tokens_of(server: str) -> int | None:
    page = server.rstrip("/").removesuffix("/v1") + "/metrics"
    try:
        with urllib.request.urlopen(page, timeout=METRICS_TIMEOUT_S) as answer:
            figures = _TOKENS.findall(answer.read().decode())
    except (urllib.error.URLError, OSError, ValueError):
        return None
    return round(sum(float(figure) for figure in figures)) if len(figures) >= 2 else None


# ---------------------------------------------------------------------------- schedules in turns
Tell = Callable[[str, Sequence[EpisodeResult]], None]
"""Called with a schedule and the results of the batch that it has just played."""


@dataclass(frozen=True, slots=True)
class ScheduleComparison:
    """Describe a comparison of schedules."""

    settings: FleetSettings
    """Settings of every run, except schedule and folder."""
    schedules: tuple[str, ...]
    """Names of what is compared: a schedule, or another profile and a schedule, such as ``e overlap``."""
    batches: tuple[tuple[TaskSpec, ...], ...]
    """Tasks of one batch run side by side; batches run one after another."""
    out: Path

    def settings_of(self, schedule: str) -> FleetSettings:
        profile, _, order = schedule.rpartition(" ")
        update = {"schedule": order, "profile": profile or self.settings.episode.profile}
        episode = self.settings.episode.model_copy(update=update)
        name = schedule.replace(" ", "-")
        return self.settings.model_copy(update={"episode": episode, "out": self.out / name, "name": name})


async def play_in_turns(comparison: ScheduleComparison, tell: Tell) -> Mapping[str, Player]:
    """Play every batch under every schedule, one at a time, so that each has the whole machine. Return ended players.

    The schedules take turns in going first, so that other work on the machine affects all alike. Raises BadInput, and
    CallError if a fleet does not start or ends by itself.
    """
    async with AsyncExitStack() as stack:
        players = {name: await _open(comparison, name, stack) for name in comparison.schedules}
        for number, batch in enumerate(comparison.batches):
            first = number % len(comparison.schedules)
            for schedule in (*comparison.schedules[first:], *comparison.schedules[:first]):
                tell(schedule, await players[schedule].play(batch))
    return players


async def _open(comparison: ScheduleComparison, schedule: str, stack: AsyncExitStack) -> Player:
    log = comparison.out / "logs" / f"{schedule.replace(' ', '-')}.log"
    return await stack.enter_async_context(Player(comparison.settings_of(schedule), log))


if __name__ == "__main__":
    main()
