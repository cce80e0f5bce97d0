"""Define the roles of a profile that learns: verifier, retriever, and learners of tips and shortcuts.

The verifier says whether the precondition of a shortcut holds on the screen (Mobile-Agent-E, appendix C.1). The
retriever chooses tips and shortcuts that fit a goal (section 5.4). The learners write down what a task taught
(equations 8 and 9).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.mllm.request.dialects import to_model, to_pixel
from manyhands.actors.prompts import Parts, Prompts, or_none_yet
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable, explain
from manyhands.protocol.roles.learners import (
    MOST_NEW_SHORTCUTS,
    LearnShortcutsReply,
    LearnTipsReply,
    PermitReply,
    RecallReply,
    ShortcutWritten,
    StepWritten,
)
from manyhands.protocol.roles.memory import LONGEST_TIP, MOST_TIPS, Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import (
    LearnRequest,
    LearnShortcutsRequest,
    LearnTipsRequest,
    Permit,
    PermitRequest,
    RecallRequest,
    Recollection,
    ReplyContext,
    ShortcutsLearned,
    TipsLearned,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import harmless, one_line
from manyhands.protocol.screens.actions import ATOMS, RunShortcut
from manyhands.protocol.screens.argument_types import AxisArgument, Parameter, parameters
from manyhands.protocol.screens.geometry import Size


class Verifier(StepRole[PermitRequest, PermitReply, Permit]):
    """Answer yes or no, with a reason, before the first action of a shortcut is sent."""

    role = Role.PERMIT
    writes = PermitReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: PermitRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the current screen, the shortcut, its arguments and its precondition."""
        arguments = ", ".join(
            f"{name} = {one_line(value)}" for name, value in _written_arguments(prompts.dialect, request).items()
        )
        own: Parts = {
            "name": request.shortcut.name,
            "arguments": arguments,
            "description": or_none_yet(one_line(request.shortcut.description), "None"),
            "precondition": one_line(request.shortcut.precondition),
            "format": prompts.format(PermitReply, request.screenshot.size),
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen, request.screenshot), own=own)

    @classmethod
    def read(cls, reply: PermitReply, reply_context: ReplyContext, dialect: Dialect) -> Permit:
        """Return the verifier's answer and its reason."""
        return Permit(holds=reply.holds == "yes", reason=meant(reply.reason))


def _written_arguments(dialect: Dialect, request: PermitRequest) -> Mapping[str, str]:
    """Return the arguments as the operator wrote them: coordinates in the same space as the listed elements."""
    action = RunShortcut(shortcut=request.shortcut.name, arguments=request.arguments)
    encoded = write_action(action, dialect, request.screenshot.size, (request.shortcut,))
    return {argument["name"]: argument["value"] for argument in encoded["arguments"]}


_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[A-Za-z]\w*")


class Retriever(StepRole[RecallRequest, RecallReply, Recollection]):
    """Answer with the places of the tips and shortcuts that fit. Leave out places that do not exist."""

    role = Role.RECALL
    writes = RecallReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: RecallRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the goal, the tips with numbers, and the shortcuts with their purposes."""
        own: Parts = {"format": prompts.format(RecallReply, request.size)}
        return prompts.of_text(request, own)

    @classmethod
    def read(cls, reply: RecallReply, reply_context: ReplyContext, dialect: Dialect) -> Recollection:
        """Return which tips and shortcuts a reply chooses. The prompt numbers tips from 1; places count from 0."""
        places = {one.name: place for place, one in enumerate(reply_context.shortcuts)}
        tips = dict.fromkeys(int(digits) - 1 for digits in _NUMBER.findall(reply.tips) if len(digits) < 6)
        return Recollection(
            tips=tuple(place for place in tips if 0 <= place < reply_context.tips),
            shortcuts=tuple(dict.fromkeys(places[name] for name in _NAME.findall(reply.shortcuts) if name in places)),
        )


_WHOLE = re.compile(r"[0-9]{1,6}")
_NUMBERED = re.compile(r"^\s*(?:\d+\s*[.):、]|[-*•])\s*")
_THEIR_ARGUMENTS = {"app_name": "app"}
"""Arguments of actions that the authors' code names differently: the authors' name and ours."""


class TipsLearner(StepRole[LearnTipsRequest, LearnTipsReply, TipsLearned]):
    """Answer with the complete new list of tips (equation 8)."""

    role = Role.LEARN_TIPS
    writes = LearnTipsReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: LearnTipsRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show what the task did, and the current tips."""
        parts = {**_parts(prompts, request, LearnTipsReply), "condense": request.condense}
        return prompts.of_text(request, parts)

    @classmethod
    def read(cls, reply: LearnTipsReply, reply_context: ReplyContext, dialect: Dialect) -> TipsLearned:
        """Return the tips of a reply, one from each line.

        Raises ReplyUnusable for too many tips and for one that is too long.
        """
        lines = (_NUMBERED.sub("", line).strip() for line in reply.tips.splitlines())
        tips = tuple(line for line in lines if meant(line))
        if len(tips) > MOST_TIPS:
            raise ReplyUnusable(f"{len(tips)} tips; there may be {MOST_TIPS}")
        long = next((tip for tip in tips if len(tip) > LONGEST_TIP), None)
        if long is not None:
            raise ReplyUnusable(f"a tip has {len(long)} characters; it may have {LONGEST_TIP}: {long[:40]} ...")
        return TipsLearned(tips=tips)


