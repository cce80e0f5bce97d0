"""Ask UI-TARS-1.5: a thought and one function, with coordinates in pixels of the picture that it sees."""

from __future__ import annotations

from manyhands.actors.mllm.native.family import JUDGEMENT, SAFETY, Chat, FamilyForm, Sampling, Training, task, tell_step
from manyhands.actors.mllm.vocabulary import UI_TARS

_FUNCTIONS: tuple[tuple[str, str], ...] = (
    ("Tap", "click(start_box='(x1,y1)')"),
    ("Long_Press", "long_press(start_box='(x1,y1)')"),
    ("Type", "type(content='')"),
    ("Swipe", "scroll(start_box='(x1,y1)', direction='down or up or right or left') # shows more on that side"),
    ("Open_App", "open_app(app_name='')"),
    ("Swipe", "drag(start_box='(x1,y1)', end_box='(x3,y3)')"),
    ("Home", "press_home()"),
    ("Back", "press_back()"),
    ("Wait", "wait() # for a screen that is still loading"),
    ("Ask_Person", "call_user() # where only the user can go on, such as at a login"),
    ("Stop", "finished(content='xxx') # with what the user asked to know, if anything"),
)
"""The functions, each with the action of ours that must be offered for it."""


class TarsForm(FamilyForm):
    """Ask with a list of functions. All answers stay in the chat; only their pictures are left out.

    The family's makers put all of this into the first message. Here it is the system text, which a run may replace.
    """

    form = UI_TARS
    training = Training(
        source="the prompts, the parser and the endpoint's guide of UI-TARS's repository",
        order="text, picture",
        history="turns",
        pictures=5,
        thinking="line",
        answers="",
        ends="finished",
        sampling=Sampling(temperature=0.0, source="the endpoint's guide of UI-TARS's repository"),
    )

    def system(self, chat: Chat) -> str:
        functions = "\n".join(text for name, text in _FUNCTIONS if name in chat.actions.specs)
        return f"""\
You operate an Android phone for a user. You get the task, your actions so far and the screens. Choose the next action.

## Output Format
Thought: a short plan, and the next action with what it touches, in one sentence
Action: one function

## Action Space
{functions}
In a text write \\', \\" and \\n for quotation marks and line breaks. \\n at the end of a typed text presses Enter.

## Judgement
{JUDGEMENT.format(where=" before Thought")}

## Note
{SAFETY}"""

    def first(self, chat: Chat, begin: int) -> str:
        return "\n".join(filter(None, ("## User Instruction", task(chat.brief), tell_step(chat.steps[begin]))))
