"""Flows on eight phones that are killed go on at their steps: what was sent is not sent again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent, StageResult
from manyhands.protocol.profiles.flow import FlowMove
from tests.deploy.fleet.killed_runs import moments, until_nothing_is_left, workplace

PHONES = 8
LEFT_S = 10.0
WORDS = "See you at noon!"
MESSAGES = "com.android.messaging"
TASK: dict[str, Any] = {
    "id": "greeting",
    "goal": "Send Emma Larsen ${words}",
    "variables": {"words": WORDS},
    "reset_seed": 3,
    "limits": {"max_steps": 30},
    "check": {
        "source": "content://manyhands.simulator/state",
        "holds": {"some": "messages.threads", "holds": {"path": "contact", "equals": "Emma Larsen"}},
    },
    "unchanged": ["content://manyhands.simulator/lasting"],
    "changes": [{"added": "messages", "item": {"from": {"equals": "me"}, "contact": {"equals": "Emma Larsen"}}}],
    "flow": {
        "steps": [
            {"action": {"name": "Open_App", "app": "Messages"}},
            {"before": {"app": MESSAGES}, "action": {"name": "Tap", "target": {"text": "New message"}}},
            {"before": {"app": MESSAGES}, "action": {"name": "Tap", "target": {"text": "Emma Larsen"}}},
            {"before": {"app": MESSAGES}, "action": {"name": "Tap", "target": {"text": "Text message"}}},
            {"before": {"app": MESSAGES, "keyboard": True}, "action": {"name": "Type", "text": "${words}"}},
            {"before": {"app": MESSAGES}, "action": {"name": "Enter"}, "effects": ["send"]},
        ],
        "end": {"app": MESSAGES, "shows": ["${words}"]},
    },
}


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_a_killed_flow_sends_nothing_twice(adb_server: tuple[str, int], tmp_path: Path) -> None:
    flow, folder = tmp_path / "greeting.yaml", tmp_path / "run"
    flow.write_text(yaml.safe_dump([TASK]), encoding="utf-8")
    async with workplace(tmp_path, adb_server[1], PHONES) as place:
        where = ("--phones", ",".join(place.serials), "--mllm-url", place.model, "--adb-port", str(adb_server[1]))
        run = await place.command("flow", "run", str(flow), "--repeat", "16", *where, "--out", str(folder))
        killed = 0
        for seconds in moments(5, 2, 4.0):
            if not await run.after(folder, seconds):
                break
            await run.kill_tree()
            killed += 1
            run = await place.resume("run")
        done = await run.ended
        await until_nothing_is_left(place.ray, LEFT_S)
    assert killed, "it ended before it was killed"
    assert done.code == 0, done.errors
    assert (done.value["verified"], done.value["unexpected_changes"]) == (16, 0)
    report = audit_folders(folder)
    assert (report.verdict, report.violations) == ("agrees", ())
    for scan in RunFolder(folder).journals.values():
        assert len(sends_of(scan.records)) <= 1, "an episode sends at most once, whatever was killed"


def sends_of(records: Any) -> list[str]:
    """The keys of the last step's action."""
    moves = [(one.step, one.read(FlowMove)) for one in records if isinstance(one, StageResult)]
    last = {step for step, move in moves if move is not None and move.kind == "step" and move.step == 5}
    return [one.key for one in records if isinstance(one, ActionSent) and one.step in last]
