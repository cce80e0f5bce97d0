"""Ask models that were trained on the phone tool ``mobile_use``: Qwen-VL and GUI-Owl.

All get one function in ``<tools>`` and answer with one call in ``<tool_call>``. The names and arguments of the tool
are theirs, the words are ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from manyhands.actors.mllm.native.family import (
    JUDGEMENT,
    SAFETY,
    Chat,
    FamilyForm,
    OneMessageForm,
    Sampling,
    Training,
    offers_shortcuts,
    past,
    task,
    tell_step,
)
from manyhands.actors.mllm.request.actions import function_schema, shortcut_tool
from manyhands.actors.mllm.vocabulary import BUTTONS, MOBILE_USE, TOOL
from manyhands.protocol.screens.actions import ASK
from manyhands.protocol.screens.geometry import Size

_WORDS: Mapping[str, tuple[str, str]] = {
    "key": ("", "press a key by its name for adb: enter, back, home or app_switch"),
    "click": ("Tap", "tap the point coordinate"),
    "long_press": ("Long_Press", "hold the point coordinate for time seconds"),
    "swipe": ("Swipe", "drag from coordinate to coordinate2"),
    "type": ("Type", "write text into the field that has the focus (tap the field first)"),
    "system_button": ("", "press button (Menu shows the apps that are open)"),
    "open": ("Open_App", "open the app whose name is text, from any screen"),
    "wait": ("Wait", "wait time seconds for a screen that is still loading"),
    "answer": ("Answer", "tell the user text, where the task asks for information. The task goes on after it"),
    "interact": (ASK, "ask the user for what only a person can give or do, such as a login: text says what"),
    "terminate": ("Stop", "end the task: success if all is done, failure if no way is left"),
}
"""The actions of the tool: the action of ours that must be offered for it, and what it does."""
_NOBODY = "ask for a person. Nobody is there: do it yourself, or terminate with failure"
"""What ``interact`` does in a run without a person, for a family that knows it from its training."""
_ARGUMENTS: Mapping[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "coordinate": ({"type": "array"}, ("click", "long_press", "swipe")),
    "coordinate2": ({"type": "array"}, ("swipe",)),
    "text": ({"type": "string"}, ("key", "type", "open", "answer", "interact")),
    "time": ({"type": "number"}, ("long_press", "wait")),
    "button": ({"type": "string", "enum": list(BUTTONS)}, ("system_button",)),
    "status": ({"type": "string", "enum": ["success", "failure"]}, ("terminate",)),
}


class MobileUseForm(FamilyForm):
    """Ask with the tool, then show old steps as lines and new ones as turns with pictures."""

    form = MOBILE_USE
    words: ClassVar[tuple[str, ...]]
    """The tool's actions, in the order in which the family knows them."""
    resolution: ClassVar[Size | None] = None
    """The resolution that the tool's description gives; None: that of the dialect."""
    order: ClassVar[str]
    """What an answer consists of before its call."""
    after: ClassVar[str] = "nothing behind it"
    """What an answer has after its call."""
    judges_at: ClassVar[str] = " before all else"
    """Where an answer judges the last action."""

    def system(self, chat: Chat) -> str:
        tools = "\n".join(json.dumps({"type": "function", "function": tool}) for tool in self._tools(chat))
        return f"""\
You operate an Android phone for a user, one action at a time. After each action you are shown the screen again.

You may call {"these functions" if offers_shortcuts(chat) else "this function"}:
<tools>
{tools}
</tools>

Write each answer in this order: {self.order}, and one call, with {self.after}:
<tool_call>
{{"name": "{TOOL}", "arguments": {{"action": "click", "coordinate": [x, y]}}}}
</tool_call>

{JUDGEMENT.format(where=self.judges_at)}

Where the task asks for information, call answer before you end the task with terminate. {SAFETY}"""

    def first(self, chat: Chat, begin: int) -> str:
        history = past(chat, begin)
        steps = f"What was done so far:\n{history}" if history else "Nothing was done so far."
        now = chat.steps[begin]
        if history and now.by_person:  # the last of these steps tells it
            now = replace(now, told="")
        return "\n".join(filter(None, (task(chat.brief, shortcuts=offers_shortcuts(chat)), steps, tell_step(now))))

    def _tools(self, chat: Chat) -> list[dict[str, Any]]:
        does = {word: text for word in self.words if (text := self._meaning(word, chat))}
        offered = list(does)
        resolution = self.resolution or chat.dialect.extent(chat.steps[0].screenshot.size)
        action = {
            "description": "; ".join(f"{word}: {text}" for word, text in does.items()) + ".",
            "enum": offered,
            "type": "string",
        }
        properties: dict[str, Any] = {"action": action}
        for name, (schema, takers) in _ARGUMENTS.items():
            takes = [word for word in takers if word in offered]
            if takes:
                point = "[x, y], counted from the left top corner, for" if schema["type"] == "array" else "For"
                properties[name] = {"description": f"{point} {', '.join(takes)}.", **schema}
        about = f"Operates the touchscreen of a phone. Its resolution is {resolution.width}x{resolution.height}."
        tools = [function_schema(TOOL, about, properties, ["action"])]
        return [*tools, shortcut_tool()] if offers_shortcuts(chat) else tools

    def _meaning(self, word: str, chat: Chat) -> str:
        """Return what an action of the tool does; empty if it is not offered."""
        needed, text = _WORDS[word]
        if not needed or needed in chat.actions.specs:
            return text
        return _NOBODY if needed == ASK and word not in self.training.added else ""


