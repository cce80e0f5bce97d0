"""Render the chat in our own words, for models that are asked for one of our formats."""

from __future__ import annotations

from itertools import pairwise

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt
from manyhands.actors.mllm.native.form import NOTHING, Chat, NativeForm, ShownStep
from manyhands.actors.mllm.request.bodies import ChatTurn
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import brief_parts
from manyhands.protocol.roles.sections import ListedScreen, harmless, screen_head


class OwnForm(NativeForm):
    """Explain everything in one system text. Each turn shows a picture, and says what is known of the last action."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def render(self, chat: Chat) -> Prompt:
        system = self._prompts.system(chat.now.screenshot.size)
        brief = self._prompts.text("brief", brief_parts(chat.brief))
        turns = tuple(
            ChatTurn(before.reply or NOTHING, self._shown(step, first=False)) for before, step in pairwise(chat.steps)
        )
        extent = chat.dialect.extent(chat.steps[0].screenshot.size)
        screen = screen_head(ListedScreen(width=extent.width, height=extent.height, elements=()))
        first = (brief, self._prompts.text("screen", {"screen": screen}), *self._shown(chat.steps[0], first=True))
        return Prompt(system, first, turns)

    def _shown(self, step: ShownStep, first: bool) -> tuple[str | ModelImage, ...]:
        text = self._prompts.text(
            "step",
            {
                "first": first,
                "shown": step.image is not None,
                "told": step.told,
                "app": self._prompts.app_in_front(step.screenshot),
                "plan": harmless(step.plan),
                "subgoal": harmless(step.subgoal),
                "keyboard": step.screenshot.keyboard == "shown",
                "asks_verdict": step.asks_verdict,
            },
        )
        return (text,) if step.image is None else (step.image, text)
