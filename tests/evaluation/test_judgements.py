"""Files of judgements: what was written is read again; what is broken or about nothing is refused with its place."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.judgements.judgements import (
    EpisodeJudgement,
    Judgements,
    all_judgeable,
    judgements_path,
    read_all_judgements,
    write_judgements,
)
from manyhands.evaluation.judgements.session import JudgeAnswer, answered, sheets
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadFile, BadInput, StoreError
from tests.evaluation.judged_run import FIRST, FOUND, LOST, OPENED, SECOND, write_judged_run


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(write_judged_run(tmp_path / "run"))


def ann(**said: Any) -> Judgements:
    return Judgements(judge="ann", source="person", episodes={FIRST: EpisodeJudgement(**said)})


def test_what_two_judges_said_is_read_as_it_was_written(run: RunFolder) -> None:
    person = ann(
        success=False,
        rubrics={OPENED: 3, FOUND: None},
        actions={0: True, 9: False},
        effects={9: False},
        reflections={8: True},
        operations={2: False},
    )
    model = Judgements(judge="big-model", source="model", episodes={SECOND: EpisodeJudgement(success=True)})
    path = write_judgements(run, person)
    write_judgements(run, model)
    assert read_all_judgements(run) == (person, model)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(file.name for file in path.parent.iterdir()) == ["ann.json", "big-model.json"]


def test_a_file_from_before_effects_were_judged_is_read(run: RunFolder) -> None:
    path = judgements_path(run, "ann")
    path.parent.mkdir()
    path.write_text(json.dumps({"judge": "ann", "source": "person", "episodes": {FIRST: {"actions": {"0": False}}}}))
    assert read_all_judgements(run) == (ann(actions={0: False}),)


def test_a_later_file_takes_the_place_of_the_one_before(run: RunFolder) -> None:
    write_judgements(run, ann(success=False))
    write_judgements(run, ann(success=True))
    assert read_all_judgements(run) == (ann(success=True),)


def test_a_run_that_nobody_judged_has_no_judgements(run: RunFolder) -> None:
    assert read_all_judgements(run) == ()


def test_a_folder_that_cannot_be_written_is_named(run: RunFolder) -> None:
    (run.path / "judgements").write_text("a file")
    with pytest.raises(StoreError, match="judgements"):
        write_judgements(run, ann())


def test_there_is_to_judge_what_was_decided_and_judged(run: RunFolder) -> None:
    there = all_judgeable(run)
    assert list(there) == [FIRST, LOST, SECOND]
    assert there[FIRST].actions == tuple(range(10))
    assert there[FIRST].reflections == tuple(range(9))
    assert there[FIRST].rubrics == (OPENED, FOUND)
    assert there[SECOND].actions == (0,)


@pytest.mark.parametrize(
    ("episodes", "mistake"),
    [
        ({"gone-1-a": {}}, f"episodes.gone-1-a: the run has no such episode; it has {FIRST}, {LOST}, {SECOND}"),
        ({SECOND: {"actions": {"4": True}}}, f"episodes.{SECOND}.actions.4: the episode has no decision in step 4"),
        (
            {FIRST: {"reflections": {"9": True}}},
            f"episodes.{FIRST}.reflections.9: the episode has no verdict on step 9",
        ),
        ({FIRST: {"operations": {"3": True}}}, f"episodes.{FIRST}.operations.3: the episode has no human operation 3"),
        (
            {FIRST: {"rubrics": {"x": 1}}},
            f"episodes.{FIRST}.rubrics.x: the task has no such rubric; known are {OPENED}",
        ),
        ({FIRST: {"rubrics": {FOUND: 77}}}, f"episodes.{FIRST}.rubrics.{FOUND}: the episode has no step 77"),
        ({FIRST: {"rubrics": {FOUND: True}}}, f"episodes.{FIRST}.rubrics.{FOUND}: must be a whole number"),
        ({FIRST: {"success": "yes"}}, f"episodes.{FIRST}.success: must be true or false"),
        ({FIRST: {"actions": {"0": 1}}}, f"episodes.{FIRST}.actions.0: must be true or false"),
        ({FIRST: {"sucess": True}}, f"unknown key 'episodes.{FIRST}.sucess'; did you mean 'success'?"),
    ],
)
def test_a_mistake_is_told_with_file_entry_and_key(run: RunFolder, episodes: dict[str, Any], mistake: str) -> None:
    path = judgements_path(run, "ann")
    path.parent.mkdir()
    path.write_text(json.dumps({"judge": "ann", "source": "person", "episodes": episodes}))
    with pytest.raises(BadFile) as caught:
        read_all_judgements(run)
    assert str(caught.value).startswith(f"{path}: {mistake}")


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ('{"judge": "ann", ', "not JSON: "),
        ("[]", "must be a mapping"),
        ('{"judge": "bob", "source": "person"}', "judge: 'bob' is not the name of the file"),
        ('{"judge": "ann", "source": "phone"}', "source: must be person or model"),
        ('{"judge": "ann", "source": "person", "source": "model"}', "the key 'source' stands twice in one object"),
    ],
)
def test_a_broken_file_is_named(run: RunFolder, text: str, mistake: str) -> None:
    path = judgements_path(run, "ann")
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        read_all_judgements(run)
    assert str(caught.value).startswith(f"{path}: {mistake}")


def test_a_judge_is_asked_of_last_attempts_in_the_order_of_the_steps(run: RunFolder) -> None:
    first, second = sheets(run)
    assert (first.episode, second.episode) == (FIRST, SECOND)
    kinds = [(question.kind, question.name) for question in first.due_questions(EpisodeJudgement())]
    steps = [(kind, str(step)) for step in range(9) for kind in ("actions", "reflections")]
    assert kinds == [
        *steps,
        ("actions", "9"),
        ("rubrics", OPENED),
        ("rubrics", FOUND),
        *(("operations", str(place)) for place in range(3)),
        ("success", "success"),
    ]
    assert [question.kind for question in second.due_questions(EpisodeJudgement())] == ["actions", "success"]


def test_whether_an_action_had_an_effect_is_asked_once_it_is_judged_as_wrong(run: RunFolder) -> None:
    first, _ = sheets(run)
    before = [(question.kind, question.name) for question in first.due_questions(EpisodeJudgement(actions={0: True}))]
    after = [
        (question.kind, question.name)
        for question in first.due_questions(EpisodeJudgement(actions={0: True, 4: False}))
    ]
    place = after.index(("actions", "4")) + 1
    assert after[place] == ("effects", "4")
    assert [*after[:place], *after[place + 1 :]] == before


def test_an_effect_is_taken_back_with_the_judgement_that_its_action_was_wrong(run: RunFolder) -> None:
    first, _ = sheets(run)
    (action,) = (one for one in first.questions if (one.kind, one.name) == ("actions", "4"))
    said = EpisodeJudgement(actions={4: False}, effects={4: True})
    for answer in (JudgeAnswer(True), None):
        assert answered(said, action, answer)["effects"] == {}
    assert answered(said, action, JudgeAnswer(False))["effects"] == {4: True}
