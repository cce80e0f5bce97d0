"""``manyhands bench``: measure on this machine what steps, fleets, brokers and our own overhead cost."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group

BENCHMARKS = (
    "step",
    "fleet",
    "overhead",
    "perceive",
    "chaos",
    "edge",
    "service",
    "model",
)

app = command_group(
    {name: f"{__name__}.{name}.command" for name in BENCHMARKS},
    help="Measures Manyhands on this machine: tables or JSON. Stand-ins and models are named as such.",
    epilog="Example: manyhands bench step --json. How to read each figure: docs/benchmarks.md.",
)
