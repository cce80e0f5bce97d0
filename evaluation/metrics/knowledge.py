"""SR with knowledge ("+ Know.", Mobile-Agent-v2, tables 1 and 2): a run, and what failed in it again with hints."""

from __future__ import annotations

from manyhands.evaluation.metrics.figure import Figure
from manyhands.protocol.runs import Repeated


def with_run_before(before: Repeated, again: Figure, asked: int) -> Figure:
    """Return SR over the tasks of both runs: those done at first or ``again``, by the phone's state, by all.

    Tasks that the second run was ``asked`` for and did not decide leave the denominator, and so do those of which
    the phone did not tell.
    """
    if again.value is None:
        return again.model_copy(update={"tasks": before.tasks})
    done, known = before.verified + again.amount, before.tasks - before.unknown - (asked - again.covers)
    return Figure(value=done / known, covers=known, tasks=before.tasks, amount=done, of=known)
