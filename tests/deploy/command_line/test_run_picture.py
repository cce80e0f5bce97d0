"""What a terminal shows of a run of many phones: it fits, whatever size the terminal has."""

from __future__ import annotations

import time
from io import StringIO

import pytest
from rich.console import Console

from manyhands.deploy.command_line.display import RunDisplay
from manyhands.deploy.command_line.run_picture import one_line
from manyhands.protocol.base import Ending
from manyhands.protocol.control import WAITS_FOR_GO
from manyhands.protocol.progress import EpisodeProgress, RunHold, RunProgress, RunWait, TasksDone
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.unmet_tests import UnmetTest

SIZES = [(120, 40), (80, 24), (200, 60), (60, 10), (40, 5), (30, 3)]


def episode(number: int) -> EpisodeProgress:
    return EpisodeProgress(
        episode=f"e{number}",
        task=f"task-{number}",
        serial=f"10.0.0.{number}:5555",
        step=number,
        doing="Open the page\nDisplay in Settings " * 9,
    )


def result(number: int) -> EpisodeResult:
    return EpisodeResult(
        episode=f"r{number}",
        task=f"done-{number}",
        serial="p",
        attempt=1,
        ending=Ending.STEP_LIMIT,
        verified=False,
        rubrics={},
        reason="forty steps " * 20,
        steps=40,
        started_at=0,
        ended_at=number,
    )


def test_a_result_says_what_of_its_check_did_not_hold() -> None:
    unmet = (UnmetTest(expected="a is true", found="false"), UnmetTest(expected="b is 1", found="nothing"))
    one = result(1).model_copy(update={"ending": Ending.FINISHED, "unmet": unmet})
    words = " ".join(one_line(one).plain.split())
    assert words == "failed done-1 finished, 40 steps expected a is true; found false (and 1 more)"


@pytest.mark.parametrize(
    ("has_check", "words"),
    [
        (False, "no check done-1 finished, 40 steps"),
        (True, "undecided done-1 finished, 40 steps no phone tells its calls"),
    ],
)
def test_a_task_without_a_check_is_told_apart_from_a_check_that_nobody_could_ask(has_check: bool, words: str) -> None:
    told = {"ending": Ending.FINISHED, "verified": None, "has_check": has_check, "reason": "no phone tells its calls"}
    assert " ".join(one_line(result(1).model_copy(update=told)).plain.split()) == words


def test_what_a_judge_said_is_not_the_phones_word() -> None:
    done = result(1).model_copy(update={"ending": Ending.FINISHED, "verified": True, "verified_by": "judge"})
    assert one_line(done).plain.startswith("judged done ")
    assert one_line(done.model_copy(update={"verified": False})).plain.startswith("judged not done ")
    assert one_line(done.model_copy(update={"verified_by": "phone"})).plain.startswith("verified ")


def away(number: int) -> RunWait:
    return RunWait(what=f"phone 10.0.1.{number}:5555", since=time.time() - 9, reason="it does not answer " * 9)


def progress(running: int, gone: int, results: int, **fields: object) -> RunProgress:
    ended = tuple(map(result, range(results)))
    return RunProgress(
        total=300,
        waiting=100,
        running=tuple(map(episode, range(running))),
        done=TasksDone.of(ended),
        latest=ended,
        away=tuple(map(away, range(gone))),
        phones=100,
        **fields,  # type: ignore[arg-type]
    )


def shown(at: RunProgress, width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, file=StringIO(), force_terminal=True, color_system=None)

    async def ask() -> RunProgress:
        raise AssertionError("not asked")

    display = RunDisplay(console, ask, "runs/r")
    with console.capture() as said:
        console.print(display.picture(at))
    return [line.rstrip() for line in said.get().splitlines()]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(("running", "gone", "results"), [(100, 0, 8), (40, 60, 8), (0, 100, 0), (1, 1, 64), (0, 0, 0)])
def test_it_fits(width: int, height: int, running: int, gone: int, results: int) -> None:
    holds = (RunHold(since=0, phone="10.0.0.1:5555"), RunHold(since=0, task="b", drained=True))
    for at in (progress(running, gone, results), progress(running, gone, results, holds=holds)):
        lines = shown(at, width, height)
        assert len(lines) < height
        assert all(len(line) <= width for line in lines)


@pytest.mark.parametrize(("width", "height"), SIZES[:2])
def test_a_hundred_phones_leave_room_for_waits_and_results(width: int, height: int) -> None:
    lines = shown(progress(running=60, gone=30, results=20), width, height)
    assert lines[1] == "100 phones: 60 at work, 30 away, 10 idle; 100 tasks waiting"
    assert sum(line.startswith("failed") for line in lines) >= 3
    assert lines[-1].split()[:2] == ["failed", "done-19"]
    assert any(line.startswith("waiting for phone 10.0.1.0:5555 for 9 s") for line in lines)
    assert any(line.startswith("10.0.0.0:5555") for line in lines)
    named = sum(line.startswith("waiting for") for line in lines), sum(line.startswith("10.0.0.") for line in lines)
    assert f"... and {30 - named[0]} more waits" in lines
    assert f"... and {60 - named[1]} more phones at work" in lines
    assert len(lines) == height - 1


def test_what_is_paused_is_told_with_the_command_that_lets_it_go_on() -> None:
    now = time.time()
    holds = (
        RunHold(since=now - 73.2, phone="10.0.0.1:5555"),
        RunHold(since=now, phone="p7"),
        RunHold(since=now - 73.2, task="b"),
    )
    lines = shown(progress(running=2, gone=0, results=0, holds=holds), 180, 24)
    assert lines[1] == "100 phones: 2 at work, 1 paused, 97 idle; 100 tasks waiting"
    assert lines[2].startswith(
        "paused by manyhands control for 73 s: phone 10.0.0.1:5555, phone p7, task b; to go on: "
    )
    assert lines[2].endswith(" control runs/r go --phone 10.0.0.1:5555 --phone p7 --task b")


def test_a_paused_run_is_told_once_and_said_to_be_paused() -> None:
    held_up = (RunWait(what=WAITS_FOR_GO, since=0, reason="paused by manyhands control"),)
    holds = (RunHold(since=time.time()),)
    text = "\n".join(shown(progress(running=0, gone=0, results=0, holds=holds, held_up=held_up), 160, 24))
    assert text.count("paused") == 1
    assert "paused by manyhands control for 0 s: the run; to go on: " in text


def test_without_a_terminal_what_is_paused_and_goes_on_is_a_line_each() -> None:
    said = StringIO()

    async def ask() -> RunProgress:
        raise AssertionError("not asked")

    display = RunDisplay(Console(width=160, file=said), ask, "runs/r")
    holds = (RunHold(since=time.time(), phone="p7"),)
    for at in ((), holds, holds, ()):
        display.finish(progress(running=0, gone=0, results=0, holds=at))
    paused, gone = said.getvalue().splitlines()
    assert paused.startswith("paused by manyhands control for 0 s: phone p7; to go on: ")
    assert gone == "no longer held by manyhands control: phone p7"
