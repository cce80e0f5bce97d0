"""A chat of six steps, as the profile ``native`` would make it at each step."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import initial_memory
from manyhands.actors.mllm.native import NATIVE_FORMS, Chat, ShownStep
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.protocol.base import Outcome
from manyhands.protocol.phones import PhoneDescription
from manyhands.protocol.profiles.native import CHAT_ACTIONS
from manyhands.protocol.roles.replies import ActionSet
from manyhands.protocol.roles.requests import Brief, Decision, OwnVerdict
from manyhands.protocol.screens.actions import ASK, Action, Answer, OpenApp, Stop, Swipe, Tap, Type
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Control, Element, Screen, Screenshot

SIZE = Size(width=1080, height=2400)
UNATTENDED = CHAT_ACTIONS.less((ASK,))
"""The actions of a run in which no person answers."""
GOAL = "Switch on the dark theme, and tell me which font size is set."
MEMORY = initial_memory()
PHONE = PhoneDescription(
    time=datetime(2026, 11, 26, 14, 5, tzinfo=timezone(timedelta(hours=1))),
    zone="Europe/Zurich",
    apps=("Calendar", "Clock", "Messages", "Settings"),
)
BRIEF = Brief(goal=GOAL, hints="", phone=PHONE, tips=MEMORY.tips, shortcuts=MEMORY.shortcuts)
PLAN = "1. Open Settings, page Display.\n2. Switch on the dark theme.\n3. Read the font size and answer."
MOST_PICTURES = 4
DONE: tuple[tuple[Action, str, str, str], ...] = (
    (OpenApp(app="Settings"), "Open Settings.", "", ""),
    (Tap(x=540, y=900), "Tap Display.", "Opened Settings.", ""),
    (Tap(x=965, y=370), "Switch on Dark theme.", "Opened the page Display.", "Font size: Large"),
    (Swipe(x1=540, y1=1800, x2=540, y2=600), "Scroll down.", "Switched on the dark theme.", ""),
    (Type(text="font"), "Type font.", "Scrolled down.", ""),
    (Answer(text="The font size is Large."), "Answer.", "", ""),
    (Stop(), "End the task.", "", ""),
)
"""Each step's action, its expectation, what the action before has achieved, and what is noted of the screen."""
ELEMENTS = (
    Element(kind="text", box=Box(x1=60, y1=330, x2=330, y2=378), content="Dark theme", confidence=1),
    Element(
        kind="icon",
        box=Box(x1=930, y1=340, x2=1030, y2=400),
        content="switch off",
        confidence=1,
        control=Control(kind="Switch", box=Box(x1=930, y1=340, x2=1030, y2=400), clickable=True, checked=False),
    ),
)
ROW = "switch off [2] (off)"
"""How a plain chat lists the second of these."""
TOLD = {4: "The screen has not changed. Do something else than before."}
REPLIES: Mapping[str, tuple[str, str]] = {
    "mobile_use": (
        "Thought: I see it.\nAction: {expectation}\n<tool_call>\n",
        '{{"name": "mobile_use", "arguments": {{"action": "click", "coordinate": [{x}, 5]}}}}\n</tool_call>',
    ),
    "mai_ui": (
        "<thinking>\n{expectation}\n</thinking>\n<tool_call>\n",
        '{{"name":"mobile_use","arguments":{{"action":"click","coordinate":[{x},5]}}}}\n</tool_call>',
    ),
    "ui_tars": ("Thought: {expectation}\nAction: ", "click(start_box='({x},5)')"),
    "autoglm": ("<think>{expectation}</think>\n", '<answer>do(action="Tap", element=[{x},5])</answer>'),
    "holo": (
        '{{"note": null, "thought": "{expectation}", ',
        '"tool_call": {{"tool_name": "click", "element": "it", "x": {x}, "y": 5}}}}',
    ),
    "gelab": ("<THINK>{expectation}</THINK>\n", "explain:Tap it.\taction:CLICK\tpoint:{x},5\tsummary:Did step {x}."),
    "ui_venus_15": (
        "<think>{expectation}</think>\n",
        "<action>Click(box=({x}, 5))</action>\n<conclusion>Tap it.</conclusion>",
    ),
    "ui_venus": ("<think>{expectation}</think>\n", "<action>Click(point=({x}, 5))</action>"),
    "plain": ('{{"thought": "{expectation}", ', '"action": {{"name": "Tap_Element", "number": {x}}}}}'),
}
"""A reply of each form, in two parts: verdict lines may stand between or before them."""


def image(step: int) -> ModelImage:
    return ModelImage(content_id=f"{step:032x}", jpeg=b"\xff\xd8" + bytes([step]))


def reply_of(form: str, step: int) -> str:
    before, call = REPLIES[form]
    judged = "Change: It opened.\nVerdict: A\n" if step and form != "plain" else ""
    if form == "holo":
        before = before.replace("{expectation}", judged.replace("\n", "\\n") + "{expectation}")
        return f"{before}{call}".format(expectation=DONE[step][1], x=step)
    opening, _, rest = before.partition(">")
    if form in ("mai_ui", "autoglm", "gelab", "ui_venus", "ui_venus_15"):
        return f"{opening}>\n{judged}{rest}{call}".format(expectation=DONE[step][1], x=step)
    return f"{judged}{before}{call}".format(expectation=DONE[step][1], x=step)


def chat_at(
    dialect: str,
    step: int,
    *,
    lost: frozenset[int] = frozenset(),
    brief: Brief = BRIEF,
    offered: ActionSet = UNATTENDED,
) -> Chat:
    """The chat in which ``step`` is asked. ``lost``: steps without a picture."""
    first, sees = step - step % MOST_PICTURES, NATIVE_FORMS[dialect].sees
    steps = tuple(
        ShownStep(
            screenshot=Screenshot(
                content_id=image(number).content_id,
                size=SIZE,
                serial="phone-1",
                taken_at=1.0,
                capture_ms=9.0,
                app="com.android.settings" if number else "com.android.launcher3",
                app_label="Settings" if number else "",
                keyboard="shown" if number == 5 else "hidden",
            ),
            image=image(number) if sees and number >= first and number not in lost else None,
            screen=None
            if sees
            else Screen(content_id=f"{number:032x}", size=SIZE, elements=ELEMENTS, keyboard="hidden"),
            told=TOLD.get(number, ""),
            plan=PLAN if number == 0 else "",
            subgoal={0: "Switch on the dark theme.", 3: "Read the font size and answer."}.get(number, ""),
            asks_verdict=number > 0,
            reply=None if number == step else reply_of(NATIVE_FORMS[dialect].form, number),
            decision=None if number == step else _decision(number),
        )
        for number in range(step + 1)
    )
    return Chat(brief=brief, steps=steps, dialect=dialect_named(dialect), actions=offered, first=first)


def _decision(number: int) -> Decision:
    action, expectation, progress, notes = DONE[number]
    verdict = OwnVerdict(outcome=Outcome.A if number else None, progress=progress, notes=notes)
    return Decision(thought="", action=action, expectation=expectation, verdict=verdict)
