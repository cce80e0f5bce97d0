"""Define a paper's instruction: its words, its place in the paper, and what a phone needs for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from manyhands.protocol.base import Input
from manyhands.protocol.tasks.task import Rubric
from manyhands.protocol.tasks.variables import PLACEHOLDER
from manyhands.protocol.utilities.yaml_document import YamlInvalid, YamlProblem

_NOT_IN_A_SCOPE = re.compile(r"\W+")


class Level(StrEnum):
    """Name the difficulty of an instruction, in the words of its paper."""

    SIMPLE = "simple"
    MORE_REQUIRED = "more_required"
    ABSTRACT = "abstract"
    BASIC = "basic"
    ADVANCED = "advanced"
    SINGLE_APP = "single_app"
    MULTI_APP = "multi_app"


class AppKind(StrEnum):
    """Name a kind of app that an instruction needs. Virtual phones do not have all kinds."""

    SETTINGS = "settings"
    NOTES = "notes"
    MESSAGES = "messages"
    BROWSER = "browser"
    SHOP = "shop"
    CALENDAR = "calendar"
    MAPS = "maps"
    """Places with ratings, opening hours and phone numbers."""
    TRAVEL = "travel"
    TICKETS = "tickets"
    FOOD_ORDERS = "food_orders"
    VIDEOS = "videos"
    FEEDS = "feeds"
    CAMERA = "camera"
    MAPS_WITH_ROUTES = "maps_with_routes"
    APP_MARKET = "app_market"
    MAIL = "mail"
    CALLS = "calls"
    """Calls and contacts."""
    MUSIC = "music"
    MORE_SHOPS = "more_shops"
    """A second and a third shop, to compare prices."""
    ALARMS = "alarms"
    CALENDAR_ENTRIES = "calendar_entries"
    PHONE_MANAGER = "phone_manager"


class Instruction(Input):
    """Hold one instruction of a paper."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")
    """The name of the set, a dot, and the instruction's name in the set."""
    text: str = Field(min_length=1, max_length=4000)
    """The printed text, with ``${name}`` for parts that the paper leaves open."""
    variables: dict[str, str] = Field(default_factory=dict)
    """What the paper prints for each ``${name}``."""
    section: str = ""
    """System app, External app or Multi-app, if the paper's table is divided in this way."""
    row: str = ""
    """The row of the table, which is an app; empty if the table has scenarios."""
    scenario: str = ""
    """The scenario. Its tasks run in order, and each is given what the earlier ones taught (Mobile-Agent-E, section
    4.3). Empty if the paper has no scenarios."""
    level: Level
    apps: tuple[str, ...] = ()
    """The apps that the instruction is about, by the paper's names."""
    kinds: tuple[AppKind, ...] = ()
    content: str = ""
    """The content that had to be added to virtual phones for it."""
    instead: Literal["web"] | None = None
    """``web`` if virtual phones have web pages instead of the app."""
    task: str | None = None
    """The task of ``simulator/suites/`` that plays it."""
    differs: str = ""
    """How the task's request differs from the instruction's. Empty if only names differ."""
    waits_for: tuple[AppKind, ...] = ()
    """Kinds of apps that virtual phones lack and the instruction needs."""
    rubrics: tuple[Rubric, ...] = ()
    """Milestones in words for a judge, each with its origin."""
    human_operations: tuple[str, ...] = ()
    """The operations of a human, in words."""
    human_steps: int | None = Field(default=None, ge=1)
    """The number of operations of a human, if the paper prints only the number."""

    @property
    def part(self) -> str | None:
        """Return the cell of its paper's table that counts it: the kind of app, or else the app, and the level.

        None if the paper's table has scenarios.
        """
        where = self.section or self.row
        return f"{where}, {self.level.value}" if where else None

    @property
    def is_multi_app(self) -> bool:
        return "multi-app" in (self.section.casefold(), self.row.casefold()) or self.level is Level.MULTI_APP

    @property
    def memory_scope(self) -> str | None:
        """Return the scope that the tasks of its scenario share; None without a scenario."""
        return _NOT_IN_A_SCOPE.sub("_", self.scenario.casefold()).strip("_") or None

    @property
    def printed(self) -> str:
        """Return the text as the paper prints it."""
        return self.filled(self.variables)

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with a value in place of each variable. ``values`` must have all of them."""
        return PLACEHOLDER.sub(lambda match: values[match[1]], self.text)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        mistakes = []
        if bool(self.row) == bool(self.scenario):
            mistakes.append(YamlProblem(("row",), f"{self.id}: needs either a 'row' or a 'scenario'"))
        if set(PLACEHOLDER.findall(self.text)) != set(self.variables):
            mistakes.append(YamlProblem(("variables",), f"{self.id}: the variables are not those of the text"))
        if self.task is not None and self.waits_for:
            mistakes.append(YamlProblem(("task",), f"{self.id}: has a task, and waits for {', '.join(self.waits_for)}"))
        if self.differs and self.task is None:
            mistakes.append(YamlProblem(("differs",), f"{self.id}: 'differs' needs a 'task'"))
        if missing := set(self.waits_for) - set(self.kinds):
            mistakes.append(
                YamlProblem(("waits_for",), f"{self.id}: {', '.join(sorted(missing))} is none of its 'kinds'")
            )
        if mistakes:
            raise YamlInvalid(mistakes)
        return self


class InstructionSet(Input):
    """Hold the instructions of one table of a paper, in order."""

    name: str = Field(pattern=r"^[a-z0-9_.]{1,40}$")
    title: str
    source: str
    """The paper and its table."""
    language: Literal["en", "zh"]
    instructions: Annotated[tuple[Instruction, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _has_each_once(self) -> Self:
        mistakes, ids = [], set[str]()
        for index, one in enumerate(self.instructions):
            at = ("instructions", index, "id")
            if not one.id.startswith(f"{self.name}."):
                mistakes.append(YamlProblem(at, f"{one.id}: begins with the name of its set, {self.name!r}, and a dot"))
            if one.id in ids:
                mistakes.append(YamlProblem(at, f"{one.id}: stands twice"))
            ids.add(one.id)
        if mistakes:
            raise YamlInvalid(mistakes)
        return self
