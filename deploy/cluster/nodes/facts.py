"""What a run asks of every node of a cluster, what a node tells of itself, and which nodes labels select."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Labels = Mapping[str, str]
_OF_RAY = "ray.io/"
"""Labels that Ray gives by itself: each node has its own."""


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """Name a node as Ray lists it."""

    id: str
    host: str
    address: str
    labels: Labels = field(default_factory=dict)
    resources: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name for people: the host's, with the address by which the other nodes reach it."""
        return f"{self.host} ({self.address})" if self.host != self.address else self.address


@dataclass(frozen=True, slots=True)
class NodeRequirements:
    """Hold what a node must have and reach."""

    urls: tuple[str, ...] = ()
    """Model servers."""
    variables: tuple[str, ...] = ()
    """Environment variables that hold their keys."""
    files: tuple[str, ...] = ()
    """Weights of perception: of ours, the path within the package; of others, an absolute path."""
    readers: Labels = field(default_factory=dict)
    """The selector of nodes on which perception may run: only these need the files."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Hold what a node told of itself."""

    manyhands: str | None
    """The installed version; None where it is not installed."""
    protocol: str | None
    python: str
    ray: str | None
    lacking: tuple[str, ...] = ()
    """Packages that manyhands with its extra ``fleet`` asks for and that are not installed."""
    files: Mapping[str, str] = field(default_factory=dict)
    """A checksum for each file that was asked for and is there; empty for a folder."""
    variables: tuple[str, ...] = ()
    """Those that were asked for and are set."""
    unreached: Mapping[str, str] = field(default_factory=dict)
    """Why it does not reach a URL, for each that it does not."""


@dataclass(frozen=True, slots=True)
class NodeAnswer:
    """Hold a node's answer, or that there was none."""

    node: ClusterNode
    facts: Facts | None = None
    offset_s: float = 0.0
    """How far its clock is ahead of ours."""
    unsure_s: float = 0.0
    """How wrong that may be: half of the round trip by which it was measured."""
    silence: str = ""
    """Why there are no facts."""


def own_weights(actors: Path) -> tuple[str, ...]:
    """Return the weights that come with the package's folder ``actors``, as paths within the package."""
    return tuple(sorted(f"actors/{path.relative_to(actors).as_posix()}" for path in actors.rglob("weights/*.onnx")))


def paths_in(values: Any) -> tuple[str, ...]:
    """Return all paths among nested settings, home folders left as they were written: they are another node's."""
    if isinstance(values, Path):
        return (str(values),)
    if isinstance(values, Mapping):
        return tuple(path for value in values.values() for path in paths_in(value))
    return ()


def matches(labels: Labels, selector: Labels) -> bool:
    """Tell whether a node with these labels is chosen: by ``value``, ``!value``, ``in(a,b)`` and ``!in(a,b)``."""
    return all(_matches(labels.get(key), wanted) for key, wanted in selector.items())


def _matches(value: str | None, wanted: str) -> bool:
    if wanted.startswith("!"):
        return not _matches(value, wanted[1:])
    if wanted.startswith("in(") and wanted.endswith(")"):
        return value in [one.strip() for one in wanted[3:-1].split(",")]
    return value == wanted


def has_capacity(node: ClusterNode, selector: Labels, resources: Mapping[str, float]) -> bool:
    """Tell whether a node is chosen and has so much in all, whoever uses it now."""
    return matches(node.labels, selector) and all(
        node.resources.get(name, 0.0) >= amount for name, amount in resources.items()
    )


def format_labels(selector: Labels) -> str:
    """Write a selector, or labels, in one line."""
    return ", ".join(f"{key}={value}" for key, value in selector.items())


def labels_without_rays(node: ClusterNode) -> Labels:
    """Return the labels of a node apart from those that Ray gives each."""
    return {key: value for key, value in node.labels.items() if not key.startswith(_OF_RAY)}


def labels_there(nodes: Sequence[ClusterNode]) -> str:
    """Write the labels that nodes were given, with how many have each."""
    count = Counter(f"{key}={value}" for node in nodes for key, value in labels_without_rays(node).items())
    if not count:
        return "no node has a label of its own"
    return "there are " + ", ".join(
        f"{label} ({number} of {len(nodes)} nodes)" for label, number in sorted(count.items())
    )
