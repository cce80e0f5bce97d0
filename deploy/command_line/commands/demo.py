"""``manyhands demo``: run a small fleet with nothing but this machine."""

from __future__ import annotations

from importlib import resources
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.run import run_and_report, telling
from manyhands.deploy.command_line.output import carry_out, own_name, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.protocol.tasks.task import limit_steps, read_tasks, select

EXAMPLE = "Example: manyhands demo --phones 4. Virtual phones and the rehearsed model: no GPU, no phone, no download."
SUITE = "everyday.yaml"


@options.with_settings("demo")
def command(
    read_settings: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=64, help="How many virtual phones.")] = 4,
    everything: Annotated[bool, typer.Option("--all", help="The whole suite instead of its demo part.")] = False,
    max_steps: options.MaxSteps = None,
    as_json: options.AsJson = False,
) -> None:
    """Start virtual phones and the rehearsed model, and run part of the suite on them."""
    with resources.as_file(resources.files("manyhands.simulator.suites") / SUITE) as path:
        tasks = read_tasks(path)
    specs = limit_steps(select(tasks, [], [] if everything else ["demo"]), max_steps)
    settings = load_settings(
        {**read_settings(), "phones": [f"virtual:{phones}"], "mllm_url": [REHEARSED], "name": "demo"}
    )

    async def run_demo() -> int:
        code = await run_and_report(settings, specs, as_json, telling(None, report_follows=True))
        if not as_json:
            serve = f"{own_name()} serve --phones virtual:{phones} --mllm-url {REHEARSED}"
            text_console().print(f"Console: {serve}  # prints an address for a browser", soft_wrap=True, markup=False)
        return code

    carry_out(run_demo, as_json)
