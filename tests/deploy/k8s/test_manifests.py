"""The files for Kubernetes are such as Kubernetes, KubeRay and Ray accept, and say what the rest of the project says.

No Kubernetes cluster is asked: pods and Kubernetes' own resources are compared with its schemas, fields of KubeRay's
with a list from its definitions (``kuberay_fields.yaml`` names source and date), groups are read by Ray's autoscaler.
"""

from __future__ import annotations

import copy
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from manyhands.deploy.cluster.node_facts import matches
from manyhands.deploy.command_line.cli import app
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.tasks.task import read_tasks
from tests.deploy.k8s.checking import mistakes, node_types

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "k8s"
FILES = ("batch.yaml", "cluster.yaml", "model.yaml")


def manifests(file: str) -> dict[str, dict[str, Any]]:
    """The resources of a file, by their kinds."""
    return {one["kind"]: one for one in yaml.safe_load_all((FOLDER / file).read_text())}


CLUSTER, BATCH, MODEL = (
    manifests("cluster.yaml")["RayCluster"],
    manifests("batch.yaml")["RayJob"],
    manifests("model.yaml")["RayService"],
)


@pytest.mark.parametrize("file", FILES)
def test_every_resource_is_accepted(file: str) -> None:
    assert [path.name for path in sorted(FOLDER.glob("*.yaml"))] == list(FILES)
    for manifest in yaml.safe_load_all((FOLDER / file).read_text()):
        assert list(mistakes(manifest)) == []


