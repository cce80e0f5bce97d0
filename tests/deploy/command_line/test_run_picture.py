"""What a terminal shows of a run of many phones: it fits, whatever size the terminal has."""

from __future__ import annotations

import re
import shlex
import time
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from manyhands.deploy.command_line.cells import count_rows
from manyhands.deploy.command_line.display import RunDisplay
from manyhands.deploy.command_line.live_area import LiveArea
from manyhands.deploy.command_line.notices import hold_notices, wait_notice
from manyhands.deploy.command_line.result_lines import one_line
from manyhands.deploy.command_line.run_picture import estimate_s, show_estimate
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.control import WAITS_FOR_GO
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.progress import EpisodeProgress, RunHold, RunProgress, RunWait, TasksDone
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.deploy.command_line.terminal_screen import TerminalScreen

SIZES = [(120, 40), (80, 24), (200, 60), (60, 10), (40, 5), (30, 3)]


def episode(number: int) -> EpisodeProgress:
    return EpisodeProgress(
        episode=f"e{number}",
        task=f"task-{number}",
        serial=f"10.0.0.{number}:5555",
        step=number,
        doing="Open the page\nDisplay in Settings " * 9,
        stages=("decide",),
        stage_since=time.time() - number,
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


def display_of(width: int, height: int, goals: dict[str, str] | None = None) -> RunDisplay:
    console = Console(width=width, height=height, file=StringIO(), force_terminal=True, color_system=None)

    async def ask() -> RunProgress:
        raise AssertionError("not asked")

    return RunDisplay(console, ask, "runs/r", goals)


def shown(at: RunProgress, width: int, height: int, goals: dict[str, str] | None = None) -> list[str]:
    return [line.plain for line in display_of(width, height, goals).picture(at).lines(width, height)]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(("running", "gone", "results"), [(100, 0, 8), (40, 60, 8), (0, 100, 0), (1, 1, 64), (0, 0, 0)])
def test_it_fits(width: int, height: int, running: int, gone: int, results: int) -> None:
    holds = (RunHold(since=0, phone="10.0.0.1:5555"), RunHold(since=0, task="b", drained=True))
    for at in (progress(running, gone, results), progress(running, gone, results, holds=holds)):
        lines = shown(at, width, height)
        assert sum(count_rows(line, width) for line in lines) < height
        assert all(cell_len(line) <= width or " control runs/r go" in line for line in lines)


@pytest.mark.parametrize(("width", "height"), SIZES[:2])
def test_a_hundred_phones_leave_room_for_waits_and_results(width: int, height: int) -> None:
    lines = shown(progress(running=60, gone=30, results=20), width, height)
    assert lines[1] == "20 failed, 100 waiting  ·  100 phones: 60 busy, 30 away, 10 free"
    assert sum(line.startswith("failed") for line in lines) >= 3
    assert lines[-1].split()[:2] == ["failed", "done-19"]
    assert any(line.startswith("waiting for phone 10.0.1.0:5555 for 9 s") for line in lines)
    phones = sum(line.startswith("10.0.0.") for line in lines)
    waits = sum(line.startswith("waiting for") for line in lines)
    assert f"and {30 - waits} more waits" in lines
    assert f"and {100 - phones} more: {60 - phones} busy, 30 away, 10 free" in lines
    assert len(lines) == height - 1


def test_the_busiest_come_first_if_not_all_fit() -> None:
    running = [episode(number) for number in range(143)]
    running[5] = running[5].model_copy(update={"doing": EpisodeProgress.wait_for("the model")})
    lines = shown(progress(0, 0, 0).model_copy(update={"running": tuple(running), "phones": 200}), 80, 24)
    first = next(index for index, line in enumerate(lines) if line.startswith("10.0.0."))
    assert [line.split()[0] for line in lines[first : first + 3]] == [
        "10.0.0.5:5555",
        "10.0.0.142:5555",
        "10.0.0.141:5555",
    ]
    rows = sum(line.startswith("10.0.0.") for line in lines)
    assert lines[-1] == f"and {200 - rows} more: {143 - rows} busy, 57 free"


def test_phones_that_fit_keep_their_rows() -> None:
    at = progress(12, 0, 0).model_copy(update={"running": tuple(map(episode, [11, 2, 10, 1])), "phones": 4})
    lines = shown(at, 100, 24)
    assert [line.split()[0] for line in lines if line.startswith("10.")] == [f"10.0.0.{n}:5555" for n in (1, 2, 10, 11)]
    assert not any(line.startswith("and ") for line in lines)


def test_a_row_says_stage_and_seconds_and_the_goal_until_there_is_a_subgoal() -> None:
    one = EpisodeProgress(
        episode="e", task="buy", serial="p1", step=3, doing="perceive, verify", stages=("perceive", "verify")
    )
    at = progress(0, 0, 0).model_copy(update={"running": (one.model_copy(update={"stage_since": time.time() - 75.2}),)})
    header, row = (line.split() for line in shown(at, 100, 24, {"buy": "Buy \x1b[2J milk."})[3:5])
    assert header == ["phone", "task", "step", "stage", "goal", "or", "subgoal"]
    assert row == ["p1", "buy", "3", "perceive", "+1", "75", "s", "Buy", "\\x1b[2J", "milk."]
    planned = one.model_copy(update={"doing": "Open the shop"})
    assert shown(at.model_copy(update={"running": (planned,)}), 100, 24)[4].endswith("Open the shop")


def test_a_row_says_who_holds_an_episode_and_since_when() -> None:
    now = time.time()
    held = {"phase": EpisodePhase.TAKEN_OVER, "held_by": "ann\x1b[5m", "held_since": now - 42.3}
    running = (episode(3).model_copy(update=held), episode(1))
    lines = shown(progress(0, 0, 0).model_copy(update={"running": running}), 100, 24)
    (row,) = (line for line in lines if line.startswith("10.0.0.3:5555"))
    assert row.split()[-6:] == ["42", "s", "taken", "over", "by", "ann\\x1b[5m"]


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (20, ["phone"]),
        (40, ["phone", "step", "stage"]),
        (60, ["phone", "task", "step", "stage"]),
        (80, ["phone", "task", "step", "stage", "goal or subgoal"]),
        (120, ["phone", "task", "step", "stage", "goal or subgoal"]),
    ],
)
def test_a_narrow_terminal_leaves_columns_out(width: int, columns: list[str]) -> None:
    names = {"serial": "emulator-5554", "task": "network_speed_zh"}
    running = tuple(episode(number).model_copy(update=names) for number in (2, 2))
    lines = shown(progress(0, 0, 0).model_copy(update={"running": running}), width, 24)
    header = next(line for line in lines if line.startswith("phone"))
    assert re.split(" {2,}", header.strip()) == columns
    row = next(line for line in lines if line.startswith("emulator-5554 "))
    if width > 20:
        assert "decide" in row
        assert " 2 s" in row


