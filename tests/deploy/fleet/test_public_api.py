"""The public API: its keywords are those of the settings, its packages are typed, its tasks have ids of their own."""

from __future__ import annotations

import tomllib
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.fleet.inputs import tasks_from_goals
from manyhands.deploy.fleet.options import FleetOptions
from manyhands.deploy.fleet.settings import FleetSettings

ROOT = Path(__file__).parents[3]


def taken(annotation: Any) -> Any:
    """What a keyword takes for a setting of this type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Path:
        return Path | str
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation | Mapping[str, Any]
    if origin in (Union, types.UnionType):
        return Union[tuple(taken(argument) for argument in arguments)]  # noqa: UP007 - of types that are not known here
    if origin is tuple:
        return Sequence[arguments[0]]  # type: ignore[valid-type]
    if origin is dict:
        return Mapping[str, taken(arguments[1])]  # type: ignore[misc]
    return annotation


def test_the_keywords_of_a_fleet_are_the_fields_of_its_settings() -> None:
    expected = {name: taken(field.annotation) for name, field in FleetSettings.model_fields.items()}
    assert get_type_hints(FleetOptions) == expected


def test_a_fleet_takes_settings_or_keywords() -> None:
    with pytest.raises(TypeError, match="not both: hosts"):
        Fleet(FleetSettings(), hosts=2)


def test_every_shipped_package_is_typed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    shipped = [name.removesuffix("*") for name in settings["packages"]["find"]["include"]]
    assert len(shipped) == 5
    assert [name for name in shipped if not (ROOT / name / "py.typed").is_file()] == []
    assert "py.typed" in settings["package-data"]["*"]


def test_goals_are_counted_from_a_number_on() -> None:
    assert [task.id for task in tasks_from_goals(["a", "b"], 7)] == ["goal-7", "goal-8"]
