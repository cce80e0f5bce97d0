"""Judge the actions of a recorded episode by a policy, as if its phone were a real one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.stages.permission import describe_input
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.policy.judgement import judge
from manyhands.protocol.journals.effective_records import effective_records
from manyhands.protocol.journals.records import ActionSent, Record
from manyhands.protocol.policy import Grant, Policy, Verdict


@dataclass(frozen=True, slots=True)
class JudgedAction:
    """Hold what a policy says of an action that an episode sent."""

    task: str
    step: int
    key: str
    verdict: Verdict


def judge_records(
    records: Sequence[Record], grants: tuple[Grant, ...], policy: Policy, *, judges_later: bool = False
) -> Iterator[JudgedAction]:
    """Yield what a policy says of the first action of each step of an episode.

    ``judges_later``: also of the later ones, by the screen before the first: what they met is not on record.
    """
    state = EpisodeState()
    for record in effective_records(records):
        if isinstance(record, ActionSent) and not record.by and (judges_later or not state.step(record.step).sent):
            at, started = state.step(record.step), state.started
            assert started is not None, "no action precedes the start of its episode"
            own = map(Grant.parse, started.settings.get("allow", ()))
            facts = describe_input(state, (*grants, *own), at.screenshot, at.screen)
            yield JudgedAction(started.task.id, record.step, record.key, judge(policy, record.action, facts))
        state = fold(state, record)
