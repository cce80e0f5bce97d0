"""What `manyhands gateway` says of its options before it serves anything."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.deploy.command_line.called import manyhands

AT = ("gateway", "--site", "lab", "--broker", "mqtts://127.0.0.1:1")
SHARED = ("ca", "cert", "key", "user-env", "password-env")


def test_a_gateway_and_a_run_name_who_we_are_to_a_broker_alike() -> None:
    for words in (("gateway", "--help"), ("run", "--help-all"), ("phones", "--help")):
        shown = set(re.findall(r"--[a-z-]+", manyhands(*words, COLUMNS="300").stdout))
        assert {f"--mqtt-{name}" for name in (*SHARED, "version")} <= shown
        assert shown.isdisjoint(f"--{name}" for name in SHARED)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--mqtt-cert", "our.crt"), "--mqtt-cert and --mqtt-key belong together"),
        (("--mqtt-user-env", "U"), "--mqtt-user-env and --mqtt-password-env belong together"),
        (("--mqtt-version", "4"), "mqtt_version"),
    ],
)
def test_what_names_us_to_a_broker_is_checked_first(given: tuple[str, ...], said: str) -> None:
    done = manyhands(*AT, *given, "--json")
    assert done.returncode == 2
    assert said in json.loads(done.stdout)["error"]


def test_half_of_a_pair_is_refused_of_runs_too(tmp_path: Path) -> None:
    words = ("run", "--goal", "x", "--phones", "mqtts://127.0.0.1:1/lab/*", "--mllm-url", "rehearsed", "--json")
    done = manyhands(*words, "--mqtt-user-env", "U", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "--mqtt-user-env and --mqtt-password-env belong together" in json.loads(done.stdout)["error"]


def test_which_of_a_certificate_and_a_password_counts_is_said(adb_server: tuple[str, int], tmp_path: Path) -> None:
    ours = ("--mqtt-cert", "none.crt", "--mqtt-key", "none.key", "--mqtt-user-env", "U", "--mqtt-password-env", "P")
    at = (*AT, "--state-dir", tmp_path / "state", "--adb-port", str(adb_server[1]))
    done = manyhands(*at, *ours, "--json", U="lab", P="secret")
    assert done.returncode == 2
    assert "a broker that asks for certificates goes by the certificate, any other by the name" in done.stderr
    assert "none.crt, which should be for the connection" in json.loads(done.stdout)["error"]


@pytest.mark.parametrize("empty", ["U", "P"])
def test_an_empty_name_or_password_is_refused_with_its_variable(
    adb_server: tuple[str, int], tmp_path: Path, empty: str
) -> None:
    at = (*AT, "--state-dir", tmp_path / "state", "--adb-port", str(adb_server[1]))
    environment = {"U": "lab", "P": "secret", empty: ""}
    done = manyhands(*at, "--mqtt-user-env", "U", "--mqtt-password-env", "P", "--json", **environment)
    assert done.returncode == 2
    said = f"the variable {empty} of the environment is empty: set it to what the broker asks for"
    assert json.loads(done.stdout)["error"] == said
