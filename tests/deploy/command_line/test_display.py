"""What the end of a run says."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console

from manyhands.deploy.command_line.commands.run import tell
from manyhands.deploy.command_line.display import RunDisplay
from manyhands.deploy.command_line.result_lines import verdict
from manyhands.deploy.command_line.summary_table import learning_lines, summary_table, tree_line
from manyhands.evaluation.summary import summarise
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.progress import RunProgress, TasksDone
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.runs.run_summary import TaughtCounts
from tests.evaluation.statements_run import write_statements_run
from tests.evaluation.taught_run import SEARCH_ID, write_taught


def test_what_was_learned_is_told_with_what_it_took(tmp_path: Path) -> None:
    said = StringIO()
    Console(width=300, file=said).print(summary_table(summarise(write_taught(tmp_path))))
    lines = [line.rstrip() for line in said.getvalue().splitlines()]
    assert (
        "2 lessons taught, 1 failed, 2.00 s each (median); tips: 1 added, 1 changed; shortcuts: 1 added, 1 refused"
    ) in lines
    assert "shortcuts used: initial 1 (1 worked); learned 3 (1 worked, 1 surprised, 1 put aside)" in lines
    assert f"put aside: {SEARCH_ID}@1" in lines
    assert (
        "model calls of steps 14 (1,150 tokens in, 14 out); of the verifier of preconditions 3 (90 tokens in, 3 out); "
        "of the retriever 1 (7 tokens in, 1 out); of the learners 6 (90 tokens in, 6 out)"
    ) in lines


async def test_a_result_that_comes_before_its_count_is_told_once() -> None:
    result = EpisodeResult.model_validate(
        {
            "episode": "e1",
            "task": "buy",
            "serial": "p1",
            "attempt": 1,
            "ending": Ending.FINISHED,
            "reason": "",
            "steps": 3,
            "verified": None,
            "rubrics": {},
            "started_at": 1.0,
            "ended_at": 2.0,
        }
    )
    before = RunProgress(total=3, waiting=1, running=(), done=TasksDone(tasks=1), latest=())
    early = before.model_copy(update={"latest": (result,)})
    said = StringIO()

    async def progress() -> RunProgress:
        return before

    display = RunDisplay(Console(width=200, file=said), progress, "b1")
    for shown in (before, early, early.model_copy(update={"done": TasksDone(tasks=2)})):
        display.finish(shown)
    lines = said.getvalue().splitlines()
    assert (lines[0], len(lines), "buy" in lines[1]) == ("1 task that ended before", 2, True)


def test_what_was_not_verified_is_told_by_what_became_of_it(tmp_path: Path) -> None:
    summary = summarise(write_taught(tmp_path))
    row = summary.by_task[0]
    became = [
        {"finished": Ending.FINISHED, "verified": None, "has_check": False},
        {"finished": Ending.IMPOSSIBLE, "verified": None, "has_check": False},
        {"finished": Ending.FINISHED, "verified": False, "has_check": True},
        {"finished": Ending.CANCELLED, "verified": None, "has_check": True},
    ]
    rows = [row.model_copy(update=each) for each in became]
    said = StringIO()
    cut_off = summary.model_copy(update={"tasks": 4, "verified": 0, "by_task": rows, "false_completes": 1})
    tell(Console(width=300, file=said), tmp_path, cut_off, as_json=False)
    became = "1 finished without a check, 2 failed, 1 cancelled; the agent called 1 of them finished"
    assert f"0 of 4 tasks verified ({became}) on" in said.getvalue()
    assert f"resume {tmp_path}\n" in said.getvalue(), "a run with undecided tasks is gone on with"
    said = StringIO()
    tell(Console(width=300, file=said), tmp_path, summary.model_copy(update={"by_task": rows[:1]}), as_json=False)
    assert f"report {tmp_path}\n" in said.getvalue()


def test_what_a_judge_said_has_words_and_counts_of_its_own(tmp_path: Path) -> None:
    summary = summarise(write_statements_run(tmp_path))
    said = StringIO()
    Console(width=300, file=said).print(summary_table(summary))
    rows = {line.split()[0]: line for line in said.getvalue().splitlines() if line.strip()}
    assert " judged done " in rows["judge_yes"]
    assert " judged not done " in rows["judge_no"]
    assert " yes " in rows["phone_yes"]
    became = "2 judged done, 1 judged not done, 1 finished, but nobody could ask its check, 1 failed"
    assert f"1 of 6 tasks verified ({became}; the agent called 1 of them finished) on" in said.getvalue()


def test_lessons_that_taught_nothing_say_so(tmp_path: Path) -> None:
    learning = summarise(write_taught(tmp_path)).learning
    assert learning is not None
    empty = learning.model_copy(update={"tips": TaughtCounts(), "shortcuts": TaughtCounts()})
    assert next(iter(learning_lines(empty))) == "2 lessons taught, 1 failed, 2.00 s each (median), nothing in them"


def test_the_table_of_a_thousand_tasks_stays_short(tmp_path: Path) -> None:
    summary = summarise(write_taught(tmp_path))
    row = summary.by_task[0].model_copy(update={"finished": Ending.FINISHED, "has_check": True, "unmet": ()})
    verified = [row.model_copy(update={"id": f"good-{n}", "verified": True, "reason": ""}) for n in range(950)]
    failed = [
        row.model_copy(
            update={
                "id": f"bad-{n}\x1b[2J",
                "verified": False,
                "finished": Ending.STEP_LIMIT,
                "reason": "no\nway " * 999,
                "repeat_of": f"task-{n}",
            }
        )
        for n in range(50)
    ]
    large = summary.model_copy(
        update={
            "tasks": 1000,
            "by_task": [*verified[:400], *failed, *verified[400:]],
            "phones_left_out": {f"phone-{n}": "gone" for n in range(200)},
        }
    )
    said = StringIO()
    Console(width=100, file=said).print(summary_table(large))
    lines = [line.rstrip() for line in said.getvalue().splitlines()]
    assert lines[1].startswith("bad-0\\x1b[2J ")
    assert "and 980 more: 950 verified, 30 failed" in lines
    assert "and 40 more repeated tasks: 40 broken" in lines
    assert "left out: 190 more" in lines
    assert len(lines) < 150
    assert "\x1b" not in said.getvalue()


def test_a_run_in_which_all_is_done_has_no_rows_of_failures(tmp_path: Path) -> None:
    summary = summarise(write_taught(tmp_path))
    row = summary.by_task[0].model_copy(update={"finished": Ending.FINISHED, "verified": True, "has_check": True})
    said = StringIO()
    many = summary.model_copy(update={"tasks": 30, "by_task": [row] * 30})
    Console(width=100, file=said).print(summary_table(many))
    assert said.getvalue().splitlines()[0] == "30 tasks: 30 verified"


def test_screens_without_a_tree_are_told_by_the_reason() -> None:
    assert tree_line({"used": 1}) == "accessibility trees: 1 of 1 screen"
    assert tree_line({"late": 1, "left_out": 3}) == "accessibility trees: 0 of 4 screens; 1 late, 3 left out"


def test_a_cancelled_task_is_not_called_failed() -> None:
    assert verdict(Ending.CANCELLED, None, True, None)[0] == "cancelled"
    assert verdict(Ending.CANCELLED, True, True, "phone")[0] == "verified"
    assert verdict(Ending.STEP_LIMIT, None, False, None)[0] == "failed"
