"""Renders a profile's templates: what changes least comes first, so that servers find it in their caches.

One system text for all roles and episodes; then what stays the same over an episode; then each picture, with the
elements that were found on it right after it; then the role's own part. The orders that were tried on a real
engine are in docs/prompts.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import jinja2

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.formats import OutputFormat, action_lines, format_body
from manyhands.actors.prompts.parts import Parts, brief_parts, screen_parts
from manyhands.protocol import sections
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import STEP_ROLES, Request, Role
from manyhands.protocol.screens import Screen
from manyhands.protocol.sections import Section


class Prompts:
    """The prompts of one profile, for models of one dialect that write in one output format."""

    def __init__(
        self,
        dialect: Dialect,
        output: OutputFormat = "json",
        package: str = "manyhands.actors.profiles.e",
        roles: Sequence[Role] = STEP_ROLES,
    ) -> None:
        """``package``: the profile's, with templates in its folder ``prompts``. ``roles``: those that it asks."""
        self.dialect = dialect
        self.output: OutputFormat = output
        self._package = package
        self._roles = roles
        self._systems: dict[Size, str] = {}

    def of_step(self, request: Request[Any], *shown: str | ModelImage, own: Parts) -> Prompt:
        """Return the prompt of a step's role: what is ``shown``, then its own part, from the template of its name."""
        first = self.text("brief", brief_parts(request.brief))
        system = self.system(request.screenshots[0].size)
        return Prompt(system=system, content=(first, *shown, self.text(request.role.value, own)))

    def listed(self, screen: Screen) -> str:
        """Return the elements of a screen, as they follow its picture."""
        return self.text("screen", screen_parts(screen, self.dialect))

    def text(self, name: str, parts: Parts) -> str:
        """Return a template with its parts filled in."""
        return self._environment.get_template(f"{name}.jinja").render(parts).strip()

    def system(self, screenshot: Size) -> str:
        """Return what is the same for all roles and episodes, for screenshots of one size."""
        extent = self.dialect.extent(screenshot)
        if extent not in self._systems:
            formats = {role.spec.agent: format_body(role, self.output, extent) for role in self._roles}
            template = self._environment.get_template("system.jinja")
            self._systems[extent] = template.render(
                coordinates=self.dialect.explanation, actions=action_lines(), formats=formats
            ).strip()
        return self._systems[extent]

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader(self._package, package_path="prompts"),
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
