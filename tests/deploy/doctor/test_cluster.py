"""Each kind of misfit of a node has what mends it."""

from __future__ import annotations

from dataclasses import replace

from manyhands.deploy.cluster.node_facts import (
    ClusterNode,
    Facts,
    NodeAnswer,
    NodeRequirements,
    find_incompatibilities,
)
from manyhands.deploy.doctor.cluster import ClusterReport, mend_of

HERE = Facts("0.1.0", "1", "3.11.7", "2.50", files={"weights.onnx": "a"})
NODE = ClusterNode("1", "worker", "10.0.0.2")
NEEDS = NodeRequirements(urls=("http://gpu/v1",), variables=("KEY",), files=("weights.onnx",))


def test_every_kind_has_its_mend() -> None:
    other = replace(
        HERE,
        manyhands="9",
        protocol="2",
        python="3.12.1",
        ray="1",
        lacking=("aiohttp",),
        files={},
        unreached={"u": "no"},
    )
    answers = (NodeAnswer(NODE, other, offset_s=5.0), NodeAnswer(NODE, silence="does not answer"))
    found = find_incompatibilities(HERE, answers, NEEDS)
    assert {one.what for one in found} == {
        *("manyhands", "protocol", "python", "ray", "clock", "packages", "weights", "key", "model", "answer")
    }
    assert all(mend_of(one) for one in found)
    report = ClusterReport(NEEDS, answers, found, ("--ray-address: x",), 0.1)
    assert not report.fits
    assert next(iter(report.lines)) == "--ray-address: x"
    assert any(line.endswith("-> there: timedatectl set-ntp true") for line in report.lines)
