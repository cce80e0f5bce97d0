"""Define what the agents of Mobile-Agent-v2 are asked and answer, beside decisions and verdicts (section 3)."""

from __future__ import annotations

from typing import Any

from manyhands.protocol.base import Message
from manyhands.protocol.roles.requests import (
    Decision,
    Notes,
    PastAction,
    Reflection,
    ReplyContext,
    Request,
    ScreenRequest,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.screen import Screen, Screenshot


class Operation(Message):
    """Hold O(t): its thought, its action and what was expected of it."""

    step: int
    thought: str
    action: Action
    expectation: str
    touched: str = ""
    """What the action touched, by its name. Empty if nothing is known of it."""


class CompletedProgress(Message):
    """Hold TP(t)."""

    progress: str


class ProgressRequest(Request[CompletedProgress]):
    """Ask the planning agent, which is shown no picture (equation 2)."""

    role = Role.PLAN

    now: Screenshot
    """The current screenshot. The agent is not shown it."""
    operations: tuple[Operation, ...]
    """O(t-1). If the paper's table is followed, all operations before it come first."""
    previous: str
    """TP(t-1). Empty before the first progress."""
    focus: str | None
    """FC(t-1). None without the memory unit."""
    in_english: bool = False
    """Whether the prompt names the language of the answer, as in table 7."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return ()

    @property
    def serial(self) -> str:
        return self.now.serial

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.now.size)


class OperationRequest(ScreenRequest[Decision]):
    """Ask the decision agent for an operation (equation 3)."""

    role = Role.DECIDE

    screen: Screen
    progress: str | None
    """TP(t), as the paper's text has it. None without the planning agent."""
    focus: str | None
    """FC(t-1)."""
    operations: tuple[Operation, ...]
    """All correct operations so far."""
    tried: tuple[PastAction, ...]
    """The operations right before this step that were not correct, with verdicts. The last is O(t-1) with R(t-1)."""
    restored: bool | None
    """Whether the page before the last of these is shown again. None if restoring was not tried."""

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size, elements=self.screen.elements, shortcuts=self.brief.shortcuts)


class FocusRequest(ScreenRequest[Notes]):
    """Ask the decision agent after its decision what the screen adds to the focus content (equation 4)."""

    role = Role.NOTE

    conversation: tuple[dict[str, Any], ...]
    """The messages that led to the decision, as recorded."""
    decided: str
    """The decision in the model's own words."""


class VerdictRequest(Request[Reflection]):
    """Ask the reflection agent (equation 5)."""

    role = Role.REFLECT

    operation: Operation
    focus: str | None
    """FC(t), or FC(t-1) if reflection does not wait for the memory unit. None without the memory unit."""
    before: Screenshot
    after: Screenshot
    screen_before: Screen
    screen_after: Screen

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.before, self.after)
