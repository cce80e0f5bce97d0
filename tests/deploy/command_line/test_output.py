"""What commands print, whatever the words are."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import logging
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from manyhands.deploy.command_line.output import (
    carry_out,
    fail,
    failing_with_a_line,
    say_json,
    table,
    text_console,
    write_output,
)
from manyhands.protocol.errors import BadFile, BadInput
from manyhands.protocol.utilities.terminal_text import TerminalFormatter, show_controls

MARKUP = st.lists(st.sampled_from(["\\", "[", "/", "b", "]", "[/b]", "[red]"]), min_size=1, max_size=8).map("".join)
"""What markup is made of, and may be read off any screen."""


@given(st.lists(MARKUP, min_size=1, max_size=5))
@example([r"\[/b]"])
def test_cells_are_shown_as_they_are(cells: list[str]) -> None:
    file = io.StringIO()
    Console(file=file, width=100, emoji=False, highlight=False).print(table(None, ("content",), [(c,) for c in cells]))
    assert [line.rstrip() for line in file.getvalue().splitlines()[1:]] == cells


CLEARS = "id,answer\r\nt1,\x1b[2J\x1b]0;title\x07\x9bA\u202e\r\n"
"""A line of a CSV file whose answer clears the screen and sets the title."""


def test_a_terminal_gets_no_control_characters_of_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    master, terminal = os.openpty()
    with open(master, "rb", buffering=0) as screen, open(terminal, "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        write_output(CLEARS, None)
        shown = b""
        while shown.count(b"\n") < 2:  # a terminal hands lines over in pieces
            shown += screen.read(1000)
    assert shown.decode().splitlines() == ["id,answer", r"t1,\x1b[2J\x1b]0;title\x07\x9bA\u202e"]


def test_a_file_and_a_pipe_get_an_answer_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with open(reader, "rb") as pipe:
        with open(writer, "w", encoding="utf-8", newline="") as stdout:
            monkeypatch.setattr(sys, "stdout", stdout)
            write_output(CLEARS, None)
        assert pipe.read().decode() == CLEARS
    write_output(CLEARS, tmp_path / "results.csv")
    assert (tmp_path / "results.csv").read_bytes().decode() == CLEARS


def failed(capsys: pytest.CaptureFixture[str], error: Exception, as_json: bool) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as left:
        fail(error, as_json)
    return (left.value.code, *capsys.readouterr())


def test_each_of_several_mistakes_has_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    two = BadFile("f.yaml", ("line 1: odd", "line 7: [red]\nodder"))
    said = "error: f.yaml: 2 mistakes\n  line 1: odd\n  line 7: [red] odder\n"
    assert failed(capsys, two, False) == (2, "", said)
    assert failed(capsys, BadFile("f.yaml", ("line 1: odd",)), False) == (2, "", "error: f.yaml: line 1: odd\n")
    code, out, _ = failed(capsys, two, True)
    assert (code, json.loads(out)["mistakes"]) == (2, ["line 1: odd", "line 7: [red]\nodder"])
    assert json.loads(out)["error"] == "f.yaml: 2 mistakes: line 1: odd; line 7: [red] odder"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/run/summary.json"), "/run/summary.json: No space left on"),
        (OSError(errno.EXDEV, "Not\nhere", b"/a", None, "/b"), "/a: /b: Not here"),
        (PermissionError("because"), "because"),
        (TimeoutError(), "TimeoutError"),
    ],
)
@pytest.mark.parametrize("side_by_side", [False, True])
def test_what_the_operating_system_refuses_is_a_line(
    capsys: pytest.CaptureFixture[str], error: OSError, said: str, side_by_side: bool
) -> None:
    raised = (
        ExceptionGroup("several", [ExceptionGroup("within", [error]), BadInput("later")]) if side_by_side else error
    )

    async def refused() -> int:
        raise raised

    for as_json in (False, True):
        with pytest.raises(SystemExit) as left:
            carry_out(refused, as_json)
        out, err = capsys.readouterr()
        told = json.loads(out)["error"] if as_json else err.removeprefix("error: ")
        assert (left.value.code, told[: len(said)], (err if as_json else out)) == (1, said, "")


def test_a_defect_is_no_line_even_beside_what_is_one() -> None:
    defect = ExceptionGroup("several", [OSError(errno.EIO, "bad disk"), ValueError("a defect")])
    with pytest.raises(ExceptionGroup) as raised, failing_with_a_line(False):
        raise defect
    assert raised.value is defect


def test_a_reader_that_has_left_is_told_nothing() -> None:
    with pytest.raises(BrokenPipeError), failing_with_a_line(False):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


HOSTILE = "a\x1b[2J\x1b]0;title\x07\x9b31m\u202eb\x7f\rc"
SHOWN = r"a\x1b[2J\x1b]0;title\x07\x9b31m\u202eb\x7f\rc"


def test_control_characters_of_a_mistake_are_shown(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text('- {id: one, goal: a, "\\e[2J\\x9b\\a": 1}\n')
    process = [sys.executable, "-m", "manyhands", "run", str(tasks), "--mllm-url", "rehearsed"]
    done = subprocess.run(process, capture_output=True, text=True, timeout=110)
    assert done.returncode == 2
    assert not {"\x1b", "\x9b", "\x07"} & set(done.stderr + done.stdout)
    again = subprocess.run([*process, "--json"], capture_output=True, text=True, timeout=110)
    assert not {"\x1b", "\x9b", "\x07"} & set(again.stderr + again.stdout)
    assert json.loads(again.stdout)["code"] == "bad_input"


def test_a_table_and_a_log_line_show_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    text_console().print(table(None, ("serial",), [(HOSTILE.replace("\x07", ""),)]))
    assert SHOWN.replace(r"\x07", "") in capsys.readouterr().out
    record = logging.makeLogRecord({"msg": "phone said %s", "args": (HOSTILE,)})
    assert TerminalFormatter().format(record) == f"phone said {SHOWN}"


@given(st.text())
def test_what_is_shown_holds_no_control_character_and_json_keeps_its_value(text: str) -> None:
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in show_controls(text) if char not in "\n\t")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        say_json({"value": text})
    assert json.loads(out.getvalue()) == {"value": text}
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in out.getvalue()[:-1])
