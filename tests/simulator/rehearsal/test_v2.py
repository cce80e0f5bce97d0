"""The agents of Mobile-Agent-v2: each by its prompt alone."""

from __future__ import annotations

from manyhands.protocol.base import Outcome
from manyhands.protocol.profiles.v2 import LetterReply, OperationReply, ProgressReply
from manyhands.protocol.roles.sections import (
    NONE_YET,
    ActionLine,
    HistoryLine,
    OperationLine,
    Section,
    action_line,
    history_line,
    keyboard_body,
    operation_line,
)
from tests.simulator.rehearsal.parts import display_page, listed
from tests.simulator.rehearsal.test_roles import page, reply

ACTIONS = "Open_App(app): open\nTap(x, y): tap\nSwipe(x1, y1, x2, y2): drag\nHome(): home\nStop(): done"
OPENED = OperationLine(
    step=0,
    action={"name": "Open_App", "app": "Settings"},
    expectation="Something else is shown.",
    thought="Done: The page Display is open in Settings. I bring Settings to the front.",
)


def deciding(**more: str) -> dict[Section, str]:
    """The sections of a decision on the page Display."""
    kept = {name: body for name, body in display_page().items() if name in (Section.SCREEN, Section.KEYBOARD)}
    usual = {Section.ACTIONS: ACTIONS, Section.OPERATIONS: operation_line(OPENED), Section.PROGRESS: NONE_YET}
    return {**kept, **usual, **{Section[name]: body for name, body in more.items()}}


async def test_the_decision_agent_goes_on_from_the_progress_and_says_what_is_done() -> None:
    seen = page((0.2, 0.066, "Display"), (0.16, 0.137, "Dark mode"))
    decided = await reply(OperationReply, deciding(), ("now",), now=seen)
    assert decided.action.model_dump() == {"name": "Tap", "x": 160, "y": 137}
    assert 'For the subgoal "Turn on dark mode"' in decided.thought


async def test_what_was_tried_in_vain_is_not_tried_again() -> None:
    seen = page((0.2, 0.066, "Display"), (0.16, 0.137, "Dark mode"))
    tried = HistoryLine(
        step=1, action={"name": "Tap", "x": 160, "y": 137}, expectation="", outcome=Outcome.C, error="nothing"
    )
    decided = await reply(OperationReply, deciding(TRIED=history_line(tried)), ("now",), now=seen)
    assert decided.action.name != "Tap"


async def test_without_back_the_phone_s_own_sign_is_tapped() -> None:
    elements = listed((150, 66, "About phone"), (167, 980, ""), (500, 980, ""))
    seen = page((0.15, 0.066, "About phone"))
    decided = await reply(OperationReply, deciding(SCREEN=elements, OPERATIONS=NONE_YET), ("now",), now=seen)
    assert decided.action.model_dump() == {"name": "Tap", "x": 167, "y": 980}


async def test_the_planning_agent_sums_up_what_the_thoughts_say_without_a_picture() -> None:
    planned = await reply(ProgressReply, {Section.OPERATIONS: operation_line(OPENED), Section.PROGRESS: NONE_YET})
    assert planned.progress.splitlines()[-1] == "Last: Open_App."


async def test_the_reflection_agent_answers_with_a_letter() -> None:
    taken = action_line(ActionLine(action={"name": "Tap", "x": 160, "y": 137}, expectation="Something else is shown."))
    sections = {
        **display_page(),
        Section.ACTION: f"{taken}\nThought before it: why",
        Section.KEYBOARD: keyboard_body("hidden", ""),
    }
    seen = page((0.2, 0.066, "Display"))
    same = await reply(LetterReply, sections, ("before", "after"), before=seen, after=seen)
    assert same.outcome is Outcome.C
    other = await reply(LetterReply, sections, ("before", "after"), before=seen, after=page((0.5, 0.5, "x"), mark=200))
    assert other.outcome is Outcome.A
