"""Ask UI-Venus: thinking between tags, then one function in ``<action>``.

Version 2 gets a chat, with the task in the system text. Version 1.5 gets one message, in which old answers are lines.
"""

from __future__ import annotations

import re

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm.native.family import (
    JUDGEMENT,
    NOTHING,
    SAFETY,
    Chat,
    FamilyForm,
    OneMessageForm,
    Sampling,
    ShownStep,
    Training,
    former_plan,
    task,
    tell_step,
)
from manyhands.actors.mllm.vocabulary import UI_VENUS, UI_VENUS_15
from manyhands.protocol.roles.sections import harmless, one_line

_FUNCTIONS: tuple[tuple[str, str], ...] = (
    ("Tap", "Click(point=(x1, y1))"),
    ("Swipe", "Drag(start=(x1, y1), end=(x2, y2)): moves what lies at the start, such as a slider"),
    ("Swipe", "Swipe(start=(x1, y1), end=(x2, y2)): moves the finger so, to scroll or to turn a page"),
    ("Long_Press", "LongPress(point=(x1, y1))"),
    ("Type", "Type(content=''): empties the field that has the focus and writes into it"),
    ("Open_App", "LaunchApp(app=''): opens an app from any screen"),
    ("Wait", "Wait(): for a screen that is still loading"),
    ("Back", "PressBack()"),
    ("Home", "PressHome()"),
    ("Enter", "PressEnter()"),
    ("Switch_App", "PressRecent(): shows the apps that are open"),
    ("Answer", "Answer(content=''): tells the user what the task asks for; the task goes on after it"),
    ("Ask_Person", "CallUser(content=''): asks the user for what only a person can give or do"),
    ("Stop", "Finished(content=''): ends the task, with what the user is to know of it"),
)
"""The functions, each with the action of ours that must be offered for it."""
_PICTURE = "Current Screenshot:"
"""Stands before the picture. The makers write History Screenshot before older ones; then no server would find the
messages of the step before in its cache."""


class VenusForm(FamilyForm):
    """Ask with a list of functions. All answers stay in the chat; only their pictures are left out."""

    form = UI_VENUS
    task_in_system = True
    training = Training(
        source="the phone example and framework of UI-Venus's repository",
        order="text, picture",
        history="turns",
        pictures=3,
        thinking="tags",
        answers="Answer",
        ends="Finished",
        sampling=Sampling(
            temperature=0.6,
            frequency_penalty=0.3,
            repetition_penalty=1.05,
            source="the phone example of UI-Venus's repository; its framework has temperature 0.1",
        ),
    )

    def system(self, chat: Chat) -> str:
        return f"{_rules(chat, _FUNCTIONS, 'Answer')}\n\n### User Task\n{task(chat.brief)}"

    def first(self, chat: Chat, begin: int) -> str:
        return tell_step(chat.steps[begin])

    def _message(self, chat: Chat, text: str, step: ShownStep) -> tuple[str | ModelImage, ...]:
        return super()._message(chat, f"{text}\n{_PICTURE}".lstrip() if step.image is not None else text, step)


_FUNCTIONS_15: tuple[tuple[str, str], ...] = (
    ("Tap", "Click(box=(x1,y1))"),
    ("Swipe", "Drag(start=(x1,y1), end=(x2,y2)): moves what lies at the start, such as a slider"),
    ("Swipe", "Scroll(start=(x1,y1), end=(x2,y2)): moves the finger so, to scroll or to turn a page"),
    ("Long_Press", "LongPress(box=(x1,y1))"),
    ("Open_App", "Launch(app=''): opens an app from any screen"),
    ("Answer", "CallUser(content=''): tells the user what the task asks for; the task goes on after it"),
    *(one for one in _FUNCTIONS if one[0] in ("Type", "Wait", "Back", "Home", "Enter", "Switch_App", "Stop")),
)
_ANSWER = re.compile(r"\s*<think>(.*?)</think>\s*<action>(.*?)</action>", re.DOTALL)


class VenusLinesForm(OneMessageForm):
    """Ask with a list of functions. Old answers are lines of the one message, without their conclusions.

    The makers have the rules in the same message.
    """

    form = UI_VENUS_15
    training = Training(
        source="the phone agent and the framework of UI-Venus's repository at version 1.5",
        order="text, picture",
        history="lines",
        pictures=1,
        thinking="tags",
        answers="CallUser",
        ends="Finished",
        sampling=Sampling(temperature=0.0, source="the phone agent of UI-Venus's repository at version 1.5"),
    )

    def system(self, chat: Chat) -> str:
        conclusion = "<conclusion> what the action does, in one sentence </conclusion>"
        return f"{_rules(chat, _FUNCTIONS_15, 'CallUser')}\n{conclusion}"

    def first(self, chat: Chat, begin: int) -> str:
        lines = [_past_line(number, step) for number, step in enumerate(chat.steps[:begin])]
        lines += former_plan(chat, begin)
        past = "\n".join(lines)
        return f"### User Task\n{task(chat.brief)}\n\n### Previous Actions\n{past}\n\n{tell_step(chat.now)}".strip()


def _past_line(number: int, step: ShownStep) -> str:
    """Return an old step as a line: what the model was told of it, and its answer, whose words open no other tag."""
    answer = _ANSWER.match(step.reply or "")
    parts = [harmless(one_line(part)) for part in (answer.groups() if answer else (step.reply or NOTHING,))]
    words = f"<think>{parts[0]}</think><action>{parts[1]}</action>" if answer else parts[0]
    return f"Step {number}: {f'({harmless(one_line(step.told))}) ' if step.told else ''}{words}"


def _rules(chat: Chat, listed: tuple[tuple[str, str], ...], answers: str) -> str:
    """Return what both versions are told: the functions, how to judge, and how to answer."""
    functions = "\n".join(f"- {text}" for name, text in listed if name in chat.actions.specs)
    return f"""\
You operate an Android phone for a user. You answer what the user asks and carry out the task, by exact actions.

### Available Actions
{functions}
Coordinates run from (0, 0) at the left top corner to (999, 999) at the right bottom corner.

### Instructions
Where the task asks for information, call {answers} before you call Finished. {SAFETY}

{JUDGEMENT.format(where=" at the beginning of <think>")}

### Output Format
<think> why you choose this action, in short </think>
<action> one function </action>"""
