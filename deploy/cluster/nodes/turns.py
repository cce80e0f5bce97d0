"""Gives actors that answer alike different nodes, so that a node that is lost does not take all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from manyhands.deploy.cluster.nodes.asking import live_nodes


class NodesInTurn:
    """Hand out the nodes of a cluster one after the other, going on where the last call ended."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._turn: Iterator[str] = cycle(ids)
        self.replicas = min(2, len(ids))
        """How many actors go on when a node is lost: two, where there is a second node."""

    @classmethod
    def from_node(cls, first: str) -> NodesInTurn:
        """Return the nodes of the cluster that this process has joined, beginning with one of them. Blocks."""
        others = [node.id for node in live_nodes() if node.id != first]
        return cls([first, *others])

    def take(self, count: int) -> Sequence[str]:
        """Return a node for each of ``count`` actors; none comes again before all have had one."""
        return tuple(islice(self._turn, count))
