"""The public API: its keywords are those of the settings, its packages are typed, its tasks have ids of their own."""

from __future__ import annotations

import ast
import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

import manyhands
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import tasks_from_goals

ROOT = Path(__file__).parents[3]


def test_public_names_are_those_of_type_checkers_and_of_the_page() -> None:
    source = (ROOT / "manyhands" / "__init__.py").read_text()
    typed = [
        (str(node.module), alias.name, alias.asname)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("manyhands.")
        for alias in node.names
    ]
    names = [name for _, name, _ in typed]
    assert [again for _, _, again in typed] == names
    for module, name, _ in typed:
        assert getattr(manyhands, name) is getattr(importlib.import_module(module), name)
    assert {name for name in dir(manyhands) if name in names} == set(names) == set(manyhands._MODULES)
    page = (ROOT / "docs" / "api.md").read_text()
    assert [name for name in names if f"`{name}" not in page] == []


def test_a_star_imports_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from manyhands import *", names)
    assert names.keys() - {"__builtins__"} == set(manyhands._MODULES)


async def test_errors_of_a_fleet_name_what_its_caller_wrote() -> None:
    misspelt: Any = {"profile": "e"}
    with pytest.raises(
        BadInput, match=r"unknown key 'profile'; write it under 'episode': episode: \{profile: \.\.\.\}"
    ):
        Fleet(**misspelt)
    for fleet, name in (
        (Fleet(mllm_url=["a:8000"]), "mllm_url"),
        (Fleet(FleetSettings(mllm_url=("a:8000",))), "--mllm-url"),
    ):
        with pytest.raises(BadInput, match=f"^{name}: 'a:8000' is no http"):
            await fleet.__aenter__()


def test_a_fleet_takes_settings_or_keywords() -> None:
    with pytest.raises(TypeError, match="not both: hosts"):
        Fleet(FleetSettings(), hosts=2)


def test_every_shipped_package_is_typed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    shipped = [name.removesuffix("*") for name in settings["packages"]["find"]["include"]]
    assert shipped == ["manyhands"]
    assert [name for name in shipped if not (ROOT / name / "py.typed").is_file()] == []
    assert "py.typed" in settings["package-data"]["*"]


def test_goals_are_counted_from_a_number_on() -> None:
    assert [task.id for task in tasks_from_goals(["a", "b"], 7)] == ["goal-7", "goal-8"]
