"""The nodes of a cluster whose phones are named, by what Ray lists; one that is missing is told."""

from __future__ import annotations

from typing import Any

import pytest
import ray

from manyhands.deploy.fleet.phones.gateways import nodes_with_phones
from manyhands.deploy.fleet.phones.phone_locations import PhoneLocations, at_nodes, at_this_machine
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput, PhoneUnknown


def node(name: str, number: str, alive: bool = True, **labels: str) -> dict[str, Any]:
    return {"NodeName": name, "NodeID": number, "Alive": alive, "Labels": {"ray.io/node-id": number, **labels}}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [
        node("rack-1", "1", phones="yes"),
        node("rack-2", "2", alive=False, phones="yes", host="rack-2"),
        node("rack-2", "3", phones="yes", host="rack-2"),
        node("gpu", "4", model="yes"),
    ]
    monkeypatch.setattr(ray, "nodes", lambda: listed)


@pytest.mark.usefixtures("cluster")
def test_nodes_are_selected_by_a_label_that_they_have_again_or_by_their_id() -> None:
    both = {"rack-1": {"ray.io/node-id": "1"}, "rack-2": {"host": "rack-2"}}
    assert nodes_with_phones(["rack-2/R1", "rack-1/*", "rack-2/*"]) == both
    assert nodes_with_phones(["*/*"]) == both
    assert nodes_with_phones(["rack-1/R1"]) == {"rack-1": both["rack-1"]}


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("named", ["gpu/*", "rack-3/R1"])
def test_a_node_without_phones_is_bad_input(named: str) -> None:
    with pytest.raises(
        BadInput, match=r"no node (gpu|rack-3) with the label phones=yes \(.* rack-1, rack-2; ray start"
    ):
        nodes_with_phones(["rack-1/*", named])


@pytest.mark.parametrize(
    ("phones", "address", "nodes", "here"),
    [
        (["rack-1/*", "R1"], "auto", ("rack-1/*",), True),
        (["rack-1/*", "mqtts://hands.example/lab/*"], "auto", ("rack-1/*",), False),
        (["wall/R1"], None, (), True),
        ([], "auto", (), True),
        (["virtual:2"], "auto", (), True),
    ],
)
def test_where_phones_are_by_their_names(phones: list[str], address: str | None, nodes: tuple[str], here: bool) -> None:
    settings = load_settings({"phones": phones, "ray_address": address})
    assert (at_nodes(settings), at_this_machine(settings)) == (nodes, here)


def test_a_node_that_is_called_as_a_site_behind_a_broker_is_bad_input() -> None:
    phones = ["mqtts://hands.example/lab/*", "rack-1/*"]
    places = PhoneLocations(load_settings({"phones": phones, "ray_address": "auto"}), transport_of)
    node = PhoneLocations(load_settings({}), transport_of)
    places.add({"rack-1": node})
    with pytest.raises(BadInput, match=r"node lab and the site lab at mqtts://hands\.example:8883 have one name"):
        places.add({"rack-2": node, "lab": node})
    with pytest.raises(PhoneUnknown):
        places.route("rack-2/R1")
