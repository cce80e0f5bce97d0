"""Metrics of what lessons brought: of shortcuts that were learned, and of tips where none of them was used."""

from __future__ import annotations

from manyhands.evaluation.learning.uses import counted_uses, uses_of
from manyhands.evaluation.metrics.case import Case
from manyhands.evaluation.metrics.figure import Missing, Part
from manyhands.evaluation.metrics.outcome import satisfaction
from manyhands.evaluation.usage import calls_of


def learned_uses(case: Case) -> int:
    """Return how often a task used a learned shortcut, however that went."""
    return sum(use.known == "learned" for use in uses_of(case.episode))


def satisfaction_by_tips(case: Case) -> Part | Missing:
    """Return SS where no learned shortcut was used (Mobile-Agent-E, table 6): what tips alone bring."""
    return Missing("a learned shortcut was used") if learned_uses(case) else satisfaction(case)


def misuse(case: Case) -> Part | Missing:
    """Return the share of misuse (Mobile-Agent-E, appendix C): uses of shortcuts that did not do what was meant / uses.

    They were refused, stopped at a surprise, led to outcome B or C, or the shortcut had been put aside. Uses of which
    nothing can be told do not count.
    """
    counts = counted_uses(uses_of(case.episode)).values()
    told = sum(one.total - one.untold for one in counts)
    if not told:
        return Missing("no shortcut was used, or nothing can be told of how that went")
    return Part(sum(one.misused for one in counts), told)


def steps(case: Case) -> Part | Missing:
    """Return the steps of a task, its Stop among them."""
    return Part(case.episode.steps)


def calls(case: Case) -> Part | Missing:
    """Return the model calls of a task: of its steps, and of recalling, of learning and of preconditions."""
    return Part(len(calls_of(case.episode.records)))


def tips_known(case: Case) -> Part | Missing:
    """Return how many tips a task knew from the start (Mobile-Agent-E, section 5.4)."""
    return Part(len(case.episode.started.memory.tips))


def shortcuts_known(case: Case) -> Part | Missing:
    """Return how many shortcuts a task knew from the start (Mobile-Agent-E, section 5.4)."""
    return Part(len(case.episode.started.memory.shortcuts))
