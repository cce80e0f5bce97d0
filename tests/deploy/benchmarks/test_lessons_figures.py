"""The figures of bench lessons, from journals made up for it: seconds between episodes by phone, tokens by role."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.deploy.benchmarks.lessons.figures import lesson_figures
from manyhands.deploy.command_line.cli import app
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.timing import between_s
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.records import Learned, Record
from manyhands.protocol.roles import Role
from manyhands.protocol.tasks import TaskSpec
from tests.evaluation.run_records import call, ended, planned, span, started, write_run

TASK = TaskSpec(id="t", goal="Do it.")


def journal(episode: str, serial: str, start: float, end: float | None, *more: Record) -> Sequence[Record]:
    whole = [started(episode, TASK, start, serial), planned(0, span(start, start + 1), call(Role.PLAN, 100))]
    return [*whole, *([] if end is None else [ended(end)]), *more]


def learned(at: float) -> Learned:
    calls = (call(Role.LEARN_TIPS, 40),)
    return Learned(at=at, span=span(at - 2, at), scope="run:r", taken=None, calls=calls, problem="")


def run(folder: Path, profile: str, gap: float, *more: Record) -> RunFolder:
    folder.mkdir()
    journals = {
        "a": journal("a", "p", 10, 20, *more),
        "b": journal("b", "p", 20 + gap, 40),
        "c": journal("c", "q", 10, 30),
        "d": journal("d", "q", 30 + gap, 50),
    }
    write_run(folder, {"profile": profile}, journals)
    return RunFolder(folder)


def test_a_phone_stands_from_an_end_to_its_next_start_and_one_without_an_end_is_left_out() -> None:
    journals = [
        journal("b", "p", 20.5, 30),
        journal("a", "p", 10, 20, learned(25)),
        journal("c", "p", 31, None),
        journal("d", "p", 90, 99),
        journal("e", "q", 10, 20),
        [started("f", TASK, 10, ""), ended(11, Ending.HOST_LOST)],
    ]
    assert between_s(journals) == {"p": (0.5, 1.0), "q": ()}


def test_two_runs_are_set_side_by_side(tmp_path: Path) -> None:
    one, other = run(tmp_path / "e", "e", 0.1), run(tmp_path / "evo", "e+evo", 0.2, learned(25))
    figures = lesson_figures(one, other)
    assert (figures.without.between, figures.without.phones, figures.learning.episodes) == (2, 2, 4)
    assert figures.later_s == pytest.approx(0.1)
    assert figures.held
    assert {role: used.calls for role, used in figures.learning.by_role.items()} == {"plan": 4, "learn_tips": 1}
    assert figures.learning.by_role["learn_tips"].input_tokens == 40


@pytest.mark.parametrize(("gap", "code"), [(0.25, 0), (1.0, 1)])
def test_learning_that_holds_phones_is_exit_code_1(tmp_path: Path, gap: float, code: int) -> None:
    one, other = run(tmp_path / "e", "e", 0.1), run(tmp_path / "evo", "e+evo", gap)
    done = CliRunner().invoke(app, ["bench", "lessons", str(one.path), str(other.path)])
    assert done.exit_code == code, done.output
    assert f"with learning +{gap - 0.1:.3f} s" in done.output


def test_runs_in_which_no_phone_had_two_episodes_say_so(tmp_path: Path) -> None:
    write_run(tmp_path, {"profile": "e"}, {"a": journal("a", "p", 1, 2)})
    with pytest.raises(BadInput, match="no phone had two episodes"):
        lesson_figures(RunFolder(tmp_path), RunFolder(tmp_path))
