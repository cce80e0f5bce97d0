"""What is assumed of a stage that has not ended (the schedule ``speculate``), beside what profiles share."""

from __future__ import annotations

from manyhands.actors.episode.profile import Assumption
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.records import Record


def _plan_before(state: EpisodeState, step: int) -> tuple[Record, ...] | None:
    """Leave nothing: the plan before stands. Before the first plan there is none."""
    return None if state.plan(step - 1) is None else ()


def _kept_its_subgoal(state: EpisodeState, step: int) -> bool:
    plan = state.step(step).plan
    # Without a valid reply the plan before stands.
    return plan is None or (plan.change == "keep" and plan.status == "continue")


PLAN_KEPT = Assumption(_plan_before, _kept_its_subgoal)
"""plan(t): it keeps its subgoal and goes on; decide(t) is shown the plan before."""
