"""Selectors choose the nodes that Ray's would; actors that answer alike get different nodes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import ray
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.cluster.node_facts import ClusterNode, format_labels, has_capacity, labels_there, matches
from manyhands.deploy.cluster.nodes import RoundRobin, live_nodes, wait_for_capacity
from manyhands.protocol.errors import BadInput

RACK = ClusterNode(
    "1", "rack", "10.0.0.1", {"gpu": "yes", "zone": "a", "ray.io/node-id": "1"}, {"CPU": 8.0, "GPU": 2.0}
)
SHOP = ClusterNode("2", "shop", "10.0.0.2", {"phones": "yes", "zone": "b", "ray.io/node-id": "2"}, {"CPU": 4.0})

_WORDS = st.sampled_from(["a", "b", "c"])
_LABELS = st.dictionaries(st.sampled_from(["x", "y"]), _WORDS)


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ({}, [RACK, SHOP]),
        ({"gpu": "yes"}, [RACK]),
        ({"gpu": "!yes"}, [SHOP]),
        ({"zone": "in(a,c)"}, [RACK]),
        ({"zone": "in(a, b)"}, [RACK, SHOP]),
        ({"zone": "!in(a,c)"}, [SHOP]),
        ({"gpu": "yes", "zone": "b"}, []),
        ({"rack": "7"}, []),
    ],
)
def test_a_selector_chooses_by_value_by_several_and_by_none_of_them(
    selector: dict[str, str], chosen: list[ClusterNode]
) -> None:
    assert [node for node in (RACK, SHOP) if matches(node.labels, selector)] == chosen


@given(_LABELS, st.sampled_from(["x", "y"]), st.lists(_WORDS, min_size=1, max_size=3))
def test_not_is_the_opposite_and_in_of_one_is_that_one(labels: dict[str, str], key: str, words: list[str]) -> None:
    among = f"in({','.join(words)})"
    assert matches(labels, {key: among}) != matches(labels, {key: f"!{among}"})
    assert matches(labels, {key: among}) == any(matches(labels, {key: word}) for word in words)


def test_room_is_of_one_node_with_the_labels() -> None:
    assert has_capacity(RACK, {"gpu": "yes"}, {"CPU": 8, "GPU": 2})
    assert not has_capacity(RACK, {"gpu": "yes"}, {"GPU": 3})
    assert not has_capacity(SHOP, {}, {"GPU": 1})
    assert has_capacity(SHOP, {}, {"CPU": 0, "GPU": 0})


def test_the_labels_that_there_are_are_told_without_rays_own() -> None:
    assert labels_there([RACK, SHOP]) == (
        "there are gpu=yes (1 of 2 nodes), phones=yes (1 of 2 nodes), zone=a (1 of 2 nodes), zone=b (1 of 2 nodes)"
    )
    assert labels_there([ClusterNode("1", "a", "a", {"ray.io/node-id": "1"})]) == "no node has a label of its own"
    assert format_labels({"gpu": "yes", "zone": "!a"}) == "gpu=yes, zone=!a"


@pytest.mark.ray
async def test_what_no_node_has_is_refused_and_the_demand_for_it_withdrawn(ray_local: str) -> None:
    with pytest.raises(
        BadInput, match=r"^perception_labels: no node has gpu=yes; no node has a label of its own; for a"
    ):
        await wait_for_capacity("perception_labels", {"gpu": "yes"}, {}, wait_s=0)
    with pytest.raises(BadInput, match=r"no node has gpu=yes within 0\.5 s"):
        await wait_for_capacity("perception_labels", {"gpu": "yes"}, {}, wait_s=0.5)
    with pytest.raises(BadInput, match=r"perception_gpus: no node has 100 GPU; the most that one has is 0 GPU"):
        await wait_for_capacity("perception_gpus", {}, {"CPU": 0, "GPU": 100}, wait_s=0)
    with pytest.raises(BadInput, match=r"^perception_labels: Invalid label selector value `in\(\)`"):
        await wait_for_capacity("perception_labels", {"gpu": "in()"}, {}, wait_s=0)
    await wait_for_capacity("perception_labels", {"gpu": "!yes"}, {"CPU": 2}, wait_s=0)


@pytest.mark.ray
def test_rays_own_choice_is_the_same(ray_local: str) -> None:
    """What we call a match is where Ray puts an actor."""
    (node,) = live_nodes()
    selectors: list[dict[str, str]] = [{"ray.io/node-id": node.id}, {"ray.io/node-id": f"in({node.id})"}, {"x": "!y"}]
    for selector in selectors:
        assert matches(node.labels, selector)
        assert ray.get(_where.options(label_selector=selector).remote(), timeout=30) == node.id


@ray.remote(num_cpus=0)  # type: ignore[untyped-decorator]  # Ray has no types here
def _where() -> Any:
    return ray.get_runtime_context().get_node_id()


@given(st.integers(1, 6), st.lists(st.integers(1, 8), max_size=12))
def test_replicas_share_no_node_before_each_has_one(nodes: int, parts: list[int]) -> None:
    turns = RoundRobin([str(number) for number in range(nodes)])
    taken = Counter[str]()
    for count in parts:
        places = turns.take(count)
        assert len(places) == count
        assert len(set(places)) == min(count, nodes)
        taken.update(places)
    loads = [taken[str(number)] for number in range(nodes)]
    assert max(loads) - min(loads) <= 1


def test_two_replicas_need_a_second_node() -> None:
    assert [RoundRobin(ids).replicas for ids in (["a"], ["a", "b"], ["a", "b", "c"])] == [1, 2, 2]
