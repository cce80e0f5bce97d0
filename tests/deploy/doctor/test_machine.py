"""The doctor tells of this machine what is true, and changes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from manyhands.deploy.cluster.nodes.probe import probe_class
from manyhands.deploy.doctor.machine import MachineCheck, examine_machine
from manyhands.deploy.settings.loading import load_settings
from manyhands.simulator.canned.server import CannedServer
from manyhands.simulator.serving.settings import ServerSettings


async def checked(tmp_path: Path, **given: object) -> dict[str, MachineCheck]:
    settings = load_settings({"state_dir": str(tmp_path), **given})
    return {check.name: check for check in await examine_machine(settings)}


async def test_this_machine_can_run_the_tests(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with CannedServer(ServerSettings()) as model:
        found = await checked(tmp_path, adb_port=adb_server[1], mllm_url=[model.url])
    assert not [check for check in found.values() if check.is_fatal]
    assert found["adb server"].found == f"127.0.0.1:{adb_server[1]} answers"
    assert "usable" in found["phones"].found
    assert found["model"].found == f"{model.url} answers"
    assert "phones of 1080x2400" in found["memory"].found
    assert found["extra fleet"].found == "installed"


async def test_what_is_missing_is_named_with_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = await checked(tmp_path, adb_port=unused_tcp_port, mllm_url=[f"http://127.0.0.1:{unused_tcp_port}/v1"])
    assert found["adb server"].found == f"none at 127.0.0.1:{unused_tcp_port}; a run starts one"
    assert "phones" not in found
    assert found["model"].is_fatal
    assert found["model"].found.endswith("Connection refused")
    assert (found["vllm"].fits, found["vllm"].needed_for, found["vllm"].is_fatal) == (False, "manyhands mllm", False)


async def test_what_listens_and_is_no_adb_server_is_said(tmp_path: Path) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        found = await checked(tmp_path, adb_port=port)
    assert not found["adb server"].fits
    assert found["adb server"].found.startswith(f"127.0.0.1:{port} does not answer")


def test_packages_are_those_of_the_extra_alone() -> None:
    probe = probe_class()()
    assert probe.lacking("dev") == ()
    assert "vllm" in probe.lacking("vllm")
    assert probe.lacking("no-such-extra") == ()
