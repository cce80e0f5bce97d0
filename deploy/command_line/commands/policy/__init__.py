"""``manyhands policy``: see what a policy would have said of the actions of a run."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group, modules_in

app = command_group(
    modules_in(__name__, ("check",)),
    help="Which actions need a person's word: sees what a policy would have said of a run (docs/policy.md).",
    epilog="Example: manyhands policy check runs/20260102-101500_night --allow send:Messages.",
)
