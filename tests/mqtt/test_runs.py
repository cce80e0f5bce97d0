"""Runs on phones behind a broker: named by its address, called by site and serial, gone on with; or refused."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.benchmarks.edge_testbed import EdgeWorld, edge_world
from manyhands.deploy.fleet.phones.phone_locations import PhoneLocations
from manyhands.deploy.fleet.phones.phone_selection import choose_phones, screen_sizes
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.phones import names_of
from manyhands.protocol.errors import BadInput
from tests.mqtt.broker import Mosquitto

SIZE = "360x800"
CHECKED = {
    "id": "dark",
    "goal": "Turn on dark mode.",
    "reset_seed": 0,
    "check": {
        "source": "content://manyhands.simulator/state",
        "holds": {"path": "settings.dark_mode", "equals": True},
    },
}


def options(broker: Mosquitto, phones: str, **given: str) -> list[str]:
    words = {"phones": phones, "mqtt-ca": str(broker.ca), "mqtt-user-env": "U", "mqtt-password-env": "P", **given}
    return [word for name, value in words.items() if value for word in (f"--{name}", value)]


def variables(broker: Mosquitto, name: str = "cluster") -> dict[str, str]:
    account = broker.account(name)
    return {"U": account.user, "P": account.password, "MANYHANDS_PHONE_WAIT_S": "1"}


def refused(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """The one line of a command that ends with exit code 2."""
    asked = ["run", *words, "--mllm-url", "rehearsed", "--goal", "Turn on dark mode."]
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *asked],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.mark.parametrize(
    ("phones", "given", "account", "said"),
    [
        ("/A/*", {}, "cluster", "--phones A/*: no usable phone at this site within 1 s: nobody serves it"),
        ("/A/R58M1", {}, "cluster", "A/R58M1: none could be had within 1 s"),
        ("/A", {}, "cluster", "names no phone"),
        ("/A/*", {"mqtt-ca": ""}, "cluster", "certificate"),
        ("/A/*", {"mqtt-ca": "/nowhere/ca.crt"}, "cluster", "/nowhere/ca.crt"),
        ("/A/*", {"mqtt-user-env": "NOT_SET"}, "cluster", "NOT_SET"),
        ("/A/*", {}, "B", "does not let"),
    ],
)
def test_what_a_run_cannot_reach_is_one_line_and_exit_code_2(
    mosquitto_tls: Mosquitto, tmp_path: Path, phones: str, given: dict[str, str], account: str, said: str
) -> None:
    words = [*options(mosquitto_tls, mosquitto_tls.url + phones, **given), "--out", str(tmp_path / "run")]
    line = refused(words, variables(mosquitto_tls, account))
    assert said in line
    assert not (tmp_path / "run").exists()


def test_errors_of_a_broker_never_contain_the_password(mosquitto_tls: Mosquitto, tmp_path: Path) -> None:
    words = [*options(mosquitto_tls, f"{mosquitto_tls.url}/A/*"), "--out", str(tmp_path / "run")]
    line = refused(words, {**variables(mosquitto_tls), "P": "no-such-secret"})
    assert "no-such-secret" not in line
    mosquitto_tls.kill()
    assert str(mosquitto_tls.port) in refused(words, variables(mosquitto_tls))
    with_secret = mosquitto_tls.url.replace("mqtts://", "mqtts://me:no-such-secret@")
    line = refused(["--phones", f"{with_secret}/A/*"], {})
    assert "no-such-secret" not in line


async def _manyhands(world: EdgeWorld, *words: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "manyhands",
        *words,
        "--json",
        env={**os.environ, **world.account.variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said, errors = await process.communicate()
    value = json.loads(said or b"{}")
    assert isinstance(value, dict | list), errors.decode()
    return {"value": value, "code": process.returncode, "errors": errors.decode()}


async def test_phones_of_two_sites_are_told_by_their_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings({"virtual": {"size": SIZE}})
    async with edge_world(settings, {"lab": 2, "shop": 1}, tmp_path) as world:
        for name, value in world.account.variables.items():
            monkeypatch.setenv(name, value)
        named = world.settings(settings)
        async with PhoneLocations(named, transport_of) as places:
            names = names_of(named.phones)
            assert names == ("lab/*", "shop/*")
            chosen = await choose_phones(places, names, 10)
            there = [f"{name}/{serial}" for name, site in world.sites.items() for serial in site.serials]
            assert sorted(chosen.serials) == sorted(there)
            assert {str(size.width) for size in await screen_sizes(places, chosen)} == {"360"}
            ledgers = [await places.look(serial, "content://manyhands.simulator/ledger") for serial in there]
            assert [ledger["rows"] for ledger in ledgers] == [[], [], []]
            await world.sites["shop"].gateway.stop()
            with pytest.raises(BadInput, match=r"^--phones shop/\*: no usable phone .*: shop/\S+: site away$"):
                await choose_phones(places, ("shop/*",), 1)


@pytest.mark.timeout(400)
async def test_a_run_is_carried_out_and_its_folder_names_sites(tmp_path: Path) -> None:
    settings = load_settings({"virtual": {"size": "540x1200"}})
    tasks, out = tmp_path / "tasks.yaml", tmp_path / "run"
    tasks.write_text(yaml.safe_dump([{**CHECKED, "id": f"dark-{number}"} for number in range(2)]))
    async with edge_world(settings, {"lab": 1, "shop": 1}, tmp_path) as world:
        named = world.settings(settings)
        words = ["--phones", ",".join(named.phones), "--mqtt-ca", world.broker.ca]
        words += ["--mqtt-user-env", str(named.mqtt_user_env), "--mqtt-password-env", str(named.mqtt_password_env)]
        ran = await _manyhands(world, "run", str(tasks), *words, "--mllm-url", "rehearsed", "--out", str(out))
        assert (ran["code"], ran["value"]["verified"]) == (0, 2), ran["errors"]
        again = await _manyhands(world, "resume", str(out))
        assert (again["code"], again["value"]["verified"]) == (0, 2), again["errors"]
        serials = sorted(f"{name}/{serial}" for name, site in world.sites.items() for serial in site.serials)
    asked = yaml.safe_load((out / "run.yaml").read_text())
    assert sorted(asked["phones"]) == serials
    assert "virtual phones" in asked["phones_source"]
    assert world.account.password not in (out / "run.yaml").read_text()
    files = sorted(path.name for path in (out / "ledgers").iterdir())
    assert files == sorted(f"{serial.replace('/', '_').replace(':', '_')}.json" for serial in serials)
    audited = subprocess.run([sys.executable, "-m", "manyhands", "audit", str(out)], capture_output=True, check=False)
    assert audited.returncode == 0, audited.stdout.decode()
