"""Which nodes have the labels and resources that something asks for, by Ray's rules for selectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from manyhands.deploy.cluster.nodes.facts import Labels, Node

_OF_RAY = "ray.io/"
"""Labels that Ray gives by itself: each node has its own."""


def matches(labels: Labels, selector: Labels) -> bool:
    """Tell whether a node with these labels is chosen: by ``value``, ``!value``, ``in(a,b)`` and ``!in(a,b)``."""
    return all(_matches(labels.get(key), wanted) for key, wanted in selector.items())


def _matches(value: str | None, wanted: str) -> bool:
    if wanted.startswith("!"):
        return not _matches(value, wanted[1:])
    if wanted.startswith("in(") and wanted.endswith(")"):
        return value in [one.strip() for one in wanted[3:-1].split(",")]
    return value == wanted


def has_room(node: Node, selector: Labels, resources: Mapping[str, float]) -> bool:
    """Tell whether a node is chosen and has so much in all, whoever uses it now."""
    return matches(node.labels, selector) and all(
        node.resources.get(name, 0.0) >= amount for name, amount in resources.items()
    )


def written(selector: Labels) -> str:
    """Write a selector, or labels, in one line."""
    return ", ".join(f"{key}={value}" for key, value in selector.items())


def labels_without_rays(node: Node) -> Labels:
    """Return the labels of a node apart from those that Ray gives each."""
    return {key: value for key, value in node.labels.items() if not key.startswith(_OF_RAY)}


def labels_there(nodes: Sequence[Node]) -> str:
    """Write the labels that nodes were given, with how many have each."""
    count = Counter(f"{key}={value}" for node in nodes for key, value in labels_without_rays(node).items())
    if not count:
        return "no node has a label of its own"
    return "there are " + ", ".join(
        f"{label} ({number} of {len(nodes)} nodes)" for label, number in sorted(count.items())
    )
