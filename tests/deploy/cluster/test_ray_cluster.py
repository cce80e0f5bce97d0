"""ray_cluster.yaml is what Ray's own launcher accepts."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import ray
import yaml
from ray.autoscaler._private.local.config import prepare_local

ROOT = Path(__file__).parents[3]


def test_ray_accepts_the_cluster_file() -> None:
    config = yaml.safe_load((ROOT / "ray_cluster.yaml").read_text())
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(config, schema)
    prepared, _ = prepare_local(config)
    assert [node["max_workers"] for node in prepared["available_node_types"].values()] == [2]
