"""What is known before a run: tips and shortcuts of files, hints by task, and which tasks a run has failed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from manyhands.actors.memory import initial_memory, write_shortcuts, write_tips
from manyhands.deploy.fleet.initial_memory import failed_of, starting_memory, with_hints
from manyhands.deploy.fleet.run_files.run_folder import TaskBatch, write_run_yaml
from manyhands.evaluation.summary import summary_of
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.runs.run_summary import Repeated
from manyhands.protocol.tasks.repeats import repeat_tasks
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.episode.world import tap
from tests.actors.profiles.v2.world import V2World, play
from tests.evaluation.metrics.three_episodes import write_judge
from tests.evaluation.run_records import ended, started, write_run

TASKS = tuple(TaskSpec(id=name, goal=f"Do {name}") for name in ("task", "other"))


def test_tasks_begin_with_the_initial_memory_and_that_of_files(tmp_path: Path) -> None:
    start = initial_memory()
    tips, shortcuts = tmp_path / "tips.txt", tmp_path / "shortcuts.json"
    assert starting_memory(None, None) == start
    peek = Shortcut(name="Peek", precondition="A list is shown.", steps=(ShortcutStep(name="Back"),))
    theirs = start.shortcuts[0].model_copy(update={"description": "In the words of others."})
    tips.write_text(write_tips([*start.tips, "Look twice."]))
    shortcuts.write_text(write_shortcuts([theirs, peek]))
    assert starting_memory(tips, shortcuts) == LongTermMemory(
        tips=(*start.tips, "Look twice."), shortcuts=(*start.shortcuts, peek)
    )


def test_a_shortcut_that_is_another_than_the_initial_one_of_its_name_is_refused(tmp_path: Path) -> None:
    (search,) = initial_memory().shortcuts
    (tmp_path / "shortcuts.json").write_text(write_shortcuts([search.model_copy(update={"steps": search.steps[:2]})]))
    with pytest.raises(BadInput, match=r"shortcuts.json: Tap_Type_and_Enter: another shortcut of that name is there"):
        starting_memory(None, tmp_path / "shortcuts.json")


def test_hints_are_given_by_the_id_of_the_task(tmp_path: Path) -> None:
    (tmp_path / "hints.yaml").write_text("other: It is on the page About.\n")
    told = with_hints((TASKS[0], TASKS[1].model_copy(update={"hints": "Look."})), tmp_path / "hints.yaml")
    assert [task.hints for task in told] == ["", "Look.\nIt is on the page About."]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("xyz: x", "xyz: no such task; there are other, task"),
        ("tusk: x", "tusk: no such task; did you mean task?"),
        ("other: 3", "other: not a text"),
        ("- x", "not hints by the ids of tasks"),
        (f"other: {'x' * 4001}", "other: 4001 characters of hints; a task may have 4000"),
    ],
)
def test_what_is_no_hint_is_refused_with_its_place(tmp_path: Path, written: str, said: str) -> None:
    (tmp_path / "hints.yaml").write_text(written)
    with pytest.raises(BadInput, match=said) as refused:
        with_hints(TASKS, tmp_path / "hints.yaml")
    assert "hints.yaml" in str(refused.value)


def test_only_what_failed_is_repeated_and_the_row_before_is_kept(tmp_path: Path) -> None:
    worlds = {"task": V2World(), "other": V2World(operates=lambda request: tap(99))}
    for place, (name, world) in enumerate(worlds.items()):
        episode, check = f"run-{name}-1", {"source": "content://m/state", "holds": {"path": "screen", "equals": "s3"}}
        task = {"id": name, "goal": f"Do {name}", "check": check}
        _, (begin, *records) = play(world, episode=episode, task=task)
        journal = [begin.model_copy(update={"batch": "batch-1", "place": place}), *records]
        folder = tmp_path / "episodes" / episode
        folder.mkdir(parents=True)
        (folder / "journal.mh").write_bytes(b"".join(encode(record, episode) for record in journal))
    write_run_yaml(tmp_path, {"profile": "v2"}, [TaskBatch("batch-1", TASKS)])
    failed, before = failed_of(TASKS, tmp_path)
    assert [task.id for task in failed] == ["other"]
    assert (before.tasks, before.kept_done, before.by) == (2, 1, {"phone": 2})
    assert summary_of({"repeated": before.model_dump()}, []).repeated == Repeated(**before.model_dump())
    with pytest.raises(BadInput, match="none of these tasks has failed in that run"):
        failed_of(TASKS[:1], tmp_path)
    assert yaml.safe_load((tmp_path / "run.yaml").read_text())["profile"] == "v2"


def test_a_repeated_task_has_failed_if_one_of_its_repeats_has(tmp_path: Path) -> None:
    check = {"source": "content://m/state", "holds": {"path": "x", "equals": 1}}
    tasks = tuple(TaskSpec.model_validate({"id": name, "goal": "g", "check": check}) for name in ("steady", "flaky"))
    repeats = repeat_tasks(tasks, 2)
    journals = {
        one.id: [started(one.id, one, batch="batch-1", place=place), ended(3, verified=one.id != "flaky.2")]
        for place, one in enumerate(repeats)
    }
    asked = {"tasks": [one.model_dump(mode="json") for one in repeats], "batches": [{"name": "batch-1", "tasks": 4}]}
    write_run(tmp_path, asked, journals)
    failed, before = failed_of(tasks, tmp_path)
    assert [task.id for task in failed] == ["flaky"]
    assert (before.tasks, before.kept_done) == (4, 2)


WORDS = {
    "ann": ("person", {"done": True, "failed": False, "disputed": True}),
    "ben": ("person", {"disputed": False}),
    "bot": ("model", {"done": False, "by_model": False, "by_models": True}),
}


def test_where_the_phone_tells_nothing_judges_say_what_failed(tmp_path: Path) -> None:
    """As on real phones: no task has a check, and the agent called each of them finished but one."""
    names = ("done", "failed", "disputed", "by_model", "by_models", "nobody", "gave_up")
    tasks = tuple(TaskSpec(id=name, goal="g") for name in names)
    journals = {
        f"e-{one.id}": [
            started(f"e-{one.id}", one, batch="batch-1", place=place),
            ended(3, Ending.IMPOSSIBLE if one.id == "gave_up" else Ending.FINISHED),
        ]
        for place, one in enumerate(tasks)
    }
    asked = {"tasks": [one.model_dump(mode="json") for one in tasks], "batches": [{"name": "batch-1", "tasks": 7}]}
    write_run(tmp_path, asked, journals)
    failed, _ = failed_of(tasks, tmp_path)
    assert [task.id for task in failed] == ["gave_up"]
    for judge, (source, words) in WORDS.items():
        write_judge(tmp_path, judge, source, {f"e-{name}": {"success": word} for name, word in words.items()})
    failed, before = failed_of(tasks, tmp_path)
    assert [task.id for task in failed] == ["failed", "disputed", "by_model", "gave_up"]
    assert before.by == {"person": 3, "model": 2, "agent": 2}
    (tmp_path / "judgements" / "ann.json").write_text("{")
    with pytest.raises(BadInput, match=r"ann.json: not JSON"):
        failed_of(tasks, tmp_path)
