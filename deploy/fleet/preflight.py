"""Check a cluster before actors are spawned. Actors that do not fit would wait for ever, or fail one by one."""

from __future__ import annotations

import asyncio
import ipaddress
from pathlib import Path
from urllib.parse import urlsplit

from manyhands import actors
from manyhands.deploy.cluster.nodes.checks import find_incompatibilities
from manyhands.deploy.cluster.nodes.facts import NodeRequirements, own_weights, paths_in
from manyhands.deploy.cluster.nodes.placement import wait_for_capacity
from manyhands.deploy.cluster.nodes.query import ask_nodes, facts_here, live_nodes
from manyhands.deploy.fleet.model_servers.resolution import RoleModels
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.terminal_text import count_noun

_TOLD = 4
"""How many problems an error line shows. Often many nodes have the same problem."""


async def check_cluster(settings: FleetSettings, models: RoleModels, node: str, own_readers: bool) -> FleetSettings:
    """Check that the cluster can carry the run; return settings whose rehearsed model every node can reach.

    ``models``: the models that run on servers. ``node``: the id of this node. ``own_readers``: whether our own
    perception reads the screens. Raises BadInput that names what does not fit.
    """
    await check_places(settings)
    nodes = live_nodes()
    others = [one for one in nodes if one.id != node]
    if not others:
        return settings
    check_urls(models, node)
    needs = needs_of(settings, models, own_readers)
    here = await asyncio.to_thread(facts_here, needs)
    incompatibilities = find_incompatibilities(here, await ask_nodes(others, needs), needs)
    if incompatibilities:
        lines = [f"{one.node.name} {one.reason}" for one in incompatibilities[:_TOLD]]
        more = [f"and {len(incompatibilities) - _TOLD} more"] if len(incompatibilities) > _TOLD else []
        where = "" if settings.ray_address is None else f" --ray-address {settings.ray_address}"
        raise BadInput(f"the cluster does not fit: {'; '.join([*lines, *more])} (see manyhands doctor{where})")
    if not is_loopback(settings.rehearsal.host):
        return settings
    host = next(one.address for one in nodes if one.id == node)
    return settings.model_copy(update={"rehearsal": settings.rehearsal.model_copy(update={"host": host})})


async def check_places(settings: FleetSettings) -> None:
    """Raise BadInput if no node offers what perception actors need, after a wait of ``node_wait_s``."""
    options, wait_s = settings.groups.perception, settings.node_wait_s
    if options.perception_labels:
        await wait_for_capacity("perception_labels", options.perception_labels, options.actor_resources, wait_s)
    elif settings.ray_address is not None:
        await wait_for_capacity("perception_cores, perception_gpus", {}, options.actor_resources, wait_s)


def needs_of(settings: FleetSettings, models: RoleModels, own_readers: bool = True) -> NodeRequirements:
    """Return what a run needs of each node."""
    all_models = list(models.values())
    files: tuple[str, ...] = ()
    if own_readers and settings.perception_python is None:  # a Python of its own for perception has its own weights
        perception = settings.perception_settings(None).model_dump()
        files = (*own_weights(Path(actors.__file__).parent), *paths_in(perception))
    return NodeRequirements(
        urls=tuple(dict.fromkeys(url for model in all_models for url in model.urls)),
        variables=tuple(sorted({model.api_key_env for model in all_models if model.api_key_env is not None})),
        files=files,
        readers=settings.perception_labels,
    )


def check_urls(models: RoleModels, node: str) -> None:
    """Raise BadInput if only this machine (``node``) can reach a model server and the cluster has other nodes."""
    others = sum(one.id != node for one in live_nodes())
    if not others:
        return
    for model in models.values():
        for url in model.urls:
            if is_loopback(urlsplit(url).hostname or ""):
                raise BadInput(
                    f"--mllm-url {url}: only this machine can reach that, and the cluster has "
                    f"{count_noun(others, 'other node')} that ask the model too; give an address that they reach "
                    "(manyhands mllm --host)"
                )


def is_loopback(host: str) -> bool:
    """Return whether a URL's host means the machine of whoever asks."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
