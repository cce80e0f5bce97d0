"""Ask the planner of ``native``. It is asked in a few steps only, outside the chat."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import brief_parts
from manyhands.actors.roles import Planner
from manyhands.protocol.roles.requests import PlanRequest


class ChatPlanner(Planner):
    """Plan with a system text of its own, because the chat's is for the agent."""

    @classmethod
    def prompt(cls, prompts: Prompts, request: PlanRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the current screen, and what is known of the task."""
        own = {
            **cls.parts(prompts, request),
            "told": request.brief.told,
            "format": prompts.format(cls.writes, request.screenshot.size),
        }
        brief = prompts.text("brief", brief_parts(request.brief))
        return Prompt(prompts.text("plan_system", {}), (brief, *images, prompts.text(cls.role.value, own)))
