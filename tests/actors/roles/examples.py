"""Requests as a host would make them, for the tests of prompts and roles."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import initial_memory
from manyhands.actors.mllm import Prompt
from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.requests import (
    Brief,
    DecideRequest,
    NoteRequest,
    PastAction,
    Plan,
    PlanRequest,
    ReflectRequest,
    Subgoal,
)
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Keyboard, Screen, Screenshot

SIZE = Size(width=1080, height=2400)
BEFORE = ModelImage(content_id="0" * 32, jpeg=b"\xff\xd8 before")
AFTER = ModelImage(content_id="1" * 32, jpeg=b"\xff\xd8 after")
MEMORY = initial_memory()
PLAN = Plan(
    thought="Messages first.",
    text="1. Open Messages.\n2. Read the newest one.",
    subgoal=Subgoal(id=4, text="Open Messages."),
    change="next",
    status="continue",
)
PAST = (
    PastAction(
        step=0,
        action=actions.Tap(x=540, y=1200),
        expectation="Messages opens",
        outcome=Outcome.B,
        error="A shop opened",
    ),
    PastAction(step=1, action=None, expectation="", outcome=Outcome.C, error="not a valid action: empty"),
    PastAction(
        step=2,
        action=actions.RunShortcut(shortcut="Tap_Type_and_Enter", arguments={"x": 540, "y": 240, "text": "a|b"}),
        expectation="Results",
        outcome=Outcome.A,
        error="",
    ),
)


def shot(image: ModelImage = BEFORE, keyboard: Keyboard = "unknown") -> Screenshot:
    return Screenshot(
        content_id=image.content_id, size=SIZE, serial="phone-1", taken_at=1.0, capture_ms=9.0, keyboard=keyboard
    )


def screen(texts: Sequence[str] = ("Messages",), keyboard: Keyboard = "hidden") -> Screen:
    """One text per line from the top, and an icon at the bottom on the right."""
    elements = [
        Element(kind="text", box=Box(x1=100, y1=100 * row, x2=300, y2=100 * row + 60), content=text, confidence=0.9)
        for row, text in enumerate(texts, start=1)
    ]
    icon = Element(kind="icon", box=Box(x1=980, y1=2300, x2=1080, y2=2400), content="", confidence=0.5)
    return Screen(content_id=BEFORE.content_id, size=SIZE, elements=(*elements, icon), keyboard=keyboard)


def text_of(prompt: Prompt) -> str:
    """The texts of a prompt's content, with an empty line between them."""
    return "\n\n".join(part for part in prompt.content if isinstance(part, str))


def brief(text: str = "") -> Brief:
    return Brief(
        goal=text or "Read the newest message",
        hints=text,
        tips=(*MEMORY.tips, text) if text else MEMORY.tips,
        shortcuts=MEMORY.shortcuts,
    )


def plan_request(text: str = "", first: bool = False, stuck: bool = False) -> PlanRequest:
    return PlanRequest(
        brief=brief(text),
        previous=None if first else PLAN.model_copy(update={"text": text or PLAN.text}),
        progress=text,
        notes=text,
        failures=PAST[:2] if stuck else (),
        screenshot=shot(),
    )


def decide_request(
    text: str = "", texts: Sequence[str] = ("Messages",), keyboard: Keyboard = "hidden"
) -> DecideRequest:
    history = tuple(past.model_copy(update={"error": text or past.error, "expectation": text}) for past in PAST)
    return DecideRequest(
        brief=brief(text),
        plan=PLAN.model_copy(update={"text": text or PLAN.text}),
        progress=text,
        notes=text,
        screenshot=shot(),
        screen=screen(texts, keyboard),
        history=history,
    )


def reflect_request(text: str = "", texts: Sequence[str] = ("Messages",), sees_after: bool = False) -> ReflectRequest:
    return ReflectRequest(
        brief=brief(text),
        subgoal=text or "Open Messages.",
        progress=text or "At the home screen.",
        action=actions.Type(text=text or "hello"),
        expectation=text or "The text is in the field",
        before=shot(BEFORE),
        after=shot(AFTER, "shown"),
        screen_before=screen(texts),
        screen_after=screen([*texts, "hello"], "shown") if sees_after else None,
    )


def note_request(text: str = "", texts: Sequence[str] = ("Messages",)) -> NoteRequest:
    return NoteRequest(
        brief=brief(text),
        plan=text or PLAN.text,
        subgoal=text or PLAN.subgoal.text,
        progress=text,
        notes=text,
        screenshot=shot(AFTER),
        screen=screen(texts),
    )
