"""The page of ``manyhands bench model``: self-contained, honest about what answered, and safe."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import numpy as np
import pytest

from manyhands.actors.frames import ModelImage, encode_jpeg
from manyhands.actors.mllm import dialect_named
from manyhands.benchmarks.model.figures import (
    CallSample,
    LoadWindow,
    StepSample,
    carried_phones,
    load_figures,
    why_unsure,
)
from manyhands.benchmarks.model.page import format_figure, lay_out, to_html
from manyhands.benchmarks.model.questions import ClickTarget, SchemaFigures, TargetScreen, click_figures, judge_click
from manyhands.benchmarks.model.report import MeasuredServer, ModelReport, ProfileFigures, notes_on
from manyhands.benchmarks.model.run import LoadLines
from manyhands.deploy.command_line.output import TextConsole
from manyhands.deploy.fleet.model_servers.resolution import REHEARSED_SOURCE
from manyhands.evaluation.perception.labels import Rect
from manyhands.evaluation.provenance import this_machine
from manyhands.protocol.messages import Usage
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size

EVIL = '<script src="http://evil.example/x.js"></script><img src=x onerror=alert(1)>"\'&'


class Page(HTMLParser):
    """All tags, with their attributes, and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def target(name: str) -> ClickTarget:
    jpeg = encode_jpeg(np.full((200, 100, 3), 90, np.uint8))
    screen = TargetScreen(EVIL, ModelImage(content_id="c", jpeg=jpeg), Size(width=100, height=200))
    return ClickTarget(screen, "text", name, Rect(10, 20, 30, 40))


def report(stand_in: str = "", model: str = "Qwen3-VL-8B", is_whole: bool = True, times: int = 20) -> ModelReport:
    calls = [
        CallSample(Role.DECIDE, 0, 1, "valid", Usage(input_tokens=1000, output_tokens=50, cached_tokens=500)),
        CallSample(Role.DECIDE, 0, 2, "invalid", Usage(input_tokens=1000, output_tokens=50), EVIL),
        CallSample(Role.PLAN, 0, 3, "failed", error=EVIL),
    ]
    loads = (
        load_figures(LoadWindow(1, 0, 10 * times, calls[:2] * times, [StepSample(0, 2)]), 1.0),
        load_figures(LoadWindow(2, 0, 10 * times, calls * times, []), 1.0),
    )
    server = MeasuredServer(
        urls=("http://127.0.0.1:8000/v1",),
        model=model,
        weights=EVIL,
        stand_in=stand_in,
        version="0.33.0",
        dialect="qwen3-vl",
        max_model_len=16_384,
        cache_tokens=400_000,
        gpus=("NVIDIA H100, 81559 MiB, 73000 MiB",),
    )
    answers = [judge_click(target(EVIL), '{"x": 200, "y": 150}', dialect_named("qwen3-vl"))]
    answers += [judge_click(target("far"), '{"x": 900, "y": 900}', dialect_named("qwen3-vl"))]
    return ModelReport(
        at=0,
        minutes=9.5,
        is_whole=is_whole,
        server=server,
        profiles=(
            ProfileFigures(
                profile="e",
                recorded_with=EVIL,
                calls_per_step=3.4,
                pictures_per_step=4,
                loads=loads,
                stopped="2 phones were the most",
                carried=carried_phones(loads, 3.5),
                unsure=why_unsure(loads),
            ),
        ),
        clicks=None if stand_in else click_figures("labels", 2, EVIL, answers),
        schemas=None if stand_in else SchemaFigures(asked=8, obeyed=7, failed=0, broken=(EVIL,)),
        notes=notes_on(server, ["qwen2.5-vl"]),
        machine=this_machine(),
    )


def test_the_page_needs_nothing_from_outside() -> None:
    page = Page(to_html(report(), [target(EVIL), target("far")]))
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "iframe", "object", "img"})
    for _, attributes in page.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        for name in ("src", "href"):
            assert (attributes.get(name) or "data:").startswith("data:")
    policy = next(attributes for tag, attributes in page.tags if attributes.get("http-equiv"))
    assert (policy["content"] or "").startswith("default-src 'none'")
    assert page.text.count(EVIL) >= 4


def test_the_page_has_the_figures() -> None:
    page = Page(to_html(report(), [target(EVIL), target("far")]))
    for shown in (
        "Qwen3-VL-8B",
        "vLLM 0.33.0",
        "NVIDIA H100",
        "room for 400,000 tokens",
        "50 %",
        "7 of 8",
        "as qwen2.5",
    ):
        assert shown in page.text, shown
    assert "stand-in" not in page.text
    assert "interrupted" not in page.text
    assert [
        attributes["class"] for tag, attributes in page.tags if tag == "rect" and "box" in (attributes["class"] or "")
    ] == [
        "box hit",
        "box miss",
    ]


