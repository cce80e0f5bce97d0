"""Mistakes of a manifest, found in the four ways that there are without a Kubernetes cluster."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml
from ray.autoscaler._private.kuberay import autoscaling_config

KUBERNETES = "1.34"
_KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}
_WITHIN = {"RayService": "rayClusterConfig", "RayJob": "rayClusterSpec"}
"""Where a resource holds the spec of a RayCluster."""


def mistakes(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Give each mistake in a line that begins with the way in which it was found."""
    kind = manifest["kind"]
    if not str(manifest["apiVersion"]).startswith("ray.io/"):
        yield from _of_kubernetes(manifest, kind)
        return
    yield from _by_fields(kind, manifest["spec"])
    cluster = manifest["spec"] if kind == "RayCluster" else manifest["spec"].get(_WITHIN[kind])
    if cluster is not None:
        if kind != "RayCluster":
            yield from _by_fields("RayCluster", cluster)
        for name, group in groups(cluster).items():
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, **group.get("template", {})}
            yield from _of_kubernetes(pod, f"pods of {name}")
        yield from _by_ray({**manifest, "spec": cluster})


def groups(cluster: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the groups of a RayCluster's spec, by their names."""
    return {"headgroup": cluster["headGroupSpec"]} | {
        str(group.get("groupName")): group for group in cluster.get("workerGroupSpecs", [])
    }


def node_types(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Ray's autoscaler makes of a RayCluster: labels and resources of each group."""
    logging.getLogger(autoscaling_config.__name__).setLevel(logging.ERROR)
    metadata = {"namespace": "default", **manifest["metadata"]}
    found = autoscaling_config._derive_autoscaling_config_from_ray_cr({**manifest, "metadata": metadata})
    return dict(found["available_node_types"])


def _of_kubernetes(resource: Mapping[str, Any], what: str) -> Iterator[str]:
    try:
        kubernetes_validate.validate(dict(resource), KUBERNETES, strict=True)
    except kubernetes_validate.ValidationError as error:
        yield f"kubernetes: {what}: {'.'.join(str(part) for part in error.path)}: {error.message}"


def _by_ray(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Have Ray's autoscaler read it, and compare what it read with what is written."""
    try:
        types = node_types(manifest)
    except (ValueError, KeyError, TypeError, AssertionError, AttributeError) as error:
        yield f"ray: {error}"
        return
    for name, group in groups(manifest["spec"]).items():
        if types[name]["labels"] != group.get("labels", {}):
            yield f"ray: {name}: it reads the labels {types[name]['labels']}"
        if "labels" in group.get("rayStartParams", {}):
            yield f"ray: {name}: it ignores labels in rayStartParams"


@cache
def _fields() -> dict[str, Any]:
    return dict(yaml.safe_load((Path(__file__).parent / "kuberay_fields.yaml").read_text()))


def _by_fields(kind: str, spec: Mapping[str, Any]) -> Iterator[str]:
    known = _fields()[kind]
    yield from (f"kuberay: {kind}: {one}" for one in _compare(spec, "", known["fields"], known["required"]))


def _compare(value: Any, path: str, fields: Mapping[str, str], required: Mapping[str, list[str]]) -> Iterator[str]:
    kind, _, words = fields.get(path, "object").partition(" of ")
    if not isinstance(value, _KINDS[kind]) or (kind != "boolean" and isinstance(value, bool)):
        yield f"{path}: {value!r} is no {kind}"
        return
    if words and value not in words.split("|"):
        yield f"{path}: {value!r} is none of {words}"
    inside = [known for known in fields if re.match(rf"{re.escape(path)}([.\[{{]|$)", known) and known != path]
    if path and not inside:
        return  # checked elsewhere, or plain
    if isinstance(value, dict):
        yield from (f"{path}: lacks {name}" for name in required.get(path, []) if name not in value)
        for name, part in value.items():
            at = f"{path}{{}}" if f"{path}{{}}" in fields else f"{path}.{name}" if path else name
            if at not in fields:
                yield f"{at}: unknown"
            else:
                yield from _compare(part, at, fields, required)
    elif isinstance(value, list):
        for part in value:
            yield from _compare(part, f"{path}[]", fields, required)
