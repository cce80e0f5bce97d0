"""Runs the same tasks under several schedules side by side, task by task, each in a fleet and run folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from deploy.bench.player import Player
from deploy.settings import FleetSettings
from protocol.runs import EpisodeResult
from protocol.tasks import TaskSpec

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

    def settings_of(self, schedule: str) -> FleetSettings:
        episode = self.settings.episode.model_copy(update={"schedule": schedule})
        return self.settings.model_copy(update={"episode": episode, "out": self.out / schedule, "name": schedule})


@dataclass(frozen=True, slots=True)
class Played:
    """One schedule's run, which has ended."""

    folder: Path
    server_tokens: int | None
    """Read and written by its model servers; None where they do not tell."""


async def play(comparison: Comparison, tell: Tell) -> Mapping[str, Played]:
    """Play every batch under every schedule, one batch at a time on the whole machine.

    The schedules take turns in going first, so that what the machine does beside hits all alike. Raises BadInput,
    CallError where a fleet does not start or ends by itself.
    """
    players: dict[str, Player] = {}
    async with AsyncExitStack() as stack:
        for schedule in comparison.schedules:
            log = comparison.out / "logs" / f"{schedule}.log"
            player = Player(comparison.settings_of(schedule), log)
            players[schedule] = await stack.enter_async_context(player)
        for number, batch in enumerate(comparison.batches):
            for schedule in _turned(comparison.schedules, number):
                tell(schedule, await players[schedule].play(batch))
    return {schedule: Played(player.folder, player.server_tokens) for schedule, player in players.items()}


def _turned(schedules: Sequence[str], by: int) -> Sequence[str]:
    first = by % len(schedules)
    return [*schedules[first:], *schedules[:first]]
