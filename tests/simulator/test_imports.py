"""What imports what in the simulator: there is no circle, not even one that only type checkers go round."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import simulator

ROOT = Path(simulator.__file__).parents[1]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path, known: set[str]) -> Iterator[str]:
    """Give the modules that a file names in its imports; of a package's name and a module's in it, the module's."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else str(node.module) for name in inside)


def test_no_module_imports_itself_by_way_of_others() -> None:
    paths = {name_of(path): path for path in (ROOT / "simulator").rglob("*.py")}
    known = set(paths)
    assert len(known) > 80
    graph = {name: {other for other in imported(path, known) if other in known} for name, path in paths.items()}
    assert graph["simulator.shell.interpreter"] >= {"simulator.shell.command", "simulator.shell.expansion"}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules
