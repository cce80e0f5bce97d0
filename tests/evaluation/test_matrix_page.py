"""The page of a matrix: each step on all phones, read back by an HTML parser; hostile texts stay texts."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pyrage.x25519 import Identity

from manyhands.actors.frames import encode_png
from manyhands.evaluation.formats.matrix import MOST_ROWS, PICTURE_WIDTH
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import EpisodeStarted, Perceived, Record, ScreenCaptured
from manyhands.protocol.phones import AppCrash
from manyhands.protocol.runs.run_cipher import IDENTITY_VARIABLE, cipher_of, make_key
from manyhands.protocol.screens.actions import AtomicAction, Stop, Tap, Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.profiles.flow.test_flow import FLOW, PAGES, changed
from tests.actors.profiles.flow.world import FlowWorld, Page, play
from tests.deploy.command_line.called import manyhands
from tests.evaluation.run_records import ID, SIZE, captured, decided, ended, sent, span, started, write_run

HOSTILE = "</td><script src=https://example.com/x.js></script><img src=x onerror=alert(1)>"
LOST = "picked up by somebody"


class Table(HTMLParser):
    """Collect the cells of all rows as texts, how many pictures each has, and what a browser would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.pictures: list[list[int]] = []
        self.marked: list[str] = []
        self.loaded: list[str] = []
        self.tags: list[str] = []
        self._in_cell = self._is_marked = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
            self.pictures.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.pictures[-1].append(0)
            self._in_cell, self._is_marked = True, dict(attrs).get("class") == "differs"
        elif tag in ("img", "image"):
            self.pictures[-1][-1] += 1
        self.loaded += [value or "" for name, value in attrs if name == "src" or (name == "href" and tag != "a")]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            if self._is_marked:
                self.marked.append(self.rows[-1][-1])
            self._in_cell = self._is_marked = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())

    def row(self, title: str) -> list[str]:
        return next(row for row in self.rows if row and row[0].startswith(title))


def of_value(number: int, value: str, **more: Any) -> TaskSpec:
    named = {"id": f"look.{number}", "repeat_of": "look", "matrix": "model", "matrix_value": value}
    return TaskSpec.model_validate({"goal": "Look around.", **named, **more})


def write(folder: Path, episodes: Mapping[str, tuple[TaskSpec, Sequence[Record]]]) -> Path:
    """Write a run with one episode for each task, and a picture of every screen."""
    folder.mkdir()
    tasks = [task.model_dump(mode="json") for task, _ in episodes.values()]
    journals = {name: records for name, (_, records) in episodes.items()}
    write_run(folder, {"run_id": "night", "tasks": tasks}, journals)
    (folder / "screens").mkdir()
    every = [one.screenshot.content_id for records in journals.values() for one in records if is_shot(one)]
    for content_id in {ID, *every}:
        (folder / "screens" / f"{content_id}.png").write_bytes(encode_png(np.zeros((800, 400, 3), np.uint8)))
    return folder


def is_shot(record: Record) -> Any:
    return isinstance(record, ScreenCaptured)


def page_of(run: Path, *more: str | Path) -> Table:
    out = run.parent / "matrix.html"
    done = manyhands("results", run, "--format", "matrix", "--out", out, *more)
    assert done.returncode == 0, done.stderr
    return Table(out.read_text(encoding="utf-8"))


def read(step: int, text: str) -> Perceived:
    element = Element(kind="text", box=Box(x1=0, y1=0, x2=9, y2=9), content=text, confidence=1)
    screen = Screen(content_id=ID, size=SIZE, elements=(element,), keyboard="hidden")
    return Perceived(step=step, span=span(1, 2), screen=screen)


def done(step: int, action: AtomicAction, text: str = "OK") -> Sequence[Record]:
    """A step that shows a text, and does something there."""
    when = span(step, step + 1)
    key = f"k{step}"
    return captured(step, when), read(step, text), decided(step, when, action=action), sent(step, key, action=action)


