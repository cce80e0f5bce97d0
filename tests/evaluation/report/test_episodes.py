"""An episode as its page gets it: steps, stages, calls and lessons, all from its journal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from manyhands.evaluation.episode_view import EpisodePage, view_episode
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.report.episode_reports import episode_step, report_episode, step_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Outcome
from manyhands.protocol.episode_report import EpisodeReport
from manyhands.protocol.journals.records import Record, StageDropped, StageFailed
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Swipe, Tap, Type
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.judged_run import FIRST, RESTORED, WRONG, screen, write_judged_run
from tests.evaluation.run_records import (
    acted,
    call,
    captured,
    checked,
    decided,
    ended,
    planned,
    received,
    reflected,
    resumed,
    rubrics_checked,
    sent,
    span,
    started,
)
from tests.evaluation.statements_run import STATEMENT, episode
from tests.evaluation.taught_run import FIRST as TEACHER
from tests.evaluation.taught_run import SECOND

JOURNALS = Path(__file__).parents[1] / "journals"
TASK = TaskSpec.model_validate({"id": "a", "goal": "g", "tags": ["night"], "apps": ["Notes"]})


def view_of(records: Sequence[Record]) -> EpisodePage:
    found = episode_of(records)
    assert found is not None
    return view_episode(found)


def reported(records: Sequence[Record], first_step: int = 0) -> EpisodeReport:
    return report_episode(view_of(records), first_step)


def journal() -> list[Record]:
    plan = call(Role.PLAN, 50, started_at=3, request={"model": "big", "messages": []}, reply="go on")
    dropped = StageDropped(
        step=0, span=span(3, 4), stage="plan", assumed=("verify",), wrong="verify", calls=(call(Role.PLAN, 9),)
    )
    failed = StageFailed(step=0, span=span(6, 7), stage="note", code="call_error", error="no answer")
    return [
        started("e", TASK, at=0, batch="b1"),
        captured(0, span(1, 3, queue_ms=100), settle_ms=1900),
        dropped,
        planned(0, span(3, 5), plan),
        decided(0, span(5, 6), action=Type(text="milk")),
        sent(0, "e:0", action=Type(text="milk")),
        received(0, "e:0"),
        acted(0, span(6, 6.5)),
        failed,
        rubrics_checked(0, "opened"),
        captured(1, span(7, 8)),
        ended(9, steps=1),
    ]


def test_a_step_has_its_stages_as_bars_with_what_became_of_them() -> None:
    step, _ = reported(journal()).steps
    bars = [(bar.stage, bar.became, bar.wrong, bar.assumed, bar.error) for bar in step.stages]
    assert bars == [
        ("settle", "used", None, (), ""),
        ("capture", "used", None, (), ""),
        ("plan", "dropped", "verify", ("verify",), ""),
        ("plan", "used", None, (), ""),
        ("decide", "used", None, (), ""),
        ("act", "used", None, (), ""),
        ("note", "failed", None, (), "no answer"),
    ]
    settle, capture, *_ = step.stages
    assert (settle.start, settle.end, capture.end, settle.queue_ms) == (1, capture.start, 3, 100)


def test_a_step_tells_what_it_typed_and_which_rubrics_held() -> None:
    first, second = reported(journal()).steps
    assert (first.action_kind, first.typed_text, first.rubrics_held) == ("Type", "milk", ("opened",))
    assert (second.action_kind, second.typed_text, second.rubrics_held) == ("", "", ())


def test_what_an_interruption_discarded_is_told_apart_from_what_was_dropped() -> None:
    found = reported([*journal()[:-1], resumed(0, at=20), captured(1, span(21, 22)), ended(23, steps=1)])
    assert [(bar.stage, bar.became) for bar in found.steps[1].stages] == [("capture", "discarded"), ("capture", "used")]
    assert found.steps[1].resumed == ("host lost: it died",)


def test_calls_and_their_contents_are_numbered_by_start() -> None:
    view = view_of(journal())
    summaries = reported(journal()).steps[0].calls
    contents = step_calls(view, view.steps[0]).calls
    assert [(one.number, one.stage, one.is_dropped, one.model) for one in summaries] == [
        (0, "plan", True, ""),
        (1, "plan", False, "big"),
    ]
    assert [one.number for one in contents] == [0, 1]
    assert (contents[1].reply, contents[1].request["model"]) == ("go on", "big")


def test_calls_outside_of_steps_are_in_the_first_and_the_last_one() -> None:
    judged = reported(episode("judge_no", 0)).steps[0]
    assert [(one.stage, one.role) for one in judged.calls] == [("decide", Role.DECIDE), ("judge", Role.JUDGE)]
    taught = reported(SECOND)
    assert [one.stage for one in taught.steps[0].calls].count("recall") == 1
    assert {"learn"} & {one.stage for one in taught.steps[-1].calls}
    assert not {"learn"} & {one.stage for one in taught.steps[0].calls}


def test_the_episode_tells_what_a_judge_said() -> None:
    [said] = reported(episode("judge_no", 0)).judged
    assert (said.statement, said.verdict, said.reason, len(said.screens)) == (
        STATEMENT,
        "no",
        "<b>seen</b> in judge_no",
        1,
    )


def test_lessons_are_those_given_and_those_taught() -> None:
    ways = [(one.kind, one.way) for one in reported(TEACHER).lessons]
    assert ways == [("tip", "given"), ("shortcut", "given"), ("tip", "added"), ("shortcut", "added")]
    changed = [one for one in reported(SECOND).lessons if one.way == "changed"]
    assert [one.text for one in changed] == ["Close the <b>summer</b> sale first."]


def test_steps_from_a_number_on_come_with_the_screen_after_the_last(
    tmp_path: Path,
) -> None:
    records = RunFolder(write_judged_run(tmp_path / "run")).journals[FIRST].records
    whole, rest = reported(records), reported(records, 4)
    assert [step.step for step in whole.steps] == list(range(10))
    assert rest.first_step == 4
    assert rest.steps == whole.steps[4:]
    assert rest.sizes.keys() < whole.sizes.keys()


def test_a_wrong_page_that_was_left_again_is_told_with_its_size(tmp_path: Path) -> None:
    records = RunFolder(write_judged_run(tmp_path / "run")).journals[FIRST].records
    step = reported(records).steps[RESTORED]
    wrong = screen(WRONG)[0]
    assert (step.wrong_page, step.screen_after, step.went_back) == (wrong, wrong, True)
    assert reported(records).sizes[wrong] == (54, 120)


def test_a_step_of_a_report_is_a_step_of_the_service_with_more() -> None:
    view = view_of(journal())
    for step, shown in zip(view.steps, report_episode(view).steps, strict=True):
        brief = json.loads(episode_step(view, step).model_dump_json())
        whole = json.loads(shown.model_dump_json())
        assert {name: whole[name] for name in brief} == brief


def test_a_swipe_is_told_by_both_of_its_ends() -> None:
    swipe = Swipe(x1=1, y1=2, x2=3, y2=4)
    [step] = reported([started("e", TASK), captured(0, span(1, 2)), sent(0, "k", action=swipe)]).steps
    assert [touch.model_dump() for touch in step.touches] == [swipe.model_dump(include={"x1", "y1", "x2", "y2"})]


def test_a_verdict_is_told_with_who_gave_it() -> None:
    begin: list[Record] = [started("e", TASK), captured(0, span(1, 2)), sent(0, "k", action=Tap(x=3, y=4))]
    asked = reflected(0, span(5, 6), Outcome.A, call(Role.REFLECT, 9))
    for verdict, told in (
        ([], ("", "")),
        ([asked], ("reflector", "")),
        ([reflected(0, span(5, 6))], ("agent", "")),
        ([checked(0, 5)], ("rule", "unchanged")),
    ):
        [step] = reported([*begin, *verdict]).steps
        assert (step.judged_by, step.rule) == told


def test_a_persons_action_is_told_as_theirs() -> None:
    tap = sent(0, "k", action=Tap(x=3, y=4)).model_copy(update={"by": "ann"})
    [step] = reported([started("e", TASK), captured(0, span(1, 2)), tap, acted(0, span(2, 3))]).steps
    assert (step.by_person, step.action_kind, step.touches[0].x1) == ("ann", "Tap", 3)


def test_the_head_tells_batch_tags_apps_and_limits() -> None:
    found = reported(journal())
    assert (found.batch, found.tags, found.apps, found.max_steps) == ("b1", ("night",), ("Notes",), 40)
    assert (found.schedule, found.stage_order[0], found.has_log) == ("overlap", "capture", False)


def test_an_episode_without_a_step_or_an_end_has_a_report() -> None:
    assert reported([started("e", TASK)]).steps == ()
    cut = reported([*journal()[:3], reflected(0, span(8, 9))])
    assert (cut.episode.ended_at, cut.check_screen, len(cut.steps)) == (None, None, 1)
