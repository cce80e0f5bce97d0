"""The files of the console: sent to anybody, from one folder alone, small, and without a script in a page."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from manyhands.protocol.service.access import AccessRole
from tests.service.api.running_service import RunningService, running

SCRIPT = "const wall = 1;\n" * 1000


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "console"
    (folder / "fonts").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Manyhands</title>", encoding="utf-8")
    (folder / "console.js").write_text(SCRIPT, encoding="utf-8")
    (folder / "fonts" / "text.woff2").write_bytes(b"wOF2")
    (folder / "notes.txt").write_text("secret", encoding="utf-8")
    (tmp_path / "outside.js").write_text("secret", encoding="utf-8")
    (folder / "link.js").symlink_to(tmp_path / "outside.js")
    return folder


async def test_pages_and_files_need_no_token(tmp_path: Path, built: Path) -> None:
    async with running(tmp_path, console=built) as service, httpx.AsyncClient(base_url=service.url) as browser:
        for path in ("/", "/fleet", "/phones/lab/p2", "/batches/b1?x=1"):
            page = await browser.get(path)
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
            policy = page.headers["content-security-policy"]
            assert "script-src 'self'" in policy
            assert "unsafe" not in policy
        font = await browser.get("/fonts/text.woff2")
        assert (font.status_code, font.headers["content-type"], font.content) == (200, "font/woff2", b"wOF2")


async def test_a_file_is_small_and_sent_once(tmp_path: Path, built: Path) -> None:
    async with running(tmp_path, console=built) as service, httpx.AsyncClient(base_url=service.url) as browser:
        first = await browser.get("/console.js")
        assert (first.text, first.headers["content-encoding"]) == (SCRIPT, "gzip")
        assert int(first.headers["content-length"]) < len(SCRIPT) / 10
        plain = await browser.get("/console.js", headers={"Accept-Encoding": "identity"})
        assert (plain.text, "content-encoding" in plain.headers) == (SCRIPT, False)
        tag = {"If-None-Match": first.headers["etag"]}
        again = await browser.get("/console.js", headers=tag)
        assert (again.status_code, again.content) == (304, b"")
        (built / "console.js").write_text("built anew", encoding="utf-8")
        assert (await browser.get("/console.js", headers=tag)).text == "built anew"


@pytest.mark.parametrize(
    "path",
    [
        "/none.js",
        "/notes.txt",
        "/link.js",
        "/../outside.js",
        "/..%2foutside.js",
        "/fonts/..%2f..%2foutside.js",
        "/%2e%2e/outside.js",
        "/fonts",
        "/fonts/",
        "//etc/passwd",
        "/console.js/x",
        "/.hidden.js",
        "/a%00.js",
        "/" + "a" * 5000 + ".js",
    ],
)
async def test_nothing_else_is_sent(tmp_path: Path, built: Path, path: str) -> None:
    async with running(tmp_path, console=built) as service, httpx.AsyncClient() as browser:
        answer = await browser.get(httpx.URL(service.url, raw_path=path.encode()))
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/"])
async def test_the_root_of_the_api_says_where_its_paths_are(tmp_path: Path, built: Path, path: str) -> None:
    async with running(tmp_path, console=built) as service, service.client() as client:
        answer = await client.get(f"{service.url}{path}")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "this is the API's root; /docs lists its paths, all below /api/v1/"


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/api/nothing", "/api/v1/nothing", "/api/v1/batches/b1/nothing"])
async def test_an_unknown_path_of_the_api_says_where_they_are_described(
    service: RunningService, method: str, path: str
) -> None:
    async with service.client(AccessRole.READ) as client:
        answer = await client.request(method, f"{service.url}{path}")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
        said = answer.json()["detail"]
        assert "the API has no such path" in said
        assert "/openapi.json" in said
        assert (await client.get(f"{service.url}/openapi.json")).status_code == 200
        assert (await client.delete(f"{service.url}/api/v1/status")).status_code == 405


async def test_without_files_a_page_says_what_to_do(tmp_path: Path) -> None:
    async with running(tmp_path, console=tmp_path / "none") as service, httpx.AsyncClient() as browser:
        answer = await browser.get(service.url)
    assert answer.status_code == 404
    assert "make web" in answer.text


async def test_the_built_console_has_no_script_in_its_page(service: RunningService) -> None:
    async with httpx.AsyncClient(base_url=service.url) as browser:
        page = await browser.get("/")
        assert page.status_code == 200
        assert "<script>" not in page.text
