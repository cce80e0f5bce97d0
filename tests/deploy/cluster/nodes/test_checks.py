"""What does not fit is found from what nodes told, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from manyhands.deploy.cluster.node_facts import (
    ClusterNode,
    Facts,
    NodeAnswer,
    NodeRequirements,
    find_incompatibilities,
)

FILE = "actors/perception/icons/weights/icons.onnx"
URL = "http://10.0.0.9:8000/v1"
HERE = Facts(
    manyhands="0.1.0", protocol="1.1", python="3.11.7", ray="2.60.0", files={FILE: "aa"}, variables=("MODEL_KEY",)
)
NEEDS = NodeRequirements(urls=(URL,), variables=("MODEL_KEY",), files=(FILE, "/models/rec"), readers={"gpu": "yes"})
READER = ClusterNode("1", "rack-1", "10.0.0.1", {"gpu": "yes"})
OTHER = ClusterNode("2", "10.0.0.2", "10.0.0.2", {"phones": "yes"})
THERE = replace(HERE, files={FILE: "aa", "/models/rec": ""})


def said(
    node: ClusterNode = READER, offset_s: float = 0.0, unsure_s: float = 0.0, **changed: Any
) -> list[tuple[str, str]]:
    answer = NodeAnswer(node, replace(THERE, **changed), offset_s, unsure_s)
    return [(one.what, one.reason) for one in find_incompatibilities(HERE, [answer], NEEDS)]


def test_a_node_that_is_as_this_one_fits() -> None:
    assert said() == []
    assert said(python="3.11.9") == []  # what is sent as code runs on any 3.11
    assert said(OTHER, files={}) == []  # nobody reads screens there
    assert said(manyhands="0.1.0", unreached={}) == []


@pytest.mark.parametrize(
    ("changed", "what", "words"),
    [
        ({"manyhands": "0.2.0"}, "manyhands", "has manyhands 0.2.0, this machine 0.1.0"),
        ({"manyhands": None}, "manyhands", "has manyhands without a version"),
        ({"manyhands": None, "protocol": None}, "manyhands", "has no manyhands; install it there as here"),
        ({"protocol": "2.0"}, "protocol", "has protocol 2.0, this machine 1.1"),
        ({"python": "3.12.1"}, "python", "has Python 3.12, this machine 3.11"),
        ({"ray": "2.61.0"}, "ray", "has Ray 2.61.0, this machine 2.60.0"),
        ({"lacking": ("rapidocr", "blake3")}, "packages", "lacks rapidocr, blake3"),
        ({"files": {FILE: "bb", "/models/rec": ""}}, "weights", f"has another {FILE} than this machine"),
        ({"files": {FILE: "aa"}}, "weights", "lacks /models/rec"),
        ({"variables": ()}, "key", "has no variable MODEL_KEY with the model's key"),
        ({"unreached": {URL: "Connection refused"}}, "model", f"does not reach {URL}: Connection refused"),
    ],
)
def test_each_thing_that_does_not_fit_is_said(changed: dict[str, Any], what: str, words: str) -> None:
    (found,) = said(**changed)
    assert found[0] == what
    assert words in found[1]


def test_a_clock_is_off_only_where_the_measurement_can_tell() -> None:
    assert said(offset_s=5.0, unsure_s=0.01) == [("clock", "its clock is 5.0 s ahead of ours; let both follow NTP")]
    assert said(offset_s=-5.0, unsure_s=0.01) == [("clock", "its clock is 5.0 s behind ours; let both follow NTP")]
    assert said(offset_s=0.9, unsure_s=0.0) == []
    assert said(offset_s=2.5, unsure_s=2.0) == []  # the node was too slow to say


def test_a_node_that_is_silent_is_named_with_the_reason() -> None:
    found = find_incompatibilities(
        HERE, [NodeAnswer(READER, silence="gave no answer within 3 s"), NodeAnswer(OTHER, THERE)], NEEDS
    )
    assert [(one.node.name, one.reason) for one in found] == [("rack-1 (10.0.0.1)", "gave no answer within 3 s")]
    assert OTHER.name == "10.0.0.2"
