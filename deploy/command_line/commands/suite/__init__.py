"""``manyhands suite``: run the instructions of the papers' benchmarks, and measure them as the papers do."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group, modules_in

COMMANDS = ("list", "run", "record-human", "judge", "score", "compare", "single-step")

app = command_group(
    modules_in(__name__, COMMANDS),
    help="The papers' benchmarks: lists their instructions, runs them, has a person judge, scores and compares runs.",
    epilog="Example: manyhands suite list. Which of them virtual phones can play: docs/suites.md.",
)
