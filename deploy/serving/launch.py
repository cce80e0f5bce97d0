"""Build the commands of a plan's servers, and the texts that show them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from manyhands.deploy.serving.catalogue import NATIVE_FORM
from manyhands.deploy.serving.flags import CHECKED, FlagSite, Version, argv, engine_flags, environment, with_overrides
from manyhands.deploy.serving.memory import LEAST_REQUESTS, REPLY_TOKENS, THINKING_TOKENS, MemoryPlan, gib
from manyhands.deploy.serving.supervisor import ServerCommand
from manyhands.protocol.profiles.declaration import registered_profiles
from manyhands.protocol.roles.role import STEP_ROLES, Role

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True, slots=True)
class Launch:
    """Hold servers that are ready to start. ``flags`` are those that all servers share, with the user's own."""

    plan: MemoryPlan
    site: FlagSite
    flags: Mapping[str, str | None]
    commands: tuple[ServerCommand, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        """Return the base URL of each server's API."""
        return tuple(command.url for command in self.commands)


def prepare(
    plan: MemoryPlan, site: FlagSite, vllm: str, extra: Sequence[str] = (), version: Version = CHECKED[-1]
) -> Launch:
    """Return the commands of a plan for this executable. They never hold the key. Raises BadInput."""
    flags = with_overrides(engine_flags(plan, version), extra)
    # A server that listens on all addresses is checked, and shown, at this machine's own address.
    host = _EVERYWHERE.get(site.host, site.host)
    commands = tuple(
        ServerCommand(
            name=f"vllm-{site.port + index}",
            argv=argv(vllm, plan.profile.model, site, index, flags),
            host=host,
            port=site.port + index,
            env=environment(plan, index, site),
        )
        for index in range(plan.servers)
    )
    return Launch(plan, site, flags, commands)


def script(launch: Launch) -> str:
    """Return a shell script of the commands, one flag a line. Comments say what was chosen and why."""
    parts = ["\n".join(f"# {line}" for line in (*description(launch.plan), *remarks(launch.site)))]
    parts += [_shell(command, launch.site.key_env) for command in launch.commands]
    lines = (f"When /health answers: {run_line(launch)}", *check_lines(launch))
    parts.append("\n".join(f"# {line}" for line in lines))
    return "\n\n".join(parts)


def description(plan: MemoryPlan) -> list[str]:
    """Describe what was chosen, in lines for people."""
    profile, budget = plan.profile, plan.budget
    lines = [f"{profile.model} ({profile.family.name}, {profile.precision}): {_arrangement(plan)}"]
    each = plan.context * budget.kv_per_token + budget.state
    unit = "GPU" if plan.hardware.gpus else "server"
    lines.append(
        f"each {unit}: {gib(budget.usable)} GiB = weights {gib(budget.weights)} + workspace {gib(budget.workspace)} "
        f"(estimated) + KV cache {gib(budget.cache)}, {plan.requests} requests of {plan.context} tokens "
        f"({gib(each)} GiB each; at least {LEAST_REQUESTS} are wanted), {plan.sequences} of profile e's mean length"
    )
    lines.append(f"sizes: {profile.basis}")
    if profile.guessed:
        lines.append("this model has no profile of its own: check dialect and memory before you trust them")
    if profile.thinking:
        lines.append("it thinks before each reply: expect many more output tokens, and seconds, for each step")
    if profile.shape.state_bytes:
        lines.append(
            "hybrid attention: count on no prefix-cache hits until manyhands doctor shows them (docs/serving.md)"
        )
    if not plan.hardware.gpus:
        lines.append("keep the temperature at 0: vLLM's CPU engine ends at a seed with a temperature above 0")
    if plan.unused_gpus:
        lines.append(f"{plan.unused_gpus} of {plan.hardware.gpus} GPUs are left unused")
    return lines


def remarks(site: FlagSite) -> list[str]:
    """Return remarks on servers that other machines can reach."""
    if site.host not in _EVERYWHERE:
        return []
    lines = [f"they listen on {site.host}: from other machines, write this machine's name for {_EVERYWHERE[site.host]}"]
    if site.key_env is None:
        lines.append("they ask for no key: whoever reaches the ports can use them; --api-key-env sets one")
    return lines


def _arrangement(plan: MemoryPlan) -> str:
    servers = "1 server" if plan.servers == 1 else f"{plan.servers} servers"
    if not plan.hardware.gpus:
        return f"{servers} on the CPU, in float32"
    each = "one GPU each" if plan.tensor_parallel == 1 else f"{plan.tensor_parallel} GPUs each (tensor parallel)"
    gpus = "1 GPU" if plan.hardware.gpus == 1 else f"{plan.hardware.gpus} GPUs"
    return f"{servers}, {each}, on {gpus} of {gib(plan.hardware.memory)} GiB"


def _shell(command: ServerCommand, key_env: str | None) -> str:
    words = [f"{name}={shlex.quote(value)}" for name, value in command.env.items()]
    if key_env is not None:
        words.append(f'VLLM_API_KEY="${key_env}"')
    lines = [" ".join(words), shlex.join(command.argv[:3])]
    rest = command.argv[3:]
    start = 0
    while start < len(rest):
        # A flag and its values share a line.
        end = start + 1
        while end < len(rest) and not rest[end].startswith("--"):
            end += 1
        lines.append(f"  {shlex.join(rest[start:end])}")
        start = end
    return " \\\n".join(line for line in lines if line)


def run_line(launch: Launch, urls: Sequence[str] | None = None) -> str:
    """Return the ``manyhands run`` command that uses these servers. ``urls``: other addresses than the servers' own."""
    profile = launch.plan.profile
    words = ["manyhands", "run", "TASKS.yaml"]
    if profile.family.output == NATIVE_FORM:
        words += ["--profile", registered_profiles().with_family_form[0]]
    for url in launch.urls if urls is None else urls:
        words += ["--mllm-url", url]
    words += ["--dialect", profile.family.dialect]
    words += ["--max-pixels", str(launch.plan.needs.max_pixels)] if profile.family.sees else ["--pictures", "none"]
    structured = json.loads(launch.flags.get("structured-outputs-config") or "{}")
    if structured.get("backend") != "guidance":
        words += ["--grammar", "other"]
    if launch.site.key_env:
        words += ["--api-key-env", launch.site.key_env]
    if not profile.thinking:
        return shlex.join(words)
    # A model's thoughts count as output. With a run's usual limit on tokens, nearly every reply would be cut off, and
    # then refused.
    longest = min(THINKING_TOKENS + REPLY_TOKENS, launch.plan.context // 2)
    return " ".join(
        [
            *(f"MANYHANDS_MODELS__{role.name}__MAX_TOKENS={longest}" for role in (*STEP_ROLES, Role.JUDGE)),
            shlex.join(words),
        ]
    )


def check_lines(launch: Launch) -> list[str]:
    """Return the commands that check these servers, tell how many phones they carry, and if pictures limit them.

    They send pictures, so a text model has none.
    """
    if not launch.plan.profile.family.sees:
        return []
    words = [word for url in launch.urls for word in ("--mllm-url", url)]
    words += ["--dialect", launch.plan.profile.family.dialect, "--max-pixels", str(launch.plan.needs.max_pixels)]
    if launch.site.key_env:
        words += ["--api-key-env", launch.site.key_env]
    measure = shlex.join(["manyhands", "bench", "model", *words, "--minutes", "10"])
    return [
        f"Is it the right one: {shlex.join(['manyhands', 'doctor', *words])}",
        f"How many phones it carries, and whether --api-server-count helps: {measure}",
    ]


def launch_json(launch: Launch) -> dict[str, object]:
    """Return the launch as JSON, without the key's value."""
    plan, budget = launch.plan, launch.plan.budget
    return {
        "model": plan.profile.model,
        "served_model": launch.flags.get("served-model-name"),
        "dialect": plan.profile.family.dialect,
        "output_format": plan.profile.family.output,
        "max_pixels": plan.needs.max_pixels,
        "guessed": plan.profile.guessed,
        "tensor_parallel": plan.tensor_parallel,
        "max_model_len": plan.context,
        "memory_bytes": {
            "usable": budget.usable,
            "weights": budget.weights,
            "workspace_estimated": budget.workspace,
            "kv_cache": budget.cache,
            "kv_per_token": budget.kv_per_token,
        },
        "servers": [
            {"url": command.url, "argv": list(command.argv), "env": dict(command.env)} for command in launch.commands
        ],
        "run": run_line(launch),
    }
