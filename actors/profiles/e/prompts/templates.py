"""Makes each role's prompt from its request: what changes least comes first, so that servers find it in their caches.

One system text for all roles and episodes; then what stays the same over an episode; then each picture, with the
elements that were found on it right after it; then what is the role's own. The orders that were tried on a real
engine are in docs/prompts.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import jinja2

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.formats import OutputFormat, action_lines, format_body
from manyhands.actors.profiles.e.prompts.parts import (
    brief_parts,
    decide_parts,
    note_parts,
    plan_parts,
    reflect_parts,
    screen_parts,
)
from manyhands.protocol import sections
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import STEP_ROLES, Brief, DecideRequest, NoteRequest, PlanRequest, ReflectRequest
from manyhands.protocol.screens import Screen
from manyhands.protocol.sections import Section


class Prompts:
    """The prompts for models of one dialect, which write in one output format."""

    def __init__(self, dialect: Dialect, output: OutputFormat = "json") -> None:
        self._dialect = dialect
        self._output: OutputFormat = output
        self._systems: dict[Size, str] = {}

    def plan(self, request: PlanRequest, image: ModelImage) -> Prompt:
        """The screen now, without its elements: the planner need not wait for them (Mobile-Agent-E, equation 1)."""
        own = self._text("plan", plan_parts(request, self._dialect))
        return self._prompt(request.brief, request.screenshot.size, image, own)

    def decide(self, request: DecideRequest, image: ModelImage) -> Prompt:
        """The screen now and its elements (Mobile-Agent-E, equation 4)."""
        own = self._text("decide", decide_parts(request, self._dialect))
        return self._prompt(request.brief, request.screen.size, image, self._listed(request.screen), own)

    def reflect(self, request: ReflectRequest, before: ModelImage, after: ModelImage) -> Prompt:
        """The screen before with its elements, as the operator saw it, then the one after (equation 6)."""
        own = self._text("reflect", reflect_parts(request, self._dialect, self._output))
        listed = self._listed(request.screen_before)
        return self._prompt(request.brief, request.before.size, before, listed, after, own)

    def note(self, request: NoteRequest, image: ModelImage) -> Prompt:
        """The screen after the action and its elements (equation 7)."""
        own = self._text("note", note_parts(request))
        return self._prompt(request.brief, request.screen.size, image, self._listed(request.screen), own)

    def caption(self, sheet: ModelImage, count: int) -> Prompt:
        """``count`` icons in one picture, numbered from 1; it shares nothing with the prompts of a step."""
        return Prompt(system="", content=(sheet, self._text("caption", {"count": str(count)})))

    def _prompt(self, brief: Brief, size: Size, *shown: str | ModelImage) -> Prompt:
        first = self._text("brief", brief_parts(brief))
        return Prompt(system=self._system(self._dialect.extent(size)), content=(first, *shown))

    def _listed(self, screen: Screen) -> str:
        return self._text("screen", screen_parts(screen, self._dialect))

    def _text(self, name: str, parts: Mapping[str, str | bool]) -> str:
        return self._environment.get_template(f"{name}.jinja").render(parts).strip()

    def _system(self, extent: Size) -> str:
        """What is the same for all roles and episodes, for screens of one extent in the model's units."""
        if extent not in self._systems:
            formats = {role.spec.agent: format_body(role, self._output, extent) for role in STEP_ROLES}
            template = self._environment.get_template("system.jinja")
            self._systems[extent] = template.render(
                coordinates=self._dialect.explanation, actions=action_lines(), formats=formats
            ).strip()
        return self._systems[extent]

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader("manyhands.actors.profiles.e.prompts", package_path=""),
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals.update(
            heading={section.name: sections.heading(section) for section in Section},
            stuck_name=Section.STUCK.value,
            FENCE_OPEN=sections.FENCE_OPEN,
            FENCE_CLOSE=sections.FENCE_CLOSE,
        )
        return environment
