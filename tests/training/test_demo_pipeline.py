"""The pipeline of the model that learns: it goes on where it was, and reports what its runs' summaries hold."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path

import pytest

from manyhands.protocol.errors import BadInput, CallError
from training.demo.pipeline import ServedModel, parsed
from training.demo.report import lines, share_of, write_report
from training.demo.state import State


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


async def test_a_pipeline_goes_on_with_the_step_that_failed(tmp_path: Path) -> None:
    done: list[str] = []

    async def work() -> None:
        done.append("work")

    async def fail() -> None:
        raise CallError("the server ended")

    first = State(tmp_path, {"seed": 1})
    await first.do("convert", work)
    with pytest.raises(CallError):
        await first.do("tune", fail)
    again = State(tmp_path, {"seed": 1})
    assert again.is_done("convert")
    assert not again.is_done("convert", "tune")
    await again.do("convert", work)
    await again.do("tune", work)
    assert done == ["work", "work"]
    assert list(State(tmp_path, {"seed": 1}).seconds) == ["convert", "tune"]


async def test_a_folder_keeps_to_its_settings(tmp_path: Path) -> None:
    async def work() -> None:
        pass

    await State(tmp_path, {"seed": 1}).do("convert", work)
    with pytest.raises(BadInput, match="name another folder"):
        State(tmp_path, {"seed": 2})


@pytest.mark.parametrize(
    ("verified", "tasks", "low", "high"),
    # Brown, Cai and DasGupta's formula by hand; the bounds of 0 and n are those of z²/(n + z²).
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (30, 40, 0.5981, 0.8581)],
)
def test_the_interval_of_a_share_is_wilsons(verified: int, tasks: int, low: float, high: float) -> None:
    share = share_of(verified, tasks)
    assert (share.low, share.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def run(folder: Path, verified: dict[str, bool | None]) -> Path:
    folder.mkdir()
    tasks = [{"id": task, "verified": one} for task, one in verified.items()]
    (folder / "summary.json").write_text(json.dumps({"by_task": tasks}))
    return folder


def test_the_report_tells_shares_kinds_and_whose_figures_they_are(tmp_path: Path) -> None:
    before = run(tmp_path / "before", {"notes_plan_1": False, "page_display_1": None})
    after = run(tmp_path / "after", {"notes_plan_1": True, "page_display_1": False})
    report = write_report(tmp_path, {"before": before, "after": after}, {"tune": 60.0}, ["manyhands run"], seed=3)
    assert json.loads((tmp_path / "report.json").read_text()) == report
    assert report["verified"]["before"]["verified"] == 0
    assert report["kinds"]["after"] == {"notes": "1/1", "page": "0/1"}
    assert (tmp_path / "verified.svg").stat().st_size > 1000
    told = "\n".join(lines(report))
    assert "1 of 2: 50% (95 %: 9% to 91%)" in told
    assert "virtual phones" in told


SERVER = """
import http.server, sys
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[-1])), Health).serve_forever()
"""


async def test_a_server_is_awaited_and_ends_with_its_pipeline(tmp_path: Path) -> None:
    port = free_port()
    async with ServedModel("tiny", [sys.executable, "-c", SERVER], port, tmp_path / "log") as server:
        assert server.url == f"http://127.0.0.1:{port}/v1"
        await (await asyncio.open_connection("127.0.0.1", port))[1].drain()
    with pytest.raises(OSError, match="Connect call failed"):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_server_that_ends_at_once_is_an_error(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "import sys; sys.exit(7)"]
    with pytest.raises(CallError, match="exit code 7"):
        async with ServedModel("tiny", words, free_port(), tmp_path / "log"):
            pass


def test_a_seed_is_an_option() -> None:
    assert parsed(["--out", "build/demo", "--seed", "7"]).seed == 7
