"""The verifier: whether the precondition of a shortcut holds on the screen (Mobile-Agent-E, appendix C.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts, or_none_yet
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.actions import RunShortcut
from manyhands.protocol.learners import PermitReply
from manyhands.protocol.roles import Known, Permit, PermitRequest, Role
from manyhands.protocol.sections import one_line


class Verifier(StepRole[PermitRequest, PermitReply, Permit]):
    """Answers yes or no, with a reason, before the first action of a shortcut is sent."""

    role = Role.PERMIT
    writes = PermitReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: PermitRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the screen now, what is to be used on it, and its precondition."""
        given = ", ".join(f"{name} = {one_line(value)}" for name, value in _written(prompts.dialect, request).items())
        own: Parts = {
            "name": request.shortcut.name,
            "arguments": given,
            "description": or_none_yet(one_line(request.shortcut.description), "None"),
            "precondition": one_line(request.shortcut.precondition),
            "format": prompts.format(PermitReply, request.screenshot.size),
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen, request.screenshot), own=own)

    @classmethod
    def read(cls, reply: PermitReply, known: Known, dialect: Dialect) -> Permit:
        """Return what a reply means."""
        return Permit(holds=reply.holds == "yes", reason=meant(reply.reason))


def _written(dialect: Dialect, request: PermitRequest) -> Mapping[str, str]:
    """Return the arguments as the operator wrote them: its coordinates are those of the elements that are listed."""
    action = RunShortcut(shortcut=request.shortcut.name, arguments=request.arguments)
    written = write_action(action, dialect, request.screenshot.size, (request.shortcut,))
    return {argument["name"]: argument["value"] for argument in written["arguments"]}
