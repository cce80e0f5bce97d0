"""The papers' instructions: as many as the papers have, each with a task that exists or the apps that it waits for."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from manyhands.evaluation.published import published
from manyhands.evaluation.suites.coverage import (
    Wording,
    compare_wording,
    count_fates,
    count_wordings,
    page,
    read_goals,
    size_of,
)
from manyhands.evaluation.suites.instructions import AppKind, Instruction
from manyhands.evaluation.suites.reading import papers_sets, parts_of_papers, read_set, select_instructions
from manyhands.protocol.errors import BadInput
from tests.simulator.suites.tasks import SUITES, TASKS

PAGE = Path(__file__).parents[3] / "docs" / "suites.md"
SETS = {printed.name: printed for printed in papers_sets()}
ALL = select_instructions(papers_sets(), [])
GOALS = {task.id: task.goal for task in TASKS}
LIKE = 0.5
"""The least share of words that a goal with other names has in common with its instruction, in their order."""


def test_there_are_as_many_as_in_the_papers() -> None:
    assert {name: len(printed.instructions) for name, printed in SETS.items()} == {
        "mobile_eval": 33,
        "mobile_eval_v2.en": 44,
        "mobile_eval_v2.zh": 44,
        "mobile_eval_e": 25,
    }


def test_levels_and_rows_are_those_of_the_papers() -> None:
    levels = {name: Counter(one.level.value for one in printed.instructions) for name, printed in SETS.items()}
    assert levels["mobile_eval"] == {"simple": 11, "more_required": 11, "abstract": 11}
    assert levels["mobile_eval_v2.en"] == levels["mobile_eval_v2.zh"] == {"basic": 22, "advanced": 22}
    assert levels["mobile_eval_e"] == {"single_app": 6, "multi_app": 19}
    assert set(Counter(one.row for one in SETS["mobile_eval"].instructions).values()) == {3}
    assert set(Counter(one.scenario for one in SETS["mobile_eval_e"].instructions).values()) == {5}
    for language in ("en", "zh"):
        printed = SETS[f"mobile_eval_v2.{language}"].instructions
        assert Counter(one.section for one in printed) == {"System app": 20, "External app": 20, "Multi-app": 4}
        assert set(Counter((one.section, one.row) for one in printed).values()) == {4}


def test_the_parts_of_tables_are_those_that_the_papers_print() -> None:
    """Mobile-Agent's table 2 has a cell for each instruction; v2's tables 1 and 2 have three kinds of apps."""
    found = Counter(parts_of_papers().values())
    of_v1 = [f"{app}, {level}" for app, levels in published().instructions.items() for level in levels]
    assert [part for suite, part in found if suite == "mobile_eval"] == of_v1
    for number, suite in ((1, "mobile_eval_v2.zh"), (2, "mobile_eval_v2.en")):
        table = published().table("v2", number)
        printed = {f"{row.set}, {row.level}": table.counts[row.set] for row in table.read()}
        assert {part: count for (name, part), count in found.items() if name == suite} == printed


def test_sizes_are_those_of_mobile_agent_e_table_2() -> None:
    papers = {
        "mobile_eval": "Mobile-Eval",
        "mobile_eval_v2.en": "Mobile-Eval-v2",
        "mobile_eval_v2.zh": "Mobile-Eval-v2",
    }
    for name, theirs in papers.items():
        size = published().sets[theirs]
        known = size.operations if name == "mobile_eval" else None
        assert size_of(SETS[name]) == size.model_copy(update={"operations": known})
    assert size_of(SETS["mobile_eval_e"]).apps == 14  # by its table 7; its table 2 says 15


def test_what_virtual_phones_can_play() -> None:
    found = {
        name: (*count_wordings(printed.instructions, GOALS).values(), count_fates(printed.instructions)["waits"])
        for name, printed in SETS.items()
    }
    assert found == {
        "mobile_eval": (15, 0, 0, 18),
        "mobile_eval_v2.en": (20, 0, 0, 24),
        "mobile_eval_v2.zh": (15, 0, 0, 29),
        "mobile_eval_e": (19, 0, 0, 6),
    }
    assert sum(one.instead == "web" and not one.content for one in ALL) == 12


@pytest.mark.parametrize("instruction", [one for one in ALL if one.task], ids=lambda one: one.id)
def test_the_classes_are_those_of_the_texts(instruction: Instruction) -> None:
    assert instruction.task is not None
    goal = GOALS[instruction.task]
    match compare_wording(instruction, goal):
        case Wording.WORD_FOR_WORD:
            assert not instruction.differs
        case Wording.OTHER_CONTENTS:
            pieces = [
                re.findall(r"[a-z0-9$.]+|[\u4e00-\u9fff]", text.casefold()) for text in (instruction.printed, goal)
            ]
            assert SequenceMatcher(None, *pieces, autojunk=False).ratio() >= LIKE, "mark it: differs"
        case Wording.OTHER_TASK:
            assert instruction.differs


@pytest.mark.parametrize(
    ("goal", "differs", "expected"),
    [
        ("say \u201chello\u201d  in x", "", Wording.WORD_FOR_WORD),
        ('Say "hello" in Messages', "", Wording.WORD_FOR_WORD),
        ('Say "hello" to Ann in Messages', "", Wording.OTHER_CONTENTS),
        ('Say "hello" in X twice', "asks for two", Wording.OTHER_TASK),
        ('Say "hello" in xxx', "asks for two", Wording.WORD_FOR_WORD),
    ],
)
def test_case_quotes_and_blanks_make_no_difference(goal: str, differs: str, expected: Wording) -> None:
    one = select_instructions(papers_sets(), ["mobile_eval.notes.1"])[0].model_copy(
        update={"text": 'Say "hello" in ${app}', "variables": {"app": "xxx"}, "differs": differs}
    )
    assert compare_wording(one, goal) == expected


def test_the_page_reads_the_goals_of_the_suites() -> None:
    assert read_goals(PAGE.parents[1] / "simulator" / "suites") == GOALS


def test_how_many_wait_for_which_apps() -> None:
    assert Counter(kind for one in ALL for kind in one.waits_for) == {
        AppKind.VIDEOS: 27,
        AppKind.FEEDS: 15,
        AppKind.CAMERA: 8,
        AppKind.MAPS_WITH_ROUTES: 7,
        AppKind.APP_MARKET: 6,
        AppKind.MAIL: 4,
        AppKind.CALLS: 4,
        AppKind.MUSIC: 3,
        AppKind.MORE_SHOPS: 2,
        AppKind.ALARMS: 1,
        AppKind.CALENDAR_ENTRIES: 1,
        AppKind.PHONE_MANAGER: 1,
    }
    assert Counter(len(one.waits_for) for one in ALL) == {0: 69, 1: 75, 2: 2}


@pytest.mark.parametrize("instruction", ALL, ids=lambda one: one.id)
def test_an_instruction_has_a_task_that_exists_or_waits_for_apps(instruction: Instruction) -> None:
    if not instruction.waits_for:
        assert instruction.task in GOALS


def test_what_the_papers_leave_open_is_a_variable() -> None:
    left_open = {one.id: one.printed for one in ALL if one.variables}
    assert len(left_open) == 3 + 4 + 3
    assert left_open["mobile_eval.gmail.1"] == "Send an empty email to to {address}."
    assert not [one.id for one in ALL if not one.variables and re.search(r"xxx|\{\w+\}", one.text)]
    (mail,) = select_instructions(papers_sets(), ["mobile_eval.gmail.2"])
    assert mail.filled({"address": "a@b.example"}) == "Send an email to a@b.example to tell my new work."


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, papers_sets(), GOALS) == text, "run: make suites"


def test_names_are_suites_ids_and_beginnings_of_ids() -> None:
    sets = papers_sets()
    assert len(select_instructions(sets, ["mobile_eval"])) == 33
    assert len(select_instructions(sets, ["mobile_eval_v2"])) == 88
    assert len(select_instructions(sets, ["mobile_eval_v2.zh.wechat", "mobile_eval_v2.zh.wechat.basic.1"])) == 4
    assert [one.id for one in select_instructions(sets, ["mobile_eval_e.3_oled_tv"])] == ["mobile_eval_e.3_oled_tv"]


def test_an_unknown_suite_or_id_names_the_known_ones() -> None:
    with pytest.raises(BadInput) as suite:
        select_instructions(papers_sets(), ["mobile_evl"])
    assert "there are mobile_eval, mobile_eval_v2.en, mobile_eval_v2.zh, mobile_eval_e; did you mean" in str(
        suite.value
    )
    with pytest.raises(BadInput) as id:
        select_instructions(papers_sets(), ["mobile_eval_e.oled"])
    assert "; near it: mobile_eval_e.3_oled_tv; 'manyhands suite list mobile_eval_e' lists all 25" in str(id.value)
    with pytest.raises(BadInput) as beginning:
        select_instructions(papers_sets(), ["mobile_eval_e.3"])
    near = str(beginning.value).partition("near it: ")[2].partition(";")[0].split(", ")
    assert len(near) == 5
    assert all(one.startswith("mobile_eval_e.3_") for one in near)


WELL = """
name: s
title: A set
source: nobody
language: en
instructions:
  - {id: s.one, text: Do it., row: r, level: basic, kinds: [mail, notes]}
