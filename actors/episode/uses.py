"""How uses of shortcuts went, as the episode that used them knows it."""

from __future__ import annotations

from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.protocol.actions import RunShortcut
from manyhands.protocol.lessons import UseOutcome


def went(at: StepState) -> tuple[UseOutcome, str] | None:
    """Return how the shortcut of a step went, and why it was not carried out or led elsewhere.

    None where that says nothing of the shortcut: what the operator asked for cannot be carried out, something
    interrupted it, or nobody judged it.
    """
    acted, judged = at.acted, at.reflection
    if acted is None:
        return None
    if acted.problem is not None:
        outcomes: dict[str | None, UseOutcome] = {"surprise": "surprised", "precondition": "refused"}
        outcome = outcomes.get(acted.fault)
        return None if outcome is None else (outcome, acted.problem)
    if judged is None or judged.check == "failed":
        return None
    return ("failed", judged.error) if at.failed else ("worked", "")


def last_use(state: EpisodeState, shortcut: str, before: int) -> tuple[int, UseOutcome] | None:
    """Return the last step before one that used a shortcut, by its name, and how that went; None where none did."""
    for number in sorted((step for step in state.steps if step < before), reverse=True):
        at = state.steps[number]
        action = None if at.decision is None else at.decision.action
        how = went(at)
        if isinstance(action, RunShortcut) and action.shortcut == shortcut and how is not None and how[0] != "refused":
            return number, how[0]
    return None
