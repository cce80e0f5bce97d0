"""``manyhands console``: the link into a service's console, from what ``manyhands login`` stored."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.deploy.command_line.called import manyhands
from tests.service.client.conftest import Served


def test_the_link_has_the_stored_token_in_its_fragment(served: Served, tmp_path: Path) -> None:
    state = {"MANYHANDS_STATE_DIR": str(tmp_path / "state")}
    unknown = manyhands("console", "--server", served.url, **state)
    assert (unknown.returncode, f"login {served.url}" in unknown.stderr) == (2, True)
    assert manyhands("login", served.url, said=f"{served.token}\n", **state).returncode == 0
    link = f"{served.url}/#token={served.token}"
    assert manyhands("console", **state).stdout == f"{link}\n"
    assert json.loads(manyhands("console", "--json", **state).stdout) == {"server": served.url, "link": link}


def test_a_browser_is_led_by_a_file_that_only_its_owner_reads(served: Served, tmp_path: Path) -> None:
    """The command line of a browser, which other users see, must not have the token."""
    called = tmp_path / "called"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {called}\n', encoding="utf-8")
    browser.chmod(0o700)
    state = {"MANYHANDS_STATE_DIR": str(tmp_path / "state"), "BROWSER": str(browser)}
    assert manyhands("login", served.url, said=f"{served.token}\n", **state).returncode == 0
    done = manyhands("console", "--open", **state)
    assert (done.returncode, served.token in done.stdout) == (0, False), done.stderr
    page = tmp_path / "state" / "console.html"
    assert called.read_text(encoding="utf-8") == page.as_uri()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert f"{served.url}/#token={served.token}" in page.read_text(encoding="utf-8")
