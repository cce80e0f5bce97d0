"""Ray's lines are kept in the logs of runs, and none is printed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray._private import worker

from manyhands.deploy.cluster import logs


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ray, "init", lambda **_: None)
    logs.init_silently(address="local")
    yield
    logs.resume_printing()


@pytest.mark.usefixtures("silent")
def test_lines_are_in_the_log_of_each_open_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    sent = {"lines": ["A worker died."], "pid": "raylet", "is_err": False}
    with logs.lines_kept_in(tmp_path / "one"), logs.lines_kept_in(tmp_path / "two"):
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
        worker.print_to_stdstream(sent, ignore_prefix=False)
        logging.getLogger("ray.any").error("said here")
    worker.print_to_stdstream(sent, ignore_prefix=False)
    for name in ("one", "two"):
        log = tmp_path / name / "ray.log"
        assert [line.split(" ", 2)[2] for line in log.read_text().splitlines()] == [
            "(raylet) A worker died.",
            "said here",
        ]
        assert log.stat().st_mode & 0o077 == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("silent")
def test_a_folder_that_is_gone_costs_the_line_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with logs.lines_kept_in(tmp_path / "gone"):
        worker.print_to_stdstream({"lines": ["lost"], "pid": "raylet", "is_err": False}, ignore_prefix=False)
    assert capfd.readouterr() == ("", "")