def changed(manifest: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The manifest with another value at a path, whose numbers are places in lists."""
    made = copy.deepcopy(manifest)
    *way, last = (int(part) if part.isdecimal() else part for part in path.split("/"))
    at: Any = made
    for part in way:
        at = at[part]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return made


POD = "spec/workerGroupSpecs/0/template/spec"


@pytest.mark.parametrize(
    ("manifest", "path", "value", "way"),
    [
        # Pod templates and Kubernetes' own resources, by its schemas.
        (CLUSTER, f"{POD}/containers/0/volumeMount", [], "kubernetes: pods of workers"),
        (CLUSTER, f"{POD}/containers/0/image", 1, "kubernetes: pods of workers"),
        (
            CLUSTER,
            "spec/headGroupSpec/template/spec/securityContext/runAsUser",
            "root",
            "kubernetes: pods of headgroup",
        ),
        (MODEL, "spec/rayClusterConfig/workerGroupSpecs/0/template/spec/container", [], "kubernetes: pods of gpu"),
        (manifests("model.yaml")["NetworkPolicy"], "spec/ingres", [], "kubernetes: NetworkPolicy"),
        (
            manifests("cluster.yaml")["PersistentVolumeClaim"],
            "spec/accessModes",
            "ReadWriteOnce",
            "kubernetes: Persist",
        ),
        # Groups, labels and resources, by Ray's autoscaler.
        (CLUSTER, "spec/workerGroupSpecs/1/labels/perception", "yes, please", "ray: Invalid label key value"),
        (CLUSTER, f"{POD.replace('0', '1')}/containers/0/resources", {}, "ray: Autoscaler failed to detect `CPU`"),
        (CLUSTER, "spec/workerGroupSpecs/1/rayStartParams/labels", "a=b", "ray: perception: it ignores labels"),
        # The other fields, by the list.
        (CLUSTER, "spec/authOptions/mode", "tokens", "kuberay: RayCluster: authOptions.mode: 'tokens' is none of"),
        (CLUSTER, "spec/workerGroupSpecs/0/replica", 2, "kuberay: RayCluster: workerGroupSpecs[].replica: unknown"),
        (CLUSTER, "spec/workerGroupSpecs/0/maxReplicas", None, "kuberay: RayCluster: workerGroupSpecs[]: lacks max"),
        (
            CLUSTER,
            "spec/headGroupSpec/rayStartParams/num-cpus",
            0,
            "kuberay: RayCluster: headGroupSpec.rayStartParams{}",
        ),
        (BATCH, "spec/backoffLimit", "0", "kuberay: RayJob: backoffLimit: '0' is no integer"),
        (BATCH, "spec/entryPoint", "true", "kuberay: RayJob: entryPoint: unknown"),
        (MODEL, "spec/serveConfig", "", "kuberay: RayService: serveConfig: unknown"),
    ],
)
def test_a_planted_mistake_is_found(manifest: dict[str, Any], path: str, value: Any, way: str) -> None:
    found = list(mistakes(changed(manifest, path, value)))
    assert [one for one in found if one.startswith(way)], found


def test_the_batch_is_what_a_run_takes_and_finds_its_nodes(tmp_path: Path) -> None:
    given = manifests("batch.yaml")["ConfigMap"]["data"]
    for name, text in given.items():
        (tmp_path / name).write_text(text)
    assert read_tasks(tmp_path / "tasks.yaml")
    settings = load_settings({}, tmp_path / "settings.yaml")
    # What perception asks for, one group has; the operator starts as many as there are actors.
    types = node_types(CLUSTER)
    chosen = [one for one in types.values() if matches(one["labels"], settings.perception_labels)]
    assert [one["resources"]["CPU"] >= settings.perception_cores for one in chosen] == [True]
    assert chosen[0]["max_workers"] >= settings.perception_actors
    assert BATCH["spec"]["clusterSelector"] == {"ray.io/cluster": CLUSTER["metadata"]["name"]}
    assert settings.mllm_url == (f"http://{MODEL['metadata']['name']}-serve-svc:8000/v1",)


def played(folder: Path, number: str) -> subprocess.CompletedProcess[str]:
    """What becomes of the job's entrypoint where the head has the batch of that number."""
    shell, option, script = shlex.split(BATCH["spec"]["entrypoint"])  # as the submitter's shell takes it apart
    assert (shell, option) == ("bash", "-c")
    program = folder / "bin" / "manyhands"
    program.parent.mkdir()
    program.write_text('#!/bin/bash\nls "$2" "$4" && echo "$0" "$@"\n')
    program.chmod(0o755)
    (folder / "batch").mkdir()
    for name, text in {**manifests("batch.yaml")["ConfigMap"]["data"], "number": number}.items():
        (folder / "batch" / name).write_text(text)
    # The same script, in a folder of ours, which tries once alone.
    for there, here in (("cd /srv;", f"cd {folder};"), ("seq 60", "seq 1"), ("sleep 5;", "sleep 0;")):
        assert there in script
        script = script.replace(there, here)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    return subprocess.run([shell, option, script], env=environment, capture_output=True, text=True, check=False)


def test_a_job_carries_out_its_own_batch_and_none_that_the_head_still_has(tmp_path: Path) -> None:
    number = manifests("batch.yaml")["ConfigMap"]["data"]["number"]
    assert BATCH["metadata"]["name"] == f"manyhands-batch-{number}"
    (tmp_path / "own").mkdir()
    own = played(tmp_path / "own", number)
    assert own.returncode == 0, own.stderr
    assert own.stdout.splitlines()[-1].endswith("/manyhands run batch/tasks.yaml --config batch/settings.yaml")
    (tmp_path / "before").mkdir()
    before = played(tmp_path / "before", "0")
    assert (before.returncode, before.stdout) == (1, "")
    assert f"the head has no batch {number} after 5 minutes (batch/number there: 0)" in before.stderr


def test_the_model_is_served_as_manyhands_mllm_says() -> None:
    (line,) = re.findall(r"^# +manyhands (mllm --on ray .*)$", (FOLDER / "model.yaml").read_text(), re.MULTILINE)
    printed = CliRunner().invoke(app, line.split())
    assert printed.exit_code == 0
    expected = yaml.safe_load(printed.stdout)
    del expected["http_options"]
    assert yaml.safe_load(MODEL["spec"]["serveConfigV2"]) == expected
    (worker,) = MODEL["spec"]["rayClusterConfig"]["workerGroupSpecs"]
    (container,) = worker["template"]["spec"]["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    (llm,) = expected["applications"][0]["args"]["llm_configs"]
    assert worker["replicas"] == llm["deployment_config"]["num_replicas"]


def test_ray_is_the_locked_one_with_a_token_and_nothing_runs_as_root() -> None:
    (locked,) = re.findall(r"^ray==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    for spec in (CLUSTER["spec"], MODEL["spec"]["rayClusterConfig"]):
        assert spec["rayVersion"] == locked
        assert spec["authOptions"] == {"mode": "token"}
        for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
            pod = group["template"]["spec"]
            assert pod["securityContext"]["runAsNonRoot"]
            assert not pod["containers"][0]["securityContext"]["allowPrivilegeEscalation"]


def test_the_container_file_installs_what_there_is() -> None:
    text = (FOLDER / "Containerfile").read_text()
    (extras,) = re.findall(r"'\.\[([a-z,]+)\]'", text)
    project = (ROOT / "pyproject.toml").read_text()
    for extra in extras.split(","):
        assert f"\n{extra} = [" in project
    images = set(re.findall(r"image: (\S+:\S+)", "".join((FOLDER / file).read_text() for file in FILES)))
    assert images == set(re.findall(r"-t (\S+)", text))
