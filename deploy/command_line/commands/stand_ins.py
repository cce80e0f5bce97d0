"""``manyhands demo``, ``simulate`` and ``rehearse``: run a small fleet of stand-ins, or start them for others."""

from __future__ import annotations

import asyncio
import tempfile
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.run import run_and_report, telling
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import carry_out, own_name, say_json, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.protocol.tasks.task import limit_steps, read_tasks, select

DEMO_EXAMPLE = (
    "Example: manyhands demo --phones 4. Virtual phones and the rehearsed model: no GPU, no phone, no download."
)
SUITE = "everyday.yaml"


@options.with_settings("demo")
def demo(
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


SIMULATE_EXAMPLE = "Example: manyhands simulate --phones 2, then in another terminal: adb devices"


@options.with_settings("simulate")
def simulate(
    read_settings: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=1000, help="How many virtual phones.")] = 1,
    as_json: options.AsJson = False,
) -> None:
    """Start virtual phones, connect them to the adb server, and stay until stopped."""
    from manyhands.actors.phones.adb.server_start import start_server
    from manyhands.deploy.stand_ins import start_phones

    settings = load_settings(read_settings())

    async def stay() -> int:
        await start_server(settings.adb_host, settings.adb_port)
        with tempfile.TemporaryDirectory(prefix="manyhands-") as logs:
            async with start_phones(settings.virtual, settings.groups.adb, phones, Path(logs)) as serials:
                if as_json:
                    say_json({"serials": list(serials), "adb_port": settings.adb_port})
                else:
                    text_console().print("\n".join(serials) + "\nVirtual phones; Ctrl-C stops them.")
                await asyncio.Event().wait()
        return 0

    carry_out(stay, as_json)


REHEARSE_EXAMPLE = "Example: manyhands rehearse --port 8100 --mistakes 0.1 --latency plan=1.0,decide=1.0"


@options.with_settings("rehearse")
def rehearse(
    read_settings: options.ReadGiven,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    as_json: options.AsJson = False,
) -> None:
    """Serve the rehearsed model: an OpenAI-compatible stand-in for Qwen-VL that knows the tasks of `simulator`."""
    from manyhands.deploy.stand_ins import rehearsed_server

    settings = load_settings(read_settings())

    async def stay() -> int:
        with tempfile.TemporaryDirectory(prefix="manyhands-") as logs:
            async with rehearsed_server(settings.rehearsal, port, Path(logs)) as model:
                if as_json:
                    say_json({"url": model.ready["url"]})
                else:
                    text_console().print(f"{model.ready['url']}\nThe rehearsed model; Ctrl-C stops it.")
                await asyncio.Event().wait()
        return 0

    carry_out(stay, as_json)


SUBCOMMANDS = {
    "demo": Subcommand(demo, DEMO_EXAMPLE),
    "simulate": Subcommand(simulate, SIMULATE_EXAMPLE),
    "rehearse": Subcommand(rehearse, REHEARSE_EXAMPLE),
}
