"""Ask MAI-UI: thinking between tags, then one call of its ``mobile_use``, which swipes by a direction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from manyhands.actors.mllm.native.family import (
    JUDGEMENT,
    SAFETY,
    Chat,
    FamilyForm,
    Sampling,
    Training,
    offers_shortcuts,
    task,
    tell_step,
)
from manyhands.actors.mllm.vocabulary import MAI_UI, RUN_SHORTCUT

_DIRECTIONS = "up or down or left or right"
_ACTIONS: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    ("Tap", {"action": "click", "coordinate": ["x", "y"]}, ""),
    ("Long_Press", {"action": "long_press", "coordinate": ["x", "y"]}, ""),
    ("Type", {"action": "type", "text": ""}, "works while a field has the focus"),
    (
        "Swipe",
        {"action": "swipe", "direction": _DIRECTIONS, "coordinate": ["x", "y"]},
        "the way of the finger; coordinate, where it begins, may be left out",
    ),
    ("Open_App", {"action": "open", "text": "app_name"}, "the fastest way into an app"),
    ("Swipe", {"action": "drag", "start_coordinate": ["x1", "y1"], "end_coordinate": ["x2", "y2"]}, ""),
    ("Back", {"action": "system_button", "button": "button_name"}, "back, home, menu or enter"),
    ("Wait", {"action": "wait"}, ""),
    ("Stop", {"action": "terminate", "status": "success or fail"}, "ends the task"),
    ("Ask_Person", {"action": "ask_user", "text": "xxx"}, "asks the user for what only a person can give or do"),
    ("Answer", {"action": "answer", "text": "xxx"}, "tells the user what the task asks for; the task goes on after it"),
)
"""The actions of the tool: the action of ours that must be offered for it, its arguments, and what to know of it."""


class MaiForm(FamilyForm):
    """Ask with a list of actions. All answers stay in the chat; only their pictures are left out."""

    form = MAI_UI
    training = Training(
        source="the agent of MAI-UI's repository",
        order="text, picture",
        history="turns",
        pictures=3,
        thinking="tags",
        answers="answer",
        ends="terminate",
        sampling=Sampling(temperature=0.0, top_p=1.0, source="the agent of MAI-UI's repository"),
    )

    def system(self, chat: Chat) -> str:
        actions = "\n".join(_call_line(*one) for one in _ACTIONS if one[0] in chat.actions.specs)
        shortcut = (
            f'\nA shortcut is called as {{"name": "{RUN_SHORTCUT}", "arguments": {{"shortcut": "its name", '
            '"arguments": {}}}.'
            if offers_shortcuts(chat)
            else ""
        )
        return f"""\
You operate an Android phone for a user. You get the task and the screens so far, and choose the next action.

## Output Format
<thinking>
a short plan, and the next action with what it touches, in one sentence
</thinking>
<tool_call>
{{"name": "mobile_use", "arguments": <args-json-object>}}
</tool_call>

## Action Space
{actions}
x and y run from 0 to 999 over the screen, whatever its size.{shortcut}

## Judgement
{JUDGEMENT.format(where=" at the beginning of your thinking")}

## Note
- Where the task asks for information, answer before you terminate.
- {SAFETY}"""

    def first(self, chat: Chat, begin: int) -> str:
        return "\n".join(
            filter(None, (task(chat.brief, shortcuts=offers_shortcuts(chat)), tell_step(chat.steps[begin])))
        )


def _call_line(_: str, arguments: Mapping[str, Any], note: str) -> str:
    text = json.dumps(arguments)
    for place in ("x", "y", "x1", "y1", "x2", "y2"):
        text = text.replace(f'"{place}"', place)
    return f"{text} # {note}" if note else text
