"""What the agents of Mobile-Agent-v2 are asked, and what they answer beside decisions and verdicts (section 3)."""

from __future__ import annotations

from typing import Any

from manyhands.protocol.actions import Action
from manyhands.protocol.base import Message
from manyhands.protocol.requests import Decision, Notes, PastAction, Reflection, ReplyContext, Request, ScreenRequest
from manyhands.protocol.roles import Role
from manyhands.protocol.screens import Screen, Screenshot


class Operation(Message):
    """Hold O(t): what was thought, what was done, and what was said of it."""

    step: int
    thought: str
    action: Action
    expectation: str


class CompletedProgress(Message):
    """Hold TP(t)."""

    progress: str


class ProgressRequest(Request[CompletedProgress]):
    """Ask the planning agent, which is shown no picture (equation 2)."""

    role = Role.PLAN

    now: Screenshot
    """Of the screen now. Nothing of it is shown."""
    operations: tuple[Operation, ...]
    """O(t-1), after those before it where the paper's table is followed."""
    previous: str
    """TP(t-1); empty before the first."""
    focus: str | None
    """FC(t-1); None without the memory unit."""
    in_english: bool = False
    """Whether the language of the answer is said, as in table 7."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return ()

    @property
    def serial(self) -> str:
        return self.now.serial

    @property
    def known(self) -> ReplyContext:
        return ReplyContext(size=self.now.size)


class OperationRequest(ScreenRequest[Decision]):
    """Ask the decision agent for an operation (equation 3)."""

    role = Role.DECIDE

    screen: Screen
    progress: str | None
    """TP(t), as the text has it; None without the planning agent."""
    focus: str | None
    """FC(t-1)."""
    operations: tuple[Operation, ...]
    """Every correct one so far."""
    tried: tuple[PastAction, ...]
    """R(t-1) with its operation, if that was not correct; after those of the same kind before it."""
    restored: bool | None
    """Whether the page of before the last of these is shown again; None where nobody tried to restore it."""

    @property
    def known(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size, elements=self.screen.elements, shortcuts=self.brief.shortcuts)


class FocusRequest(ScreenRequest[Notes]):
    """Ask the decision agent what the screen adds to the focus content (equation 4), after its decision."""

    role = Role.NOTE

    conversation: tuple[dict[str, Any], ...]
    """The messages that led to the decision, as they were recorded."""
    decided: str
    """The decision in the model's own words."""


class VerdictRequest(Request[Reflection]):
    """Ask the reflection agent (equation 5)."""

    role = Role.REFLECT

    operation: Operation
    focus: str | None
    """FC(t), or FC(t-1) where nobody waits for the memory unit; None without it."""
    before: Screenshot
    after: Screenshot
    screen_before: Screen
    screen_after: Screen

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.before, self.after)
