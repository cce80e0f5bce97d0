"""Ask a text model that nobody trained on phones: short words of ours, a list of the screen's elements, our JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm.native.family import SAFETY, Chat, FamilyForm, Sampling, ShownStep, Training, task, tell_step
from manyhands.actors.mllm.vocabulary import PLAIN
from manyhands.protocol.roles.sections import fenced
from manyhands.protocol.screens.element_rows import control_facts, is_listed
from manyhands.protocol.screens.screen import Element, Screen

_ACTIONS: tuple[tuple[str, str], ...] = (
    ("Tap_Element", '{"name": "Tap_Element", "number": 3}'),
    ("Type", '{"name": "Type", "text": "...", "clear": true}'),
    ("Swipe", '{"name": "Scroll", "direction": "up"} to see what is further down'),
    ("Open_App", '{"name": "Open_App", "app": "..."}'),
    ("Ask_Person", '{"name": "Ask_Person", "question": "..."}'),
    ("Answer", '{"name": "Answer", "text": "..."}'),
    ("Enter", '{"name": "Enter"}'),
    ("Back", '{"name": "Back"}'),
    ("Home", '{"name": "Home"}'),
    ("Wait", '{"name": "Wait"}'),
    ("Stop", '{"name": "Stop"} when all is done'),
)
"""The actions, each with the action of ours that must be offered for it."""
_FACTS = {"clickable": "", "checked": "on", "not checked": "off"}
"""Facts of a control in fewer words. What can be tapped is most of a page, so it is not said."""


class PlainForm(FamilyForm):
    """Ask with a list of elements in the last message. Old lists are left out, answers stay.

    An element is tapped by its number, so rows have no coordinates. Neither the date nor the installed apps are told,
    and no verdict is asked for: a small model has a short context.
    """

    form = PLAIN
    judges: ClassVar[bool] = False
    left_out = "(This list is left out now.)"
    sees = False
    training = Training(
        source="our own: no one has trained such a model on phones",
        order="text",
        history="turns",
        pictures=0,
        thinking="field",
        answers="Answer",
        ends="Stop",
        sampling=Sampling(temperature=0.0, source="ours"),
    )

    def system(self, chat: Chat) -> str:
        actions = "\n".join(text for name, text in _ACTIONS if name in chat.actions.specs)
        return f"""\
You operate an Android phone for a user. Choose the next action by the task and the numbered elements of the screen.
Answer with JSON alone: {{"action": ACTION}}. ACTION is one of:
{actions}

{SAFETY}"""

    def first(self, chat: Chat, begin: int) -> str:
        return f"{task(chat.brief.model_copy(update={'phone': None}))}\n{self.later(chat.steps[begin])}"

    def later(self, step: ShownStep) -> str:
        return tell_step(replace(step, asks_verdict=False))

    def _message(self, chat: Chat, text: str, step: ShownStep) -> tuple[str | ModelImage, ...]:
        if step is not chat.now or step.screen is None:
            return (f"{text}\n{self.left_out}".strip(),)
        return (f"{text}\n{_listed(step.screen)}".strip(),)


def _listed(screen: Screen) -> str:
    """Return the elements of a screen, one on each line, with the numbers that they have in ``screen``."""
    rows = (
        _row(number, element)
        for number, element in enumerate(screen.elements, start=1)
        if is_listed(element, screen.size)
    )
    return fenced("\n".join(rows))


def _row(number: int, element: Element) -> str:
    facts = (_FACTS.get(fact, fact) for fact in control_facts(element))
    told = ", ".join(fact for fact in facts if fact)
    return f"{number} {' '.join(element.content.split())}" + (f" ({told})" if told else "")
