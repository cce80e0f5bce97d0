"""``manyhands flow``: make a verified episode a file of steps, and carry these out without a model."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group, modules_in

app = command_group(
    modules_in(__name__, ("make", "check", "mend", "run", "show", "figures")),
    help="Makes a verified episode a file of steps, and carries them out on any phone without a model (docs/flows.md).",
    epilog='Example: manyhands flow make runs/20260102-101500_night note -o note.yaml --set "text=Buy milk".',
)
