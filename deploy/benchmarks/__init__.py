"""``manyhands bench``: what a step, a fleet and our own overhead cost, measured on this machine."""

from __future__ import annotations

import typer

from manyhands.deploy.command_line.lazy import group_of

BENCHMARKS = ("step", "fleet", "overhead", "perceive")

app = typer.Typer(
    cls=group_of({name: f"{__name__}.{name}.command" for name in BENCHMARKS}),
    help="Measures Manyhands on this machine: tables or JSON. Stand-ins and models are named as such.",
    epilog="Example: manyhands bench step --json. How to read each figure: docs/benchmarks.md.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Exist, for Typer refuses an app without a command or callback."""
