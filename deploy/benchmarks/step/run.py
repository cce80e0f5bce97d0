"""Runs the same tasks under several schedules side by side, each in a fleet and run folder of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.deploy.benchmarks.canned import canned_phones
from manyhands.deploy.benchmarks.player import Player
from manyhands.deploy.fleet.groups import first_error
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins.processes import Companion
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.tasks import TaskSpec

Tell = Callable[[str, Sequence[EpisodeResult]], None]
"""Called with a schedule and the results of the batch that it has just played."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared, on what."""

    settings: FleetSettings
    """Of every run; schedule and folder are set for each."""
    schedules: tuple[str, ...]
    batches: tuple[tuple[TaskSpec, ...], ...]
    """Tasks of one batch run at once, batches one after another."""
    out: Path
    perception: str = "real"
    canned: tuple[str, ...] | None = None
    """Arguments of a canned model (``simulator.canned.model``), which each schedule has for itself, on canned phones;
    None for neither."""

    def settings_of(self, schedule: str) -> FleetSettings:
        episode = self.settings.episode.model_copy(update={"schedule": schedule})
        return self.settings.model_copy(update={"episode": episode, "out": self.out / schedule, "name": schedule})

    def with_seed(self, seed: int) -> Comparison:
        """The same with another seed, in a folder of its own."""
        settings = self.settings.model_copy(
            update={
                "seed": seed,
                "rehearsal": self.settings.rehearsal.model_copy(update={"seed": seed}),
                "virtual": self.settings.virtual.model_copy(update={"seed": seed}),
            }
        )
        return replace(self, settings=settings, out=self.out / f"seed{seed}")


@dataclass(frozen=True, slots=True)
class Played:
    """One schedule's run, which has ended."""

    folder: Path
    server_tokens: int | None
    """Read and written by its model servers; None where they do not tell."""


async def play_in_turns(comparison: Comparison, tell: Tell) -> Mapping[str, Played]:
    """Play every batch under every schedule, one batch at a time on the whole machine.

    The schedules take turns in going first, so that what the machine does beside hits all alike. Raises BadInput,
    CallError where a fleet does not start or ends by itself.
    """
    async with AsyncExitStack() as stack:
        players = {name: await _open(comparison, name, stack) for name in comparison.schedules}
        for number, batch in enumerate(comparison.batches):
            for schedule in _turned(comparison.schedules, number):
                tell(schedule, await players[schedule].play(batch))
    return _played(players)


async def play_at_once(comparison: Comparison, tell: Tell) -> Mapping[str, Played]:
    """Play all schedules at the same time, where no times are compared. Raises as :func:`play_in_turns`."""

    async def all_batches(schedule: str, player: Player) -> None:
        for batch in comparison.batches:
            tell(schedule, await player.play(batch))

    async with AsyncExitStack() as stack:
        players = {name: await _open(comparison, name, stack) for name in comparison.schedules}
        with first_error():
            async with asyncio.TaskGroup() as group:
                for schedule, player in players.items():
                    group.create_task(all_batches(schedule, player))
    return _played(players)


async def _open(comparison: Comparison, schedule: str, stack: AsyncExitStack) -> Player:
    settings, logs = comparison.settings_of(schedule), comparison.out / "logs"
    if comparison.canned is not None:
        model = Companion("manyhands.simulator.canned.model", comparison.canned, logs / f"{schedule}_model.log")
        url = (await stack.enter_async_context(model)).ready["url"]
        phones = canned_phones(settings, settings.virtual_phones or 1, logs / f"{schedule}_phones.log")
        serials = await stack.enter_async_context(phones)
        settings = settings.model_copy(update={"mllm_url": (url,), "phones": tuple(serials)})
    return await stack.enter_async_context(Player(settings, comparison.perception, logs / f"{schedule}.log"))


def _turned(schedules: Sequence[str], by: int) -> Sequence[str]:
    first = by % len(schedules)
    return [*schedules[first:], *schedules[:first]]


def _played(players: Mapping[str, Player]) -> Mapping[str, Played]:
    return {schedule: Played(player.folder, player.server_tokens) for schedule, player in players.items()}
