"""What imports what: one direction between packages, and no circle, not even one that only type checkers go round."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "protocol": set[str](),
    "actors": {"protocol"},
    "simulator": {"protocol"},
    "evaluation": {"protocol"},
    "rollouts": {"protocol", "actors", "evaluation"},
    "deploy": {"protocol", "actors", "simulator", "evaluation", "rollouts"},
    "service": {"protocol", "actors", "simulator", "evaluation", "rollouts", "deploy"},
    "benchmarks": {"protocol", "actors", "simulator", "evaluation", "rollouts", "deploy", "service"},
}
"""ARCHITECTURE.md says why."""


def name_of(path: Path) -> str:
    return ".".join(("manyhands", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


PATHS = {name_of(path): path for package in ALLOWED for path in (ROOT / package).rglob("*.py")}


def imported(path: Path) -> Iterator[str]:
    """Give the modules that a file names in its imports; of a package's name and a module's in it, the module's."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in PATHS else str(node.module) for name in inside)


@cache
def graph() -> dict[str, set[str]]:
    """What each module imports of ours."""
    return {name: {other for other in imported(path) if other in PATHS} for name, path in PATHS.items()}


def test_the_graph_is_that_of_the_imports() -> None:
    assert len(graph()) > 300
    assert graph()["manyhands.simulator.shell.language.interpreter"] >= {
        "manyhands.simulator.shell.command",
        "manyhands.simulator.shell.language.expansion",
    }


def test_no_module_imports_itself_by_way_of_others() -> None:
    TopologicalSorter(graph()).prepare()  # raises CycleError, which names the modules


def test_stand_ins_are_reached_by_their_commands_and_benchmarks_alone() -> None:
    """What carries out tasks knows nothing of stand-ins; it starts one where settings ask for it by a word."""
    may = ("manyhands.deploy.stand_ins.", "manyhands.benchmarks.", "manyhands.deploy.command_line.")
    product = {
        name: others for name, others in graph().items() if name.startswith(("manyhands.deploy.", "manyhands.service."))
    }
    product = {name: others for name, others in product.items() if not f"{name}.".startswith(may)}
    found = {
        (name, other)
        for name, others in product.items()
        for other in others
        if other.split(".")[1] == "simulator" or other.split(".")[2:3] == ["stand_ins"]
    }
    by_a_word = ("manyhands.deploy.fleet.given_parts", "manyhands.deploy.stand_ins")
    assert found == {by_a_word}


def test_run_needs_no_more_modules_than_these(record_property: Callable[[str, object], None]) -> None:
    """All that ``manyhands run`` may import, at its top or later: what a reader may have to follow."""
    waiting, modules = ["manyhands.deploy.command_line.commands.run"], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in modules:
            modules.add(name)
            parts = name.split(".")
            packages = (".".join(parts[:count]) for count in range(2, len(parts)))
            waiting += [*graph()[name], *(package for package in packages if package in PATHS)]
    lines = sum(len(PATHS[name].read_text(encoding="utf-8").splitlines()) for name in modules)
    record_property("modules and lines of manyhands run", (len(modules), lines))
    assert len(modules) <= 455, lines
    assert lines <= 75_000, len(modules)


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_depend_in_one_direction(package: str) -> None:
    found = {
        (name, other)
        for name, others in graph().items()
        for other in others
        if name.split(".")[1] == package and other.split(".")[1] not in ALLOWED[package] | {package}
    }
    assert found == set()


def test_nobody_leaves_the_package_by_its_folders_name() -> None:
    """Without ``manyhands.`` a module would be imported a second time, from the checkout, and missing in a wheel."""
    bare = {
        (name, other)
        for name, path in PATHS.items()
        for other in imported(path)
        if other.split(".")[0] in (*ALLOWED, "training", "tests")
    }
    assert bare == set()