class QwenForm(MobileUseForm):
    """Ask Qwen3-VL and later Qwen models: a thought, an action in words, a call."""

    words: ClassVar[tuple[str, ...]] = (
        *("click", "long_press", "swipe", "type", "answer"),
        *("system_button", "open", "wait", "interact", "terminate"),
    )
    resolution: ClassVar[Size | None] = Size(width=999, height=999)
    order = 'a line "Thought: " with one sentence; a line "Action: " with what you do, in one short sentence'
    training = Training(
        source="the phone notebook of Qwen3-VL's repository",
        order="text, picture",
        history="lines, then turns",
        pictures=1,
        thinking="line",
        answers="answer",
        added=("open", "interact"),
        takes_more=True,
        ends="terminate",
        sampling=Sampling(
            temperature=0.0, source="MobileWorld's agent; the README has 0.7 and a presence penalty of 1.5 for chats"
        ),
    )


class Qwen25Form(QwenForm):
    """Ask Qwen2.5-VL, which counts pixels of the picture as it sees it."""

    words = (
        *("key", "click", "long_press", "swipe", "type", "system_button"),
        *("open", "wait", "answer", "interact", "terminate"),
    )
    resolution = None
    training = replace(
        QwenForm.training,
        source="the phone notebook of Qwen2.5-VL, in versions before Qwen3-VL",
        answers="",
        added=("answer", "interact"),
    )


class OwlForm(MobileUseForm):
    """Ask GUI-Owl-1.5: an action in words and a call, without a thought."""

    words = (
        *("key", "click", "long_press", "swipe", "type", "system_button"),
        *("open", "wait", "answer", "interact", "terminate"),
    )
    order = 'a line "Action: " with what you do, in one short sentence'
    training = Training(
        source="the runner of Mobile-Agent-v3.5",
        order="text, picture",
        history="lines, then turns",
        pictures=5,
        thinking="none",
        answers="answer",
        ends="terminate",
        sampling=Sampling(temperature=0.0, source="Mobile-Agent-v3.5 sends temperature 0"),
    )


class FirstOwlForm(MobileUseForm, OneMessageForm):
    """Ask GUI-Owl before 1.5: thinking between tags, a call, and a conclusion, by which later steps tell this one.

    It counts pixels of the picture as it sees it.
    """

    words = OwlForm.words
    order = "<thinking> why, and the next action, in short sentences </thinking>"
    after = "<conclusion> what the action does, in one sentence </conclusion> behind it"
    judges_at = " at the beginning of your thinking"
    training = Training(
        source="the AndroidWorld runner and the cookbook of Mobile-Agent-v3",
        order="text, picture",
        history="lines",
        pictures=1,
        thinking="tags",
        answers="answer",
        added=("interact",),
        ends="terminate",
        sampling=Sampling(temperature=0.0, source="that runner names temperature 0, and sends none"),
    )
