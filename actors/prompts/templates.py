"""Render a profile's templates. The parts that change least come first, so that servers find them in their caches.

A prompt begins with one system text for all roles and episodes. Then come the texts that stay the same during an
episode, then each picture followed by its elements, then the role's own part. docs/prompts.md compares this order with
others, measured on a real engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any

import jinja2

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.formats import OutputFormat, action_lines, format_body
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.prompts.parts import Parts, app_in_front, brief_parts, history, screen_parts, screen_text
from manyhands.protocol.base import Reply
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles import sections
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.replies import OUR_ACTIONS, ActingReply, ActionSet
from manyhands.protocol.roles.requests import PastAction, Request
from manyhands.protocol.roles.role import USUAL_REPLIES
from manyhands.protocol.roles.sections import Section
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot


class Prompts:
    """Hold the prompts of one profile, for models of one dialect and one output format."""

    def __init__(
        self,
        dialect: Dialect,
        output: OutputFormat = "json",
        package: str = "manyhands.actors.profiles.e",
        replies: Sequence[type[Reply]] = USUAL_REPLIES,
        *,
        paper_exact: bool = False,
    ) -> None:
        """Load the templates.

        ``package``: the profile's package, with templates in its folder ``prompts``. Templates of roles that are the
        same in all profiles are in the folder ``shared`` of this package. ``replies``: the types of the replies that
        the profile's roles write. ``paper_exact``: whether templates in the folder ``prompts/paper_exact`` of the
        package come before those of the same name.
        """
        self.dialect = dialect
        self.output: OutputFormat = output
        self._package = package
        self._replies = replies
        self.paper_exact = paper_exact
        self._systems: dict[Size, str] = {}

    def of_step(self, request: Request[Any], *parts: str | ModelImage, own: Parts) -> Prompt:
        """Return the prompt of a step's role: the brief, its ``parts``, then the text of the role's template."""
        first = self.text("brief", brief_parts(request.brief))
        system = self.system(request.reply_context.size)
        own = {**own, "shortcuts": "shortcuts" in request.brief.told, "circling": request.circling}
        return Prompt(system=system, content=(first, *parts, self.text(request.role.value, own)))

    def of_text(self, request: Request[Any], own: Parts) -> Prompt:
        """Return the prompt of a role that sees no screen: the brief of the task, then the role's own part.

        The prompt shares nothing with the prompts of a step.
        """
        return Prompt("", (self.text("brief", brief_parts(request.brief)), self.text(request.role.value, own)))

    def format(self, reply: type[Reply], size: Size) -> str:
        """Return how to write a reply that the system text does not explain, for screenshots of one size."""
        return format_body(reply, self.output, self.dialect.extent(size))

    @property
    def action_list(self) -> str:
        """Return descriptions of the actions of shortcuts, one on each line: no later screen has the same elements."""
        return action_lines(self.actions if self.paper_exact else self.actions.less(("Tap_Element",)))

    def listed(self, screen: Screen | None, screenshot: Screenshot) -> str:
        """Return the text after a picture: its elements, if they are listed, and the state of the keyboard."""
        return self.text("screen", screen_parts(screen, screenshot, self.dialect, paper_exact=self.paper_exact))

    def screen_text(self, screen: Screen, screenshot: Screenshot) -> str:
        """Return a screen's extent, remarks about it, and its elements. ``screenshot`` tells the app in front."""
        app = app_in_front(screenshot)
        return screen_text(screen, self.dialect, paper_exact=self.paper_exact, app=app)

    def app_in_front(self, screenshot: Screenshot) -> str:
        """Return the app in front as ``parts`` does; empty with ``paper_exact``."""
        return "" if self.paper_exact else app_in_front(screenshot)

    def history(
        self, past: Sequence[PastAction], size: Size, shortcuts: Sequence[Shortcut], whole: bool = False
    ) -> str:
        """Return past actions, one on each line. ``size``: the size of the screens that they were sent on.

        ``whole``: with what was expected also of actions that went as expected, as always with ``paper_exact``.
        """
        exact = self.paper_exact
        return history(past, self.dialect, size, shortcuts, self.actions, paper_exact=exact, whole=whole or exact)

    def action(self, action: Action, size: Size, shortcuts: Sequence[Shortcut] = ()) -> dict[str, Any]:
        """Return the JSON object by which the operator would write an action, for screenshots of one size."""
        return write_action(action, self.dialect, size, shortcuts, self.actions)

    def text(self, name: str, parts: Parts) -> str:
        """Return a template with its parts filled in."""
        return self._environment.get_template(f"{name}.jinja").render(parts).strip()

    def system(self, screenshot: Size) -> str:
        """Return the system text, the same for all roles and episodes, for screenshots of one size."""
        extent = self.dialect.extent(screenshot)
        if extent not in self._systems:
            writers = {reply: registered_profiles().writer_of(reply) for reply in self._replies}
            formats = {role.spec.agent: format_body(reply, self.output, extent) for reply, role in writers.items()}
            template = self._environment.get_template("system.jinja")
            self._systems[extent] = template.render(
                coordinates=self.dialect.explanation,
                actions=action_lines(self.actions),
                formats=formats,
                shortcuts=self.actions.shortcuts,
            ).strip()
        return self._systems[extent]

    @cached_property
    def actions(self) -> ActionSet:
        """Return the actions that the profile's operator may choose."""
        return next((reply.actions for reply in self._replies if issubclass(reply, ActingReply)), OUR_ACTIONS)

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader(
                [
                    *(self._paper_templates() if self.paper_exact else ()),
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
            answer_name=Section.ANSWER.value,
            statement_name=Section.STATEMENT.value,
            FENCE_OPEN=sections.FENCE_OPEN,
            FENCE_CLOSE=sections.FENCE_CLOSE,
        )
        return environment

    def _paper_templates(self) -> tuple[jinja2.BaseLoader, ...]:
        """Return the loader of the profile's templates for ``paper_exact``, if it has any."""
        folder = "prompts/paper_exact"
        return (jinja2.PackageLoader(self._package, folder),) if files(self._package).joinpath(folder).is_dir() else ()
