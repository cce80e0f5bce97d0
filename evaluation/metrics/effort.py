"""Metrics of time, steps, calls and tokens, and of tips and shortcuts in use, from the journals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.learning.shortcut_uses import counted_uses, uses_of
from manyhands.evaluation.metrics.case import Case
from manyhands.evaluation.metrics.figure import Contribution, Missing
from manyhands.evaluation.metrics.outcome import satisfaction
from manyhands.evaluation.recorded_calls import shown_ids
from manyhands.evaluation.timing import away_of, not_counted, union_length
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.actions import RunShortcut, Wait
from manyhands.protocol.base import Message
from manyhands.protocol.records import Acted, ActionSent, Interval, Perceived, StageRecord

NO_OPERATION = "nothing was carried out"


def reasoning_seconds(case: Case) -> Contribution | Missing:
    """Return seconds an operation, roles only (Mobile-Agent-E, table 5): time in which roles worked / operations.

    Roles that work side by side count once, queues and times without a server not at all. An operation is an atom that
    the phone received, so that a shortcut has several, or a Wait.
    """
    return _seconds_an_operation(case, with_perception=False)


def all_seconds(case: Case) -> Contribution | Missing:
    """Return seconds an operation, roles and perception (Mobile-Agent-E, table 5): as roles only, with perception."""
    return _seconds_an_operation(case, with_perception=True)


def shortcut_share(case: Case) -> Contribution | Missing:
    """Return the share of shortcuts (Mobile-Agent-E, table 5): shortcuts / actions that the operator decided."""
    decided = [decision.action for decision in case.decisions.values() if decision.action is not None]
    if not decided:
        return Missing("no action was decided")
    return Contribution(sum(isinstance(action, RunShortcut) for action in decided), len(decided))


def operations(case: Case) -> int:
    """Count the atoms of decided actions that the phone received, and the Waits.

    What is sent after a step's action was dealt with, to restore a page, is none of them.
    """
    sent, acted = set[str](), set[int]()
    for record in case.episode.records:
        if isinstance(record, Acted):
            acted.add(record.step)
        elif isinstance(record, ActionSent) and record.step not in acted:
            sent.add(record.key)
    return len(sent & case.episode.actions_sent) + sum(
        isinstance(decision.action, Wait) for decision in case.decisions.values()
    )


def _seconds_an_operation(case: Case, with_perception: bool) -> Contribution | Missing:
    count = operations(case)
    if not count:
        return Missing(NO_OPERATION)
    return Contribution(_seconds(_worked(case.episode, with_perception), away_of(case.episode.records)), count)


def _worked(episode: RecordedEpisode, with_perception: bool) -> Iterable[Interval]:
    """Yield when a role, or perception, worked; queues come first and are left out."""
    for record in episode.records:
        if isinstance(record, StageRecord) and (
            with_perception if isinstance(record, Perceived) else bool(record.calls)
        ):
            yield min(record.span.end, record.span.start + record.span.queue_ms / 1000), record.span.end


def _seconds(worked: Iterable[Interval], away: Sequence[Interval]) -> float:
    """Return how long anything worked; where it only waited for a server of its model, nothing did."""
    intervals = list(worked)
    return union_length([*intervals, *away]) - union_length(away)


class Costs(Message):
    """Hold what a step costs, over the episodes that decided tasks. A step is a decision that was dealt with."""

    steps: int
    calls: float | None
    pictures: float | None
    """None where requests were not recorded."""
    input_tokens: float | None
    output_tokens: float | None
    cached_share: float | None
    """Of the input tokens."""
    seconds: float | None
    """The whole time of the episodes."""


def costs(episodes: Iterable[RecordedEpisode]) -> Costs:
    """Return the costs of a step; each None without a step."""
    found = list(episodes)
    steps = sum(episode.steps for episode in found)
    calls = [call for episode in found for call in calls_of(episode.records)]
    recorded = all(call.request for call in calls)
    seconds = sum(
        episode.last_at - episode.started.at - union_length(not_counted(episode.records)) for episode in found
    )
    asked = sum(call.usage.input_tokens for call in calls)

    def a_step(total: float) -> float | None:
        return total / steps if steps else None

    return Costs(
        steps=steps,
        calls=a_step(len(calls)),
        pictures=a_step(sum(len(shown_ids(call.request)) for call in calls)) if recorded else None,
        input_tokens=a_step(asked),
        output_tokens=a_step(sum(call.usage.output_tokens for call in calls)),
        cached_share=sum(call.usage.cached_tokens for call in calls) / asked if asked else None,
        seconds=a_step(seconds),
    )


def learned_uses(case: Case) -> int:
    """Return how often a task used a learned shortcut, however that went."""
    return sum(use.known == "learned" for use in uses_of(case.episode))


def satisfaction_by_tips(case: Case) -> Contribution | Missing:
    """Return SS where no learned shortcut was used (Mobile-Agent-E, table 6): what tips alone bring."""
    return Missing("a learned shortcut was used") if learned_uses(case) else satisfaction(case)


def misuse(case: Case) -> Contribution | Missing:
    """Return the share of misuse (Mobile-Agent-E, appendix C): uses of shortcuts that did not do what was meant / uses.

    They were refused, stopped at a surprise, led to outcome B or C, or the shortcut had been put aside. Uses of which
    nothing can be told do not count.
    """
    counts = counted_uses(uses_of(case.episode)).values()
    told = sum(one.total - one.untold for one in counts)
    if not told:
        return Missing("no shortcut was used, or nothing can be told of how that went")
    return Contribution(sum(one.misused for one in counts), told)


def steps(case: Case) -> Contribution | Missing:
    """Return the steps of a task, its Stop among them."""
    return Contribution(case.episode.steps)


def calls(case: Case) -> Contribution | Missing:
    """Return the model calls of a task: of its steps, and of recalling, of learning and of preconditions."""
    return Contribution(len(calls_of(case.episode.records)))


def tips_known(case: Case) -> Contribution | Missing:
    """Return how many tips a task knew from the start (Mobile-Agent-E, section 5.4)."""
    return Contribution(len(case.episode.started.memory.tips))


def shortcuts_known(case: Case) -> Contribution | Missing:
    """Return how many shortcuts a task knew from the start (Mobile-Agent-E, section 5.4)."""
    return Contribution(len(case.episode.started.memory.shortcuts))
