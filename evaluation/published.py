"""Read the figures that the papers published, to show them beside ours. They are of other models, phones and apps."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Self

import yaml
from pydantic import Field, model_validator

from manyhands.evaluation.metrics.table import METRICS
from manyhands.protocol.base import Input

OF_OTHERS = "of other models, phones and apps"
DATA = Path(__file__).with_name("published.yaml")

Cell = str | float | None
LEVELS = ("simple", "more_required", "abstract")
"""The levels of Mobile-Agent's instructions 1, 2 and 3."""
INSTRUCTIONS_TABLE = ("v1", 2)
"""The paper and number of the table whose instructions ``instructions`` holds."""
INSTRUCTION_FIGURES = ("SR", "PS", "RE agent", "RE human", "CR")
"""The metrics in ``instructions``, in their order."""


class Paper(Input):
    title: str
    arxiv: str
    phones: str


class PublishedRow(Input):
    """Be a row in a table of a paper."""

    system: str
    model: str
    set: str
    level: str | None
    figures: dict[str, float]
    """By our name of the metric."""


class PublishedTable(Input):
    """Hold those columns of a paper's table that are metrics of ours."""

    paper: str
    table: int
    note: str = ""
    counts: dict[str, int] = Field(default_factory=dict)
    """How many instructions a set has at one level, in tables whose shares are of few instructions."""
    figures: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        unknown = set(self.figures) - set(METRICS)
        if unknown:
            raise ValueError(f"no such metric: {', '.join(sorted(unknown))}")
        for row in self.rows:
            if len(row) != 4 + len(self.figures):
                raise ValueError(f"{row}: a row is system, model, set, level and {len(self.figures)} figures")
        return self

    def read(self) -> tuple[PublishedRow, ...]:
        """Return the rows with a name for each value."""
        rows = []
        for system, model, tasks, level, *values in self.rows:
            figures = {name: value for name, value in zip(self.figures, values, strict=True) if value is not None}
            row = {"system": system, "model": model, "set": tasks, "level": level, "figures": figures}
            rows.append(PublishedRow.model_validate(row))
        return tuple(rows)


class SuiteSize(Input):
    """Hold the size of a set of instructions, in the columns of Mobile-Agent-E's table 2."""

    tasks: int
    multi_app: int
    apps: int
    operations: int | None
    """A human's operations; None if nobody counted them."""


class Published(Input):
    papers: dict[str, Paper]
    tables: tuple[PublishedTable, ...]
    instructions: dict[str, dict[str, tuple[float, float, float, float, float]]]
    """Mobile-Agent, table 2. By row and level: whether it was done, PS, steps of the agent, steps of a human, CR."""
    sets: dict[str, SuiteSize]
    """The sizes of sets in Mobile-Agent-E, table 2."""

    def table(self, paper: str, number: int) -> PublishedTable:
        """Return a table of a paper. Raises KeyError for an unknown one."""
        for one in self.tables:
            if (one.paper, one.table) == (paper, number):
                return one
        raise KeyError(f"{paper}, table {number}")

    def instruction_rows(self, parts: Container[str]) -> Iterator[PublishedRow]:
        """Yield the rows of Mobile-Agent's table 2 for some parts, such as ``Gmail, simple``."""
        for app, levels in self.instructions.items():
            for level, (success_rates, *others) in levels.items():
                if f"{app}, {level}" in parts:
                    figures = dict(zip(INSTRUCTION_FIGURES, (success_rates, *others), strict=True))
                    yield PublishedRow(system="v1", model="GPT-4V", set=app, level=level, figures=figures)


@cache
def published() -> Published:
    """Return the papers' published figures."""
    data: Mapping[str, object] = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    return Published.model_validate(data)
