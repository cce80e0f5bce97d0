"""The bare model: it chooses an action by what it sees now and what it did."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import ActingRole
from manyhands.protocol.actions import Action
from manyhands.protocol.base import Message
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import Decision, Role, ScreenRequest
from manyhands.protocol.sections import NONE_YET, ActionLine, ListedScreen, action_line, screen_body
from manyhands.protocol.v1 import BareReply


class OwnAction(Message):
    """Describe a step by what the model itself wrote."""

    step: int = Field(ge=0)
    action: Action | None
    """None where its output was no action."""
    expectation: str


class BareRequest(ScreenRequest[Decision]):
    role = Role.DECIDE

    history: tuple[OwnAction, ...]
    """All that it did."""


class BareOperator(ActingRole[BareRequest, BareReply]):
    """Chooses an action by the picture alone."""

    writes = BareReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: BareRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the screen now."""
        size = request.screenshot.size
        extent = prompts.dialect.extent(size)
        own = {
            "screen": screen_body(ListedScreen(width=extent.width, height=extent.height, elements=())),
            "history": "\n".join(_line(one, prompts.dialect, size) for one in request.history) or NONE_YET,
        }
        return prompts.of_step(request, *images, own=own)


def _line(done: OwnAction, dialect: Dialect, size: Size) -> str:
    written = None if done.action is None else write_action(done.action, dialect, size, ())
    return f"Step {done.step} | {action_line(ActionLine(action=written, expectation=done.expectation))}"
