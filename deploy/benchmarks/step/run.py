"""Run the same tasks under several schedules side by side, each in a fleet and run folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.benchmarks.step.player import Player
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.tasks import TaskSpec

Tell = Callable[[str, Sequence[EpisodeResult]], None]
"""Called with a schedule and the results of the batch that it has just played."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared, on what."""

    settings: FleetSettings
    """Settings of every run; schedule and folder are set for each."""
    schedules: tuple[str, ...]
    batches: tuple[tuple[TaskSpec, ...], ...]
    """Tasks of one batch run at once, batches one after another."""
    out: Path

    def settings_of(self, schedule: str) -> FleetSettings:
        episode = self.settings.episode.model_copy(update={"schedule": schedule})
        return self.settings.model_copy(update={"episode": episode, "out": self.out / schedule, "name": schedule})


async def play_in_turns(comparison: Comparison, tell: Tell) -> Mapping[str, Player]:
    """Play every batch under every schedule, one batch at a time on the whole machine; return the players, ended.

    The schedules take turns in going first, so that other work on the machine affects all alike. Raises BadInput, and
    CallError where a fleet does not start or ends by itself.
    """
    async with AsyncExitStack() as stack:
        players = {name: await _open(comparison, name, stack) for name in comparison.schedules}
        for number, batch in enumerate(comparison.batches):
            first = number % len(comparison.schedules)
            for schedule in (*comparison.schedules[first:], *comparison.schedules[:first]):
                tell(schedule, await players[schedule].play(batch))
    return players


async def _open(comparison: Comparison, schedule: str, stack: AsyncExitStack) -> Player:
    log = comparison.out / "logs" / f"{schedule}.log"
    return await stack.enter_async_context(Player(comparison.settings_of(schedule), log))
