"""``manyhands episode``: pause, resume, answer, stop and hand back a running episode of a service."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group

MODULES = dict.fromkeys(
    ("show", "pause", "resume", "answer", "stop", "take-over", "hand-back"), f"{__name__}.interventions"
)

app = command_group(
    MODULES,
    help="A running episode of a service: pauses, resumes, answers and stops it, takes it over and hands it back.",
    epilog="Example: manyhands episode stop b17.buy-1-x --reason 'wrong account'. `manyhands phones` and the console "
    "name the episodes that run.",
)
