"""What every benchmark's table ends with: what stood in for what, the machine, plots, folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console

from manyhands.deploy.benchmarks.machine import Machine


def tell_footer(
    console: Console,
    sources: Mapping[str, str],
    machine: Machine,
    plots: Iterable[Path | str] = (),
    folders: Iterable[Path] = (),
) -> None:
    """``sources``: what stood in for what, by what it stood in for."""
    for line in (*(f"{what}: {source}" for what, source in sources.items()), f"machine: {machine.line()}"):
        console.print(line, style="dim", markup=False, soft_wrap=True)
    for path in plots:
        console.print(f"Plot: {path}", markup=False, soft_wrap=True)
    for folder in folders:
        console.print(f"Output: {folder}", markup=False, soft_wrap=True)
