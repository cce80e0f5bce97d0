"""What a model is asked about places and schemas, by real HTTP, and how its answers are judged."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from manyhands.actors.mllm import ModelSettings, dialect_named
from manyhands.actors.mllm.client.transport import Transport
from manyhands.benchmarks.model.questions import (
    ClickTarget,
    Questioner,
    SchemaFigures,
    click_figures,
    judge_click,
    labelled_targets,
    recorded_targets,
)
from manyhands.benchmarks.model.recording import read_recording, unpack
from manyhands.protocol.errors import BadInput

SIZE = (540, 1200)
TEXTS = {"Search": (100, 50, 300, 90), "Display": (40, 400, 240, 440), "Twice": (40, 500, 200, 540)}
QWEN3, QWEN25 = dialect_named("qwen3-vl"), dialect_named("qwen2.5-vl")


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    Image.fromarray(np.full((SIZE[1], SIZE[0], 3), 200, np.uint8)).save(tmp_path / "one.png")
    texts: list[dict[str, Any]] = [{"text": text, "box": box} for text, box in TEXTS.items()]
    texts += [
        {"text": "Twice", "box": (300, 500, 400, 540)},
        {"text": "9:41", "box": (0, 0, 60, 30), "minor": True},
        {"text": "thin", "box": (0, 700, 60, 704)},
    ]
    icons = [{"name": "back arrow", "box": (10, 50, 60, 90)}]
    screen = {"file": "one.png", "width": SIZE[0], "height": SIZE[1], "texts": texts, "icons": icons}
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"images": [screen]}))
    return path


@contextmanager
def model(answer: Callable[[str], str]) -> Iterator[str]:
    """A chat-completions server that answers the last text of a request; its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text = next(part["text"] for part in reversed(body["messages"][-1]["content"]) if part["type"] == "text")
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer(text)}}
            data = json.dumps({"choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def target(labels: Path, name: str) -> ClickTarget:
    return next(found for found in labelled_targets(labels, 10) if found.name == name)


def test_targets_are_what_can_be_meant_and_hit(labels: Path) -> None:
    found = labelled_targets(labels, 10)
    assert {(one.name, one.kind) for one in found} == {("Search", "text"), ("Display", "text"), ("back arrow", "icon")}
    assert found == labelled_targets(labels, 10)
    assert len(labelled_targets(labels, 2)) == 2


def test_a_label_file_that_does_not_fit_its_picture_is_refused(labels: Path) -> None:
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(labels.with_name("one.png"))
    with pytest.raises(BadInput, match="has 8 x 8 pixels, labelled 540 x 1200"):
        labelled_targets(labels, 10)
    labels.with_name("one.png").write_bytes(b"no picture")
    with pytest.raises(BadInput, match="--screens"):
        labelled_targets(labels, 10)
    labels.with_name("one.png").unlink()
    with pytest.raises(BadInput, match="No such file"):
        labelled_targets(labels, 10)


@pytest.mark.parametrize(
    ("said", "fate"),
    [
        ('{"x": 370, "y": 58}', "hit"),
        ('```json\n{"x": 370, "y": 58}```', "hit"),
        ('{"x": 370, "y": 500}', "miss"),
        ('{"x": 1370, "y": 58}', "outside"),
        ("I cannot tell.", "no_point"),
    ],
)
def test_a_click_is_judged_in_the_dialects_space(labels: Path, said: str, fate: str) -> None:
    found = judge_click(target(labels, "Search"), said, QWEN3)
    assert found.fate == fate
    assert (found.point is None) == (fate in ("outside", "no_point"))


def test_the_same_place_in_pixels(labels: Path) -> None:
    assert judge_click(target(labels, "Display"), '{"x": 140, "y": 420}', QWEN25).fate == "hit"
    assert judge_click(target(labels, "Display"), '{"x": 140, "y": 420}', QWEN3).fate == "miss"


async def ask(url: str, targets: tuple[ClickTarget, ...]) -> tuple[Questioner, SchemaFigures, str]:
    settings = ModelSettings(urls=(url,), model="m")
    transport = Transport(settings)
    transport.open()
    try:
        questioner = Questioner(settings, transport, QWEN3, timeout_s=60)
        schemas = await questioner.ask_schemas()
        space = await questioner.judge_space()
        await questioner.ask_clicks(targets)
    finally:
        await transport.close()
    return questioner, schemas, space


async def test_questions_over_http(labels: Path) -> None:
    def answer(text: str) -> str:
        named = re.search(r'the text "(\w+)"', text)
        if named is not None:
            x1, y1, x2, y2 = TEXTS[named[1]]
            return json.dumps({"x": round(500 * (x1 + x2) / SIZE[0]), "y": round(500 * (y1 + y2) / SIZE[1])})
        return '{"x": 999, "y": 0}' if "icon" in text or "cross" in text else "Hello, dear friend!"

    targets = labelled_targets(labels, 10)
    with model(answer) as url:
        questioner, schemas, space = await ask(url, targets)
    found = click_figures("labels", len(targets), space, questioner.clicks)
    assert (found.asked, found.fates) == (3, {"hit": 2, "miss": 1})
    assert (found.asked_of_kind, found.hits_of_kind) == ({"text": 2, "icon": 1}, {"text": 2})
    assert found.hit_share == pytest.approx(2 / 3)
    assert found.space.startswith("crosses at ")
    assert (schemas.asked, schemas.obeyed, schemas.failed) == (8, 0, 0)
    assert schemas.broken == ("Hello, dear friend!",)


async def test_a_server_that_is_gone_fails_each_question(labels: Path) -> None:
    with model(lambda _: "") as url:
        pass
    questioner, schemas, _ = await ask(url, labelled_targets(labels, 10))
    assert [answer.fate for answer in questioner.clicks] == ["failed"] * 3
    assert (schemas.asked, schemas.obeyed, schemas.failed) == (8, 0, 8)
    assert click_figures("labels", 3, "", questioner.clicks).hit_share == 0


def test_recorded_screens_have_targets(tmp_path: Path) -> None:
    recording = read_recording(unpack("e", tmp_path))
    found = recorded_targets([recording, recording], 20)
    assert len(found) == 20
    assert len({one.screen.name for one in found}) >= 3
    for one in found:
        assert 0 <= one.box.x1 < one.box.x2 <= one.screen.size.width
