"""What the verifier of a precondition is asked in permit(t) (Mobile-Agent-E, appendix C.1)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.e.inputs import brief, listed
from manyhands.protocol.actions import RunShortcut
from manyhands.protocol.memory import Offered
from manyhands.protocol.roles import PermitRequest, Role


def asks_permit(context: StageContext, action: RunShortcut, offered: Offered) -> PermitRequest:
    """Return whether the precondition of a shortcut holds on s(t), as a question."""
    at = context.state.step(context.step)
    assert at.screenshot is not None
    return PermitRequest(
        brief=brief(context, Role.PERMIT),
        screenshot=at.screenshot,
        screen=listed(context, at.screen),
        shortcut=offered.shortcut,
        arguments=dict(action.arguments),
    )
