"""Writes docs/rendered-prompts.md: ``python -m tests.actors.profiles.rendered_prompts``. A test checks the page.

The requests are made up, as of one moment of one episode, so that each role's prompt can be read as a model gets it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from manyhands.actors.episode.profile import Profile
from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import initial_memory
from manyhands.actors.mllm import ModelSettings, Prompt
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.profiles import bare, e, native, v1, v2
from manyhands.actors.profiles.bare.profile import BareRequest, OwnAction
from manyhands.actors.profiles.native.requests import ActRequest, StepSoFar
from manyhands.actors.profiles.v1.requests import ChatSoFar, ChatStep, OperateRequest
from manyhands.actors.profiles.v2.requests import Operation, OperationRequest, ProgressRequest, VerdictRequest
from manyhands.actors.prompts import Prompts
from manyhands.protocol import actions
from manyhands.protocol.base import Outcome
from manyhands.protocol.episode_settings import EpisodeSettings
from manyhands.protocol.geometry import Size
from manyhands.protocol.phone_description import PhoneDescription
from manyhands.protocol.requests import (
    Brief,
    DecideRequest,
    NoteRequest,
    PastAction,
    Plan,
    PlanRequest,
    ReflectRequest,
    Request,
    Subgoal,
)
from manyhands.protocol.screens import Element, Screen, Screenshot

PAGE = Path(__file__).parents[3] / "docs" / "rendered-prompts.md"
HEAD = """\
# Prompts as a model gets them

`python -m tests.actors.profiles.rendered_prompts` writes this page, and a test compares it with the templates. The
requests are made up: one moment of one episode, for a model of the family Qwen3-VL and replies in our JSON. The system
text of a profile is the same for all of its roles. [Prompts](prompts.md) says why the parts come in this order. With
`paper_exact` other templates are used, in the folder `paper_exact` beside those that are shown here.
"""
MODEL = ModelSettings(urls=("http://model/v1",), model="Qwen3-VL-8B-Instruct")
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
        touched="Sound & vibration",
        outcome=Outcome.B,
        error="The page Sound opened, which stands below Display. Go back and tap Display.",
    ),
    PastAction(step=2, action=actions.Back(), expectation="Settings shows.", outcome=Outcome.A, error=""),
)
DONE = (
    Operation(step=0, thought="Settings has it.", action=actions.OpenApp(app="Settings"), expectation="Settings opens"),
)


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


def requests() -> Sequence[tuple[Profile, Sequence[tuple[str, Request[Any]]]]]:
    """The requests of each profile, with what they are."""
    now: Any = {"brief": BRIEF, "screenshot": shot(3)}
    pair: Any = {"brief": BRIEF, "before": shot(3), "after": shot(4)}
    chat = (
        ChatStep(screenshot=shot(0), shown=True, answer='{"observation": "The home screen.", ...}'),
        ChatStep(screenshot=shot(3), shown=True),
    )
    of_e: list[tuple[str, Request[Any]]] = [
        ("The planner", PlanRequest(**now, previous=PLAN, progress=PROGRESS, notes=NOTES, failures=())),
        (
            "The operator",
            DecideRequest(**now, plan=PLAN, progress=PROGRESS, notes=NOTES, screen=screen(3), history=PAST),
        ),
        (
            "The reflector",
            ReflectRequest(
                **pair,
                subgoal=SUBGOAL.text,
                progress=PROGRESS,
                action=TAP,
                expectation="The switch is on, and the page is dark.",
                touched="near Dark theme",
                screen_before=screen(3),
                screen_after=None,
            ),
        ),
        (
            "The notetaker",
            NoteRequest(**now, plan=PLAN.text, subgoal=SUBGOAL.text, progress=PROGRESS, notes=NOTES, screen=screen(3)),
        ),
    ]
    tap = Operation(step=3, thought="The switch is off.", action=TAP, expectation="The page is dark.")
    of_v2: list[tuple[str, Request[Any]]] = [
        (
            "The planning agent",
            ProgressRequest(brief=BRIEF, now=shot(3), operations=DONE, previous="Settings is open.", focus=NOTES),
        ),
        (
            "The decision agent",
            OperationRequest(
                **now,
                screen=screen(3),
                progress="Settings is open.",
                focus=NOTES,
                operations=DONE,
                tried=PAST[1:2],
                restored=True,
            ),
        ),
        (
            "The reflection agent",
            VerdictRequest(**pair, operation=tap, focus=NOTES, screen_before=screen(3), screen_after=screen(4)),
        ),
    ]
    steps = (
        StepSoFar(screenshot=shot(0), shown=True, plan=PLAN.text, subgoal=SUBGOAL.text, reply='{"notes": "", ...}'),
        StepSoFar(
            screenshot=shot(3), shown=True, told="Opened Settings.", asks_verdict=True, reply='{"change": "...", ...}'
        ),
        StepSoFar(screenshot=shot(4), shown=True, asks_verdict=True),
    )
    own = tuple(OwnAction(step=one.step, action=one.action, expectation=one.expectation) for one in PAST)
    return (
        (e.PROFILE, of_e),
        (v2.PROFILE, of_v2),
        (v1.PROFILE, [("The agent", OperateRequest(brief=BRIEF, chat=chat))]),
        (native.PROFILE, [("The agent", ActRequest(brief=BRIEF, steps=steps)), of_e[0]]),
        (bare.PROFILE, [("The model", BareRequest(**now, history=own))]),
    )


def prompts_of(profile: Profile, settings: EpisodeSettings) -> Prompts:
    return profile.role_settings(settings, MODEL).prompts()


def pictures_of(request: Request[Any]) -> list[ModelImage]:
    if isinstance(request, ChatSoFar):
        return [ModelImage(one.content_id, b"") for one in request.pictures]
    return [ModelImage(one.content_id, b"") for one in request.screenshots]


def written(prompt: Prompt, ids: bool = False) -> list[str]:
    """The messages as a person reads them, each with its author. ``ids``: with all that is sent about a picture."""
    found = []
    for message in messages_of(prompt):
        content = message["content"]
        parts: Sequence[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        lines = [
            part["text"] if part["type"] == "text" else f"[picture {json.dumps(part)}]" if ids else "[a picture]"
            for part in parts
        ]
        found.append(f"[{message['role']}]\n" + "\n".join(lines))
    return found


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for profile, asked in requests():
        settings = EpisodeSettings(profile=profile.name)
        prompts, agents = prompts_of(profile, settings), {one.role: one for one in profile.agents(settings)}
        parts.append(f"## `{profile.name}`\n")
        told = None
        for title, request in asked:
            system, *rest = written(agents[request.role].prompt(prompts, request, pictures_of(request)))
            if system != told:
                parts.append(f"### The system text of `{profile.name}`\n\n{_block(system)}")
                told = system
            parts.append(f"### {title} of `{profile.name}`\n\n{_block(*rest)}")
    return "\n".join(parts)


def _block(*messages: str) -> str:
    text = "\n\n".join(messages)
    return f"````text\n{text}\n````\n"


def main() -> None:
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