class ShortcutsLearner(StepRole[LearnShortcutsRequest, LearnShortcutsReply, ShortcutsLearned]):
    """Answer with the new shortcuts that are worth keeping, if there are any (equation 9)."""

    role = Role.LEARN_SHORTCUTS
    writes = LearnShortcutsReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: LearnShortcutsRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show what the task did, and the current shortcuts."""
        parts = {
            **_parts(prompts, request, LearnShortcutsReply),
            "most": str(MOST_NEW_SHORTCUTS),
            "exact": request.paper_exact,
            "sequences": _sequences(prompts, request) if request.paper_exact else "",
        }
        return prompts.of_text(request, parts)

    @classmethod
    def read(cls, reply: LearnShortcutsReply, reply_context: ReplyContext, dialect: Dialect) -> ShortcutsLearned:
        """Return the shortcuts of a reply. Their literal coordinates become pixels of the phone's screen.

        Raises ReplyUnusable for invalid names or texts and for two shortcuts of one name, and OutsideScreen.
        """
        shortcuts = [_shortcut(one, reply_context.size, dialect) for one in reply.shortcuts]
        twice = next((name for name, count in Counter(one.name for one in shortcuts).items() if count > 1), None)
        if twice is not None:
            raise ReplyUnusable(f"two shortcuts are called {twice}")
        return ShortcutsLearned(shortcuts=tuple(shortcuts))


def _sequences(prompts: Prompts, request: LearnShortcutsRequest) -> str:
    """Return the atomic actions of each shortcut, as a learner writes them (L_S in equation 9)."""
    lines = []
    for shortcut in request.brief.shortcuts:
        steps = [
            {"name": step.name, "arguments_map": _in_model_units(step, request.size, prompts.dialect)}
            for step in shortcut.steps
        ]
        lines.append(f"{shortcut.name}: {harmless(one_line(json.dumps(steps, ensure_ascii=False)))}")
    return "\n".join(lines)


def _in_model_units(step: ShortcutStep, size: Size, dialect: Dialect) -> dict[str, Any]:
    """Return the arguments of a step. A place, a share of the screen, is written in the model's coordinates."""
    axes = {one.field: one.mark.name for one in _parameters(step.name) if isinstance(one.mark, AxisArgument)}

    def write(name: str, value: Any) -> Any:
        if name not in axes or not isinstance(value, float):
            return value
        x, y = to_model(dialect, round(value * size.width), round(value * size.height), size)
        return x if axes[name] == "x" else y

    return {name: write(name, value) for name, value in step.arguments_map.items()}


def _parameters(action: str) -> tuple[Parameter, ...]:
    return parameters(ATOMS[action]) if action in ATOMS else ()


def _shortcut(reply: ShortcutWritten, size: Size, dialect: Dialect) -> Shortcut:
    try:
        return Shortcut(
            name=reply.name,
            arguments=tuple(reply.arguments),
            description=" ".join(reply.description.split()),
            precondition=" ".join(reply.precondition.split()),
            steps=tuple(
                ShortcutStep(
                    name=step.name,
                    arguments_map=_in_pixels(step, reply.arguments, size, dialect),
                )
                for step in reply.atomic_action_sequence
            ),
        )
    except ValidationError as error:
        raise ReplyUnusable(explain(error, Shortcut)) from error


def _in_pixels(
    step: StepWritten, arguments: Sequence[str], size: Size, dialect: Dialect
) -> dict[str, str | int | float | bool]:
    arguments_map = {_THEIR_ARGUMENTS.get(name, name): value for name, value in (step.arguments_map or {}).items()}
    mapped: dict[str, str | int | float | bool] = dict(arguments_map)
    axes = {one.field: one.mark.name for one in _parameters(step.name) if isinstance(one.mark, AxisArgument)}
    for name, axis in axes.items():
        value = arguments_map.get(name, "")
        if value not in arguments and _WHOLE.fullmatch(value):
            x, y = to_pixel(dialect, int(value), 0, size) if axis == "x" else to_pixel(dialect, 0, int(value), size)
            mapped[name] = x if axis == "x" else y
    return mapped


def _parts(prompts: Prompts, request: LearnRequest[Any], reply: type[Reply]) -> Parts:
    history = prompts.history(request.history, request.size, request.brief.shortcuts, whole=True)
    return {
        "plan": or_none_yet(request.plan),
        "progress": or_none_yet(request.progress),
        "history": history or "None",
        "future": "\n".join(f"- {one_line(goal)}" for goal in request.future) or None,
        "refused": one_line(request.refused) or None,
        "actions": prompts.action_list,
        "exact": prompts.paper_exact,
        "format": prompts.format(reply, request.size),
    }
