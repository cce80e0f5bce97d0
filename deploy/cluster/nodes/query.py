"""Ask all nodes of the cluster at once what they have and reach."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import ray

from manyhands.actors.remote import BareActor
from manyhands.deploy.cluster.nodes.facts import ClusterNode, Facts, NodeAnswer, NodeRequirements
from manyhands.deploy.cluster.nodes.probe import probe_class
from manyhands.protocol.errors import ActorLost

START_S = 20.0
"""Seconds that a node may take to start the probe's process; an idle node takes one or two."""
ANSWER_S = 3.0
"""Seconds that this process may take to answer."""
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
