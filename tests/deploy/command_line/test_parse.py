"""``manyhands parse`` as people call it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.command_line.called import manyhands

TAP = '{"thought": "there", "action": {"name": "Tap", "x": 500, "y": 250}, "expectation": "it opens"}'


def parse(said: str | bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    return manyhands("parse", *arguments, said=said)


def printed(done: subprocess.CompletedProcess[str]) -> list[Any]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("dialect", "more", "pixel"),
    [
        ("qwen3_vl", (), {"x": 540, "y": 600}),
        ("qwen3-vl", ("--screen", "720x1600"), {"x": 360, "y": 400}),
        ("qwen2.5_vl", (), {"x": 495, "y": 249}),
        ("qwen2.5_vl", ("--max-pixels", "1048576"), {"x": 804, "y": 397}),
    ],
)
def test_an_action_is_told_in_pixels(dialect: str, more: tuple[str, ...], pixel: dict[str, int]) -> None:
    done = parse(TAP, "--role", "operator", "--dialect", dialect, "--json", *more)
    assert done.returncode == 0, done
    expected = {"thought": "there", "action": {"name": "Tap", **pixel}, "expectation": "it opens"}
    assert printed(done) == [expected]


def test_text_without_json() -> None:
    done = parse("### Outcome ###\nC: [last] Action did nothing", "--role", "reflector")
    assert done.returncode == 0
    assert "outcome: C" in done.stdout.splitlines()


def test_json_lines_give_json_lines() -> None:
    lines = [
        {"raw": TAP, "note": "another field"},
        {"raw": "I cannot."},
        {"raw": TAP.replace("500", "5000")},
        {"raw": TAP, "finish_reason": "length"},
        {"raw": '{"thought": "\ud800'},
    ]
    done = parse("\n".join(map(json.dumps, lines)), "--role", "operator", "--dialect", "qwen3_vl", "--json")
    assert done.returncode == 1
    shown = printed(done)
    assert shown[0]["action"] == {"name": "Tap", "x": 540, "y": 600}
    assert [one.get("code") for one in shown] == [
        None, "reply_unusable", "outside_screen", "reply_unusable", "reply_unusable"
    ]  # fmt: skip
    assert "cut off" in shown[3]["error"]


@pytest.mark.parametrize(("number", "code"), [(2, 0), (3, 1)])
def test_an_element_by_its_number(tmp_path: Path, number: int, code: int) -> None:
    box = {"x1": 100, "y1": 200, "x2": 120, "y2": 220}
    one = {"kind": "text", "box": {**box, "x1": 0}, "content": "a", "confidence": 1}
    path = tmp_path / "screen.json"
    path.write_text(json.dumps({"elements": [one, {**one, "box": box}]}))
    done = parse(f"Tap_Element({number})", "--role", "operator", "--elements", str(path), "--json")
    assert done.returncode == code
    if code:
        assert printed(done)[0]["code"] == "not_an_action"
    else:
        assert printed(done)[0]["action"] == {"name": "Tap", "x": 110, "y": 210}


@pytest.mark.parametrize(
    ("said", "arguments", "reason"),
    [
        (TAP, ("--dialect", "gpt"), "known are qwen3-vl"),
        (TAP, ("--screen", "tall"), "WIDTHxHEIGHT"),
        (TAP, ("--screen", "0x5"), "WIDTHxHEIGHT"),
        (TAP, ("--max-pixels", "5"), "leaves no picture"),
        (TAP, ("--elements", "/nowhere.json"), "No such file"),
        (TAP, ("--lines",), "line 1"),
        (b"\xff", (), "not UTF-8"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(said: str | bytes, arguments: tuple[str, ...], reason: str) -> None:
    done = parse(said, "--role", "operator", *arguments)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert reason in lines[0]


def test_an_empty_reply_is_unusable() -> None:
    done = parse("", "--role", "planner", "--json")
    assert done.returncode == 1
    assert printed(done) == [{"error": "the answer is empty", "code": "reply_unusable"}]


def test_what_was_cut_is_named_and_a_byte_order_mark_is_no_part_of_the_input() -> None:
    said = "\ufeff" + TAP.replace("there", "t" * 801)
    done = parse(said, "--role", "operator")
    assert done.returncode == 0, done
    assert 'cut: ["thought"]' in done.stdout.splitlines()
    lines = "\ufeff" + json.dumps({"raw": said})
    (shown,) = printed(parse(lines, "--role", "operator", "--json"))
    assert shown["cut"] == ["thought"]


def test_a_call_that_is_quoted_is_refused_with_its_reason() -> None:
    done = parse(f"The page says:\n{TAP}", "--role", "operator", "--json")
    assert done.returncode == 1
    (shown,) = printed(done)
    assert (shown["code"], shown["error"]) == (
        "reply_unusable",
        "words stand before the reply that are not marked as a thought",
    )


@pytest.mark.parametrize("role", ["operator", "decide", "Operator"])
def test_a_role_is_named_by_its_agent_or_by_its_key(role: str) -> None:
    done = parse(TAP, "--role", role, "--json")
    assert (done.returncode, printed(done)[0]["action"]["name"]) == (0, "Tap")


@pytest.mark.parametrize("command", [("parse",), ("replay", "runs/x", "--mllm-url", "http://127.0.0.1:1/v1")])
def test_all_commands_name_the_same_roles_in_help_and_errors(command: tuple[str, ...]) -> None:
    wide = {"COLUMNS": "400"}
    wrong = manyhands(*command, "--role", "planer", **wide)
    assert wrong.returncode == 2
    assert "'planer' is not a role; roles are planner (plan), operator (decide), reflector (reflect)" in wrong.stderr
    assert "did you mean 'planner'?" in wrong.stderr
    told = " ".join(manyhands(command[0], "--help", **wide).stdout.split())
    assert "planner|operator|reflector|notetaker" in told
    assert "Or by its key: plan, decide, reflect, note" in told
