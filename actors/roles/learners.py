"""The two learners: what a task taught, as tips and as a shortcut (Mobile-Agent-E, equations 8 and 9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.dialects import to_pixel
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts, history, or_none_yet
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.actions import ATOMS
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable, explain
from manyhands.protocol.geometry import Size
from manyhands.protocol.learners import LearnShortcutsReply, LearnTipsReply, ShortcutWritten, StepWritten
from manyhands.protocol.marks import Axis, parameters
from manyhands.protocol.memory import LONGEST_TIP, MOST_TIPS, Shortcut, ShortcutStep
from manyhands.protocol.roles import (
    Known,
    LearnRequest,
    LearnShortcutsRequest,
    LearnTipsRequest,
    Role,
    ShortcutLearned,
    TipsLearned,
)
from manyhands.protocol.sections import one_line

_WHOLE = re.compile(r"[0-9]{1,6}")
_NUMBERED = re.compile(r"^\s*(?:\d+\s*[.):、]|[-*•])\s*")
_THEIR_ARGUMENTS = {"app_name": "app"}
"""What the authors' code calls an argument of an action otherwise than we do."""


class TipsLearner(StepRole[LearnTipsRequest, LearnTipsReply, TipsLearned]):
    """Answers with the whole list of tips, as it is to be from now on (equation 9)."""

    role = Role.LEARN_TIPS
    writes = LearnTipsReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: LearnTipsRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show what the task did, and the tips so far."""
        parts = {**_parts(prompts, request, LearnTipsReply), "condense": request.condense}
        return prompts.of_text(request, parts)

    @classmethod
    def read(cls, reply: LearnTipsReply, known: Known, dialect: Dialect) -> TipsLearned:
        """Return the tips of a reply, one a line. Raises ReplyUnusable for too many, or one that is too long."""
        lines = (_NUMBERED.sub("", line).strip() for line in reply.tips.splitlines())
        tips = tuple(line for line in lines if meant(line))
        if len(tips) > MOST_TIPS:
            raise ReplyUnusable(f"{len(tips)} tips; there may be {MOST_TIPS}")
        long = next((tip for tip in tips if len(tip) > LONGEST_TIP), None)
        if long is not None:
            raise ReplyUnusable(f"a tip has {len(long)} characters; it may have {LONGEST_TIP}: {long[:40]} ...")
        return TipsLearned(tips=tips)


class ShortcutsLearner(StepRole[LearnShortcutsRequest, LearnShortcutsReply, ShortcutLearned]):
    """Answers with a shortcut that is worth keeping, or none (equation 8)."""

    role = Role.LEARN_SHORTCUTS
    writes = LearnShortcutsReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: LearnShortcutsRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show what the task did, and the shortcuts so far."""
        return prompts.of_text(request, _parts(prompts, request, LearnShortcutsReply))

    @classmethod
    def read(cls, reply: LearnShortcutsReply, known: Known, dialect: Dialect) -> ShortcutLearned:
        """Return the shortcut of a reply, its literal coordinates in pixels of the phone's screen.

        Raises ReplyUnusable for one whose names or texts are none, OutsideScreen.
        """
        shortcut = None if reply.shortcut is None else _shortcut(reply.shortcut, known.size, dialect)
        return ShortcutLearned(shortcut=shortcut)


def _shortcut(written: ShortcutWritten, size: Size, dialect: Dialect) -> Shortcut:
    try:
        return Shortcut(
            name=written.name,
            arguments=tuple(written.arguments),
            description=" ".join(written.description.split()),
            precondition=" ".join(written.precondition.split()),
            steps=tuple(
                ShortcutStep(
                    name=step.name,
                    arguments_map=_in_pixels(step, written.arguments, size, dialect),
                )
                for step in written.atomic_action_sequence
            ),
        )
    except ValidationError as error:
        raise ReplyUnusable(explain(error, Shortcut)) from error


def _in_pixels(
    step: StepWritten, arguments: Sequence[str], size: Size, dialect: Dialect
) -> dict[str, str | int | float | bool]:
    given = {_THEIR_ARGUMENTS.get(name, name): value for name, value in (step.arguments_map or {}).items()}
    mapped: dict[str, str | int | float | bool] = dict(given)
    taken = parameters(ATOMS[step.name]) if step.name in ATOMS else ()
    axes = {one.field: one.mark.name for one in taken if isinstance(one.mark, Axis)}
    for name, axis in axes.items():
        value = given.get(name, "")
        if value not in arguments and _WHOLE.fullmatch(value):
            x, y = to_pixel(dialect, int(value), 0, size) if axis == "x" else to_pixel(dialect, 0, int(value), size)
            mapped[name] = x if axis == "x" else y
    return mapped


def _parts(prompts: Prompts, request: LearnRequest[Any], reply: type[Reply]) -> Parts:
    shown = history(request.history, prompts.dialect, request.size, request.brief.shortcuts)
    return {
        "plan": or_none_yet(request.plan),
        "progress": or_none_yet(request.progress),
        "history": shown or "None",
        "future": "\n".join(f"- {one_line(goal)}" for goal in request.future) or None,
        "refused": one_line(request.refused) or None,
        "actions": prompts.action_list,
        "format": prompts.format(reply, request.size),
    }
