"""``manyhands traces``: send the spans of a run to a collector of OpenTelemetry."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group, modules_in

app = command_group(
    modules_in(__name__, ("send",)),
    help="Spans of a run, for collectors of OpenTelemetry: sends those that a collector does not have.",
    epilog="Example: manyhands traces send runs/20260102-101500_demo --otlp-endpoint http://127.0.0.1:4318.",
)