"""


@pytest.mark.parametrize(
    ("was", "becomes", "complaint"),
    [
        ("row: r", "rwo: r", "line 7: unknown key 'instructions.0.rwo'; did you mean 'row'?"),
        ("level: basic", "level: hard", "line 7: instructions.0.level: must be simple"),
        ("[mail, notes]", "[mail, fax]", "line 7: instructions.0.kinds.1: must be"),
        ("Do it.", '"Call ${whom}."', "s.one: the variables are not those of the text"),
        ("[mail, notes]", "[mail], waits_for: [mail], task: t", "s.one: has a task, and waits for mail"),
        ("[mail, notes]", "[notes], differs: more", "s.one: 'differs' needs a 'task'"),
        ("[mail, notes]", "[notes], waits_for: [mail]", "s.one: mail is none of its 'kinds'"),
        ("id: s.one", "id: t.one", "t.one: begins with the name of its set, 's', and a dot"),
        ("language: en", "language: fr", "line 5: language: must be en or zh"),
    ],
)
def test_a_broken_set_names_file_entry_and_key(was: str, becomes: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(WELL)
    assert read_set(path).instructions[0].id == "s.one"
    path.write_text(WELL.replace(was, becomes))
    with pytest.raises(BadInput) as caught:
        read_set(path)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_an_id_stands_once(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(WELL + WELL.splitlines()[-1])
    with pytest.raises(BadInput, match=r"line 8: .*s\.one: stands twice"):
        read_set(path)


def test_every_task_made_for_a_paper_plays_one_of_its_instructions() -> None:
    named = {one.task for one in ALL}
    made = [task.id for path, tasks in SUITES.items() if path.stem == "papers" for task in tasks]
    assert len(made) > 40
    assert [task for task in made if task not in named] == []
