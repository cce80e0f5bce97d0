"""Plays tasks with a model that errs, once for each seed, so that cheap verdicts can be held against what was true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from deploy.bench.player import Player
from deploy.settings import FleetSettings
from protocol.runs import EpisodeResult
from protocol.tasks import TaskSpec

Tell = Callable[[int, Sequence[EpisodeResult]], None]
"""Called with a seed and the results of some of its tasks."""
AT_ONCE = 3
"""Tasks by phone that are given out together: what a batch has ended with is told before the next one."""


async def play_seeds(
    settings: FleetSettings, seeds: Sequence[int], tasks: Sequence[TaskSpec], out: Path, tell: Tell
) -> tuple[Path, ...]:
    """The run folders, one for each seed of mistakes, wordings and the phones' contents. Raises BadInput, CallError."""
    folders = []
    for seed in seeds:
        name = f"seed{seed}"
        update = {
            "seed": seed,
            "rehearsal": settings.rehearsal.model_copy(update={"seed": seed}),
            "virtual": settings.virtual.model_copy(update={"seed": seed}),
            "out": out / name,
            "name": name,
        }
        async with Player(settings.model_copy(update=update), "real", out / "logs" / f"{name}.log") as player:
            for some in _batches(tasks, AT_ONCE * (settings.virtual_phones or 1)):
                tell(seed, await player.play(some))
        folders.append(player.folder)
    return tuple(folders)


def _batches(tasks: Sequence[TaskSpec], size: int) -> list[Sequence[TaskSpec]]:
    return [tasks[start : start + size] for start in range(0, len(tasks), size)]
