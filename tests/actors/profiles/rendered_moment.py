"""One made-up moment of one episode, from which ``rendered_prompts.txt`` is rendered."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from manyhands.actors.memory import initial_memory
from manyhands.protocol.base import Outcome
from manyhands.protocol.phones import PhoneDescription
from manyhands.protocol.roles.requests import Brief, Decision, OwnVerdict, PastAction, Plan, Subgoal
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot

SIZE = Size(width=1080, height=2400)
GOAL = "Switch on the dark theme, and tell me which font size is set."
MEMORY = initial_memory()
PHONE = PhoneDescription(
    time=datetime(2026, 11, 26, 14, 5, tzinfo=timezone(timedelta(hours=1))),
    zone="Europe/Zurich",
    apps=("Calendar", "Clock", "Messages", "Settings"),
)
BRIEF = Brief(goal=GOAL, phone=PHONE, tips=MEMORY.tips, shortcuts=MEMORY.shortcuts)
SUBGOAL = Subgoal(id=2, text="Switch on the dark theme.")
PLAN = Plan(
    thought="The page Display is open.",
    text="1. Open Settings, page Display.\n2. Switch on the dark theme.\n3. Read the font size and answer.",
    subgoal=SUBGOAL,
    change="next",
    status="continue",
)
PROGRESS = "Opened Settings.\nOpened the page Display."
NOTES = "Font size: Large"
ELEMENTS = (
    ("text", (60, 30, 160, 66), "14:05"),
    ("icon", (960, 28, 1020, 70), "battery"),
    ("icon", (30, 130, 96, 196), "back"),
    ("text", (150, 134, 340, 192), "Display"),
    ("text", (60, 330, 330, 378), "Dark theme"),
    ("text", (60, 388, 420, 424), "Off until you turn it on"),
    ("icon", (930, 340, 1030, 400), "switch off"),
    ("text", (60, 560, 280, 608), "Font size"),
    ("text", (60, 618, 160, 654), "Large"),
    ("icon", (960, 580, 1000, 620), ""),
)
TAP = actions.Tap(x=540, y=354)
PAST = (
    PastAction(
        step=0,
        action=actions.OpenApp(app="Settings"),
        expectation="Settings opens.",
        outcome=Outcome.A,
        error="",
    ),
    PastAction(
        step=1,
        action=actions.Tap(x=170, y=900),
        expectation="The page Display opens.",
        touched='"Sound & vibration"',
        outcome=Outcome.B,
        error="The page Sound opened, which stands below Display. Go back and tap Display.",
    ),
    PastAction(step=2, action=actions.Back(), expectation="Settings shows.", outcome=Outcome.A, error=""),
)
TOUCHED = 'near "Dark theme"'
FAILED = (
    PAST[1],
    PastAction(
        step=2,
        action=actions.Tap(x=170, y=1200),
        expectation="The page Display opens.",
        touched='"Storage"',
        outcome=Outcome.C,
        error="Nothing has changed.",
    ),
)


def decided(action: actions.Action, expectation: str, progress: str = "") -> Decision:
    """What was read of a reply of ``native``."""
    verdict = OwnVerdict(outcome=Outcome.A if progress else None, progress=progress)
    return Decision(thought="", action=action, expectation=expectation, verdict=verdict)


def shot(number: int) -> Screenshot:
    return Screenshot(
        content_id=f"{number:032x}",
        size=SIZE,
        serial="phone",
        taken_at=0,
        capture_ms=0,
        keyboard="hidden",
        app="com.android.settings",
        app_label="Settings",
    )


def screen(number: int) -> Screen:
    found = tuple(
        Element.model_validate(
            {"kind": kind, "box": dict(zip(("x1", "y1", "x2", "y2"), box, strict=True)), "content": text}
            | {"confidence": 0.9}
        )
        for kind, box, text in ELEMENTS
    )
    return Screen(content_id=f"{number:032x}", size=SIZE, elements=found, keyboard="hidden")
