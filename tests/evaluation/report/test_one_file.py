"""A report in one file: all payloads and pictures are in it, and it runs its own script alone."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from pathlib import Path

import pytest
from PIL import Image

from manyhands.evaluation.report.report_folder import ReportOptions, write_one_file
from manyhands.protocol.errors import BadInput
from tests.evaluation.judged_run import FIRST, HOSTILE, WRONG, screen, write_judged_run
from tests.evaluation.report.opened import decode

_PAYLOAD = re.compile(r'<script type="text/plain" data-name="([^"]*)">([^<]*)</script>')


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_judged_run(tmp_path / "run")


def test_all_payloads_and_pictures_are_in_the_file(run: Path, tmp_path: Path) -> None:
    written = write_one_file(run, tmp_path / "run.html")
    text = written.page.read_text(encoding="utf-8")
    payloads = dict(_PAYLOAD.findall(text))
    assert HOSTILE in decode(payloads[f"episodes/{FIRST}"])["episode"]["goal"]
    assert {"run", f"calls/{FIRST}"} <= payloads.keys()
    assert [task["row"]["id"] for task in decode(payloads["run"])["tasks"]] == ["hostile", "short"]
    picture = payloads[f"screens/{screen(WRONG)[0]}"]
    assert picture.startswith("data:image/webp;base64,")
    with Image.open(io.BytesIO(base64.b64decode(picture.partition(",")[2]))) as opened:
        assert opened.size == (54, 120)
    assert written.bytes == len(text.encode())
    assert not (run / "thumbnails").exists()
    assert not (run / "report").exists()


def test_the_policy_allows_the_script_and_the_styles_of_the_page_alone(run: Path, tmp_path: Path) -> None:
    text = write_one_file(run, tmp_path / "run.html").page.read_text(encoding="utf-8")
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    for part in (script, style):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert HOSTILE not in text
    outside = _PAYLOAD.sub("", text).replace(script, "").replace(style, "")
    assert not re.findall(r'(?:src|href)="(?!data:image/)', outside)


def test_without_screens_the_file_has_no_picture(run: Path, tmp_path: Path) -> None:
    text = write_one_file(run, tmp_path / "run.html", ReportOptions(trim=True)).page.read_text(encoding="utf-8")
    payloads = dict(_PAYLOAD.findall(text))
    assert decode(payloads["run"])["is_trimmed"]
    assert not [name for name in payloads if name.startswith("screens/")]


def test_a_file_that_would_be_too_large_is_refused_and_nothing_is_left(run: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--trim, or write a folder with --out"):
        write_one_file(run, tmp_path / "run.html", most_bytes=1000)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    with pytest.raises(BadInput, match="this is a folder"):
        write_one_file(run, run)
