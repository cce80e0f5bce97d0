"""Start the rehearsed model as a server in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from manyhands.deploy.fleet.models import rehearsed_roles
from manyhands.deploy.settings.fleet import FleetSettings, RehearsalOptions, RoleModel
from manyhands.deploy.stand_ins.processes import Companion


@asynccontextmanager
async def rehearsed_model(settings: FleetSettings, logs: Path) -> AsyncIterator[FleetSettings]:
    """Serve the rehearsed model, and give settings in which the roles that asked for it ask that server."""
    async with rehearsed_server(settings.rehearsal, 0, logs) as model:
        # The stand-in has one name and no key, whatever was meant for servers.
        own = {"url": (model.ready["url"],), "model": None, "api_key_env": None}
        models = {
            role: settings.models.get(role, RoleModel()).model_copy(update=own) for role in rehearsed_roles(settings)
        }
        yield settings.model_copy(update={"models": {**settings.models, **models}})


def rehearsed_server(options: RehearsalOptions, port: int, logs: Path) -> Companion:
    """Return the process that serves the rehearsed model on ``port``; 0 takes a free one."""
    arguments = [
        "--host",
        options.host,
        "--port",
        str(port),
        "--mistakes",
        str(options.mistakes),
        "--seed",
        str(options.seed),
        "--lessons",
        options.lessons,
    ]
    for role, seconds in sorted(options.latency_s.items()):
        arguments += ["--latency", f"{role.value}={seconds}"]
    if options.tokens_per_s is not None:
        arguments += ["--tokens-per-s", str(options.tokens_per_s)]
    return Companion("manyhands.simulator.rehearsal", arguments, logs / "rehearsed_model.log")
