"""Ask AutoGLM-Phone: thinking between tags, then one function in ``<answer>``."""

from __future__ import annotations

import json

from manyhands.actors.mllm.native.family import (
    JUDGEMENT,
    SAFETY_IN,
    Chat,
    FamilyForm,
    Sampling,
    ShownStep,
    Training,
    task,
    tell_step,
)
from manyhands.actors.mllm.vocabulary import AUTOGLM
from manyhands.protocol.roles.sections import short_name

_FUNCTIONS: tuple[tuple[str, str], ...] = (
    ("Open_App", 'do(action="Launch", app="xxx"): opens an app; faster than looking for its icon'),
    ("Tap", 'do(action="Tap", element=[x,y])'),
    ("Type", 'do(action="Type", text="xxx"): empties the field that has the focus and writes into it'),
    ("Swipe", 'do(action="Swipe", start=[x1,y1], end=[x2,y2])'),
    ("Long_Press", 'do(action="Long Press", element=[x,y])'),
    ("Back", 'do(action="Back")'),
    ("Home", 'do(action="Home")'),
    ("Wait", 'do(action="Wait", duration="x seconds")'),
    ("Ask_Person", 'do(action="Take_over", message="xxx"): asks the user to log in, to pass a check or to decide'),
    ("Stop", 'finish(message="xxx"): ends the task, with what the user asked to know'),
)
"""The functions, each with the action of ours that must be offered for it."""
_APP = "current_app"
"""The name under which each message tells the app in front, whose label is the app's own."""


class GlmForm(FamilyForm):
    """Ask with a list of functions. Each message shows the picture, then names the app in front."""

    form = AUTOGLM
    training = Training(
        source="the prompts, the model client and the agent of Open-AutoGLM",
        order="picture, text",
        history="turns",
        pictures=1,
        thinking="tags",
        answers="",
        ends="finish",
        sampling=Sampling(
            temperature=0.0, top_p=0.85, frequency_penalty=0.2, source="the model client of Open-AutoGLM"
        ),
    )

    def system(self, chat: Chat) -> str:
        functions = "\n".join(f"- {text}" for name, text in _FUNCTIONS if name in chat.actions.specs)
        return f"""\
You operate an Android phone for a user, by the steps so far and the screen that you see now. Answer strictly so:
<think>why you choose this operation, in short</think>
<answer>the operation, on one line</answer>

The operations:
{functions}
x and y run from (0,0) at the left top corner to (999,999) at the right bottom corner.

{JUDGEMENT.format(where=" at the beginning of <think>")}

Before you finish, look whether all that the task asks for is done. {SAFETY_IN.format(further=f", in {_APP}")}"""

    def first(self, chat: Chat, begin: int) -> str:
        step = chat.steps[begin]
        return "\n\n".join(filter(None, (task(chat.brief), tell_step(step, names_app=False), _info(step))))

    def later(self, step: ShownStep) -> str:
        return "\n\n".join(filter(None, ("** Screen Info **", tell_step(step, names_app=False), _info(step))))


def _info(step: ShownStep) -> str:
    screenshot = step.screenshot
    return json.dumps({_APP: short_name(screenshot.app_label or screenshot.app or "unknown")}, ensure_ascii=False)
