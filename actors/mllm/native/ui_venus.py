"""Ask UI-Venus-2: the task in the system text, thinking between tags, then one function in ``<action>``."""

from __future__ import annotations

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm.native.family import (
    JUDGEMENT,
    SAFETY,
    Chat,
    FamilyForm,
    Sampling,
    ShownStep,
    Training,
    task,
    tell_step,
)
from manyhands.actors.mllm.vocabulary import UI_VENUS

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
        functions = "\n".join(f"- {text}" for name, text in _FUNCTIONS if name in chat.actions.specs)
        return f"""\
You operate an Android phone for a user. You answer what the user asks and carry out the task, by exact actions.

### Available Actions
{functions}
Coordinates run from (0, 0) at the left top corner to (999, 999) at the right bottom corner.

### Instructions
Where the task asks for information, call Answer before you call Finished. {SAFETY}

{JUDGEMENT.format(where=" at the beginning of <think>")}

### Output Format
<think> why you choose this action, in short </think>
<action> one function </action>

### User Task
{task(chat.brief)}"""

    def first(self, chat: Chat, begin: int) -> str:
        return tell_step(chat.steps[begin])

    def _message(self, chat: Chat, text: str, step: ShownStep) -> tuple[str | ModelImage, ...]:
        return super()._message(chat, f"{text}\n{_PICTURE}".lstrip() if step.image is not None else text, step)
