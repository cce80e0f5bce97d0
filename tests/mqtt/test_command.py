"""`manyhands broker`: what it prints is what clients need, and it keeps its mosquitto running."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import ssl
import stat
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import psutil
import pytest
from paho.mqtt.reasoncodes import ReasonCode

from manyhands.actors.edge.settings import BrokerAddress
from tests.simulator.processes import SLACK_S, all_gone, end_all

COMMAND = (sys.executable, "-m", "manyhands", "broker")
Said = dict[str, Any]


@asynccontextmanager
async def running(folder: Path, *options: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, Said]]:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--json", "--port", "0", "--folder", str(folder), *options, stdout=asyncio.subprocess.PIPE
    )
    family = [psutil.Process(process.pid)]
    try:
        said = await next_line(process)
        family += family[0].children(recursive=True)
        yield process, said
    finally:
        end_all(family)
        await process.wait()


async def next_line(process: asyncio.subprocess.Process) -> Said:
    assert process.stdout is not None
    async with asyncio.timeout(20):
        said: Said = json.loads(await process.stdout.readline())
    return said


async def told(*arguments: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, complaint = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), complaint.decode()


def account(said: Said, kind: str, name: str) -> tuple[str, str]:
    lines = Path(said[kind][name]["environment"]).read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines)
    return values[said["user_env"]], values[said["password_env"]]


def by_password(said: Said, kind: str, name: str) -> aiomqtt.Client:
    """A client made from what was printed alone."""
    at = BrokerAddress.of(said["url"])
    user, password = account(said, kind, name)
    context = ssl.create_default_context(cafile=said["ca"]) if at.tls else None
    return aiomqtt.Client(at.host, at.port, username=user, password=password, tls_context=context, timeout=5)


async def refused(client: aiomqtt.Client) -> bool:
    try:
        async with client:
            return False
    except aiomqtt.MqttCodeError as error:
        return "Not authorized" in str(error.rc)


@pytest.mark.parametrize("options", [(), ("--no-tls",)])
async def test_what_it_prints_is_what_clients_need(tmp_path: Path, options: Sequence[str]) -> None:
    async with running(tmp_path / "broker", "--site", "shop", *options) as (process, said):
        async with by_password(said, "sites", "shop") as site, by_password(said, "users", "cluster") as cluster:
            await site.subscribe("manyhands/v1/shop/cmd", 1)
            await cluster.publish("manyhands/v1/shop/cmd", b"hello", 1)
            assert (await anext(aiter(site.messages))).payload == b"hello"
        mosquitto = psutil.Process(process.pid).children(recursive=True)
        assert said["pid"] in {one.pid for one in mosquitto}
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 130
        await all_gone(mosquitto, SLACK_S)


async def test_certificates_take_the_place_of_passwords_on_a_port_of_their_own(tmp_path: Path) -> None:
    async with running(tmp_path, "--site", "shop", "--certificate-port", "0") as (_, said):
        at = BrokerAddress.of(said["certificate_url"])
        context = ssl.create_default_context(cafile=said["ca"])
        context.load_cert_chain(said["sites"]["shop"]["cert"], said["sites"]["shop"]["key"])
        async with aiomqtt.Client(at.host, at.port, tls_context=context) as site:
            (granted,) = await site.subscribe("manyhands/v1/shop/cmd", 1)
            assert isinstance(granted, ReasonCode)
            assert not granted.is_failure
        shop = [Path(said["sites"]["shop"][kind]) for kind in ("cert", "key", "environment")]
        assert all(file.is_file() for file in shop)
        assert (await told("remove", "shop", "--folder", str(tmp_path)))[0] == 0
        assert not any(file.exists() for file in shop)


async def test_sites_are_added_and_removed_while_it_runs(tmp_path: Path) -> None:
    async with running(tmp_path, "--site", "shop") as (process, said):
        code, out, complaint = await told("add-site", "lab", "--folder", str(tmp_path), "--json")
        assert (code, complaint) == (0, "")
        assert json.loads(out)["url"] == said["url"]
        said = await next_line(process)
        assert not await refused(by_password(said, "sites", "lab"))
        assert not await refused(by_password(said, "sites", "shop"))
        was = by_password(said, "sites", "lab")
        assert (await told("remove", "lab", "--folder", str(tmp_path)))[0] == 0
        said = await next_line(process)
        assert set(said["sites"]) == {"shop"}
        assert await refused(was)


async def test_a_mosquitto_that_was_killed_is_started_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with running(tmp_path, "--site", "shop") as (process, said):
        os.kill(said["pid"], signal.SIGKILL)
        again = await next_line(process)
        assert "mosquitto was ended by signal 9; starting again" in capfd.readouterr().err
        assert again["pid"] != said["pid"]
        assert again["url"] == said["url"]
        assert not await refused(by_password(again, "sites", "shop"))


async def test_mosquitto_ends_with_a_command_that_is_killed(tmp_path: Path) -> None:
    async with running(tmp_path) as (process, said):
        mosquitto = psutil.Process(said["pid"])
        process.kill()
        await all_gone([mosquitto], SLACK_S)


async def test_passwords_outlive_the_broker_and_are_printed_nowhere(tmp_path: Path) -> None:
    async with running(tmp_path, "--site", "shop") as (_, said):
        _, password = account(said, "sites", "shop")
    async with running(tmp_path, "--site", "shop") as (_, said):
        assert account(said, "sites", "shop")[1] == password
        shown = await told("show", "--folder", str(tmp_path))
    assert shown[0] == 0
    assert "gateway --site shop" in shown[1]
    assert password not in shown[1]
    for path in tmp_path.rglob("*"):
        assert path.name == "shop.env" or not path.is_file() or password.encode() not in path.read_bytes()
        assert not path.is_file() or stat.S_IMODE(path.stat().st_mode) == 0o600, path


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--mosquitto", "/nowhere/mosquitto"), "/nowhere/mosquitto is not there: apt-get install mosquitto"),
        (("--no-tls", "--listen", "0.0.0.0"), "--no-tls is for this machine alone"),
        (("--listen", "203.0.113.1"), "--listen 203.0.113.1: "),
        (("--site", "a/b"), "'a/b' cannot name a site or a user"),
        (("--site", "cluster"), "cluster names a user already"),
        (("remove", "lab"), "there is no such site or user"),
        (("add-site", "cluster"), "cluster names a user already"),
    ],
)
async def test_bad_input_is_one_line(tmp_path: Path, arguments: Sequence[str], complaint: str) -> None:
    code, out, said = await told(*arguments, "--folder", str(tmp_path))
    assert code == 2, said
    assert out == ""
    assert len(said.splitlines()) == 1
    assert complaint in said


@pytest.mark.parametrize("arguments", [("show",), ("remove", "lab")])
async def test_a_folder_that_is_not_there_is_bad_input_and_not_made(tmp_path: Path, arguments: Sequence[str]) -> None:
    code, out, said = await told(*arguments, "--folder", str(tmp_path / "misspelt"))
    assert (code, out) == (2, "")
    assert f"there is no folder {tmp_path / 'misspelt'}" in said
    assert list(tmp_path.iterdir()) == []


async def test_a_site_added_before_the_first_start_gets_incomplete_lines(tmp_path: Path) -> None:
    code, out, _ = await told("add-site", "shop", "--folder", str(tmp_path))
    assert code == 0
    assert "made when it starts" in out
    async with running(tmp_path) as (_, said):
        assert (set(said["sites"]), set(said["users"])) == ({"shop"}, {"cluster"})
        assert "made when it starts" not in (await told("show", "--folder", str(tmp_path)))[1]


async def test_names_that_were_refused_leave_a_folder_that_starts(tmp_path: Path) -> None:
    for wrong in (("--site", "cluster"), ("--site", "shop", "--user", "shop")):
        assert (await told(*wrong, "--folder", str(tmp_path)))[0] == 2
    async with running(tmp_path, "--site", "shop") as (_, said):
        assert (set(said["sites"]), set(said["users"])) == ({"shop"}, {"cluster"})


async def test_a_port_that_is_taken_is_bad_input(tmp_path: Path) -> None:
    async with running(tmp_path / "one") as (_, said):
        port = str(BrokerAddress.of(said["url"]).port)
        code, _, complaint = await told("--port", port, "--folder", str(tmp_path / "two"))
    assert code == 2
    assert f"something listens on 127.0.0.1:{port}" in complaint


async def test_a_folder_is_served_by_one_broker_which_another_one_leaves_alone(tmp_path: Path) -> None:
    async with running(tmp_path, "--site", "shop") as (process, said):
        code, out, complaint = await told("--port", "0", "--site", "lab", "--folder", str(tmp_path))
        assert (code, out) == (2, "")
        assert f"another broker serves {tmp_path}" in complaint
        shown = json.loads((await told("show", "--json", "--folder", str(tmp_path)))[1])
        assert (shown["url"], set(shown["sites"])) == (said["url"], {"shop"})
        process.kill()
        await process.wait()
    async with running(tmp_path) as (_, said):
        assert set(said["sites"]) == {"shop"}
