"""Define what a run asks of every node of a cluster and what nodes answer; find the nodes that do not fit, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Labels = Mapping[str, str]
_OF_RAY = "ray.io/"
"""The prefix of labels that Ray itself gives to each node."""


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """Describe a node as Ray lists it."""

    id: str
    host: str
    address: str
    labels: Labels = field(default_factory=dict)
    resources: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name for people: the host name, and the address at which other nodes reach it."""
        return f"{self.host} ({self.address})" if self.host != self.address else self.address


@dataclass(frozen=True, slots=True)
class NodeRequirements:
    """Hold what a node must have and what it must be able to reach."""

    urls: tuple[str, ...] = ()
    """URLs of model servers."""
    variables: tuple[str, ...] = ()
    """Environment variables that hold the keys of model servers."""
    files: tuple[str, ...] = ()
    """Weights of perception: our own as a path within the package, others as an absolute path."""
    readers: Labels = field(default_factory=dict)
    """The selector of nodes on which perception may run. Only these need the files."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Hold what a node told about itself."""

    manyhands: str | None
    """The installed version; None if it is not installed."""
    protocol: int | None
    python: str
    ray: str | None
    lacking: tuple[str, ...] = ()
    """Packages that manyhands with its extra ``fleet`` requires and that are not installed."""
    files: Mapping[str, str] = field(default_factory=dict)
    """A checksum for each requested file that exists; empty for a folder."""
    variables: tuple[str, ...] = ()
    """The requested variables that are set."""
    unreached: Mapping[str, str] = field(default_factory=dict)
    """The reason for each URL that the node does not reach."""


@dataclass(frozen=True, slots=True)
class NodeAnswer:
    """Hold a node's answer, or the reason why there is none."""

    node: ClusterNode
    facts: Facts | None = None
    offset_s: float = 0.0
    """Seconds by which the node's clock is ahead of ours."""
    unsure_s: float = 0.0
    """Seconds by which ``offset_s`` may be wrong: half of the round trip that measured it."""
    silence: str = ""
    """Why the node gave no facts."""


def own_weights(actors: Path) -> tuple[str, ...]:
    """Return the weights that come with the package's folder ``actors``, as paths within the package."""
    return tuple(sorted(f"actors/{path.relative_to(actors).as_posix()}" for path in actors.rglob("weights/*.onnx")))


def paths_in(values: Any) -> tuple[str, ...]:
    """Return all paths in nested settings. A ``~`` stays as written, because it means another node's home folder."""
    if isinstance(values, Path):
        return (str(values),)
    if isinstance(values, Mapping):
        return tuple(path for value in values.values() for path in paths_in(value))
    return ()


def matches(labels: Labels, selector: Labels) -> bool:
    """Return whether labels match a selector of ``value``, ``!value``, ``in(a,b)`` and ``!in(a,b)``."""
    return all(_matches(labels.get(key), pattern) for key, pattern in selector.items())


def _matches(value: str | None, pattern: str) -> bool:
    if pattern.startswith("!"):
        return not _matches(value, pattern[1:])
    if pattern.startswith("in(") and pattern.endswith(")"):
        return value in [one.strip() for one in pattern[3:-1].split(",")]
    return value == pattern


def has_capacity(node: ClusterNode, selector: Labels, resources: Mapping[str, float]) -> bool:
    """Return whether a node matches and has these resources in total, whoever uses them now."""
    return matches(node.labels, selector) and all(
        node.resources.get(name, 0.0) >= amount for name, amount in resources.items()
    )


def format_labels(selector: Labels) -> str:
    """Format a selector, or labels, in one line."""
    return ", ".join(f"{key}={value}" for key, value in selector.items())


def labels_without_rays(node: ClusterNode) -> Labels:
    """Return the labels of a node without those that Ray itself gives."""
    return {key: value for key, value in node.labels.items() if not key.startswith(_OF_RAY)}


def labels_there(nodes: Sequence[ClusterNode]) -> str:
    """Format the labels that users gave to nodes, with the number of nodes that have each."""
    count = Counter(f"{key}={value}" for node in nodes for key, value in labels_without_rays(node).items())
    if not count:
        return "no node has a label of its own"
    return "there are " + ", ".join(
        f"{label} ({number} of {len(nodes)} nodes)" for label, number in sorted(count.items())
    )


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
