"""Read from an episode's records whether a step's shortcut was permitted, and how its use ended."""

from __future__ import annotations

from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.protocol.roles.lessons import Permission, PermittedBy, UseOutcome
from manyhands.protocol.screens.actions import RunShortcut

PERMIT = "permit"
_WHY: dict[PermittedBy, str] = {
    "put_aside": "The shortcut was put aside",
    "nobody": "The shortcut may have been put aside",
}


def permission_of(at: StepState) -> Permission | None:
    """Return the decision about the step's shortcut; None if nobody was asked."""
    return at.result(PERMIT, Permission)


def refusal_reason(at: StepState) -> str | None:
    """Return why a step may not use its shortcut; None if it may, or if it uses no shortcut."""
    permission = permission_of(at)
    if permission is not None:
        why = _WHY.get(permission.by, "The shortcut does not fit this screen")
        return None if permission.permitted else f"{_because(why, permission.reason)} Nothing was sent."
    failure = at.failures.get(PERMIT)
    if failure is None:
        return None
    return f"{_because('Nobody could say whether the precondition of the shortcut holds', failure)} Nothing was sent."


def _because(what: str, reason: str) -> str:
    """Return one sentence from ``what`` and a reason. The reason may be empty, or end in a full stop."""
    reason = reason.strip().rstrip(".")
    return f"{what}: {reason}." if reason else f"{what}."


def outcome_of(at: StepState) -> tuple[UseOutcome, str] | None:
    """Return how the use of a step's shortcut ended, and why it was not carried out or failed.

    Return None if the step proves nothing about the shortcut: the operator's action cannot be carried out, something
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
    """Return the last step before ``before`` that used the shortcut of this name, and how that use ended;
    None if no step did.
    """
    for number in sorted((step for step in state.steps if step < before), reverse=True):
        at = state.steps[number]
        action = None if at.decision is None else at.decision.action
        how = outcome_of(at)
        if isinstance(action, RunShortcut) and action.shortcut == shortcut and how is not None and how[0] != "refused":
            return number, how[0]
    return None
