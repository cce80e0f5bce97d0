"""Batches as clients submit them, and what a fleet says of their tasks."""

from __future__ import annotations

from typing import Any

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.batches import BatchRequest
from manyhands.service.database.batches.batch_repository import BatchRepository

AT = 1_700_000_000.0


def request(*ids: str, each: dict[str, Any] | None = None, **fields: Any) -> BatchRequest:
    """A batch with tasks of these ids. ``each``: what all of its tasks say."""
    tasks = [{"id": id, "goal": f"Do {id}.", **(each or {})} for id in ids or ("buy",)]
    return BatchRequest.model_validate({"tasks": tasks, **fields})


def result(task: str, ending: Ending = Ending.FINISHED, **fields: Any) -> EpisodeResult:
    """The result of a task without a check."""
    given = {
        "episode": f"{task}-1",
        "serial": "p1",
        "attempt": 1,
        "reason": "It is done.",
        "steps": 4,
        "verified": None,
        "rubrics": {},
        "started_at": AT + 10,
        "ended_at": AT + 20,
    }
    return EpisodeResult.model_validate({**given, "task": task, "ending": ending, **fields})


def progress(task: str, step: int, doing: str = "planning", episode: str | None = None) -> EpisodeProgress:
    """Where the episode of a task is."""
    return EpisodeProgress(episode=episode or f"{task}-1", task=task, serial="p1", step=step, doing=doing)


async def begin(batches: BatchRepository, task: str, episode: str, serial: str, at: float) -> bool:
    """Record that an episode began. Return False if that was known, or if the task has ended or is unknown."""
    one = EpisodeProgress(episode=episode, task=task, serial=serial, step=0, doing="")
    return bool(await batches.record_progress([one], at))


async def end(batches: BatchRepository, result: EpisodeResult) -> bool:
    """Record the result of a task. Return False if the task has one, or is unknown."""
    return bool(await batches.record_results([result]))
