"""What a stage that is asked ahead of time supposes of those that have not ended: the schedule ``speculate``.

- verify(t): outcome A. The progress stays as it was: the one input that may be a step older without anybody
  checking (docs/schedules.md).
- plan(t): that it keeps its subgoal and goes on; then decide(t) is told the plan before.
- note(t): that it adds nothing to the notes.
"""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.actors.episode.schedule import Node
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Outcome
from manyhands.protocol.records import Record, Reflected, Span
from manyhands.protocol.roles import Reflection

_NO_TIME = Span(start=0.0, end=0.0)


def suppose(state: EpisodeState, nodes: Iterable[Node]) -> tuple[Record, ...] | None:
    """The records that ``nodes`` would leave, ending as supposed. None where one cannot be supposed.

    Of plans and notes there is nothing to write: those before stand. Before the first plan there is none.
    """
    records: list[Record] = []
    for node in sorted(nodes, key=lambda one: one.step):
        if node.stage == "verify":
            as_expected = Reflection(outcome=Outcome.A, error="", progress="", made_by="check")
            records.append(Reflected(step=node.step, span=_NO_TIME, reflection=as_expected))
        elif node.stage == "plan" and state.plan(node.step - 1) is None:
            return None
    return tuple(records)


def as_supposed(state: EpisodeState, node: Node) -> bool:
    """Whether ``node``, which has ended, ended so."""
    at = state.step(node.step)
    if node.stage == "verify":
        return at.reflection is not None and at.reflection.outcome is Outcome.A
    if node.stage == "plan":
        # Without a reply that is a plan, the one before stands.
        return at.plan is None or (at.plan.change == "keep" and at.plan.status == "continue")
    return at.notes is None or at.notes == state.notes(node.step - 1)
