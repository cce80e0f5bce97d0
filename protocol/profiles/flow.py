"""Declare the profile ``flow``: it follows a task's flow, and asks the agent of ``native`` where that fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.profiles.native import DECLARATION as NATIVE
from manyhands.protocol.screens.actions import AtomicAction

MATCH = "match"
"""The stage that compares a screen with the flow."""
MoveKind = Literal["step", "wait", "scroll", "dismiss", "agent", "end"]
"""What is done on a screen. ``step``: the flow's step. ``wait``: the screen may still be loading. ``scroll``: its
target may be further on. ``dismiss``: a dialog that anybody knows is closed. ``agent``: the model decides. ``end``: all
steps are done."""


class FlowMove(Message):
    """Say what the flow does on a screen, and why."""

    kind: MoveKind
    step: int = Field(ge=0)
    """The step of the flow that is next, or that is done now; the number of steps at the end."""
    action: AtomicAction | None = None
    """What is sent; None if the model decides."""
    reason: str = ""
    """Why the step is not done on this screen."""
    sources: tuple[str, ...] = ()
    """The texts on this screen that a later step types from."""
    early: tuple[int, ...] = ()
    """Where the agent takes over: the later steps that this screen would fit, so that they prove no progress."""
    other_version: str = ""
    """Which version the app in front has, if the flow was made for another one; empty if an earlier move tells it."""


DECLARATION = replace(
    NATIVE,
    name="flow",
    paper="a recorded flow",
    loop="manyhands.actors.profiles.flow:PROFILE",
    variants={},
)
