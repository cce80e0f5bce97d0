"""Plan a run: resolve its settings and check them once. Nothing is started."""

from __future__ import annotations

import time
from dataclasses import dataclass

from manyhands.deploy.fleet.given_parts import GivenParts, OnStart, ignore_start
from manyhands.deploy.fleet.initial_memory import check_memory, starting_memory
from manyhands.deploy.fleet.model_servers.model_dialects import with_family_pictures
from manyhands.deploy.fleet.model_servers.resolution import RoleModels, check_models, has_family_form, role_models
from manyhands.deploy.fleet.phones.phone_locations import at_nodes
from manyhands.deploy.fleet.run_files.recorded_run import RecordedRun
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.sites import names_of
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.role import Role


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """Hold what a run will consist of.

    A run opens in three steps: a FleetPlan is made first, then a PlacedFleet from it, then a FleetRuntime.
    """

    settings: FleetSettings
    parts: GivenParts
    memory: LongTermMemory
    """What every task knows from the start."""
    models: RoleModels
    """The checked models of running servers. Models that sidecars start are checked during placement."""
    starts_phones: bool
    """Whether a sidecar starts the phones, so that they are known only afterwards."""
    named_here: tuple[str, ...]
    """Names of the phones that are looked for before the run joins the cluster."""
    named_at_nodes: tuple[str, ...]
    """Names of the phones at cluster nodes. They cannot be looked for before the run joins the cluster."""
    needed: frozenset[str] = frozenset()
    """Phones without which the run must not continue."""
    models_s: float = 0.0
    """How long model servers were waited for and tried."""

    @property
    def looks_here(self) -> bool:
        """Return whether the run looks for phones before it joins the cluster."""
        return not self.starts_phones and bool(self.named_here or not self.named_at_nodes)


async def plan_fleet(
    settings: FleetSettings, parts: GivenParts, recorded: RecordedRun | None, on_start: OnStart = ignore_start
) -> FleetPlan:
    """Resolve and check settings, and ask each model server that they name. Raises BadInput.

    ``recorded``: the run that is resumed, if any. ``on_start``: called with a line if a model server is waited for.
    """
    memory = starting_memory(settings.tips, settings.shortcuts) if recorded is None else recorded.memory
    check_memory(settings.memory, settings.episode.profile)
    named_at_nodes = at_nodes(settings)
    began = time.monotonic()
    models = await check_models(settings, role_models(settings), on_start)
    models_s = time.monotonic() - began
    if has_family_form(settings.episode) and Role.DECIDE in models:
        episode = with_family_pictures(settings.episode, models[Role.DECIDE])
        settings = settings.model_copy(update={"episode": episode})
    return FleetPlan(
        settings=settings,
        parts=parts,
        memory=memory,
        starts_phones=settings.virtual_phones is not None or bool(parts.sidecars and not settings.phones),
        named_here=names_of([phone for phone in settings.phones if phone not in named_at_nodes]),
        named_at_nodes=named_at_nodes,
        needed=frozenset() if recorded is None else recorded.needed,
        models=models,
        models_s=models_s,
    )
