"""The plan of a run: its settings, resolved and checked once. Nothing is started for it."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.deploy.fleet.given_parts import GivenParts
from manyhands.deploy.fleet.initial_memory import check_memory, starting_memory
from manyhands.deploy.fleet.models import RoleModels, check_models, role_models
from manyhands.deploy.fleet.phone_locations import at_nodes
from manyhands.deploy.fleet.recorded_run import RecordedRun
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.sites import names_of
from manyhands.protocol.memory import LongTermMemory


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """Hold what a run is to be made of, the first of its three steps: PlacedFleet and FleetRuntime come from it."""

    settings: FleetSettings
    parts: GivenParts
    memory: LongTermMemory
    """What every task knows from the start."""
    models: RoleModels
    """Those of servers that are there, checked. Those that sidecars start are checked when they are placed."""
    starts_phones: bool
    """Whether a sidecar brings the phones, which are known only then."""
    named_here: tuple[str, ...]
    """Phones that are asked for before the cluster is joined, by what the run calls them."""
    named_at_nodes: tuple[str, ...]
    """Phones at nodes of the cluster, which cannot be asked before it is joined."""
    needed: frozenset[str] = frozenset()
    """Phones without which the run is not to go on."""

    @property
    def looks_here(self) -> bool:
        """Return whether phones are to be found before the cluster is joined."""
        return not self.starts_phones and bool(self.named_here or not self.named_at_nodes)


async def plan_fleet(settings: FleetSettings, parts: GivenParts, recorded: RecordedRun | None) -> FleetPlan:
    """Resolve and check settings, and ask each model server that they name; ``recorded``: the run that is gone on with.

    Raises BadInput.
    """
    memory = starting_memory(settings.tips, settings.shortcuts) if recorded is None else recorded.memory
    check_memory(settings.memory, settings.episode.profile)
    named_at_nodes = at_nodes(settings)
    return FleetPlan(
        settings=settings,
        parts=parts,
        memory=memory,
        starts_phones=settings.virtual_phones is not None or bool(parts.sidecars and not settings.phones),
        named_here=names_of([phone for phone in settings.phones if phone not in named_at_nodes]),
        named_at_nodes=named_at_nodes,
        needed=frozenset() if recorded is None else recorded.needed,
        models=await check_models(settings, role_models(settings)),
    )
