"""Which addresses web phones may load."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.protocol.errors import BadInput
from manyhands.simulator.web.access import PageAccess


def test_files_of_the_given_folders_alone(tmp_path: Path) -> None:
    inside, outside = tmp_path / "a b" / "in", tmp_path / "out"
    inside.mkdir(parents=True)
    outside.mkdir()
    (inside / "link.html").symlink_to(outside / "page.html")
    access = PageAccess((inside,))
    assert access.allows((inside / "page.html").as_uri() + "?a=1#b")
    assert not access.allows((inside / "link.html").as_uri())
    assert not access.allows(inside.as_uri() + "/../../out/page.html")
    assert not access.allows(inside.as_uri() + "/%2e%2e/%2e%2e/out/page.html")
    assert not access.allows(f"file://share{inside}/page.html")
    assert not PageAccess().allows("file:///etc/passwd")


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://127.0.0.1:8000/x", True),
        ("https://localhost./x", True),
        ("ws://[::1]:9/x", True),
        ("about:blank", True),
        ("data:text/plain,x", True),
        ("http://named.example/x", True),
        ("http://NAMED.example:8/x", True),
        ("http://other.named.example/x", False),
        ("http://localhost.example/x", False),
        ("http://127.0.0.1@other.example/x", False),
        ("http://169.254.169.254/latest", False),
        ("http://[::1/x", False),
        ("ftp://127.0.0.1/x", False),
        ("javascript:alert(1)", False),
        ("chrome://settings", False),
        ("", False),
    ],
)
def test_loopback_and_named_hosts_alone(url: str, allowed: bool) -> None:
    assert PageAccess(hosts=frozenset({"named.example"})).allows(url) is allowed


def test_what_the_command_line_names(tmp_path: Path) -> None:
    fleet = pytest.importorskip("manyhands.simulator.web.fleet", reason="needs Playwright", exc_type=ImportError)
    (tmp_path / "index.html").touch()
    (tmp_path / "more").mkdir()
    url = fleet.page_url(f"{tmp_path}#top")
    assert url == (tmp_path / "index.html").as_uri() + "#top"
    access = fleet.page_access(url, ["Host.Example", f"{tmp_path}/more"])
    assert access == PageAccess((tmp_path, tmp_path / "more"), frozenset({"host.example"}))
    for bad in ("ftp://x/y", str(tmp_path / "more"), "javascript:1"):
        with pytest.raises(BadInput, match="--web"):
            fleet.page_url(bad)
    for bad in ("*", str(tmp_path / "no")):
        with pytest.raises(BadInput, match="--web-allow"):
            fleet.page_access(url, [bad])
