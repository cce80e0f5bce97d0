"""The roles that ask a model: planner, operator, reflector, notetaker, captioner."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.actors.memory import ShortcutUnusable
from manyhands.actors.mllm.request.actions import NotAnAction
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.roles.base import ModelRole, RoleSettings, StepRole
from manyhands.actors.roles.captioner import Captioner, CaptionSettings
from manyhands.actors.roles.notetaker import Notetaker
from manyhands.actors.roles.operator import Operator
from manyhands.actors.roles.planner import Planner
from manyhands.actors.roles.reflector import Reflector
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles import Role

__all__ = [
    "CLASSES",
    "UNREADABLE",
    "CaptionSettings",
    "Captioner",
    "ModelRole",
    "Notetaker",
    "Operator",
    "Planner",
    "Reflector",
    "RoleSettings",
    "StepRole",
]

CLASSES: Mapping[Role, type[ModelRole]] = {
    kind.role: kind for kind in (Planner, Operator, Reflector, Notetaker, Captioner)
}
"""The class of each role."""
if missing := [role.value for role in Role if role not in CLASSES]:
    raise TypeError(f"protocol/roles.py declares roles that have no class: {', '.join(missing)}")

UNREADABLE = (ReplyUnusable, NotAnAction, OutsideScreen, ShortcutUnusable)
"""The errors of ``StepRole.read`` and of parsing. Each has a code of its own."""
