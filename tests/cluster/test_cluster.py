"""``ray up`` with the shipped file, a run that loses a node, ``ray down``: in this order, on one cluster."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent
from tests.cluster.cluster import HEAD, MANYHANDS, PYTHON, WAITING, WORKERS, Cluster, Node, cluster_of
from tests.cluster.conftest import Tell
from tests.cluster.lab import HOME, Failed, Machine, until

pytestmark = pytest.mark.timeout(600)
SLOWER = float(os.environ.get("MH_TEST_SLOWER", "1"))
"""How many times as long as on an idle machine everything may take."""
LABELS = {HEAD: {"phones": "yes"}, WORKERS[0]: {"perception": "yes", "phones": "yes"}, WORKERS[1]: {}}
UP_S, GONE_S, NEXT_S = 60.0 * SLOWER, 90.0 * SLOWER, 20.0 * SLOWER
TASKS = (
    "dark_mode",
    "network_speed_zh",
    "greeting",
    "meeting_note",
    "weather_note_zh",
    "bakery_phone",
    "hotel_message",
    "laptop_cart",
)
SIZE = "540x1200"
SUITE = "/opt/manyhands/simulator/suites/everyday.yaml"
RUN = HOME / "run"
FIRST_ACTIONS = 12
"""How many actions have been sent when the node is cut off."""
RUN_S = 240.0 * SLOWER


@dataclass(frozen=True)
class Up:
    """A cluster that was started."""

    cluster: Cluster
    nodes: list[Node]
    took_s: float


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with cluster_of(tmp_path_factory.mktemp("lab"), LABELS) as cluster:
        begun = time.monotonic()
        cluster.up()
        nodes = cluster.nodes(3, UP_S + 60)
        yield Up(cluster, nodes, time.monotonic() - begun)


def test_ray_up_starts_every_node_with_its_labels(up: Up, tell: Tell) -> None:
    tell(f"ray up: 3 nodes after {up.took_s:.0f} s")
    assert [node.address for node in up.nodes] == [HEAD, *WORKERS]
    ours = [{key: value for key, value in node.labels.items() if "/" not in key} for node in up.nodes]
    names = [{"host": machine.name} for machine in up.cluster.machines]
    assert ours == [{**name, **labels} for name, labels in zip(names, LABELS.values(), strict=True)]
    assert up.took_s < UP_S


def test_the_head_has_made_a_token_and_handed_it_out(up: Up) -> None:
    paths = [machine.path(HOME / ".ray" / "auth_token") for machine in up.cluster.machines]
    assert len({path.read_text() for path in paths}) == 1
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}
    with pytest.raises(Failed, match=r"(?i)token|unauthenticated"):
        up.cluster.head.run(PYTHON, WAITING, "3", "5", environment={"RAY_AUTH_MODE": "disabled"})


def test_a_run_goes_on_while_a_node_of_it_is_cut_off(up: Up, tell: Tell) -> None:
    cluster = up.cluster
    model = cluster.serve(
        cluster.head,
        *(PYTHON, "-m", "manyhands.simulator.rehearsal", "--host", HEAD, "--json", "--until-stdin-closes"),
    )
    phones = [name for machine in (cluster.head, cluster.workers[0]) for name in serve_phones(cluster, machine, 4)]
    tasks = [word for task in TASKS for word in ("--task", task)]
    where = ("--ray-address", "auto", "--phones", ",".join(phones), "--mllm-url", model["url"])
    run = cluster.head.start(
        *(MANYHANDS, "run", SUITE, *tasks, *where, "--out", RUN, "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    folder = cluster.head.path(RUN)
    lost = cluster.workers[1]
    until("the first actions", lambda: len(sent(folder)) >= FIRST_ACTIONS or run.poll() is not None, RUN_S)
    roles = roles_on(lost)
    cluster.lab.cut(lost)
    cut_at = time.time()
    try:
        out, errors = run.communicate(timeout=RUN_S)
    finally:
        run.kill()
    report = json.loads(out) if run.returncode == 0 else {}
    assert run.returncode == 0, out + errors
    assert roles, "nothing of the run was on the node that was cut off"
    rows = [(row["id"], row["verified"], row["attempts"]) for row in report["by_task"]]
    assert rows == [(task, True, 1) for task in TASKS]
    assert audit_folders(folder).verdict == "agrees"
    waits = next_actions(folder, cut_at)
    tell(f"{', '.join(roles)} cut off: next actions after {sorted(round(wait) for wait in waits.values())} s")
    assert waits, "every task had sent its last action before the node was cut off"
    assert max(waits.values()) < NEXT_S, waits


def test_a_node_that_is_plugged_in_again_joins_again(up: Up) -> None:
    up.cluster.lab.mend(up.cluster.workers[1])
    nodes = up.cluster.nodes(3, 90 * SLOWER)
    assert [node.address for node in nodes] == [HEAD, *WORKERS]


def test_ray_down_leaves_no_process(up: Up, tell: Tell) -> None:
    begun = time.monotonic()
    up.cluster.down()
    left_s = GONE_S - (time.monotonic() - begun)
    until("the end of Ray", lambda: not up.cluster.left(), left_s)
    tell(f"ray down: no process left after {time.monotonic() - begun:.0f} s")


def serve_phones(cluster: Cluster, machine: Machine, count: int) -> list[str]:
    """Start virtual phones on a machine, and return what a run calls them."""
    options = ("--phones", str(count), "--size", SIZE, "--json", "--until-stdin-closes")
    made = cluster.serve(machine, PYTHON, "-m", "manyhands.simulator.fleet", *options)
    return [f"{machine.name}/{serial}" for serial in made["serials"]]


def sent(folder: Path) -> list[ActionSent]:
    """Return all actions of a run so far."""
    if not (folder / "run.yaml").exists():
        return []
    scans = RunFolder(folder).journals.values()
    return [record for scan in scans for record in scan.records if isinstance(record, ActionSent)]


def next_actions(folder: Path, since: float) -> dict[str, float]:
    """Return how long each episode that had sent an action took to send its next one."""
    waits = {}
    for episode, scan in RunFolder(folder).journals.items():
        times = [record.at for record in scan.records if isinstance(record, ActionSent)]
        later = [at for at in times if at > since]
        if later and min(times) < since:
            waits[episode] = min(later) - since
    return waits


def roles_on(machine: Machine) -> list[str]:
    """Return the actors of ours that run there."""
    names = ("Planner", "Operator", "Reflector", "Notetaker", "EpisodeHost", "PerceptionService")
    return [name for name in names if any(line.startswith(f"ray::{name}") for line in machine.processes())]
