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
from manyhands.actors.mllm.formats import OutputFormat, action_lines, format_body
from manyhands.actors.prompts.parts import Parts, brief_parts, screen_parts
from manyhands.protocol import sections
from manyhands.protocol.base import Reply
from manyhands.protocol.geometry import Size
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.replies import OUR_ACTIONS, ActingReply, ActionSet
from manyhands.protocol.requests import Request
from manyhands.protocol.roles import USUAL_REPLIES
from manyhands.protocol.screens import Screen, Screenshot
from manyhands.protocol.sections import Section


class Prompts:
    """The prompts of one profile, for models of one dialect that write in one output format."""

    def __init__(
        self,
        dialect: Dialect,
        output: OutputFormat = "json",
        package: str = "manyhands.actors.profiles.e",
        replies: Sequence[type[Reply]] = USUAL_REPLIES,
    ) -> None:
        """``package``: the profile's, with templates in its folder ``prompts``; those of roles that are the same in all
        profiles are in our own folder ``shared``. ``replies``: what its roles write."""
        self.dialect = dialect
        self.output: OutputFormat = output
        self._package = package
        self._replies = replies
        self._systems: dict[Size, str] = {}

    def of_step(self, request: Request[Any], *shown: str | ModelImage, own: Parts) -> Prompt:
        """Return the prompt of a step's role: what is ``shown``, then its own part, from the template of its name."""
        first = self.text("brief", brief_parts(request.brief))
        system = self.system(request.known.size)
        own = {**own, "shortcuts": "shortcuts" in request.brief.told}
        return Prompt(system=system, content=(first, *shown, self.text(request.role.value, own)))

    def of_text(self, request: Request[Any], own: Parts) -> Prompt:
        """Return the prompt of a role that sees no screen: what it is told of the task, then its own part.

        It shares nothing with the prompts of a step.
        """
        return Prompt("", (self.text("brief", brief_parts(request.brief)), self.text(request.role.value, own)))

    def format(self, reply: type[Reply], size: Size) -> str:
        """Return how a reply is to be written that the system text does not explain, for screenshots of one size."""
        return format_body(reply, self.output, self.dialect.extent(size))

    @property
    def action_list(self) -> str:
        """Return what the operator's actions do, one a line."""
        return action_lines(self.actions)

    def listed(self, screen: Screen | None, screenshot: Screenshot) -> str:
        """Return what follows a picture: the elements on it, where they are listed, and what the keyboard does."""
        return self.text("screen", screen_parts(screen, screenshot, self.dialect))

    def text(self, name: str, parts: Parts) -> str:
        """Return a template with its parts filled in."""
        return self._environment.get_template(f"{name}.jinja").render(parts).strip()

    def system(self, screenshot: Size) -> str:
        """Return what is the same for all roles and episodes, for screenshots of one size."""
        extent = self.dialect.extent(screenshot)
        if extent not in self._systems:
            writers = {reply: registered_profiles().writer_of(reply) for reply in self._replies}
            formats = {role.spec.agent: format_body(reply, self.output, extent) for reply, role in writers.items()}
            template = self._environment.get_template("system.jinja")
            self._systems[extent] = template.render(
                coordinates=self.dialect.explanation, actions=action_lines(self.actions), formats=formats
            ).strip()
        return self._systems[extent]

    @cached_property
    def actions(self) -> ActionSet:
        """The actions that the profile's operator chooses from."""
        return next((reply.actions for reply in self._replies if issubclass(reply, ActingReply)), OUR_ACTIONS)

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader(
                [
                    jinja2.PackageLoader(self._package, package_path="prompts"),
                    jinja2.PackageLoader("manyhands.actors.prompts", package_path="shared"),
                ]
            ),
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
