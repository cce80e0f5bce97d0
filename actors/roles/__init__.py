"""Define the roles that ask a model: during the steps of a task, before it and after it."""

from __future__ import annotations

from manyhands.actors.memory import ShortcutUnusable
from manyhands.actors.mllm.request.actions import NotAnAction
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.roles.base import ModelRole, RoleSettings, StepRole
from manyhands.actors.roles.captioner import CaptionSettings, IconCaptioner
from manyhands.actors.roles.judge import Judge
from manyhands.actors.roles.learners import Retriever, ShortcutsLearner, TipsLearner, Verifier
from manyhands.actors.roles.notetaker import Notetaker
from manyhands.actors.roles.operator import ActingRole, Operator
from manyhands.actors.roles.planner import Planner
from manyhands.actors.roles.reflector import Reflector
from manyhands.protocol.errors import ReplyUnusable

__all__ = [
    "UNREADABLE",
    "ActingRole",
    "CaptionSettings",
    "IconCaptioner",
    "Judge",
    "ModelRole",
    "Notetaker",
    "Operator",
    "Planner",
    "Reflector",
    "Retriever",
    "RoleSettings",
    "ShortcutsLearner",
    "StepRole",
    "TipsLearner",
    "Verifier",
]

UNREADABLE = (ReplyUnusable, NotAnAction, OutsideScreen, ShortcutUnusable)
"""The errors of ``StepRole.read`` and of parsing. Each has a code of its own."""
