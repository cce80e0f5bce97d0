"""Ask all nodes of a cluster what they have and reach, wait until one has room, and spread actors over nodes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice

import ray
from ray._private.label_utils import validate_label_selector

from manyhands.actors.remote import BareActor
from manyhands.deploy.cluster.node_facts import (
    ClusterNode,
    Facts,
    Labels,
    NodeAnswer,
    NodeRequirements,
    format_labels,
    has_capacity,
    labels_there,
    matches,
)
from manyhands.deploy.cluster.node_probe import probe_class
from manyhands.protocol.errors import ActorLost, BadInput

START_S = 20.0
"""Seconds that a node may take to start the probe's process; an idle node takes one or two."""
ANSWER_S = 20.0
"""Seconds that this process may take to answer: it asks model servers, and reads whole files for their checksums."""
REACH_S = 2.0
"""Seconds that model servers may take to answer the node."""
_PINGS = 3


def live_nodes() -> tuple[ClusterNode, ...]:
    """Return the nodes of the cluster that this process has joined."""
    return tuple(
        ClusterNode(
            id=str(one["NodeID"]),
            host=str(one["NodeManagerHostname"]),
            address=str(one["NodeManagerAddress"]),
            labels=dict(one["Labels"]),
            resources=dict(one["Resources"]),
        )
        for one in ray.nodes()
        if one["Alive"]
    )


async def ask_nodes(nodes: Sequence[ClusterNode], needs: NodeRequirements) -> tuple[NodeAnswer, ...]:
    """Return every node's answer, in the order of ``nodes``, after at most START_S plus ANSWER_S seconds."""
    return tuple(await asyncio.gather(*(_ask(node, needs) for node in nodes)))


def facts_here(needs: NodeRequirements) -> Facts:
    """Return what a probe on this machine tells.

    Blocks for at most REACH_S seconds, and for as long as the checksums of the files take.
    """
    return Facts(**probe_class()().look(needs.urls, needs.variables, needs.files, REACH_S))


async def _ask(node: ClusterNode, needs: NodeRequirements) -> NodeAnswer:
    probe = BareActor(probe_class(), label_selector={"ray.io/node-id": node.id})
    try:
        try:
            async with asyncio.timeout(START_S):
                await probe.call("clock")
        except TimeoutError:
            return NodeAnswer(node, silence=f"started no process within {START_S:g} s")
        async with asyncio.timeout(ANSWER_S):
            offset_s, unsure_s = min([await _offset(probe) for _ in range(_PINGS)], key=lambda one: one[1])
            facts = await probe.call("look", needs.urls, needs.variables, needs.files, REACH_S)
    except TimeoutError:
        return NodeAnswer(node, silence=f"gave no answer within {ANSWER_S:g} s")
    except ActorLost as error:
        return NodeAnswer(node, silence=f"gave no answer: {error}")
    finally:
        probe.kill()
    return NodeAnswer(node, Facts(**facts), offset_s, unsure_s)


async def _offset(probe: BareActor) -> tuple[float, float]:
    """Return two numbers of seconds: by how much the node's clock is ahead, and by how much that may be wrong."""
    begin = time.time()
    there = await probe.call("clock")
    answered = time.time()
    return there - (begin + answered) / 2, (answered - begin) / 2


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
