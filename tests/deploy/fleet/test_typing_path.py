"""Every text arrives exactly, typed through the whole path: reply, operator, gateway, adb, phone."""

from __future__ import annotations

import json
import os
import string
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.protocol.roles.sections import Section
from manyhands.protocol.screens.element_rows import parse_elements
from tests.deploy.scripted_model import scripted_model

TEXTS = {
    "ascii": string.ascii_letters + string.digits + " " + string.punctuation,
    "emoji": "See you 👩‍🚀🎉 soon",
    "accents": "Crème brûlée à Besançon, naïve Zürich",
    "chinese": "明天下午三点在东门见，别忘了带伞！",
    "url": "https://example.org//a/b?q=1&r=%20#part-2",
    "literal": "100%s of $HOME `id` \\n 'quoted' \"twice\" ~ *",
}


class Texter:
    """Opens Messages, opens a thread, taps its field, types the text of its goal, sends it."""

    def __call__(self, reply: str, sections: Mapping[Section, str]) -> dict[str, Any]:
        step = sections.get(Section.HISTORY, "").count("outcome:")
        goal = sections.get(Section.GOAL, "").strip()  # a trial request has none
        if reply == "PlanReply":
            done = f"step {len(self.actions)}" in sections.get(Section.PROGRESS, "")
            status = "finished" if done else "continue"
            return {"thought": "", "plan": "Send it", "change": "keep", "subgoal": "Send it", "status": status}
        if reply == "ReflectChangeReply":
            past = sections.get(Section.PROGRESS, "").rpartition("step ")[2]
            number = int(past) if past.isdigit() else 0
            return {"change": "", "outcome": "A", "error": "", "progress": f"step {number + 1}"}
        if reply == "AddedNotesReply":
            return {"notes": ""}
        kind, value = self.actions[step]
        if kind == "tap":
            (target, *_) = [one for one in parse_elements(sections[Section.SCREEN]) if value in one.content]
            action: dict[str, Any] = {"name": "Tap", "x": target.x, "y": target.y}
        elif kind == "type":
            action = {"name": "Type", "text": TEXTS[goal.rpartition(" ")[2]]}
        else:
            action = {"name": kind, **({"app": value} if value else {})}
        return {"thought": "", "action": action, "expectation": ""}

    actions = (("Open_App", "Messages"), ("tap", "Alice Carter"), ("tap", "Text message"), ("type", ""), ("Enter", ""))


def scraped_when_decided(run: subprocess.Popen[str]) -> str:
    """What a run tells Prometheus once its operator has been asked, or the last that it told."""
    assert run.stderr is not None
    url = next(line.split()[1] for line in run.stderr if line.startswith("Metrics: "))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    text = ""
    while run.poll() is None and 'model_calls_total{role="decide"' not in text:
        with opener.open(url, timeout=30) as answer:
            text = str(answer.read(), "utf-8")
        time.sleep(0.1)
    return text


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory, adb_server: tuple[str, int]) -> tuple[Path, str]:
    """The folder and the summary of a run that typed all texts."""
    folder = tmp_path_factory.mktemp("typed")
    tasks = [
        {
            "id": name,
            "goal": f"Send to Alice Carter the text {name}",
            "reset_seed": 1,
            "check": {
                "source": "content://manyhands.simulator/state",
                "holds": {"path": "messages.threads.*.messages.*.text", "equals": text},
            },
        }
        for name, text in TEXTS.items()
    ]
    file = folder / "tasks.yaml"
    file.write_text(yaml.safe_dump(tasks, allow_unicode=True), encoding="utf-8")
    with scripted_model(Texter()) as url:
        command = [sys.executable, "-m", "manyhands", "run", str(file), "--json", "--phones", "virtual:2"]
        done = subprocess.run(
            [*command, "--mllm-url", url, "--out", str(folder / "run"), "--adb-port", str(adb_server[1])],
            capture_output=True,
            text=True,
            timeout=240,
            env={**os.environ, "MANYHANDS_STATE_DIR": str(folder / "state")},
        )
    assert done.returncode == 0, done.stderr
    return folder / "run", done.stdout


@pytest.mark.slow
def test_texts_arrive_exactly(typed: tuple[Path, str]) -> None:
    summary = json.loads(typed[1])
    assert {row["id"]: row["verified"] for row in summary["by_task"]} == dict.fromkeys(TEXTS, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llamafactory", "atif", "androidlab"])
def test_an_export_that_redacts_holds_no_typed_text(typed: tuple[Path, str], tmp_path: Path, name: str) -> None:
    (tmp_path / "redact.yaml").write_text("typed: true")
    out = tmp_path / "out"
    words = [typed[0], "--format", name, "--out", out, "--redact", tmp_path / "redact.yaml"]
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", "export", *map(str, words), "--with-faults", "--json"],
        capture_output=True,
        text=True,
    )
    summary = json.loads(done.stdout)
    assert (done.returncode, summary["problems"]) == (0, []), done.stderr
    assert summary["redacted"]["texts"] >= len(TEXTS)
    assert summary["redacted"]["pictures"] >= len(TEXTS)
    texts = [path.read_text(encoding="utf-8") for path in out.rglob("*") if path.suffix in (".json", ".jsonl", ".md")]
    for text in TEXTS.values():
        forms = {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        assert not [form for form in forms if any(form in one for one in texts)]
