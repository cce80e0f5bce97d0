"""Answer as the verifier: tell whether the picture shows what a shortcut's precondition says."""

from __future__ import annotations

from dataclasses import replace

from manyhands.protocol.roles.learners import PermitReply
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.conditions import holds
from manyhands.simulator.rehearsal.pages import Page
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.roles.planner import see
from manyhands.simulator.rehearsal.roles.reflector import KEYBOARD_LINE
from manyhands.simulator.rehearsal.routines import conditions_of

_MARK = "Precondition:"


def permit(reading: Reading, page: Page | None) -> PermitReply:
    """Return yes if the picture shows all that the precondition names, otherwise no with the first missing condition.

    A precondition that this model cannot read counts as true. Without a precondition or a picture the answer is no.
    """
    precondition = reading.text(Section.SHORTCUT).partition(_MARK)[2].strip()
    if not precondition or page is None:
        return PermitReply(holds="no", reason="The prompt has no precondition, or no picture, so I cannot tell.")
    conditions = conditions_of(precondition)
    if conditions is None:
        return PermitReply(holds="yes", reason="Nothing on the picture speaks against it.")
    keyboard = reading.keyboard
    sight = see(reading, page)
    sight = replace(sight, keyboard=holds(KEYBOARD_LINE, sight) if keyboard is None else keyboard)
    missing = next((one for one in conditions if not holds(one, sight)), None)
    if missing is None:
        return PermitReply(holds="yes", reason="All that it names is on the picture.")
    shown = ", ".join(f'"{line.text[:30]}"' for line in page.lines[1:4])
    return PermitReply(holds="no", reason=f"I do not see this: {missing}. The picture shows {shown}."[:800])
