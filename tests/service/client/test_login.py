"""``manyhands login``: it tries a token, stores it for its service, and forgets it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.deploy.command_line.called import manyhands
from tests.service.client.conftest import Served


def test_a_login_is_tried_stored_listed_and_forgotten(served: Served, tmp_path: Path) -> None:
    state = {"MANYHANDS_STATE_DIR": str(tmp_path / "state")}
    wrong = manyhands("login", served.url, said="wrong\n", **state)
    assert (wrong.returncode, (tmp_path / "state").exists()) == (2, False)
    assert f"Log in: manyhands login {served.url}" in wrong.stderr
    done = manyhands("login", f"{served.url}/", said=f"{served.token}\n", **state)
    assert done.returncode == 0, done.stderr
    assert f"Logged in to {served.url}" in done.stdout
    file = tmp_path / "state" / "logins.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads((manyhands("login", "--json", **state)).stdout) == [{"server": served.url, "last": True}]
    assert served.token not in (manyhands("login", **state)).stdout
    assert (manyhands("login", served.url, "--forget", **state)).returncode == 0
    assert served.token not in file.read_text()


def test_a_token_comes_from_a_file(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{served.token}\n")
    state = {"MANYHANDS_STATE_DIR": str(tmp_path / "state")}
    done = manyhands("login", served.url, "--token-file", file, "--json", **state)
    assert json.loads(done.stdout)["server"] == served.url
    missing = manyhands("login", served.url, "--token-file", tmp_path / "gone", **state)
    assert (missing.returncode, "No such file" in missing.stderr) == (1, True)


def test_mistakes_are_said(tmp_path: Path) -> None:
    state = {"MANYHANDS_STATE_DIR": str(tmp_path)}
    away = manyhands("login", "http://127.0.0.1:9", said="t\n", **state)
    assert (away.returncode, "Start a service there (manyhands serve)" in away.stderr) == (1, True)
    assert (manyhands("login", "127.0.0.1:9", said="t\n", **state)).returncode == 2
    empty = manyhands("login", "http://127.0.0.1:9", said="\n", **state)
    assert (empty.returncode, "the token is empty" in empty.stderr) == (2, True)
    assert (manyhands("login", "--forget", **state)).returncode == 2
    assert "manyhands login URL" in (manyhands("login", **state)).stdout
