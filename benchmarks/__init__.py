"""``manyhands bench``: measure on this machine what steps, fleets, brokers and our own overhead cost."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group

BENCHMARKS = {
    "step": "step.command",
    "fleet": "fleet",
    "overhead": "overhead",
    "perceive": "perceive",
    "chaos": "chaos.command",
    "edge": "edge",
    "service": "service",
    "model": "model.command",
    "export": "export",
    "attacks": "attacks.command",
    "androidworld": "androidworld.command",
}

app = command_group(
    {name: f"{__name__}.{module}" for name, module in BENCHMARKS.items()},
    help="Measures Manyhands on this machine: tables or JSON. Stand-ins and models are named as such.",
    epilog="Example: manyhands bench step --json. How to read each figure: docs/benchmarks.md.",
)
