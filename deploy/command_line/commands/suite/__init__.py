"""``manyhands suite``: run the instructions of the papers' benchmarks, and measure them as the papers do."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group

MODULES = {
    "list": f"{__name__}.instructions",
    "run": f"{__name__}.run",
    **dict.fromkeys(("record-human", "judge"), f"{__name__}.people"),
    **dict.fromkeys(("score", "compare"), f"{__name__}.scores"),
    "single-step": f"{__name__}.single_step",
    "miniwob": f"{__name__}.miniwob",
}

app = command_group(
    MODULES,
    help="The papers' benchmarks: lists their instructions, runs them, has a person judge, scores and compares runs.",
    epilog="Example: manyhands suite list. Which of them virtual phones can play: docs/suites.md.",
)
