"""Ask GELab-Zero: one message with the model's own summary of the past; one action in fields that tabs part."""

from __future__ import annotations

import re

from manyhands.actors.mllm.native.family import (
    JUDGEMENT,
    SAFETY,
    Chat,
    OneMessageForm,
    Sampling,
    Training,
    former_plan,
    task,
    tell_step,
)
from manyhands.actors.mllm.request.bodies import Prompt
from manyhands.actors.mllm.vocabulary import GELAB
from manyhands.protocol.roles.sections import harmless, one_line

_ACTIONS: tuple[tuple[str, str, str], ...] = (
    ("Tap", "CLICK: taps a point", "point:x,y"),
    ("Type", "TYPE: writes into the field that has the focus, which is at the point", "value:the text\tpoint:x,y"),
    ("Stop", "COMPLETE: ends the task, with what the user asked to know", "return:the words"),
    ("Wait", "WAIT: for a screen that is still loading", "value:seconds"),
    ("Open_App", "AWAKE: opens an app from any screen", "value:the app's name"),
    ("Ask_Person", "INFO: asks the user for what only a person can give or do", "value:the question"),
    ("Swipe", "SLIDE: moves the finger from one point to another", "point1:x1,y1\tpoint2:x2,y2"),
    ("Long_Press", "LONGPRESS: holds a point", "point:x,y"),
)
"""The actions: the action of ours that must be offered, the word and what it does, its arguments."""
_SUMMARY = re.compile(r"\tsummary:([^\t]*)\Z")
_FORMAT = """\
Think first, then write one line, its parts parted by tabs:
<THINK> why you choose this action, in short </THINK>
explain:what the action is for\taction:the action and its arguments\tsummary:all that is done so far, this included"""


class GelabForm(OneMessageForm):
    """Ask with a list of actions. Of old steps the model sees its last summary, and what it was told of them.

    There is no action for the buttons back and home. The makers have the rules in the same message.
    """

    form = GELAB
    training = Training(
        source="the parser and the runner of gelab-zero's repository",
        order="text, picture",
        history="summary",
        pictures=1,
        thinking="tags",
        answers="",
        ends="COMPLETE",
        sampling=Sampling(temperature=0.1, top_p=0.95, source="the example of gelab-zero's repository"),
    )

    def messages(self, chat: Chat) -> Prompt:
        prompt = super().messages(chat)
        return Prompt(prompt.system, (*prompt.content, _FORMAT))

    def system(self, chat: Chat) -> str:
        offered = [(text, arguments) for name, text, arguments in _ACTIONS if name in chat.actions.specs]
        actions = "\n".join(f"{text}\naction:{text.partition(':')[0]}\t{arguments}" for text, arguments in offered)
        return f"""\
You operate an Android phone for a user: by the task, the screen and your own summary you choose the next action.
x and y run from 0 to 1000, x to the right and y down, from the left top corner.

The actions:
{actions}

{JUDGEMENT.format(where=" at the beginning of <THINK>")}

{SAFETY}"""

    def first(self, chat: Chat, begin: int) -> str:
        old = chat.steps[:begin]
        summary = next((match[1] for one in reversed(old) if (match := _SUMMARY.search((one.reply or "").strip()))), "")
        noted = [one.decision.verdict.notes for one in old if one.decision and one.decision.verdict]
        lines = [
            f"Done so far: {harmless(one_line(summary)) or 'nothing'}",
            *(f"You were told: {harmless(one_line(one.told))}" for one in old if one.told),
            *(f"Noted: {harmless(one_line(notes))}" for notes in noted if notes),
        ]
        return "\n".join([task(chat.brief), *lines, *former_plan(chat, begin), tell_step(chat.now)])
