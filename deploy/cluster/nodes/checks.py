"""Find the nodes that do not fit a run, and why, from their answers alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manyhands.deploy.cluster.nodes.facts import ClusterNode, Facts, NodeAnswer, NodeRequirements, matches

MOST_CLOCK_OFF_S = 1.0
"""Seconds by which a node's clock may differ from ours.

The limit is small because deadlines are sent as times of day, and the shortest deadline is a few seconds away.
"""


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """Say what is wrong with a node and how to mend it."""

    node: ClusterNode
    what: str
    reason: str


def find_incompatibilities(
    here: Facts, answers: Sequence[NodeAnswer], needs: NodeRequirements
) -> tuple[Incompatibility, ...]:
    """Return what does not fit, node by node. ``here``: the facts of the node that starts the run."""
    return tuple(
        Incompatibility(answer.node, what, reason)
        for answer in answers
        for what, reason in _of_node(here, answer, needs)
    )


def _of_node(here: Facts, answer: NodeAnswer, needs: NodeRequirements) -> Iterator[tuple[str, str]]:
    there = answer.facts
    if there is None:
        yield "answer", answer.silence
        return
    yield from _compare_versions(here, there)
    if abs(answer.offset_s) - answer.unsure_s > MOST_CLOCK_OFF_S:
        side = "ahead of" if answer.offset_s > 0 else "behind"
        yield "clock", f"its clock is {abs(answer.offset_s):.1f} s {side} ours; let both follow NTP"
    if there.lacking:
        yield "packages", f"lacks {', '.join(there.lacking)}; install manyhands[fleet] there"
    if matches(answer.node.labels, needs.readers):
        yield from _weights(here, there, needs)
    for name in needs.variables:
        if name not in there.variables:
            yield "key", f"has no variable {name} with the model's key; set it where Ray is started there"
    for url, reason in there.unreached.items():
        yield "model", f"does not reach {url}: {reason}"


def _compare_versions(here: Facts, there: Facts) -> Iterator[tuple[str, str]]:
    if there.manyhands is None and there.protocol is None:
        yield "manyhands", "has no manyhands; install it there as here"
    elif there.manyhands != here.manyhands:
        yield "manyhands", f"has manyhands {there.manyhands or 'without a version'}, this machine {here.manyhands}"
    if there.protocol is not None and there.protocol != here.protocol:
        yield "protocol", f"has protocol {there.protocol}, this machine {here.protocol}"
    for what, theirs, ours in (
        ("python", _minor(there.python), _minor(here.python)),
        ("ray", there.ray, here.ray),
    ):
        if theirs != ours:
            yield what, f"has {what.capitalize()} {theirs}, this machine {ours}"


def _weights(here: Facts, there: Facts, needs: NodeRequirements) -> Iterator[tuple[str, str]]:
    for file in needs.files:
        if file not in there.files:
            yield "weights", f"lacks {file}"
        elif file in here.files and there.files[file] != here.files[file]:
            yield "weights", f"has another {file} than this machine"


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
