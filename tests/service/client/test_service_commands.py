"""The commands that use a service, by their command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from manyhands.protocol.runs.interventions import AnswerQuestion, EpisodeControl, EpisodePhase
from manyhands.protocol.service.fleet import PhonePhase
from tests.deploy.command_line.called import manyhands
from tests.service.api.test_episodes import write_runs
from tests.service.client.conftest import Served
from tests.service.client.cut_connection import CuttingProxy

TASKS = """
tasks:
  - {id: buy, goal: Buy milk., tags: [shop]}
  - {id: mute, goal: Mute the phone.}
"""


@pytest.fixture
def call(served: Served, tmp_path: Path) -> Callable[..., Any]:
    environment = {**served.environment, "MANYHANDS_STATE_DIR": str(tmp_path / "state")}
    return lambda *words, **more: manyhands(*words, **{**environment, **more})


def test_tasks_are_submitted_shown_and_changed(served: Served, call: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text(TASKS)
    done = call(
        "submit", file, "--name", "errands", "--priority", 2, "--batch-tag", "night", "--deadline", "2h", "--json"
    )
    assert done.returncode == 0, done.stderr
    batch = json.loads(done.stdout)
    assert (batch["id"], batch["name"], batch["tasks"], batch["tags"]) == ("b1", "errands", 2, ["night"])
    assert batch["deadline"] > batch["submitted_at"] + 7000
    again = call("submit", "--goal", "Dance.", "--key", "k")
    assert again.stdout == "b2: open, 0 of 1 task done, 1 waiting\nNext: manyhands watch b2\n"
    assert call("submit", "--goal", "Dance.", "--key", "k").stdout.startswith("b2:")
    assert json.loads(call("submit", file, "--tag", "shop", "--json").stdout)["tasks"] == 1
    assert call("pause", "b1", "b2.goal-1").stdout.splitlines() == [
        "b1 (errands): paused, 0 of 2 tasks done, 2 waiting",
        "b2.goal-1: paused",
    ]
    assert call("resume", "b1").stdout.startswith("b1 (errands): open")
    assert call("unpause", "b1").stdout.startswith("b1 (errands): open")  # its former name
    assert "unpause" not in call("--help").stdout
    assert call("priority", "b1", "--to", "7").stdout.startswith("b1 (errands): open")
    served.begin("b1.buy")
    served.end("b1.buy", done=False)
    shown = call("status", "b1").stdout
    assert "b1 (errands): open, 0 of 2 tasks done, 1 failed, 1 waiting" in shown
    assert "step_limit" in shown
    details = call("status", "b1.buy").stdout.splitlines()
    assert details[-3:] == ["goal: Buy milk.", "reason: as told", "Next: manyhands retry b1.buy"]
    assert json.loads(call("status", "b1.buy", "--json").stdout)["task"]["is_done"] is False
    assert call("retry", "b1").stdout == "b1.buy.r2 (again b1.buy): waiting\n"
    assert json.loads(call("cancel", "b2", "b3", "--reason", "no", "--json").stdout)[1]["phase"] == "cancelled"
    overview = json.loads(call("status", "--last", 2, "--json").stdout)
    assert [one["id"] for one in overview["batches"]] == ["b3", "b2"]
    assert overview["service"]["is_ready"] is True
    assert "b1" in call("status").stdout


def test_a_change_of_what_has_ended_says_so(served: Served, call: Callable[..., Any]) -> None:
    for goal in ("Dance.", "Sing.", "Run."):
        call("submit", "--goal", goal)
    served.begin("b1.goal-1")
    served.end("b1.goal-1")
    for verb in ("cancel", "pause", "resume"):
        for id in ("b1", "b1.goal-1"):
            done = call(verb, id)
            assert (done.returncode, done.stdout.splitlines()[1:]) == (
                0,
                [f"{id} has ended: there is nothing to {verb}"],
            )
    for id in ("b2", "b3.goal-1"):
        assert "there is nothing" not in call("cancel", id).stdout
        assert f"{id} was cancelled: there is nothing to pause" in call("pause", id).stdout
    assert "there is nothing" not in call("cancel", "b2").stdout


def test_a_folder_and_batches_are_not_resumed_together(call: Callable[..., Any]) -> None:
    done = call("resume", "b1", "runs/one")
    assert (done.returncode, "give one run folder, or batches and tasks" in done.stderr) == (2, True)


def test_a_person_answers_what_an_agent_asks(served: Served, call: Callable[..., Any]) -> None:
    call("submit", "--goal", "Buy milk.")
    served.begin("b1.goal-1")
    episode, fleet = "e-b1.goal-1", served.service.fleet
    fleet.found["p1"] = fleet.found["p1"].model_copy(
        update={
            "phase": PhonePhase.BUSY,
            "task": "b1.goal-1",
            "episode": episode,
            "is_paused": True,
            "held_by": "the agent",
            "question": "Which\x1b[2J?",
        }
    )
    fleet.controls[episode] = EpisodeControl(
        episode=episode, task="b1.goal-1", serial="p1", phase=EpisodePhase.PAUSED, question="Which\x1b[2J?"
    )
    shown = " ".join(call("status", "b1.goal-1").stdout.split())
    assert f"episode answer {episode}" in shown
    assert "\x1b" not in shown
    assert call("episode", "show", episode).stdout == f"{episode}: the agent asks: Which\\x1b[2J?\n"
    assert call("episode", "answer", episode, "The second.", "--json").returncode == 0
    assert call("episode", "answer", episode, "--decline").returncode == 0
    answers = [one.text for one in fleet.asked if isinstance(one, AnswerQuestion)]
    assert answers == ["The second.", None]
    for words in ((), ("The second.", "--decline")):
        assert call("episode", "answer", episode, *words).returncode == 2
    assert call("episode", "answer", "e-other", "The second.").returncode == 2


def test_a_task_whose_episode_a_person_holds_is_not_said_to_run(served: Served, call: Callable[..., Any]) -> None:
    call("submit", "--goal", "Dance.")
    served.begin("b1.goal-1")
    phone = served.service.fleet.found["p1"]
    busy = phone.model_copy(update={"phase": PhonePhase.BUSY, "task": "b1.goal-1", "held_by": "ann"})
    served.service.fleet.found["p1"] = busy.model_copy(update={"is_paused": True})
    for id in ("b1", "b1.goal-1"):
        (row,) = (line for line in call("status", id).stdout.splitlines() if "b1.goal-1" in line)
        assert "paused by ann" in row
        assert "running" not in row
    served.service.fleet.found["p1"] = busy.model_copy(update={"taken_over_by": "ann"})
    assert "taken over by ann" in call("status", "b1").stdout
    served.service.fleet.found["p1"] = busy.model_copy(update={"held_by": None})
    assert " by ann" not in call("status", "b1").stdout


def test_a_service_without_a_phone_is_not_said_to_be_ready(served: Served, call: Callable[..., Any]) -> None:
    assert "ready" in call("status").stdout
    served.service.fleet.found.clear()
    said = call("status").stdout
    assert "ready" not in said
    assert "no phone: tasks wait until manyhands attach brings one" in said


@pytest.mark.parametrize(("done", "code"), [(True, 0), (False, 1)])
@pytest.mark.parametrize("how", ["--wait", "--watch"])
def test_a_submission_that_waits_tells_how_it_ended(
    served: Served, call: Callable[..., Any], how: str, done: bool, code: int
) -> None:
    def carry_out() -> None:
        served.wait_for("b1.goal-1")
        served.begin("b1.goal-1")
        served.end("b1.goal-1", done)

    phone = threading.Thread(target=carry_out)
    phone.start()
    said = call("submit", "--goal", "Dance.", how)
    phone.join()
    assert said.returncode == code, said.stderr
    assert f"b1: ended, {int(done)} of 1 task done" in said.stdout


def test_watching_shows_what_ends_and_ends_with_the_batch(served: Served, call: Callable[..., Any]) -> None:
    call("submit", "--goal", "Dance.", "--goal", "Sing.")
    served.begin("b1.goal-1")
    proxy = CuttingProxy(served.url)
    served.do(proxy.start())

    def carry_out() -> None:
        served.do(proxy.seen(b"/api/v1/tasks?"))  # the stream is open then
        served.end("b1.goal-1")
        served.do(proxy.broken())
        served.begin("b1.goal-2")
        served.end("b1.goal-2", done=False)

    phone = threading.Thread(target=carry_out)
    phone.start()
    said = call("watch", "b1.goal-2", "--json", "--server", proxy.url, MANYHANDS_SERVER=proxy.url)
    phone.join()
    served.do(proxy.stop())
    assert said.returncode == 1, said.stderr
    assert json.loads(said.stdout)["failed"] == 1
    lines = said.stderr.splitlines()
    assert any("b1.goal-1" in line and "finished, 3 steps" in line for line in lines)
    assert any("b1.goal-2" in line and "step_limit" in line for line in lines)
    assert not any("that ended before" in line for line in lines), lines
    assert call("watch", "b1").returncode == 1


def test_results_and_phones_come_from_a_service_that_is_named(
    served: Served, call: Callable[..., Any], tmp_path: Path
) -> None:
    write_runs(served.folder / "runs")
    call("submit", "--goal", "Dance.")
    call("cancel", "b1")
    assert call("results", "b1", "--server", served.url, "--format", "csv").stdout.startswith("id,verdict,")
    out = tmp_path / "rows.json"
    assert call("results", "b1", "--server", served.url, "--format", "json", "--out", out).returncode == 0
    assert [row["verdict"] for row in json.loads(out.read_text())] == ["cancelled"]
    assert "cancelled" in call("results", "b1", "--server", served.url).stdout
    assert call("results", "b9", "--server", served.url).returncode == 2
    assert call("results", "b1", "--batch", "x", "--server", served.url).returncode == 2
    shown = call("phones", "--server", served.url)
    assert ("p1" in shown.stdout, "model=pixel" in shown.stdout) == (True, True)
    assert json.loads(call("phones", "--server", served.url, "--json").stdout)[0]["phase"] == "free"
    assert call("phones", "--server", served.url, "--check", "p1").returncode == 2


def test_a_batch_that_no_phone_fits_says_so(call: Callable[..., Any]) -> None:
    fitting = call("submit", "--goal", "Dance.", "--phones", "model=pixel")
    assert (fitting.returncode, fitting.stderr) == (0, "")
    misfit = call("submit", "--goal", "Dance.", "--phones", "model=nokia")
    assert (misfit.returncode, "No phone fits model=nokia now; b2 waits" in misfit.stderr) == (0, True)
    assert "No phone fits model=nokia now" in call("status", "b2").stdout


def test_phones_are_reserved_labelled_attached_and_detached(call: Callable[..., Any]) -> None:
    assert call("reserve", "p1", "--owner", "anna", "--until", "2h").stdout.count("anna") == 1
    (reserved,) = json.loads(call("reserve", "p1", "--owner", "anna", "--until", "2h", "--json").stdout)
    assert (reserved["phase"], reserved["reserved_for"]) == ("reserved", "anna")
    (labelled,) = json.loads(call("label", "p1", "--label", "lab=north", "--json").stdout)
    assert labelled["labels"]["lab"] == "north"
    assert "--label north: write NAME=VALUE" in call("label", "p1", "--label", "north").stderr
    assert [one["serial"] for one in json.loads(call("attach", "p7", "--json").stdout)] == ["p7"]
    assert call("detach", "p7").returncode == 0
    assert call("detach", "p9").returncode == 2


def test_phones_are_set_aside_and_released(call: Callable[..., Any]) -> None:
    assert call("set-aside", "p1").returncode == 2
    aside = call("set-aside", "p1", "--reason", "its battery is swollen")
    assert (aside.returncode, "its battery is swollen" in aside.stdout) == (0, True), aside.stderr
    assert [one["serial"] for one in json.loads(call("release", "p1", "--json").stdout)] == ["p1"]
    unknown = call("release", "p9")
    assert (unknown.returncode, "p9" in unknown.stderr) == (2, True)


def test_tokens_are_made_listed_and_revoked(call: Callable[..., Any]) -> None:
    made = call("tokens", "make", "kim")
    assert made.returncode == 0, made.stderr
    said, secret, following = made.stdout.splitlines()
    id = said.split()[0]
    assert said == f"{id} for kim, with the role submit. It is shown this once:"
    assert following.startswith("Next, where kim works: manyhands login http")
    submitted = json.loads(call("submit", "--goal", "Dance.", "--json", MANYHANDS_TOKEN=secret).stdout)
    assert submitted["owner"] == "kim"
    assert call("tokens", "list", MANYHANDS_TOKEN=secret).returncode == 2
    listed = call("tokens", "list").stdout
    assert ("kim" in listed, secret in listed) == (True, False)
    assert call("tokens", "revoke", id).stdout == f"{id} of kim: revoked\n"
    assert call("status", MANYHANDS_TOKEN=secret).returncode == 2


def test_schedules_are_added_listed_paused_and_removed(call: Callable[..., Any]) -> None:
    assert "No schedule yet" in call("schedules", "list").stdout
    added = call(
        "schedules", "add", "nightly", "--goal", "Dance.", "--when", "0 2 * * MON-FRI", "--zone", "Europe/Berlin"
    )
    assert added.returncode == 0, added.stderr
    assert re.fullmatch(r"s1 \(nightly\): 0 2 \* \* MON-FRI, next at \S+ 02:00:00 Europe/Berlin\n", added.stdout), (
        added.stdout
    )
    assert json.loads(call("schedules", "pause", "s1", "--json").stdout)[0]["paused"] is True
    assert "nightly" in call("schedules", "list").stdout
    assert call("schedules", "resume", "s1").returncode == 0
    assert call("schedules", "unpause", "s1").returncode == 0  # its former name
    assert "unpause" not in call("schedules", "--help").stdout
    times = json.loads(call("schedules", "next", "--json").stdout)
    assert [(one["schedule"], one["at"]) for one in times] == sorted((one["schedule"], one["at"]) for one in times)
    assert [datetime.fromisoformat(one["at_iso"]).timestamp() for one in times] == [one["at"] for one in times]
    assert "02:00:00 Europe/Berlin" in call("schedules", "next", "nightly").stdout
    assert "s1" in call("schedules", "next", "s1").stdout
    unknown = call("schedules", "next", "weekly")
    assert (unknown.returncode, "it has s1 (nightly)" in unknown.stderr) == (2, True)
    assert call("schedules", "remove", "s1").stdout == "Removed: s1\n"
    assert call("schedules", "remove", "s1").returncode == 2
    wrong = call("schedules", "add", "x", "--goal", "Dance.", "--when", "sometimes")
    assert (wrong.returncode, "write 'every 15m'" in wrong.stderr) == (2, True)
    assert wrong.stderr.startswith("error: when: ")


def test_mistakes_have_their_exit_codes(served: Served, call: Callable[..., Any]) -> None:
    assert call("submit").returncode == 2
    assert call("submit", "--goal", "Dance.", "--deadline", "yesterday").returncode == 2
    assert call("submit", "--goal", "Dance.", "--phones", "model==").returncode == 2
    unknown = call("status", "b9", "--json")
    assert (unknown.returncode, json.loads(unknown.stdout)["code"]) == (2, "service_refused")
    away = call("status", "--server", "http://127.0.0.1:9", "--json")
    assert (away.returncode, json.loads(away.stdout)["code"]) == (1, "service_away")
    assert "manyhands serve" in json.loads(away.stdout)["error"]


def test_without_a_login_commands_say_what_to_do(tmp_path: Path) -> None:
    said = manyhands("status", MANYHANDS_STATE_DIR=str(tmp_path), MANYHANDS_SERVER="", MANYHANDS_TOKEN="")
    assert (said.returncode, "manyhands login URL" in said.stderr) == (2, True)


@pytest.mark.parametrize("words", [("status",), ("mcp",)])
def test_without_the_extra_commands_say_what_to_install(words: tuple[str, ...]) -> None:
    program = (
        "import sys; sys.modules['httpx'] = sys.modules['mcp'] = None\n"
        "from manyhands.deploy.command_line.cli import main\nmain()"
    )
    environment = {**os.environ, "MANYHANDS_SERVER": "http://127.0.0.1:9", "MANYHANDS_TOKEN": "t"}
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, env=environment, timeout=100
    )
    assert (done.returncode, "pip install 'manyhands[service]'" in done.stderr) == (2, True), done.stderr


def test_everything_is_cancelled_by_one_command(call: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text(TASKS)
    call("submit", "--goal", "Dance.")
    call("submit", "--goal", "Sing.")
    call("schedules", "add", "nightly", tmp_path / "tasks.yaml", "--when", "0 2 * * *")
    assert call("cancel").returncode == call("cancel", "b1", "--all").returncode == 2
    lines = call("cancel", "--all", "--reason", "fire").stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["b2", "b1", "Schedules go on"]
    assert "cancelled" in lines[0]
    assert lines[2] == "Schedules go on: manyhands schedules pause s1"
    assert json.loads(call("cancel", "--all", "--json").stdout) == []
    assert "fire" in call("status", "b1.goal-1").stdout
