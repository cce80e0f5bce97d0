"""What the stage ``permit`` says to whoever carries a shortcut out."""

from __future__ import annotations

from manyhands.actors.episode.state import StepState
from manyhands.protocol.lessons import Permission, PermittedBy

PERMIT = "permit"
_WHY: dict[PermittedBy, str] = {
    "put_aside": "The shortcut was put aside",
    "nobody": "The shortcut may have been put aside",
}


def permission(at: StepState) -> Permission | None:
    """Return what was said of the step's shortcut; None where nobody was asked."""
    data = at.results.get(PERMIT)
    return None if data is None else Permission.model_validate(data)


def forbidden(at: StepState) -> str | None:
    """Return why a step may not use its shortcut; None where it may, or none is asked for."""
    said = permission(at)
    if said is not None:
        why = _WHY.get(said.by, "The shortcut does not fit this screen")
        return None if said.permitted else f"{_because(why, said.reason)} Nothing was sent."
    failure = at.failures.get(PERMIT)
    if failure is None:
        return None
    return f"{_because('Nobody could say whether the precondition of the shortcut holds', failure)} Nothing was sent."


def _because(what: str, reason: str) -> str:
    """Return one sentence; a reason may be none, or end in a full stop of its own."""
    reason = reason.strip().rstrip(".")
    return f"{what}: {reason}." if reason else f"{what}."
