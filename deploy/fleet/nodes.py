"""The phones at nodes of a cluster that have the label ``phones=yes``: each such node is a site, by its name in Ray."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import ray

from manyhands.actors.phones.site import SiteDirectory
from manyhands.actors.remote import Actor, DirectoryProxy, spawn, stop
from manyhands.deploy.fleet.transports import MakeTransport
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import ANY_SITE, site_of

LABEL, MARK = "phones", "yes"
HOST = "host"
"""A label that a node has again when it comes back, unlike its id."""
Selector = Mapping[str, str]
"""Labels that one node has."""


def nodes_with_phones(named: Sequence[str]) -> Mapping[str, Selector]:
    """Return what selects the nodes whose phones are named, by the nodes' names. Raises BadInput for one without.

    ``*/*`` names those of all nodes with the label.
    """
    there = {
        str(node["NodeName"]): _selector(node)
        for node in ray.nodes()
        if node["Alive"] and node["Labels"].get(LABEL) == MARK
    }
    wanted = dict.fromkeys(site_of(name) for name in named)
    missing = [site for site in wanted if site not in there and (site != ANY_SITE or not there)]
    if missing:
        known = ", ".join(there) or "none"
        raise BadInput(
            f"--phones {','.join(named)}: the cluster has no node {missing[0]} with the label {LABEL}={MARK} "
            f"(those that have it: {known}; ray start --node-name NAME --labels {LABEL}={MARK})"
        )
    return there if ANY_SITE in wanted else {site: there[site] for site in wanted}


def _selector(node: Mapping[str, Any]) -> Selector:
    host = node["Labels"].get(HOST)
    return {"ray.io/node-id": str(node["NodeID"])} if host is None else {HOST: str(host)}


@asynccontextmanager
async def directories(
    nodes: Mapping[str, Selector], settings: FleetSettings, make_transport: MakeTransport
) -> AsyncIterator[Mapping[str, DirectoryProxy]]:
    """Have somebody on each node tell what phones there are, while the context is open. Raises what it raises."""
    async with AsyncExitStack() as stack:

        async def placed(site: str, selector: Selector) -> Actor:
            transport = make_transport(settings)
            actor = await spawn(SiteDirectory, site, transport, label_selector=dict(selector), max_restarts=-1)
            stack.push_async_callback(stop, actor)
            return actor

        actors = await asyncio.gather(*(placed(site, selector) for site, selector in nodes.items()))
        yield {site: DirectoryProxy(actor) for site, actor in zip(nodes, actors, strict=True)}
