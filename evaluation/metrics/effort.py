"""Compute metrics of time, steps, calls and tokens, and of tips and shortcuts in use, from the journals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.learning import counted_uses, uses_of
from manyhands.evaluation.metrics.figure import Contribution, Missing
from manyhands.evaluation.metrics.outcomes import Case, satisfaction
from manyhands.evaluation.recorded_calls import shown_ids
from manyhands.evaluation.timing import away_of, not_counted, union_length
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.base import Message
from manyhands.protocol.journals.records import Acted, ActionSent, Interval, Perceived, StageRecord
from manyhands.protocol.screens.actions import RunShortcut, Wait

NO_OPERATION = "nothing was carried out"


def reasoning_seconds(case: Case) -> Contribution | Missing:
    """Return seconds per operation, roles only (Mobile-Agent-E, table 5): time in which roles worked / operations.

    Time in which several roles work counts once. Time in queues, or without a server that answers, does not count. An
    operation is a Wait, or an atomic action that the phone received. A shortcut has several atomic actions.
    """
    return _seconds_an_operation(case, with_perception=False)


def all_seconds(case: Case) -> Contribution | Missing:
    """Return seconds per operation, roles and perception (Mobile-Agent-E, table 5). See ``reasoning_seconds``."""
    return _seconds_an_operation(case, with_perception=True)


def shortcut_share(case: Case) -> Contribution | Missing:
    """Return the share of shortcuts (Mobile-Agent-E, table 5): shortcuts / actions that the operator chose."""
    decided = [decision.action for decision in case.decisions.values() if decision.action is not None]
    if not decided:
        return Missing("no action was decided")
    return Contribution(sum(isinstance(action, RunShortcut) for action in decided), len(decided))


def operations(case: Case) -> int:
    """Count the atomic actions that the phone received for decisions, and the Waits.

    After a step's action is complete, more may be sent to return to a page. That does not count.
    """
    sent_keys, acted = set[str](), set[int]()
    for record in case.episode.records:
        if isinstance(record, Acted):
            acted.add(record.step)
        elif isinstance(record, ActionSent) and record.step not in acted:
            sent_keys.add(record.key)
    return len(sent_keys & case.episode.actions_sent) + sum(
        isinstance(decision.action, Wait) for decision in case.decisions.values()
    )


def _seconds_an_operation(case: Case, with_perception: bool) -> Contribution | Missing:
    count = operations(case)
    if not count:
        return Missing(NO_OPERATION)
    return Contribution(_seconds(_worked(case.episode, with_perception), away_of(case.episode.records)), count)


def _worked(episode: RecordedEpisode, with_perception: bool) -> Iterable[Interval]:
    """Yield the intervals in which a role worked, or perception if wanted. Leave out queue times, which come first."""
    for record in episode.records:
        if isinstance(record, StageRecord) and (
            with_perception if isinstance(record, Perceived) else bool(record.calls)
        ):
            yield min(record.span.end, record.span.start + record.span.queue_ms / 1000), record.span.end


def _seconds(worked: Iterable[Interval], away: Sequence[Interval]) -> float:
    """Return the length of the union of ``worked`` in seconds, without ``away``: no model server answered then."""
    intervals = list(worked)
    return union_length([*intervals, *away]) - union_length(away)


class Costs(Message):
    """Hold the costs of a step, averaged over the episodes that decided tasks."""

    steps: int
    calls: float | None
    pictures: float | None
    """None if the requests were not recorded."""
    input_tokens: float | None
    output_tokens: float | None
    cached_share: float | None
    """The share of input tokens that were cached."""
    seconds: float | None
    """The episodes' whole time divided by their steps. Time that ``not_counted`` returns is left out."""


def costs(episodes: Iterable[RecordedEpisode]) -> Costs:
    """Return the costs of a step. If there was no step, each cost is None."""
    all_episodes = list(episodes)
    steps = sum(episode.steps for episode in all_episodes)
    calls = [call for episode in all_episodes for call in calls_of(episode.records)]
    has_requests = all(call.request for call in calls)
    seconds = sum(
        episode.last_at - episode.started.at - union_length(not_counted(episode.records)) for episode in all_episodes
    )
    input_tokens = sum(call.usage.input_tokens for call in calls)

    def a_step(total: float) -> float | None:
        return total / steps if steps else None

    return Costs(
        steps=steps,
        calls=a_step(len(calls)),
        pictures=a_step(sum(len(shown_ids(call.request)) for call in calls)) if has_requests else None,
        input_tokens=a_step(input_tokens),
        output_tokens=a_step(sum(call.usage.output_tokens for call in calls)),
        cached_share=sum(call.usage.cached_tokens for call in calls) / input_tokens if input_tokens else None,
        seconds=a_step(seconds),
    )


def learned_uses(case: Case) -> int:
    """Return how often a task used a learned shortcut, with any outcome."""
    return sum(use.origin == "learned" for use in uses_of(case.episode))


def satisfaction_by_tips(case: Case) -> Contribution | Missing:
    """Return SS of a task that used no learned shortcut (Mobile-Agent-E, table 6): the effect of tips alone."""
    return Missing("a learned shortcut was used") if learned_uses(case) else satisfaction(case)


def misuse(case: Case) -> Contribution | Missing:
    """Return the share of misuse (Mobile-Agent-E, appendix C): uses of shortcuts that did not do what was meant / uses.

    Such a use was refused, stopped at an unexpected screen, led to outcome B or C, or its shortcut was quarantined.
    Uses of unknown outcome do not count.
    """
    counts = counted_uses(uses_of(case.episode)).values()
    told_uses = sum(one.total - one.untold for one in counts)
    if not told_uses:
        return Missing("no shortcut was used, or nothing can be told of how that went")
    return Contribution(sum(one.misused for one in counts), told_uses)


def steps(case: Case) -> Contribution | Missing:
    """Return the number of steps of a task, including its Stop."""
    return Contribution(case.episode.steps)


def calls(case: Case) -> Contribution | Missing:
    """Return the number of model calls of a task: for steps, recall, learning and preconditions."""
    return Contribution(len(calls_of(case.episode.records)))


def tips_known(case: Case) -> Contribution | Missing:
    """Return how many tips a task knew from the start (Mobile-Agent-E, section 5.4)."""
    return Contribution(len(case.episode.started.memory.tips))


def shortcuts_known(case: Case) -> Contribution | Missing:
    """Return how many shortcuts a task knew from the start (Mobile-Agent-E, section 5.4)."""
    return Contribution(len(case.episode.started.memory.shortcuts))
