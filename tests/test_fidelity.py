"""docs/fidelity.md: every element of the papers has a row, with words that mean something and files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from manyhands.actors.perception.grounding.locate import find_texts
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.comparison.sheets import declared_sheets, metrics_of
from manyhands.evaluation.judgements.judgements import KINDS
from manyhands.evaluation.metrics.outcomes import EXITS
from manyhands.evaluation.metrics.table import METRICS
from manyhands.evaluation.published import published
from manyhands.evaluation.suites.reading import papers_sets
from manyhands.protocol.roles.learners import MOST_NEW_SHORTCUTS
from manyhands.protocol.roles.role import MOST_CAPTIONS
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

ROOT = Path(__file__).parents[1]
BEHAVIOUR = {
    "one agent in one chat": "test_the_chat_shows_as_many_pictures_as_it_may",
    "self-planning: observation, thought, action": "test_operations_are_read_in_each_form",
    "self-reflection after Stop": "test_texts_are_clicked_until_all_is_confirmed_to_be_done",
    "self-reflection after an operation in vain": (
        "test_a_screen_that_has_not_changed_is_pointed_out_and_three_of_them_end_it"
    ),
    "planning agent, TP(t)": "test_the_paper_s_table_has_the_planning_agent_see_every_correct_operation",
    "decision agent, O(t)": "test_each_is_given_what_its_equation_lists",
    "memory unit, FC(t)": "test_focus_content_is_appended_where_it_is_new_and_bounded",
    "reflection agent, R(t)": "test_the_reflection_agent_waits_for_the_memory_unit_where_the_paper_is_followed",
    "Back after a wrong page": "test_the_authors_code_presses_back_once",
    "Manager, W_P and W_S": "test_exactly_as_the_paper_the_planner_is_told_tips_only_where_its_text_counts",
    "Operator, W_A": "test_the_operator_is_offered_the_actions_of_its_settings",
    "Action Reflector, W_E and W_G": "test_each_role_is_shown_what_the_table_says",
    "Notetaker, W_N": "test_exactly_as_the_paper_the_notetaker_is_asked_after_each_step",
    "tips reflector, L_T": "test_as_in_the_paper_each_learner_is_told_its_own_list_whole_and_nobody_chooses",
    "shortcuts reflector, L_S": "test_with_paper_exact_the_shortcuts_learner_is_shown_the_atomic_actions_of_each",
    "shortcuts kept without a check": "test_with_paper_exact_several_shortcuts_are_kept_as_they_were_written",
    "two experience retrievers": "test_with_paper_exact_what_is_initial_is_told_only_where_a_retriever_chose_it",
    "escalation after failures": "test_the_planner_sees_shortcuts_and_when_stuck_the_failures",
    "eight operations in words": (
        "test_the_system_text_has_the_goal_and_the_eight_operations "
        "test_with_paper_exact_an_app_is_opened_by_its_label_on_the_screen"
    ),
    "six operations": "test_back_is_offered_only_to_compare_with_e test_type_is_not_offered_without_a_keyboard",
    "nine atomic actions": "test_no_action_has_an_argument_that_its_table_lacks",
    "shortcuts as actions": "test_with_paper_exact_steps_of_a_shortcut_are_as_in_table_8",
    "Android over adb": "test_any_text_is_typed_once_where_adb_keyboard_hears",
    "what each role is shown": "test_each_role_is_shown_what_the_table_says test_each_is_given_what_its_equation_lists",
    "the hint about opening apps": "test_exact_prompts_have_the_hint_and_the_language_of_the_papers_tables",
    "English as the language of the first plan": (
        "test_exact_prompts_have_the_hint_and_the_language_of_the_papers_tables"
    ),
    "pictures of each role": "test_each_role_is_shown_what_the_table_says",
    "40 steps": "test_a_goal_reached_by_the_last_step_is_finished_but_not_as_in_the_paper",
    "three errors in a row": (
        "test_failure_limit_after_as_many_failed_steps_in_a_row "
        "test_the_papers_limit_on_errors_is_not_for_an_agent_without_a_reflector"
    ),
    "a reply that cannot be read": "test_unusable_reply_ends_an_episode_as_the_paper_does",
    "the same action more than three times": (
        "test_repeat_limit_when_the_same_action_fails_again_and_again test_the_papers_have_no_such_limit"
    ),
    "SU, SR": "test_by_the_phones_state",
    "CR": "test_by_the_phones_state",
    "PS, DA, AA": "test_by_a_person",
    "RE": "test_by_the_phones_state",
    "RA": "test_ra_counts_the_reflectors_verdicts_alone_and_ra_all_those_of_rules_too",
    "SSS curve": "test_a_satisfaction_curve_only_rises_and_ends_at_the_score",
    "share of shortcuts": "test_by_the_phones_state",
    "Mobile-Eval, 33 instructions": (
        "test_there_are_as_many_as_in_the_papers test_real_phones_get_the_instructions_word_for_word"
    ),
    "Mobile-Eval-v2, 44 and 44": "test_there_are_as_many_as_in_the_papers",
    "Mobile-Eval-E, 25 tasks": "test_there_are_as_many_as_in_the_papers",
    "scenarios in order, one memory each": ("test_tasks_of_a_scenario_share_a_memory_and_come_in_the_papers_order"),
    "the queries still to come": "test_a_learner_is_shown_what_the_equations_give_it",
    "an unseen task after all scenarios": "test_scenarios_evolve_side_by_side_and_unseen_tasks_recall_from_all",
    "temperature 0 and a fixed seed": "test_what_is_exact_about_replies_limits_and_sampling_is_what_settings_say",
    "knowledge injection": "test_a_run_that_repeated_what_failed_has_rows_with_knowledge_by_each_source",
    "v2 with E's operations, perception and tips": "test_the_comparison_of_e_gives_it_e_s_tips",
    "without planning, reflection, memory unit": "test_parts_can_be_left_out",
    "tips alone": "test_tips_alone_are_compared_where_no_run_used_a_learned_shortcut",
    "results by app and level": "test_mobile_agents_table_2_has_a_row_for_each_app_and_its_levels_mean_eleven",
    "results by kind of app, with knowledge": ("test_mobile_agent_v2s_tables_1_and_2_have_a_row_for_each_kind_of_app"),
    "where failed sequences go wrong": "test_where_failed_episodes_went_wrong",
    "SSS curves": "test_plots_are_drawn_for_each_source_or_say_why_not",
    "by the place in the scenario": "test_the_evolution_is_drawn",
    "all shortcuts and tips after evolution": "test_what_several_scopes_know_is_exported_once",
}
"""The rows that say exact, each with the tests of its behaviour."""
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| element")
]
STANDINGS = {"exact", "ours", "not"}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_says_how_it_stands_and_where(row: list[str]) -> None:
    _, paper, default, exact, where = row
    assert re.match(r"(v1|v2|E|all|none)\b", paper)
    assert {default, exact} <= STANDINGS
    files = [name for name in re.findall(r"`([\w/.]+)`", where) if "/" in name]
    assert files
    assert [name for name in files if not (ROOT / name).is_file()] == []
    if "ours" in (default, exact):
        assert ";" in where or "docs/" in where, "what is ours says how it differs"


def test_every_equation_of_the_profiles_and_every_metric_of_the_papers_has_a_row() -> None:
    of_v2 = {int(n) for row in ROWS if row[1].startswith("v2 eq.") for n in re.findall(r"\d+", row[1][3:])}
    of_e = {int(n) for row in ROWS if row[1].startswith("E eq.") for n in re.findall(r"\d+", row[1])}
    assert of_v2 == set(range(1, 6))
    assert of_e == set(range(1, 10))
    told = " ".join(row[0] for row in ROWS)
    short = [name for name, one in METRICS.items() if one.paper != "ours" and name.isupper()]
    assert [name for name in short if not re.search(rf"\b{name}\b", told)] == []


def test_what_the_rows_count_is_what_the_data_holds() -> None:
    sizes = [len(one.instructions) for one in papers_sets()]
    assert sizes == [33, 44, 44, 25]
    counted = {row[0]: row for row in ROWS}
    assert {"Mobile-Eval, 33 instructions", "Mobile-Eval-v2, 44 and 44", "Mobile-Eval-E, 25 tasks"} <= counted.keys()
    human = sum(one.human_steps or 0 for one in papers_sets()[0].instructions)
    assert human == published().sets["Mobile-Eval"].operations


def test_what_is_exact_about_where_sequences_go_wrong_is_what_judges_are_asked() -> None:
    (row,) = (row for row in ROWS if row[1] == "v2 figure 4")
    assert (row[2:4] == ["exact", "exact"]) == ("effects" in KINDS)


def test_what_the_shortcuts_learner_may_write_is_what_its_reply_holds() -> None:
    (row,) = (row for row in ROWS if row[0].startswith("shortcuts reflector"))
    assert MOST_NEW_SHORTCUTS == 5
    assert "up to five new ones" in row[4]


def test_what_is_exact_about_replies_limits_and_sampling_is_what_settings_say() -> None:
    standing = {row[0]: row[2:4] for row in ROWS}
    default = load_settings({})
    assert (default.temperature, default.seed) == (0.0, 0)
    assert standing["temperature 0 and a fixed seed"] == ["exact", "exact"]
    assert (Limits().max_steps, Limits().max_failures, Limits().max_repeats) == (40, 3, 3)
    limits = ("40 steps", "three errors in a row", "the same action more than three times")
    assert [standing[name][1] for name in limits] == ["exact"] * 3


def test_rows_on_perception_point_to_the_page_that_says_what_may_stand_in() -> None:
    page = (ROOT / "docs" / "perception.md").read_text(encoding="utf-8")
    assert "\n## The papers' models\n" in page
    about = ("icon localization", "visual perception", "Perceptor", "OCR by", "icons by", "icon captions")
    rows = [row for row in ROWS if row[0].startswith(about)]
    assert len(rows) == len(about)
    assert [row[0] for row in rows if "(perception.md#the-papers-models)" not in row[4]] == []


def test_a_row_that_says_exact_has_a_test_of_its_behaviour_and_no_other_row_has() -> None:
    exact = [row[0] for row in ROWS if "exact" in row[2:4]]
    assert sorted(BEHAVIOUR) == sorted(exact)
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert [name for names in BEHAVIOUR.values() for name in names.split() if name not in written] == []


def row_of(element: str) -> list[str]:
    (row,) = (row for row in ROWS if row[0].startswith(element))
    return row


def test_captions_are_exact_only_if_the_model_is_asked_for_each_crop() -> None:
    exact = load_settings({"episode": {"paper_exact": True}}).episode
    assert exact.captions
    assert exact.caption_all
    assert (row_of("icon captions")[3] == "exact") == (MOST_CAPTIONS == 1)
    assert f"up to {MOST_CAPTIONS} on one picture" in row_of("icon captions")[4]


def test_the_rate_of_termination_errors_is_exact_only_if_it_divides_by_all_tasks() -> None:
    left_out = [ending for ending, how in EXITS.items() if how == "left_out"]
    assert (row_of("TE")[2:4] == ["exact", "exact"]) == (not left_out)


def test_text_localization_is_exact_only_if_no_similar_text_counts() -> None:
    similar = Element(kind="text", box=Box(x1=0, y1=0, x2=9, y2=9), content="Setings", confidence=1.0)
    matches = find_texts([similar], "Settings")
    assert [match.ways for match in matches] == [("similar",)]
    assert row_of("text localization")[2:4] == ["ours", "ours"]
    assert "similar texts count" in row_of("text localization")[4]


def test_a_table_is_exact_only_if_all_its_metrics_are() -> None:
    ours = {name for name in METRICS for row in ROWS if row[3] != "exact" and re.match(rf"{re.escape(name)}\b", row[0])}
    assert {"SS", "TE"} <= ours
    assert row_of("seconds an operation")[2:4] == ["ours", "ours"]
    columns = {sheet.title: set(metrics_of(sheet)) for sheet in declared_sheets()}
    assert any(ours & metrics for metrics in columns.values())
    assert [row_of(name)[3] for name in ("main results", "costs and shortcuts")] == ["ours", "ours"]
