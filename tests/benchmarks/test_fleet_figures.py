"""Throughput of a fleet, from journals written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.benchmarks.fleet_throughput import (
    Window,
    episodes_of,
    episodes_per_hour,
    fleet_row,
    saturated_at,
    steady,
    with_efficiency,
)
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Record
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import ended, sent, started, write_run


def episode(name: str, serial: str, at: float, sends: tuple[float, ...]) -> list[Record]:
    """An episode of ``sends`` steps; each sends two atoms."""
    task = TaskSpec(id="t", goal="g")
    atoms = [
        sent(step, f"{name}:{step}:{atom}", at=when + atom) for step, when in enumerate(sends) for atom in (0, 0.25)
    ]
    return [started(name, task, at=at, serial=serial), *atoms, ended(at + 18, Ending.STEP_LIMIT, steps=len(sends))]


def write(folder: Path, phones: int, cycle: float, offset: float, count: int = 4) -> None:
    """``count`` episodes of each phone, ``cycle`` seconds apart, phones ``offset`` seconds after one another."""
    journals = {}
    for phone in range(phones):
        for number in range(count):
            at = 1000 + phone * offset + number * cycle
            journals[f"e-{phone}-{number}"] = episode(f"e-{phone}-{number}", f"p{phone}", at, (at + 2, at + 10))
    write_run(folder, {"run_id": "r"}, journals)


def test_whole_episodes_between_the_first_and_the_last_of_each_phone_are_counted(tmp_path: Path) -> None:
    write(tmp_path, phones=2, cycle=20, offset=5)
    episodes = episodes_of(tmp_path)
    assert steady(episodes) == Window(1025, 1060)
    assert episodes_per_hour(episodes) == pytest.approx(2 * 3600 / 20)
    row = fleet_row(tmp_path, 2, None, {"EpisodeHost": 350.0, "adb server": 70.0}, {"EpisodeHost": 50.0})
    # p0 sends at 1030, 1042, 1050 within the window, p1 at 1027, 1035, 1047, 1055.
    assert row.steps == 7
    assert row.cpu_ms_per_step == {"EpisodeHost": 50.0, "adb server": 10.0}
    assert row.cpu_ms == pytest.approx(60)
    assert row.step_p50_ms == pytest.approx(8000)
    assert row.endings == {"step_limit": 8}


def test_a_fleet_that_was_never_busy_as_a_whole_has_no_figures(tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    write(tmp_path / "few", phones=1, cycle=20, offset=0, count=2)
    with pytest.raises(BadInput, match="--episodes"):
        steady(episodes_of(tmp_path / "few"))
    (tmp_path / "late").mkdir()
    write(tmp_path / "late", phones=2, cycle=20, offset=100)
    with pytest.raises(BadInput, match="never all busy"):
        steady(episodes_of(tmp_path / "late"))


def test_efficiency_is_against_the_smallest_fleet_with_the_same_model(tmp_path: Path) -> None:
    write(tmp_path, phones=1, cycle=20, offset=0)
    row = fleet_row(tmp_path, 1, None, {}, {})
    more = row.model_copy(update={"phones": 4, "episodes_per_hour": 3.8 * row.episodes_per_hour})
    full = row.model_copy(update={"phones": 16, "episodes_per_hour": 8 * row.episodes_per_hour})
    slow = row.model_copy(update={"phones": 4, "tokens_per_s": 100.0})
    rows = with_efficiency([full, row, more, slow])
    assert [one.efficiency for one in rows] == pytest.approx([0.5, 1.0, 0.95, 1.0])
    assert saturated_at(rows) == 16
    assert saturated_at(rows[1:]) is None
