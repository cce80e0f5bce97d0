"""ray_cluster.yaml is what Ray's own launcher accepts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import ray
import yaml
from ray.autoscaler._private.local.config import prepare_local

from manyhands.deploy.settings.fleet import ENV_PREFIX

ROOT = Path(__file__).parents[3]


def test_ray_accepts_the_cluster_file() -> None:
    config = yaml.safe_load((ROOT / "ray_cluster.yaml").read_text())
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(config, schema)
    prepared, _ = prepare_local(config)
    assert [node["max_workers"] for node in prepared["available_node_types"].values()] == [2]


def test_what_a_machine_says_of_itself_is_no_variable_of_settings() -> None:
    """Ray's processes inherit it, and an unknown variable of that kind is refused there."""
    text = (ROOT / "ray_cluster.yaml").read_text()
    assert re.findall(r"^ +labels=.*\$\{(\w+):", text, re.MULTILINE) == ["NODE_LABELS", "NODE_LABELS"]
    assert ENV_PREFIX not in text
