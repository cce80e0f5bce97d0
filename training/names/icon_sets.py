"""Icons of open icon sets, in Iconify's JSON form, as SVG texts with their classes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from training.names.classes import OTHER, Classes

Use = Literal["train", "choose", "holdout"]
HERE = Path(__file__).parent
MODULES = HERE / "node_modules" / "@iconify-json"
OTHERS_OF_A_SET = 900
"""Icons without a name that are taken from a set: some sets have ten thousand."""
OF_A_CLASS_AND_SET = 24
"""Icons of one class that are taken from a set, which may have 80 clocks or battery levels."""


@dataclass(frozen=True)
class IconSet:
    name: str
    use: Use
    licence: str
    colour: bool = False
    brand: bool = False


@dataclass(frozen=True)
class Icon:
    """Hold one icon. ``svg``: a whole SVG whose colour is black, or its own (``colour``)."""

    set: str
    name: str
    label: str
    colour: bool
    svg: str


def icon_sets(path: Path = HERE / "sets.yaml") -> list[IconSet]:
    """Read the list of icon sets. Raises OSError, and KeyError for a set without its use or licence."""
    read = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return [
        IconSet(name, row["use"], row["licence"], colour=row.get("colour") == "true", brand=row.get("brand") == "true")
        for name, row in read.items()
    ]


def icons_of(one: IconSet, classes: Classes, seed: int, modules: Path = MODULES) -> Iterator[Icon]:
    """Yield the icons of a set that have a class, in an order drawn by ``seed``, within the two limits above.

    Raises FileNotFoundError where the set is not installed.
    """
    path = modules / one.name / "icons.json"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: run `npm ci` in {HERE}")
    data = json.loads(path.read_text(encoding="utf-8"))
    rows = list(data["icons"].items())
    rows += [(name, {**data["icons"][row["parent"]], **row}) for name, row in _plain_aliases(data)]
    random.Random(f"{seed}:{one.name}").shuffle(rows)
    taken: dict[str, int] = {}
    drawn: set[tuple[str, str]] = set()
    for name, row in rows:
        label = OTHER if one.brand else classes.of(one.name, name)
        if label is None or row.get("hidden") or "<animate" in row["body"] or (label, row["body"]) in drawn:
            continue
        drawn.add((label, row["body"]))
        taken[label] = taken.get(label, 0) + 1
        if taken[label] <= (OTHERS_OF_A_SET if label == OTHER else OF_A_CLASS_AND_SET):
            yield Icon(one.name, name, label, one.colour, _svg(row, data))


def _plain_aliases(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield second names of drawings; those that turn or mirror one are left out."""
    for name, row in data.get("aliases", {}).items():
        turned = {"rotate", "hFlip", "vFlip"} & row.keys()
        if not turned and row["parent"] in data["icons"]:
            yield name, row


def _svg(row: dict[str, Any], data: dict[str, Any]) -> str:
    width, height = (row.get(key, data.get(key, 16)) for key in ("width", "height"))
    left, top = row.get("left", 0), row.get("top", 0)
    body = row["body"].replace("currentColor", "#000")
    view = f"{left} {top} {width} {height}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width}" height="{height}">{body}</svg>'
