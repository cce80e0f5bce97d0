"""The scripts: every goal of every suite has one, and nothing in them is ambiguous."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from manyhands.protocol.errors import BadFile, BadInput
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.rehearsal.matching import normal
from manyhands.simulator.rehearsal.script import Script, Scripts, fill_now, load_scripts
from manyhands.simulator.rehearsal.wording import meant, phrase, plan_text, position
from tests.simulator.rehearsal.scripts import SCRIPTS
from tests.simulator.suites.tasks import TASKS


def rehearsed(task: TaskSpec) -> Script:
    script = SCRIPTS.for_goal(task.goal)
    assert script is not None
    return script


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_one_script_fits_a_goal_and_leaves_nothing_to_fill_but_what_is_found_out(task: TaskSpec) -> None:
    fitting = [one for one in SCRIPTS.scripts if re.fullmatch(one.goal, " ".join(task.goal.split()))]
    assert len(fitting) == 1
    open_places = set(re.findall(r"\{([A-Za-z][^{}]*)\}", rehearsed(task).model_dump_json(exclude={"goal"})))
    assert {place.split(":")[0] for place in open_places} <= {"note", "hint", "pick"}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_no_two_subgoals_of_a_script_are_worded_alike(task: TaskSpec) -> None:
    said = [normal(text) for subgoal in rehearsed(task).subgoals for text in subgoal.say]
    assert len(said) == len(set(said))
    assert not any("{" in text for text in said)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_every_wording_of_a_subgoal_is_found_in_the_plan(task: TaskSpec) -> None:
    script = rehearsed(task)
    plan = plan_text(script.subgoals).split("\n")
    plan = [line.split(". ", 1)[1] for line in plan]
    for index, subgoal in enumerate(script.subgoals):
        wordings = {phrase(subgoal, script.language, draw) for draw in range(50)}
        assert len(wordings) >= 5
        for wording in wordings:
            assert position(wording, plan, script) == (index, "first")
            assert position(wording, [], script) is None


def test_values_that_an_agent_must_find_out_are_in_no_script() -> None:
    found_out = {"errand_cart": ["cat food", "Chicken"], "lakers_note": ["111", "105"], "bakery_phone": ["0143"]}
    found_out |= {"hotel_message": ["172"], "sale_items": ["17.87"], "headphone_advice": ["188", "Aurora"]}
    found_out |= {"meeting_note": ["10:15"], "great_wall_zh": ["21196"], "do_not_disturb": ['Sound & vibration"]']}
    found_out |= {"temperature_analysis": ["17", "26"], "most_cited_paper": ["845"], "thai_duck": ["kind", "parking"]}
    found_out |= {"oled_tv": ["1,099"], "horror_reviews": ["mixed", "Cellar"], "la_attractions": ["Griffith", "Getty"]}
    found_out |= {"chicago_dishes": ["deep"], "watercolor_creators": ["Paints", "Brush"], "wukong_highlights": ["boss"]}
    found_out |= {"headphone_reviews": ["outstanding", "glasses", "cracked"], "lakers_news": ["111", "105"]}
    found_out |= {"bakery_near": ["0143"], "reply_unread_text": ["4,820"], "dressing_guide_zh": ["26"]}
    for task in TASKS:
        written = rehearsed(task).model_dump_json()
        assert [value for value in found_out.get(task.id, []) if value in written] == []


def test_an_unknown_goal_has_no_script() -> None:
    assert SCRIPTS.for_goal("Book a flight to the moon.") is None


@pytest.mark.parametrize("goal", ["Turn on dark mode", "turn on DARK mode.", "Turn on dark mode ."])
def test_a_goal_is_known_without_regard_to_case_and_its_final_full_stop(goal: str) -> None:
    assert SCRIPTS.for_goal(goal) == SCRIPTS.for_goal("Turn on dark mode.") is not None


def test_a_wording_of_another_script_means_nothing() -> None:
    assert meant("Sing a song", rehearsed(TASKS[0])) == []


def test_placeholders_are_filled_or_the_text_is_not_used() -> None:
    assert fill_now("at {note:Time}", {"note:Time": "10:15"}) == "at 10:15"
    assert fill_now("at {note:Time}", {}) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- {goal: x, subgoals: [{say: [a], did: b, rules: [{do: fly away}]}]}", "begins with none of"),
        ("- {goal: x, subgoals: [{skill: cook}]}", "no skill 'cook'"),
        ("- {goal: x}", "needs a mapping"),
        ("- {goal: x, subgoals: [{say: [a], did: b, rules: [{when: ['on:Dark mode'], do: back}]}]}", "needs the image"),
        ("- {goal: x, subgoals: [{say: [a], did: b, colour: red}]}", "unknown key"),
        ("- [", "not YAML"),
    ],
)
def test_a_wrong_script_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=complaint) as caught:
        load_scripts([path])
    assert "mine.yaml" in str(caught.value)


def test_scripts_of_ones_own_are_added(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("- {goal: 'Greet (?P<who>.+)', subgoals: [{say: ['Greet {who}'], did: done}]}", encoding="utf-8")
    scripts: Scripts = load_scripts([path])
    found = scripts.for_goal("Greet   Ann")
    assert found is not None
    assert found.subgoals[0].say == ("Greet Ann",)


def test_every_mistake_of_a_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    wrong = "- goal: x\n  subgoals: [{say: [a], did: b, colour: red, rulez: []}]\n"
    path.write_text(wrong + "- {goal: y}\n- goal: z\n  goal: z\n")
    with pytest.raises(BadFile) as caught:
        load_scripts([path])
    assert [told.partition(" (")[0] for told in caught.value.mistakes] == [
        "line 1: x: unknown key 'subgoals.0.colour'; known are say, did, done, proof, app, rules, notes, instead",
        "line 1: x: unknown key 'subgoals.0.rulez'; did you mean 'rules'?",
        "line 3: y: needs a mapping with goal and subgoals",
        "line 4: z: needs a mapping with goal and subgoals",
        "line 5: the key 'goal' stands here again: it is on line 4 already",
    ]


@pytest.mark.parametrize(
    ("lessons", "complaint"),
    [
        ("{routines: [Cook]}", "no routine 'Cook'; there are Delete_Note"),
        ("{tips: [{say: a}]}", "seen"),
        ("{routines: [{name: A, description: b, when: [Save], steps: [{Back: {}}]}]}", "steps"),
        (
            "{routines: [{name: A, description: b, when: ['typed:x'], steps: [{Back: {}}, {Back: {}}]}]}",
            "cannot be said",
        ),
    ],
)
def test_a_wrong_lesson_is_named(tmp_path: Path, lessons: str, complaint: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"- {{goal: x, lessons: {lessons}, subgoals: [{{say: [a], did: b}}]}}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=complaint):
        load_scripts([path])