def test_a_busy_sender_is_a_note() -> None:
    found = report()
    (profile,) = found.profiles
    assert not any("limited" in note for note in notes_on(found.server, [], found.profiles))
    busy = profile.model_copy(
        update={"loads": [load.model_copy(update={"sender_cores": 1.3}) for load in profile.loads]}
    )
    assert notes_on(found.server, ["qwen3-vl"], [busy])[-1].startswith("From 1 phones on, sending took up to 1.3 cores")


def test_the_form_of_replies_is_named() -> None:
    found = report()
    assert "replies asked for in our JSON, under a schema; prompts recorded" in Page(to_html(found)).text
    owl = found.server.model_copy(update={"dialect": "gui-owl-1.5"})
    (native,) = (profile.model_copy(update={"profile": "native"}) for profile in found.profiles)
    wanted = "The prompts of native ask for our JSON. A run asks a model of gui-owl-1.5 in its own form"
    assert any(note.startswith(wanted) for note in notes_on(owl, ["gui-owl-1.5"], [native]))
    own = native.model_copy(update={"output": "native"})
    assert not any("our JSON" in note for note in notes_on(owl, ["gui-owl-1.5"], [own]))
    assert own.form == "the own form of the model's family"


def test_a_figure_of_few_calls_is_called_unsure() -> None:
    found = report()
    notes = notes_on(found.server, ["qwen3-vl"], found.profiles)
    assert any(note.startswith("e: its best load had 40 calls, too few for a sure figure.") for note in notes)


def test_with_too_few_calls_no_number_of_phones_is_given_but_the_reason() -> None:
    found = report(times=1)
    assert found.profiles[0].carried is None
    written = io.StringIO()
    lines = LoadLines(TextConsole(file=written, width=120, markup=False, highlight=False))
    lines.load(found.profiles[0].loads[0])
    lines.result(found.profiles[0])
    page = Page(to_html(found)).text
    for text in (" ".join(written.getvalue().split()), " ".join(page.split())):
        assert "not enough calls to say how many phones the server carries: its best load had 2 calls of at" in text
        assert "the server carries 1 phone" not in text
    assert "1 phone: 0.20 steps/s (2 calls), a step" in written.getvalue()


def test_a_share_of_invalid_replies_is_a_note() -> None:
    found = report()
    assert notes_on(found.server, ["qwen3-vl"], found.profiles)[0].startswith("e: 50% of the replies are invalid.")


def test_a_stand_in_is_named_before_any_figure() -> None:
    text = Page(to_html(report(REHEARSED_SOURCE, "manyhands-rehearsed", is_whole=False))).text
    assert text.index("none of its figures is a figure of Qwen-VL") < text.index("steps/s")
    assert "was interrupted" in text
    assert "clicks hit" not in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (0.01234, "0.0123"), (1, "1"), (1.5, "1.5"), (12.34, "12.3"), (1234.5, "1,234"), (1e6, "1,000,000")],
)
def test_figures_have_three_digits(value: float, shown: str) -> None:
    assert format_figure(value) == shown


@pytest.mark.parametrize("values", [[0.0], [0.3, 7.0], [1e-6, 2e-6], [999.0, 1000.0, 12.0], [5e7]])
def test_points_lie_within_the_axes(values: list[float]) -> None:
    chart = lay_out("t", "u", [("empty", []), ("a", [(2**number, value) for number, value in enumerate(values)])])
    assert chart is not None
    (line,) = chart.lines
    assert line.colour == 1
    assert len(line.points) == len(values)
    assert 2 <= len(chart.y_ticks) <= 6
    for point in line.points:
        assert chart.left <= point.x <= chart.right
        assert 0 < point.y <= chart.bottom


def test_a_chart_without_values_is_not_drawn() -> None:
    assert lay_out("t", "u", [("a", [])]) is None


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_line_for_each_load_and_the_present_one_on_a_terminal(is_terminal: bool) -> None:
    written = io.StringIO()
    console = TextConsole(file=written, force_terminal=is_terminal, width=120, markup=False, highlight=False)
    found = report()
    with LoadLines(console) as lines:
        lines.questions(2)
        lines.answers(found.clicks, found.schemas)
        lines.profile("e")
        for load in found.profiles[0].loads:
            lines.begin(load.phones, 30)
            lines.load(load)
        lines.result(found.profiles[0])
    text = written.getvalue()
    assert "schema obeyed: 7 of 8" in text
    assert "clicks that hit: 1 of 2; <script" in text
    assert "    1 phone: 0.20 steps/s (40 calls)" in text
    assert "   2 phones: 0.20 steps/s" in text
    assert "e (our JSON, under a schema): the server carries 1 phone: 0.14 steps/s, by 40 calls, each" in text
    assert "each 5.0 s of the model and 3.5 s of the phone. The load is that of 0.7 phones that never pause." in text
    assert "No more phones were tried: 2 phones were the most." in text
    assert "20 of 60 calls failed" in text
    assert text.count("\n") >= 6


def test_a_report_survives_its_json() -> None:
    found = report()
    assert ModelReport.model_validate_json(found.model_dump_json()) == found
