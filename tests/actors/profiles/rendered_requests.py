"""The requests of ``rendered_prompts.txt``: what each role may be asked, at the moment of ``rendered_moment``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manyhands.actors.profiles.bare import BareRequest, OwnAction
from manyhands.actors.profiles.native.requests import ActRequest, StepSoFar
from manyhands.actors.profiles.v1.requests import ChatStep, ChoiceRequest, CompletionRequest, OperateRequest
from manyhands.actors.profiles.v2.requests import Operation, OperationRequest, ProgressRequest, VerdictRequest
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.requests import (
    AnswerRequest,
    DecideRequest,
    JudgeRequest,
    LearnShortcutsRequest,
    LearnTipsRequest,
    NoteRequest,
    PermitRequest,
    PlanRequest,
    RecallRequest,
    ReflectRequest,
    Request,
)
from manyhands.protocol.screens import actions
from manyhands.protocol.tasks.answers import AnswerSpec
from tests.actors.profiles import rendered_moment as moment

Titled = tuple[str, Request[Any]]
SEARCH: Shortcut = moment.MEMORY.shortcuts[0]
SEARCHES = actions.RunShortcut(shortcut=SEARCH.name, arguments={"x": 540, "y": 240, "text": "dark theme"})
NOW: Any = {"brief": moment.BRIEF, "screenshot": moment.shot(3)}
PAIR: Any = {"brief": moment.BRIEF, "before": moment.shot(3), "after": moment.shot(4)}
KNOWN: Any = {"progress": moment.PROGRESS, "notes": moment.NOTES}
PLANNER = PlanRequest(**NOW, **KNOWN, previous=moment.PLAN, failures=())


def of_e() -> Sequence[Titled]:
    judged: Any = {
        "subgoal": moment.SUBGOAL.text,
        "progress": moment.PROGRESS,
        "screen_before": moment.screen(3),
        "screen_after": None,
    }
    return (
        ("The planner of `e` as a task begins", PlanRequest(**NOW, previous=None, progress="", notes="", failures=())),
        ("The planner of `e`", PLANNER),
        ("The planner of `e` after failures", PLANNER.model_copy(update={"failures": moment.FAILED})),
        (
            "The operator of `e`",
            DecideRequest(**NOW, **KNOWN, plan=moment.PLAN, screen=moment.screen(3), history=moment.PAST),
        ),
        (
            "The reflector of `e`",
            ReflectRequest(
                **PAIR,
                **judged,
                action=moment.TAP,
                expectation="The switch is on, and the page is dark.",
                touched=moment.TOUCHED,
            ),
        ),
        (
            "The reflector of `e` after a shortcut, with `skip_planner`",
            ReflectRequest(
                **PAIR,
                **judged,
                action=SEARCHES,
                expectation="Results for the dark theme are listed.",
                sent=(actions.Tap(x=540, y=240), actions.Type(text="dark theme"), actions.Enter()),
                asks_subgoal=True,
            ),
        ),
        (
            "The notetaker of `e`",
            NoteRequest(**NOW, **KNOWN, plan=moment.PLAN.text, subgoal=moment.SUBGOAL.text, screen=moment.screen(3)),
        ),
    )


def of_e_evo() -> Sequence[Titled]:
    """Asked around steps and tasks. Its other prompts are those of ``e``."""
    asks: Any = {"brief": moment.BRIEF, "phone": "phone", "size": moment.SIZE}
    done: Any = {**asks, "plan": moment.PLAN.text, "progress": moment.PROGRESS, "history": moment.PAST}
    following = ("Set the font size to small.",)
    return (
        (
            "The verifier of `e+evo`",
            PermitRequest(
                **NOW,
                screen=moment.screen(3),
                shortcut=SEARCH,
                arguments={"x": 540, "y": 240, "text": "dark theme"},
            ),
        ),
        ("The retriever of `e+evo`", RecallRequest(**asks)),
        ("The tips learner of `e+evo`", LearnTipsRequest(**done, future=following)),
        ("The shortcuts learner of `e+evo`", LearnShortcutsRequest(**done, future=following)),
    )


def of_v2() -> Sequence[Titled]:
    tap = Operation(step=3, thought="The switch is off.", action=moment.TAP, expectation="The page is dark.")
    done = Operation(
        step=0,
        thought="Settings has it.",
        action=actions.OpenApp(app="Settings"),
        expectation="Settings opens",
    )
    progress = "Settings is open."
    planning: Any = {"brief": moment.BRIEF, "now": moment.shot(3), "operations": (done,), "focus": moment.NOTES}
    return (
        ("The planning agent of `v2` after the first operation", ProgressRequest(**planning, previous="")),
        ("The planning agent of `v2`", ProgressRequest(**planning, previous=progress)),
        (
            "The decision agent of `v2`",
            OperationRequest(
                **NOW,
                screen=moment.screen(3),
                progress=progress,
                focus=moment.NOTES,
                operations=(done,),
                tried=moment.PAST[1:2],
                restored=True,
            ),
        ),
        (
            "The reflection agent of `v2`",
            VerdictRequest(
                **PAIR,
                operation=tap.model_copy(update={"touched": moment.TOUCHED}),
                focus=moment.NOTES,
                screen_before=moment.screen(3),
                screen_after=moment.screen(4),
            ),
        ),
    )


def of_v1() -> Sequence[Titled]:
    said = '{"observation": "The home screen.", ...}'
    chat = (
        ChatStep(screenshot=moment.shot(0), shown=False, answer=said),
        ChatStep(screenshot=moment.shot(3), shown=True),
    )
    stopped = (chat[0], chat[1].model_copy(update={"answer": '{..., "action": {"name": "Stop"}}'}))
    places = tuple(one for one in moment.screen(3).elements if one.kind == "text")[3:5]
    return (
        ("The agent of `v1`", OperateRequest(brief=moment.BRIEF, chat=chat)),
        (
            "The agent of `v1` when a text stands in several places",
            ChoiceRequest(
                brief=moment.BRIEF,
                screenshot=moment.shot(3),
                answer='{..., "action": {"name": "Click_Text", "text": "Dark theme"}}',
                words="Dark theme",
                places=places,
            ),
        ),
        ("The agent of `v1` after Stop", CompletionRequest(brief=moment.BRIEF, chat=stopped)),
    )


def of_native() -> Sequence[Titled]:
    return (("The agent of `native`", chat_of('{"change": ..., ...}')), ("The planner of `native`", PLANNER))


def of_native_in_words() -> Sequence[Titled]:
    """The same without pictures: the chat lists the elements of its last two screens."""
    chat = chat_of('{"change": ..., ...}')
    steps = tuple(
        step.model_copy(
            update={
                "shown": number >= len(chat.steps) - 2,
                "screen": moment.screen(3) if number >= len(chat.steps) - 2 else None,
                "touched": moment.TOUCHED if number == len(chat.steps) - 1 else "",
            }
        )
        for number, step in enumerate(chat.steps)
    )
    return (
        ("The agent of `native` without pictures", chat.model_copy(update={"steps": steps, "pictures": False})),
        ("The planner of `native` without pictures", PLANNER.model_copy(update={"screen": moment.screen(3)})),
    )


def chat_of(said: str) -> ActRequest:
    """A chat of ``native`` at its fourth step. The pictures of the first two steps are left out by now."""
    steps = (
        StepSoFar(
            screenshot=moment.shot(0),
            shown=False,
            plan=moment.PLAN.text,
            subgoal="Open Settings, page Display.",
            reply=said,
            decision=moment.decided(actions.OpenApp(app="Settings"), "Open Settings"),
        ),
        StepSoFar(
            screenshot=moment.shot(1),
            shown=False,
            told="Opened Settings.",
            asks_verdict=True,
            reply=said,
            decision=moment.decided(actions.Tap(x=170, y=900), "Tap Display", "Opened Settings."),
        ),
        StepSoFar(
            screenshot=moment.shot(3),
            shown=True,
            subgoal=moment.SUBGOAL.text,
            asks_verdict=True,
            reply=said,
            decision=moment.decided(moment.TAP, "Tap Dark theme", "Opened the page Display."),
        ),
        StepSoFar(
            screenshot=moment.shot(4),
            shown=True,
            told="The screen is the same as before the action. Do something else than before.",
            asks_verdict=True,
        ),
    )
    return ActRequest(brief=moment.BRIEF, steps=steps, first=2)


def of_bare() -> Sequence[Titled]:
    own = tuple(OwnAction(step=one.step, action=one.action, expectation=one.expectation) for one in moment.PAST)
    return (("The model of `bare`", BareRequest(**NOW, history=own)),)


def of_every_profile() -> tuple[AnswerRequest, JudgeRequest]:
    """Asked once an episode has ended, in every profile."""
    schema = {"type": "object", "properties": {"font_size": {"type": "string"}}, "required": ["font_size"]}
    answer = AnswerRequest(
        **NOW, **KNOWN, screen=moment.screen(3), history=moment.PAST, wanted=AnswerSpec(schema=schema)
    )
    judge = JudgeRequest(
        brief=moment.BRIEF,
        statement="The dark theme is on.",
        shown=(moment.shot(3), moment.shot(4)),
        screen=moment.screen(4),
        history=moment.PAST,
    )
    return answer, judge
