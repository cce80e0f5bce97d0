"""``manyhands mllm``: serve a model with vLLM."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from manyhands.actors.clock import RealClock
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.serving.flags import CHECKED, LOOPBACK, FlagSite, Version, installed_version
from manyhands.deploy.serving.folders import profile_of
from manyhands.deploy.serving.hardware import find_hardware
from manyhands.deploy.serving.launch import Launch, description, launch_json, prepare, run_line, script
from manyhands.deploy.serving.memory import USUAL_PIXELS, Draft, KvCache, MemoryRequirements, plan_for
from manyhands.deploy.serving.progress import JsonProgress, TextProgress
from manyhands.deploy.serving.ray_serve import as_yaml, serve, serve_config
from manyhands.deploy.serving.supervisor import Supervisor, check_address
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput

EXAMPLE = (
    "Example: manyhands mllm --model Qwen/Qwen3-VL-8B-Instruct-FP8 --gpus 2. Everything after -- goes to vLLM: "
    "-- --max-num-seqs 64. Exit codes: 130 after Ctrl-C, 1 a server was given up, 2 bad input or a model that does "
    "not fit."
)
On = Literal["local", "ray"]


def command(
    model: Annotated[str, typer.Option("--model", help="A hub name, or a folder with config.json and weights.")],
    extra: Annotated[list[str] | None, typer.Argument(help="After --: flags for vLLM.", show_default=False)] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", min=0, help="How many; all by default; 0: the CPU.")] = None,
    gpu_memory: Annotated[
        str | None,
        typer.Option(
            "--gpu-memory", help="Of one GPU, such as 80GiB (80GB is 74.5GiB). Needs --gpus. Default: nvidia-smi's."
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=1, max=65535, help="Of the first server; the next count up.")
    ] = 8000,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = LOOPBACK,
    servers: Annotated[int | None, typer.Option("--servers", min=1, help="Default: as many as fit.")] = None,
    tensor_parallel: Annotated[
        int | None, typer.Option("--tensor-parallel", min=1, help="GPUs per server. Default: as few as fit.")
    ] = None,
    max_pixels: Annotated[
        int, typer.Option("--max-pixels", min=65_536, help="Most pixels of a picture, as the model sees it.")
    ] = USUAL_PIXELS,
    max_images: Annotated[int, typer.Option("--max-images", min=1, help="Pictures of one request.")] = 4,
    max_model_len: Annotated[
        int | None, typer.Option("--max-model-len", min=1024, help="Tokens of a request and its reply.")
    ] = None,
    kv_cache: Annotated[
        KvCache, typer.Option("--kv-cache", help="fp8 keeps twice the tokens in the cache, less exactly.")
    ] = "auto",
    draft: Annotated[
        Draft,
        typer.Option("--draft", help="Propose tokens ahead: ngram from the prompt, mtp by the model's own heads."),
    ] = "none",
    vllm: Annotated[str | None, typer.Option("--vllm", help="vLLM's executable. Default: vllm on PATH.")] = None,
    api_key_env: Annotated[
        str | None, typer.Option("--api-key-env", help="The environment variable with the key that servers ask for.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Load from disk only, ask no model hub.")] = False,
    on: Annotated[On, typer.Option("--on", help="local: processes here. ray: a Ray Serve LLM application.")] = "local",
    only_print: Annotated[bool, typer.Option("--print", help="Show what would be started; start nothing.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Serve a model with vLLM: choose flags for it and for this machine, and keep the servers running until Ctrl-C."""
    # On Ray the GPUs belong to the cluster, whatever this process may see.
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "") if on == "local" else ""
    devices = tuple(filter(None, visible.split(",")))
    needs = MemoryRequirements(max_images, max_pixels, max_model_len, tensor_parallel, servers, kv_cache, draft)
    site = FlagSite(host, port, api_key_env, offline, devices)

    async def serve_model() -> int:
        executable = _executable(vllm, needed=not (only_print or on == "ray"))
        plan = plan_for(profile_of(model), await find_hardware(gpus, gpu_memory), needs)
        program = str(executable) if executable and not only_print else vllm or "vllm"
        launch = prepare(plan, site, program, extra or (), _version(executable))
        if on == "ray":
            return await _serve_on_ray(launch, only_print, as_json)
        if only_print:
            _print(as_json, lambda: launch_json(launch), lambda: script(launch))
            return 0
        return await _serve_here(launch, as_json)

    carry_out(serve_model, as_json)


async def _serve_here(launch: Launch, json_wanted: bool) -> int:
    secrets = _secrets(launch.site.key_env)
    commands = tuple(replace(command, secrets=secrets) for command in launch.commands)
    logs = load_settings({}).state_dir.expanduser() / "mllm"
    for command in commands:
        check_address(launch.site.host, command.port)
    progress = JsonProgress(launch) if json_wanted else TextProgress(launch, logs)
    with progress:
        await Supervisor(commands, logs, RealClock(), progress.show).run()
    return 0


async def _serve_on_ray(launch: Launch, only_print: bool, json_wanted: bool) -> int:
    config = serve_config(launch)
    if only_print:
        lines = (*description(launch.plan), f"When it is deployed: {run_line(launch, launch.urls[:1])}")
        comments = "".join(f"# {line}\n" for line in lines)
        _print(json_wanted, lambda: config, lambda: comments + as_yaml(config).rstrip())
        return 0
    if not json_wanted:
        then = run_line(launch, launch.urls[:1])  # its replicas share one address
        text_console(stderr=True).print(f"Starting on Ray; then: {then}", markup=False, soft_wrap=True)
    await serve(config, os.environ.get("RAY_ADDRESS"))
    return 0


def _print(json_wanted: bool, value: Callable[[], object], text: Callable[[], str]) -> None:
    if json_wanted:
        say_json(value())
    else:
        typer.echo(text())


def _executable(program: str | None, needed: bool) -> Path | None:
    path = shutil.which(str(Path(program).expanduser())) if program else shutil.which("vllm")
    if path is None and needed:
        where = f"--vllm {program}: no such executable" if program else "there is no vllm on PATH"
        raise BadInput(
            f"{where}. Install it into an environment of its own (pip install 'vllm>=0.33') and say "
            "--vllm ENVIRONMENT/bin/vllm"
        )
    return Path(path) if path else None


def _version(executable: Path | None) -> Version:
    """Return the installed release; the newest known one if none is installed."""
    return (installed_version(executable) if executable else None) or CHECKED[-1]


def _secrets(key_env: str | None) -> dict[str, str]:
    if key_env is None:
        return {}
    key = os.environ.get(key_env)
    if not key:
        raise BadInput(f"--api-key-env {key_env}: the environment has no such variable")
    return {"VLLM_API_KEY": key}
