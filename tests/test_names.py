"""Names of the product: a class name stands once; no module or class is named by a participle or function word."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = ("actors", "protocol", "deploy", "service", "evaluation", "rollouts", "benchmarks")
WORDS = """
about again alone among anew around away before begun behind being beside captured coming course derived
described  done drawn dropped fitting found given going gone heard held joining judging kept known lack left
locating looking  lost made matching needed noted offered opened owed past playing read reached received
refused renewing reported  resuming said same seen sent shown some standing stands starting taken taking told
took twice until waiting waits  watching will written wrong
"""
NO_NAMES = frozenset(WORDS.split())
"""Words that do not say what a thing is: as whole names they made a reader look every one of them up."""


def modules() -> Iterator[Path]:
    for package in PRODUCT:
        yield from sorted((ROOT / package).rglob("*.py"))


def classes(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def is_a_name(name: str) -> bool:
    return name.lstrip("_").lower() not in NO_NAMES


def test_a_public_class_name_stands_in_one_module() -> None:
    places = defaultdict(list)
    for path in modules():
        for name in {one for one in classes(path) if not one.startswith("_")}:
            places[name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_modules_and_classes_are_named_by_nouns() -> None:
    found = [(path, name) for path in modules() for name in (path.stem, *classes(path)) if not is_a_name(name)]
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in found] == []


@pytest.mark.parametrize("name", ["took", "_Found", "Begun"])
def test_participles_and_function_words_are_noticed(name: str) -> None:
    assert not is_a_name(name)


def test_names_of_tests_fit_into_a_line() -> None:
    tests = ROOT.joinpath("tests").rglob("test_*.py")
    names = {name for path in tests for name in re.findall(r"^\s*(?:async )?def (test_\w+)", path.read_text(), re.M)}
    assert len(names) > 3000
    assert {name for name in names if len(name) > 79} == set()
