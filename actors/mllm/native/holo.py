"""Ask Holo-3.1 and Holo4: a JSON object by a schema in the system text, with a note, a thought and one tool's call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm.native.family import (
    JUDGEMENT,
    NOTHING,
    SAFETY,
    TASK_BEGINS,
    Chat,
    FamilyForm,
    Sampling,
    ShownStep,
    Training,
    task,
    tell_step,
)
from manyhands.actors.mllm.parse.tool_objects import BUTTONS
from manyhands.actors.mllm.request.bodies import ChatTurn, Prompt
from manyhands.actors.mllm.vocabulary import HOLO

_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}
_UNIT = {"type": "integer"}
_PLACE = {"element": _TEXT, "x": _UNIT, "y": _UNIT}
_TOOLS: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    ("Tap", "click", "taps an element, which you name", _PLACE),
    ("Long_Press", "long_press", "holds an element", _PLACE),
    ("Swipe", "scroll", "shows more on that side", {**_PLACE, "direction": {"enum": ["up", "down", "left", "right"]}}),
    ("Swipe", "swipe", "moves the finger from one point to another", dict.fromkeys(("x1", "y1", "x2", "y2"), _UNIT)),
    (
        "Type",
        "write",
        "writes into the field that has the focus; overwrite empties it first",
        {"content": _TEXT, "press_enter": _FLAG, "overwrite": _FLAG},
    ),
    ("Open_App", "open_app", "opens an app by its name, from any screen", {"app": _TEXT}),
    ("Back", "press", "presses a button; recents shows the apps that are open", {"button": {"enum": list(BUTTONS)}}),
    ("Wait", "wait", "waits so many seconds for a screen that is still loading", {"duration": {"type": "integer"}}),
    ("Stop", "answer", "ends the task, with what the user asked to know", {"content": _TEXT}),
)
"""The tools: the action of ours that must be offered, the tool's name, what it does, its arguments."""
_CALLED = re.compile(r'"tool_name"\s*:\s*"(\w{1,20})"')


class HoloForm(FamilyForm):
    """Ask with a schema of tools. Old answers stay in the chat without what was thought before them."""

    form = HOLO
    left_out = "[screenshot evicted]"
    task_in_system = True
    training = Training(
        source="second hand: H's guide to its agent loop, as others implement it; its phone tools were not found",
        order="text, picture",
        history="turns",
        pictures=3,
        thinking="field",
        answers="",
        added=("long_press", "swipe", "open_app", "press"),
        ends="answer",
        sampling=Sampling(temperature=0.8, source="second hand: H's guide to its agent loop"),
    )

    def messages(self, chat: Chat) -> Prompt:
        turns = tuple(
            ChatTurn(_without_thinking(before.reply or NOTHING), self._message(chat, _result(before, step), step))
            for before, step in pairwise(chat.steps)
        )
        return Prompt(self.system(chat), self._message(chat, self.first(chat, 0), chat.steps[0]), turns)

    def system(self, chat: Chat) -> str:
        return f"""\
You operate an Android phone for a user. Each <observation> shows its screen; answer with one tool call.
x and y are integers from 0 to 1000 over the screen, whatever its size, counted from the left top corner.
note is the place of Notes, null without any.

{JUDGEMENT.format(where=" at the beginning of thought")}

{SAFETY}

Task: {task(chat.brief).removeprefix(TASK_BEGINS)}

<output_format>
```json
{json.dumps(_schema(chat))}
```
</output_format>"""

    def first(self, chat: Chat, begin: int) -> str:
        return tell_step(chat.steps[begin])

    def _message(self, chat: Chat, text: str, step: ShownStep) -> tuple[str | ModelImage, ...]:
        before = f"{text}\n<observation>".lstrip()
        if step.image is None:
            return (f"{before}\n{self.left_out}\n</observation>",)
        return (before, step.image, "</observation>")


def _schema(chat: Chat) -> dict[str, Any]:
    calls = [
        _object({"tool_name": {"const": name}, **arguments}, about)
        for action, name, about, arguments in _TOOLS
        if action in chat.actions.specs
    ]
    return _object({"note": {"type": ["string", "null"]}, "thought": _TEXT, "tool_call": {"anyOf": calls}}, "")


def _object(properties: Mapping[str, Any], about: str) -> dict[str, Any]:
    description = {"description": about} if about else {}
    return {**description, "type": "object", "properties": dict(properties), "required": list(properties)}


def _result(before: ShownStep, step: ShownStep) -> str:
    """Return what a call has led to, as the family is told it."""
    tool = _CALLED.search(_without_thinking(before.reply or ""))
    return f'<tool_output tool="{tool[1] if tool else "none"}">\n{tell_step(step)}\n</tool_output>'


def _without_thinking(reply: str) -> str:
    """Return an answer without what the model thought before it, which its makers never show it again."""
    return reply.rpartition("</think>")[2].strip() or NOTHING