def test_a_wide_terminal_shows_phones_side_by_side() -> None:
    lines = shown(progress(100, 0, 0), 180, 30)
    rows = [line for line in lines if line.startswith("10.0.0.")]
    assert sum(line.count(":5555") for line in rows) == 2 * len(rows)
    assert rows[0].startswith("10.0.0.99:5555")


HOSTILE = [
    "\x1b[2J\x1b]0;title\x07",
    "\u202egnp.exe",
    "\u2066\u200f\x9b31m",
    "x" * 10_000,
    "会" * 10_000,
    "e" + "\u0301" * 10_000,
    "two\nlines\r\tand more",
    "\u200d\ufe0f" * 50,
    "[bold]markup[/bold]",
    "",
    "\ud800",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_what_others_write_neither_breaks_nor_moves_anything(text: str, width: int) -> None:
    one = EpisodeProgress.model_construct(
        episode="e", task=text, serial=text, step=1, doing=text, epoch=0, stages=(text,), stage_since=time.time()
    )
    bad = result(1).model_copy(update={"task": text, "reason": text, "ending": Ending.IMPOSSIBLE})
    at = RunProgress.model_construct(
        total=2,
        waiting=0,
        running=(one, episode(1)),
        done=TasksDone.of([bad]),
        latest=(bad,),
        held_up=(RunWait.model_construct(what=text, since=0.0, reason=text),),
        away=(),
        holds=(),
        phones=2,
    )
    console = Console(width=width, height=24, file=StringIO(), force_terminal=True, color_system=None)
    screen = TerminalScreen(width, 24)
    with LiveArea(console) as area:
        lines = display_of(width, 24, {text: text}).picture(at).lines(width, 24)
        area.draw(lines)
        written = console.file.getvalue()  # type: ignore[attr-defined]
    assert len(written) < 24 * width * 12
    screen.feed(written)  # it fails for codes that the display does not use
    assert screen.rows == [line.plain.rstrip() for line in lines]
    plain = "".join(line.plain for line in lines)
    assert not set(plain) & set("\x1b\x9b\x07\r\n\t\u202e\u2066\u200f\ud800")
    (row,) = (line for line in lines if line.plain.startswith("10.0.0.1:5555"))
    assert cell_len(row.plain) <= width


def test_a_result_line_stays_one_line_whatever_the_reason_says() -> None:
    bad = result(1).model_copy(update={"task": "a\nverified b", "reason": "x\nverified  c  finished" * 1000})
    line = one_line(bad).plain
    assert "\n" not in line
    assert len(line) < 1200


def test_what_is_paused_is_told_with_the_command_that_lets_it_go_on() -> None:
    now = time.time()
    holds = (
        RunHold(since=now - 73.2, phone="10.0.0.1:5555"),
        RunHold(since=now, phone="p7"),
        RunHold(since=now - 73.2, task="b"),
    )
    for width in (40, 180):
        lines = shown(progress(running=2, gone=0, results=0, holds=holds), width, 24)
        assert "100 phones: 2 busy, 1 paused, 97 free" in " ".join(lines)
        (said,) = (index for index, line in enumerate(lines) if line.startswith("paused"))
        assert lines[said].startswith("paused by manyhands control for 1 min 1")
        assert lines[said + 1].endswith(" control runs/r go --phone 10.0.0.1:5555 --phone p7 --task b"), "it is not cut"


def test_a_paused_run_is_told_once_and_said_to_be_paused() -> None:
    held_up = (RunWait(what=WAITS_FOR_GO, since=0, reason="paused by manyhands control"),)
    holds = (RunHold(since=time.time()),)
    text = "\n".join(shown(progress(running=0, gone=0, results=0, holds=holds, held_up=held_up), 160, 24))
    assert text.count("paused") == 1
    assert "paused by manyhands control for 0 s: the run\n" in text


def test_a_command_names_a_folder_with_blanks_as_a_shell_needs_it() -> None:
    (notice,) = hold_notices([RunHold(since=0, task="b")], "my runs/it's one")
    assert shlex.split(notice.command)[-4:] == ["my runs/it's one", "go", "--task", "b"]


def test_a_wait_that_has_just_begun_is_told_without_its_seconds() -> None:
    now = time.time()
    texts = [wait_notice(RunWait(what="phone p", since=now - ago, reason="")).text for ago in (0.2, 8.0, 90.0)]
    assert texts == ["waiting for phone p", "waiting for phone p for 8 s", "waiting for phone p for 1 min 30 s"]


def test_the_time_left_follows_from_the_tasks_that_have_ended() -> None:
    ended = tuple(result(number).model_copy(update={"started_at": 100.0, "ended_at": 160.0}) for number in range(4))
    at = progress(4, 0, 0).model_copy(update={"latest": ended, "waiting": 8})
    assert estimate_s(at, [0.0] * 4) == pytest.approx(180.0)
    assert estimate_s(at.model_copy(update={"waiting": 0}), [50.0, 10.0]) == pytest.approx(50.0)
    assert estimate_s(at.model_copy(update={"waiting": 0}), [90.0]) is None, "nothing tells when it ends"
    assert estimate_s(at.model_copy(update={"latest": ()}), [0.0]) is None
    told = [show_estimate(seconds) for seconds in (3.0, 44.0, 91.0, 7500.0)]
    assert told == ["about 10 s left", "about 40 s left", "about 2 min left", "about 2 h 5 min left"]
    assert "about 3 min left" in shown(at, 100, 24)[0]
    assert cell_len(shown(at, 40, 24)[0]) <= 40


REASON = "http://127.0.0.1:9999/v1: Cannot connect to host: Connection refused (note, plan, reflect)"


@pytest.mark.parametrize("width", [40, 60, 100])
def test_while_the_model_is_away_the_display_says_why_and_estimates_nothing(width: int) -> None:
    wait = RunWait(what="the model", since=time.time() - 39.2, reason=REASON)
    waits = {"doing": EpisodeProgress.wait_for("the model"), "stages": ("verify",), "subgoal": "Open the shop"}
    ended = (result(1).model_copy(update={"started_at": 100.0, "ended_at": 160.0}),)
    at = progress(0, 0, 0, held_up=(wait,)).model_copy(
        update={"running": (episode(1).model_copy(update=waits),), "latest": ended, "phones": 1}
    )
    lines = shown(at, width, 24)
    start = next(index for index, line in enumerate(lines) if line.startswith("waiting for the model for 39 s"))
    told = " ".join(lines[start : start + 3])
    assert "http://127.0.0.1:9999/v1: Cannot connect to" in told
    assert "Connection refused" in told or width == 40
    (row,) = (line for line in lines if line.startswith("10.0.0."))
    assert "waiting" in row or width == 40
    assert "verify" not in row
    if width == 100:
        assert "waiting for the model" in row
        assert row.endswith("Open the shop")
    assert not any(" left" in line for line in lines)
    running = at.model_copy(update={"running": (episode(1),), "held_up": ()})
    assert " left" in shown(running, 100, 24)[0]


def test_a_short_terminal_cuts_the_reason_rather_than_to_leave_it_out() -> None:
    wait = RunWait(what="the model", since=time.time() - 39.2, reason=REASON)
    lines = shown(progress(4, 0, 0, held_up=(wait,)), 60, 6)
    assert any(line.startswith("waiting for the model for 39 s: http://127.0.0.1:9999") for line in lines)


def test_a_run_whose_tasks_are_not_known_yet_counts_none() -> None:
    empty = progress(0, 0, 0).model_copy(update={"total": 0, "waiting": 0})
    assert shown(empty, 80, 24)[0].startswith("no tasks yet  ")
    assert "%" not in shown(empty, 80, 24)[0]


def test_failures_stay_though_many_tasks_pass_after_them() -> None:
    display = display_of(100, 24)
    at = progress(2, 0, 1)
    display.picture(at)
    for start in range(1, 300, 60):
        passed = tuple(result(n).model_copy(update={"verified": True}) for n in range(start, start + 64))
        at = at.model_copy(update={"latest": passed})
        lines = [line.plain for line in display.picture(at).lines(100, 24)]
    assert lines[-1].startswith("failed    done-0 ")
    assert sum(line.startswith("verified") for line in lines) == 7


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
