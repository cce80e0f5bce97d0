"""Random actions on a real gateway and a virtual phone: what they leave is judged like any run."""

from __future__ import annotations

from pathlib import Path

from deploy.adb import AdbServer
from deploy.bench.gestures import play_gestures
from deploy.settings import load_settings
from evaluation.audit import audit_folders
from evaluation.bench.verdicts import judged_steps, verdict_figures
from evaluation.run_folder import RunFolder
from protocol.records import ActionSent


async def test_every_action_is_in_journal_and_ledger_and_each_verdict_is_compared(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    host, port = adb_server
    settings = load_settings(
        {"adb_host": host, "adb_port": port, "state_dir": tmp_path / "state", "virtual": {"size": "360x800", "seed": 3}}
    )
    told: list[int] = []
    adb = AdbServer(host, port)
    await play_gestures(settings, 1, adb, tmp_path / "first", told.append, think_s=0.0)
    folder = await play_gestures(settings, 8, adb, tmp_path / "out", told.append, think_s=0.0)
    assert told == [1, *range(1, 9)]
    [scan] = RunFolder(folder).journals.values()
    assert sum(isinstance(record, ActionSent) for record in scan.records) == 8
    assert audit_folders(folder).verdict == "agrees"
    steps = list(judged_steps(folder))
    assert steps
    assert all(step.reflection.made_by == "check" for step in steps)
    figures = verdict_figures([folder])
    assert sum(check.compared for check in figures.checks.values()) == len(steps)
