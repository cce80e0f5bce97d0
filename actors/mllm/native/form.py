"""Declare what a form gets, a chat, and what it makes of it: the messages of a request.

``actors.mllm.parse`` reads the answers, by the form that the model's dialect names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm.request.bodies import Prompt
from manyhands.actors.mllm.request.dialects import Dialect
from manyhands.protocol.roles.replies import ActionSet
from manyhands.protocol.roles.requests import Brief, Decision
from manyhands.protocol.screens.screen import Screenshot

NOTHING = "(nothing)"
"""The text in the place of an answer that never came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """Hold a step of the chat: what the model was shown and told, and what it answered."""

    screenshot: Screenshot
    image: ModelImage | None
    """The picture. None if it is left out, because it is too old or was lost."""
    told: str = ""
    """Our sentences about the action before: it was not carried out, nothing changed, a person acted."""
    by_person: bool = False
    """Whether a person acted on the screen before, or tried to. Then ``told`` says what it was."""
    plan: str = ""
    """The plan, in the step in which it became another one."""
    subgoal: str = ""
    """The subgoal, in the step in which it became another one."""
    asks_verdict: bool = False
    """Whether the answer to this step is to judge the action before."""
    reply: str | None = None
    """The model's own words. Empty if it never answered, None in the step that is asked now."""
    decision: Decision | None = None
    """What was read of these words, with coordinates in pixels of the screenshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Hold the chat of an episode up to the question that is asked now."""

    brief: Brief
    steps: tuple[ShownStep, ...]
    """All steps, the oldest first. The last one is asked now."""
    dialect: Dialect
    actions: ActionSet
    """The actions that the model may choose from."""
    first: int = 0
    """The first step that is not too old for a picture. Its picture may still be lost."""

    @property
    def now(self) -> ShownStep:
        """Return the step that is asked now."""
        return self.steps[-1]


class NativeForm(ABC):
    """Render a chat as a model family was trained to see it. Holds no state."""

    judges: ClassVar[bool] = True
    """Whether the family's models judge their last action when they are asked to."""

    @abstractmethod
    def render(self, chat: Chat) -> Prompt:
        """Return the messages.

        While no picture is left out, the messages of a step begin with those of the step before, so that servers find
        them in their caches.
        """