TAP = Tap(x=3, y=3)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Three models: two went the same way, on one of them the app was lost; the third one touched another thing."""
    pixel, galaxy, moto = (of_value(number, value) for number, value in enumerate(("Pixel 8", "Galaxy", HOSTILE), 1))
    end = (captured(2, span(2, 3)), decided(2, span(2, 3), action=Stop()))
    lost = ended(9, Ending.PHONE_LOST, reason=f"phone b: {LOST}")
    return write(
        tmp_path / "run",
        {
            "one": (
                pixel,
                [started("one", pixel, serial="a"), *done(0, TAP), *done(1, Type(text="Milk")), *end, ended(9)],
            ),
            "two": (galaxy, [started("two", galaxy, serial="b"), *done(0, TAP), *done(1, Type(text="Milk")), lost]),
            "three": (
                moto,
                [
                    *(started("three", moto, serial="c"), *done(0, TAP, HOSTILE)),
                    ended(9, Ending.PHONE_LOST, reason=f"phone c: {LOST}"),
                ],
            ),
        },
    )


def test_a_step_is_side_by_side_on_all_phones(run: Path) -> None:
    page = page_of(run)
    assert page.row("step 0")[1:] == ["Tap “OK”", "Tap “OK”", f"Tap “{HOSTILE}”"]
    assert page.row("step 1")[1:] == ["Type “Milk”", "Type “Milk”", "–"]
    assert [page.pictures[page.rows.index(page.row(title))][1:] for title in ("step 0", "step 1")] == [
        [1, 1, 1],
        [1, 1, 0],
    ]
    assert page.row("the last screen")[1:] == ["Stop", "", ""]
    assert page.marked == [f"Tap “{HOSTILE}”"], "what one phone did, and the others did not"


def test_the_top_says_where_it_failed_and_groups_why(run: Path) -> None:
    page = page_of(run)
    assert page.row("task") == ["task", *(f"model {value}" for value in sorted(("Pixel 8", "Galaxy", HOSTILE)))]
    assert sorted(page.row("look")[1:]) == ["failed", "failed", "passed"]
    places = f"look on Galaxy, after Type “Milk” look on {HOSTILE}, after Tap “{HOSTILE}”"
    assert page.row("phone_lost") == ["phone_lost", f"the phone: {LOST}", "2", places]


def test_the_trace_of_a_crash_is_folded(tmp_path: Path) -> None:
    """What crashed on two phones alike has one line, with the trace of one of them."""
    crash = AppCrash(id="1", kind="crash", package="com.example", reason="IllegalState", trace=f"at {HOSTILE}")
    crashed = ended(5, Ending.APP_CRASHED, verified=False, reason=crash.words, crash=crash)
    tasks = {f"e{number}": of_value(number, f"phone {number}") for number in (1, 2)}
    episodes = {name: (task, [started(name, task), *done(0, TAP), crashed]) for name, task in tasks.items()}
    page = page_of(write(tmp_path / "run", episodes))
    cause = page.row("app_crashed")
    assert cause[1] == f"com.example crashed: IllegalState stack trace at {HOSTILE}"
    assert (cause[2], page.tags.count("details"), "script" in page.tags) == ("2", 1, False)


def test_a_page_loads_nothing_and_has_no_markup_of_a_text(run: Path) -> None:
    page = page_of(run)
    assert {address.split(",")[0] for address in page.loaded} == {"data:image/jpeg;base64"}
    assert ("script" in page.tags, "onerror" in page.tags) == (False, False)
    for style in re.findall(r"<style>.*?</style>", (run.parent / "matrix.html").read_text(), re.DOTALL):
        assert "//" not in style
    jpeg = base64.b64decode(page.loaded[0].split(",")[1])
    with Image.open(io.BytesIO(jpeg)) as picture:
        assert picture.width == PICTURE_WIDTH


def test_the_page_of_an_encrypted_run_needs_its_key(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = page_of(run)
    ours, identity = Identity.generate(), tmp_path / "identity"
    identity.write_text(f"{ours}\n")
    identity.chmod(0o600)
    make_key(run, [str(ours.to_public())])
    cipher = cipher_of(run)
    for path in (*run.glob("screens/*"), *run.glob("episodes/*/*.mh")):
        encrypt = cipher.encrypt_frames if path.suffix == ".mh" else cipher.encrypt
        path.write_bytes(encrypt(path.read_bytes()))
    copy = run.rename(tmp_path / "encrypted")
    monkeypatch.delenv(IDENTITY_VARIABLE, raising=False)
    refused = manyhands("results", copy, "--format", "matrix")
    assert (refused.returncode, "is encrypted" in refused.stderr, refused.stdout) == (2, True, "")
    page = page_of(copy, "--identity", identity)
    assert (page.rows, page.pictures) == (plain.rows, plain.pictures)


def test_many_steps_are_cut_and_the_page_says_so(tmp_path: Path) -> None:
    task = of_value(1, "Pixel 8")
    steps = [record for number in range(MOST_ROWS + 3) for record in done(number, TAP)]
    page = page_of(write(tmp_path / "run", {"one": (task, [started("one", task), *steps, ended(99)])}))
    assert page.row(f"step {MOST_ROWS - 1}")
    assert not any(row and row[0] == f"step {MOST_ROWS}" for row in page.rows)
    assert any("3 more rows left out" in cell for row in page.rows for cell in row)


def test_a_run_without_a_matrix_is_told_what_to_do(tmp_path: Path) -> None:
    task = TaskSpec(id="look", goal="Look.")
    run = write(tmp_path / "run", {"one": (task, [started("one", task), ended(5)])})
    refused = manyhands("results", run, "--format", "matrix")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no task has a 'matrix'" in refused.stderr
    assert "matrix: serial" in refused.stderr
    refused = manyhands("results", "b1", "--format", "matrix", "--server", "http://127.0.0.1:1")
    assert (refused.returncode, "is for a run folder" in refused.stderr) == (2, True)


# ---------------------------------------------------------------------------- flows
RENAMED = changed(list=Page(["Notes", "Shopping", "Write one"], {"Write one": "form"}))


def played(number: int, value: str, pages: dict[str, Page], **settings: Any) -> tuple[TaskSpec, Sequence[Record]]:
    """A flow on a phone, as the task of that value."""
    world = FlowWorld(pages=pages, taps={"list": "Write one"})
    play(world, FLOW, **settings)
    first, *rest = world.written("run-task-1")
    assert isinstance(first, EpisodeStarted)
    task = of_value(number, value, flow=first.task.flow)
    return task, [first.model_copy(update={"task": task, "episode": f"e{number}"}), *rest]


def test_flows_are_aligned_by_their_steps(tmp_path: Path) -> None:
    """The agent's touch has a row of its own, so that the steps after it stay side by side."""
    page = page_of(
        write(
            tmp_path / "run",
            {
                "e1": played(1, "one", PAGES),
                "e2": played(2, "two", RENAMED),
                "e3": played(3, "three", RENAMED, without=["agent"]),
            },
        )
    )
    agent = 'agent: Tap “Write one” "New note" is not on the screen'
    flow = "of the flow"
    assert page.row(f"step 1 {flow}") == [f"step 1 {flow}: Open_App Notes", *["Open_App Notes"] * 3]
    assert page.row(f"before step 2 {flow}")[1:] == ["–", agent, "–"]
    assert page.row(f"step 2 {flow}")[1:] == ["Tap “New note”", "–", "–"]
    assert page.row(f"step 3 {flow}")[1:] == ["Tap “Title”", "Tap “Title”", "–"]
    assert page.row(f"step 5 {flow}")[1:] == ["Tap “Send”", "Tap “Send”", "–"]
    assert page.marked == [agent]
    (cause,) = [row for row in page.rows if row and row[0] == "diverged"]
    assert 'step 2 of 5: "New note" is not on the screen' in cause[1]
    assert cause[3] == "look on three, after Open_App Notes"
    assert page.row("the last screen")[3].count("is not on the screen") == 1
