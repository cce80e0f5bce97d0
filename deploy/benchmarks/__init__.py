"""``manyhands bench``: what a step, a fleet and our own overhead cost, measured on this machine."""

from __future__ import annotations

import typer

from manyhands.deploy.command_line.lazy import group_of

BENCHMARKS = ("step", "fleet", "overhead", "perceive")

app = typer.Typer(
    cls=group_of({name: f"{__name__}.{name}.command" for name in BENCHMARKS}),
    help="Measures Manyhands on this machine: tables, JSON, plots. What is rehearsed or modelled is called so.",
    epilog="Example: manyhands bench step --json. docs/benchmarks.md says how each figure is to be read.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Typer takes an app without a command or callback for a mistake."""
