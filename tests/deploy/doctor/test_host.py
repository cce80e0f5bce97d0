"""The doctor on what the system grants: each fault is planted for real where any user can plant it."""

from __future__ import annotations

import resource
import shutil
import socket
import sqlite3
from collections import namedtuple
from collections.abc import Mapping
from pathlib import Path

import pytest

from manyhands.actors.phones.leases import Leases
from manyhands.actors.sqlite_database import DATABASE
from manyhands.deploy.doctor.findings import Finding, apply_fixes
from manyhands.deploy.doctor.machine import examine_host
from manyhands.deploy.settings.loading import load_settings

Usage = namedtuple("Usage", "total used free")


def examined(folder: Path, **given: object) -> Mapping[str, Finding]:
    settings = load_settings({"state_dir": str(folder), "out": str(folder / "runs" / "new"), **given})
    return {one.name: one for one in examine_host(settings)}


def test_a_machine_without_a_fault(tmp_path: Path) -> None:
    found = examined(tmp_path)
    assert [one for one in found.values() if one.status == "failure"] == []
    assert found["database"].found == f"none yet; a run makes {tmp_path / DATABASE}"
    assert f"run folders in {tmp_path}" in found["disk"].found
    Leases(tmp_path).close()
    assert examined(tmp_path)["database"].found == f"{tmp_path / DATABASE} is whole"


@pytest.mark.parametrize(("free_mb", "status"), [(100, "failure"), (1000, "warning"), (3000, "ok")])
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, status: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1 << 40, 0, free_mb << 20))
    one = examined(tmp_path)["disk"]
    assert one.status == status
    assert ("delete old runs" in one.mend) == (status != "ok")


@pytest.mark.parametrize(("limit", "status"), [(200, "failure"), (512, "warning")])
def test_few_open_files(tmp_path: Path, limit: int, status: str) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, before[1]))
    try:
        one = examined(tmp_path)["open files"]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert (one.status, one.found) == (status, f"{limit} at a time")
    assert one.mend.startswith("ulimit -n ")


def test_few_processes(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_NPROC, (900, before[1]))
    try:
        one = examined(tmp_path)["processes"]
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, before)
    assert one.status == "warning"


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        one = examined(tmp_path, metrics_port=port)["ports"]
    assert one.status == "failure"
    assert f"--port {port}" in one.found
    assert "--metrics-port 0" in one.mend
    assert examined(tmp_path, metrics_port=port)["ports"].found == f"127.0.0.1:{port} is free for metrics"


def test_a_damaged_database(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"no database" * 1000)
    one = examined(tmp_path)["database"]
    assert one.status == "failure"
    assert "is damaged: file is not a database" in one.found
    assert f"mv {tmp_path / DATABASE}" in one.mend


async def test_a_database_that_others_can_read_is_mended(tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    with sqlite3.connect(memory) as database:
        database.execute("CREATE TABLE t (x)")
    memory.chmod(0o644)
    one = examined(tmp_path, memory=str(memory))["memory"]
    assert (one.status, one.mend) == ("warning", f"chmod 600 {memory}*")
    assert await apply_fixes([one]) == ["host: memory mended"]
    assert examined(tmp_path, memory=str(memory))["memory"].status == "ok"
