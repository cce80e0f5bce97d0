"""Actors that answer alike get different nodes, and nodes get as many actors each."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.cluster.nodes.turns import NodesInTurn


@given(st.integers(1, 6), st.lists(st.integers(1, 8), max_size=12))
def test_replicas_share_no_node_before_each_has_one(nodes: int, parts: list[int]) -> None:
    turns = NodesInTurn([str(number) for number in range(nodes)])
    taken = Counter[str]()
    for count in parts:
        places = turns.take(count)
        assert len(places) == count
        assert len(set(places)) == min(count, nodes)
        taken.update(places)
    loads = [taken[str(number)] for number in range(nodes)]
    assert max(loads) - min(loads) <= 1


def test_two_replicas_need_a_second_node() -> None:
    assert [NodesInTurn(ids).replicas for ids in (["a"], ["a", "b"], ["a", "b", "c"])] == [1, 2, 2]
