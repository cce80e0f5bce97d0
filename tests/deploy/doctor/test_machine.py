"""The doctor tells of this machine what is true, and changes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from manyhands.deploy.cluster.node_probe import probe_class
from manyhands.deploy.doctor.examination import examine
from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.settings.loading import load_settings


async def examined(tmp_path: Path, **given: object) -> dict[str, Finding]:
    settings = load_settings({"state_dir": str(tmp_path), **given})
    return {one.name: one for one in (await examine(settings)).findings}


async def test_this_machine_can_run_the_tests(tmp_path: Path) -> None:
    found = await examined(tmp_path, phones=["virtual:1"], mllm_url=["rehearsed"])
    assert not [one for one in found.values() if one.status == "failure"]
    assert "phones of 1080x2400" in found["memory"].found
    assert found["extra fleet"].found == "installed"
    assert found["adb"].found.endswith(("adb", "adb)"))


async def test_what_is_missing_is_named_with_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = await examined(tmp_path, adb_port=unused_tcp_port, mllm_url=[f"http://127.0.0.1:{unused_tcp_port}/v1"])
    assert found["adb server"].found == f"none at 127.0.0.1:{unused_tcp_port}; a run starts one"
    assert found["adb server"].mend.endswith(f"adb -P {unused_tcp_port} start-server")
    assert found["listed"].status == "failure"
    assert found["answer"].status == "failure"
    assert "cannot be reached" in found["answer"].found
    assert found["vllm"].found == "not installed; needed for manyhands mllm"


async def test_no_phone_and_no_model_are_not_all_that_a_run_needs(adb_server: tuple[str, int], tmp_path: Path) -> None:
    settings = load_settings({"state_dir": str(tmp_path), "adb_port": adb_server[1]})
    report = await examine(settings)
    found = {one.name: one for one in report.findings}
    if found["listed"].found == "no phone":  # else another test's phone is there
        assert found["listed"].mend.endswith("manyhands simulate --phones 4")
    assert "manyhands mllm" in found["server"].mend
    assert not report.fits
    assert report.conclusion.startswith("A run needs what is marked as failure")


async def test_what_listens_and_is_no_adb_server_is_said(tmp_path: Path) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        found = await examined(tmp_path, adb_port=port)
    assert found["adb server"].status == "failure"
    assert found["adb server"].found.startswith(f"127.0.0.1:{port} does not answer")


def test_packages_are_those_of_the_extra_alone() -> None:
    probe = probe_class()()
    assert probe.lacking("dev") == ()
    assert "vllm" in probe.lacking("vllm")
    assert probe.lacking("no-such-extra") == ()
