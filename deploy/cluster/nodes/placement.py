"""Find nodes for actors: wait until one has room, and spread interchangeable actors over different nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice

from ray._private.label_utils import validate_label_selector

from manyhands.actors.remote import BareActor
from manyhands.deploy.cluster.nodes.facts import Labels, format_labels, has_capacity, labels_there, matches
from manyhands.deploy.cluster.nodes.query import live_nodes
from manyhands.protocol.errors import BadInput


class _Demand:
    """Be an actor that waits for a place on a fitting node. A cluster that grows on demand starts a node for it."""

    def is_there(self) -> bool:
        return True


async def wait_for_capacity(setting: str, selector: Labels, resources: Mapping[str, float], wait_s: float) -> None:
    """Wait until a node matches the selector and has the resources. Raises BadInput if no such node comes in time.

    ``wait_s``: the longest wait in seconds. ``setting``: the setting that asks for the node; the error names it.
    """
    mistake = validate_label_selector(dict(selector))
    if mistake is not None:
        raise BadInput(f"{setting}: {mistake}")
    if any(has_capacity(node, selector, resources) for node in live_nodes()):
        return
    if wait_s > 0 and await _comes(selector, resources, wait_s):
        return
    nodes = live_nodes()
    waited = f" within {wait_s:g} s" if wait_s else ""
    grows = "" if wait_s else "; for a cluster that grows, set node_wait_s"
    matching = [node for node in nodes if matches(node.labels, selector)]
    if not matching:
        raise BadInput(f"{setting}: no node has {format_labels(selector)}{waited}; {labels_there(nodes)}{grows}")
    amounts = ", ".join(f"{amount:g} {name}" for name, amount in resources.items() if amount)
    most = ", ".join(
        f"{max(node.resources.get(name, 0.0) for node in matching):g} {name}"
        for name, amount in resources.items()
        if amount
    )
    raise BadInput(f"{setting}: no node has {amounts}{waited}; the most that one has is {most}{grows}")


async def _comes(selector: Labels, resources: Mapping[str, float], wait_s: float) -> bool:
    """Ask for a node that matches the selector and has the resources. Return whether such a node came in time."""
    demand = BareActor(
        _Demand,
        num_cpus=resources.get("CPU", 0),
        num_gpus=resources.get("GPU", 0),
        label_selector=dict(selector),
    )
    try:
        async with asyncio.timeout(wait_s):
            return bool(await demand.call("is_there"))
    except TimeoutError:
        return False
    finally:
        demand.kill()


class RoundRobin:
    """Hand out the nodes of a cluster in turn. Each call of ``take`` continues where the call before ended."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._turn: Iterator[str] = cycle(ids)
        self.replicas = min(2, len(ids))
        """How many actors of one kind keep a run going when a node is lost: two, if there is a second node."""

    @classmethod
    def from_node(cls, first: str) -> RoundRobin:
        """Return the nodes of the cluster that this process has joined, ``first`` before the others. Blocks."""
        others = [node.id for node in live_nodes() if node.id != first]
        return cls([first, *others])

    def take(self, count: int) -> Sequence[str]:
        """Return a node for each of ``count`` actors. No node comes twice before all have come once."""
        return tuple(islice(self._turn, count))
