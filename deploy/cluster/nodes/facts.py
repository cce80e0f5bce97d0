"""Define what a run asks of every node of a cluster, what a node answers, and which nodes a selector matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
