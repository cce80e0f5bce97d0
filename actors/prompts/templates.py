"""Loads the templates and renders a prompt: what is the same for all roles first, then pictures, then text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import jinja2

from actors.frames import ModelImage
from actors.mllm import Prompt
from protocol import sections
from protocol.base import Role
from protocol.runs import Profile
from protocol.sections import Section


class Prompts:
    """The templates of one profile."""

    def __init__(self, profile: Profile = "e") -> None:
        self._profile = profile

    def render(self, role: Role, images: tuple[ModelImage, ...], parts: Mapping[str, str | bool]) -> Prompt:
        """A prompt from the parts that ``actors.prompts.parts`` makes, images in the order they were taken.

        Raises jinja2.UndefinedError where a template names a part that is not given.
        """
        template = self._environment.get_template(f"{self._profile}/{role.value}.jinja")
        return Prompt(system=self._system, images=images, text=template.render(parts).strip())

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader("actors.prompts", package_path=""),
            undefined=jinja2.StrictUndefined,
            autoescape=False,
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

    @cached_property
    def _system(self) -> str:
        return self._environment.get_template("system.jinja").render().strip()
