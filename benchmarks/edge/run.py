"""Play the everyday suite on virtual phones at sites behind a broker."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from manyhands.benchmarks.edge.figures import EdgeFigures, ProcessUse, edge_figures, measure_use
from manyhands.benchmarks.edge.world import EdgeWorld, edge_world
from manyhands.deploy.cluster.tokens import environment
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.terminal_text import count_noun

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class EdgeLoad:
    """Say what is played, and where."""

    settings: FleetSettings
    """Settings without phones; the size and seed are those of virtual phones."""
    tasks: tuple[TaskSpec, ...]
    phones: int
    sites: int
    lossless: bool
    out: Path

    def shares(self) -> dict[str, int]:
        """Return how many phones each site has."""
        each, more = divmod(self.phones, self.sites)
        return {f"site-{number + 1}": each + (number < more) for number in range(self.sites)}


async def measure(load: EdgeLoad, say: Say) -> EdgeFigures:
    """Run the measurement. Raises BadInput, also if no broker is installed, and CallError."""
    options: Sequence[str] = ("--lossless",) if load.lossless else ()
    async with edge_world(load.settings, load.shares(), load.out, options) as world:
        say(f"{count_noun(load.sites, 'site')} behind {world.broker.url}")
        update = {"out": load.out / "run", "name": "edge", "mllm_url": load.settings.mllm_url or (REHEARSED,)}
        settings = world.settings(load.settings.model_copy(update=update))
        with environment(world.account.variables):
            async with Fleet(settings) as fleet:
                say(f"{count_noun(len(load.tasks), 'task')} on {', '.join(fleet.serials)}")
                began, before = time.monotonic(), _use(world)
                results = await fleet.run_batch(load.tasks)
                seconds, after = time.monotonic() - began, _use(world)
                took = list(chain.from_iterable([await gateway.latencies() for gateway in fleet.linked]))
                counts = [await gateway.counts() for gateway in fleet.linked]
                fleet.summary()
    return edge_figures(took, counts, results, seconds, {name: (use, after[name]) for name, use in before.items()})


def _use(world: EdgeWorld) -> dict[str, ProcessUse]:
    """Return what the broker and the gateways have used so far."""
    gateways = [site.gateway.pid for site in world.sites.values()]
    return {"broker": measure_use([world.broker.pid]), "gateways": measure_use(gateways)}
