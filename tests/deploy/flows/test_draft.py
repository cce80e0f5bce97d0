"""A verified episode becomes a flow that does the same on other content, and says what it cannot describe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.profiles.flow.targets import describe_target, match_target
from manyhands.deploy.flows.common import FlowSource, make_common_flow
from manyhands.deploy.flows.draft import FlowDraft, draft_flow, mark_checked, shown_texts, with_variables
from manyhands.deploy.flows.steps import signpost
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.actions import Action, Back, Enter, OpenApp, Stop, Tap, Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks, read_tasks
from manyhands.protocol.utilities.yaml_document import parse_yaml
from tests.actors.episode.world import SIZE, order
from tests.actors.profiles.flow.test_flow import agent_calls, agent_of
from tests.actors.profiles.flow.world import FlowWorld, Page
from tests.deploy.command_line.called import manyhands
from tests.evaluation.run_records import write_run
from tests.virtual_clock import run_virtual

PAGES = {
    "s0": Page(["Home", "Notes"], {"Notes": "list"}),
    "list": Page(["Notes", "Anna", "New note"], {"New note": "form", "Anna": "wrong-anna"}),
    "wrong-anna": Page(["Anna", "Her notes"], {"back": "list"}),
    "form": Page(["Your note", "Title", "Save"], {"Title": "typing"}),
    "typing": Page(["Your note", "Title", "Save"], typed_to="filled", keyboard=True),
    "filled": Page(["Your note", "Milk", "Save"], {"Save": "saved"}, keyboard=True),
    "saved": Page(["Notes", "Saved"]),
}
CHECK = {"source": "content://example/state", "holds": {"path": "screen", "equals": "saved"}}
TASK = {"goal": "Save the note Milk.", "check": CHECK}


def recorded(
    task: dict[str, Any] = TASK,
    astray: bool = False,
    pages: dict[str, Page] = PAGES,
    version: str | None = None,
    field: str = "Title",
    twice: bool = False,
) -> RecordedEpisode:
    """An episode in which the agent of ``native`` did the task.

    ``field``: what it taps on the page ``form``; ``twice``: whether its first tap on the page ``list`` changes nothing.
    """
    taps = {"s0": "Notes", "list": "New note", "form": field, "filled": "Save"}
    world, taps_before = FlowWorld(pages=pages, taps=taps, app_version=version), [*([30] * astray), *([10] * twice)]
    tap = world.acts

    def act(name: str) -> Any:
        if name == "list" and taps_before:
            return Tap(x=20, y=taps_before.pop())  # the note of Anna, or the head of the page
        more = {"wrong-anna": Back(), "typing": Type(text="Milk"), "saved": Stop()}
        return more[name] if name in more else tap(name)

    world.acts = act
    given = order(task=task, profile="native", elements="vision", without=["planner"])
    run_virtual(world.host().run_episode(given))
    episode = episode_of(world.written("run-task-1"))
    assert episode is not None
    return episode


def play(task: TaskSpec, pages: dict[str, Page]) -> tuple[FlowWorld, Ending]:
    world = FlowWorld(pages=pages)
    document = task.model_dump(mode="json", by_alias=True, exclude_unset=True)
    given = order(task=document, profile="flow", elements="vision", without=["agent"])
    return world, run_virtual(world.host().run_episode(given)).ending


def task_of(draft: FlowDraft) -> TaskSpec:
    (task,) = parse_tasks(parse_yaml(draft.yaml(), "flow.yaml"))
    return task


def test_a_flow_does_on_other_content_what_the_agent_did() -> None:
    task = task_of(draft_flow(recorded(), "run, task", {}))
    assert task.flow is not None
    assert [step.words for step in task.flow.steps] == [
        'Tap "Notes"',
        'Tap "New note"',
        'Tap "Title"',
        'Type "Milk"',
        'Tap "Save"',
    ]
    other = {**PAGES, "list": Page(["Notes", "Zoe", "Max", "New note"], {"New note": "form"})}
    world, ending = play(task, other)
    assert (ending, agent_calls(world)) == (Ending.FINISHED, 0)
    assert world.tapped == ["Notes", "New note", "Title", "type Milk", "Save"]


def test_a_typed_text_of_the_goal_becomes_a_variable(tmp_path: Path) -> None:
    draft = draft_flow(recorded(), "run, task", {})
    assert draft.variables == {"text_1": "Milk"}
    path = tmp_path / "flow.yaml"
    path.write_text(draft.yaml().replace("text_1: Milk", "text_1: Bread"), encoding="utf-8")
    (task,) = read_tasks(path)
    assert task.goal == "Save the note Bread."
    bread = {**PAGES, "filled": Page(["Your note", "Bread", "Save"], {"Save": "saved"}, keyboard=True)}
    world, ending = play(task, bread)
    assert (ending, world.tapped[3]) == (Ending.FINISHED, "type Bread")


def test_a_flow_names_the_versions_of_its_apps_and_no_variable_touches_them() -> None:
    draft = draft_flow(recorded(version="Milk 10"), "run of Milk, task", {"what": "Milk"})
    (entry,) = parse_yaml(draft.yaml(), "flow.yaml").data
    assert entry["flow"]["versions"] == {"org.example": "Milk 10"}
    assert entry["flow"]["made_from"] == "run of Milk, task"


def test_the_version_of_the_home_screen_is_not_one_of_a_flow_that_opens_an_app() -> None:
    pages = {**PAGES, "list": Page(["Notes", "New note"], {"New note": "saved"})}
    world = FlowWorld(pages=pages, taps={"list": "New note"}, app="org.home", app_version="1")
    agent_of(world, s0=OpenApp(app="Notes"), saved=Stop())
    moves = world.moves

    def move(screen: str, action: Action) -> str:
        world.app = "org.example"
        return moves(screen, action)

    world.moves = move
    given = order(task=TASK, profile="native", elements="vision", without=["planner"])
    run_virtual(world.host().run_episode(given))
    episode = episode_of(world.written("run-task-1"))
    assert episode is not None
    assert draft_flow(episode, "run, task", {}).flow.versions == {"org.example": "1"}


@pytest.mark.parametrize(
    ("shown", "goal", "reads"),
    [
        ("Buy Milk today", "Save a note.", ("Buy Milk today",)),
        ("Buy Milk today", "Save the note Milk.", ()),
        ("Bread", "Save a note.", ()),
    ],
)
def test_a_flow_says_where_a_typed_text_was_read(shown: str, goal: str, reads: tuple[str, ...]) -> None:
    pages = {**PAGES, "list": Page(["Notes", shown, "New note"], {"New note": "form"})}
    steps = task_of(draft_flow(recorded({**TASK, "goal": goal}, pages=pages), "run, task", {})).flow
    assert steps is not None
    assert [step.reads for step in steps.steps if step.action.name == "Type"] == [reads]


SEARCH = {
    "s0": Page(["Search", "Notes", "Recent"], {"Search": "field"}),
    "field": Page(["Search", "Notes", "Ideas"], typed_to="typed", keyboard=True),
    "typed": Page(["Milk", "Notes"], {"enter": "saved"}, keyboard=True),
    "saved": Page(["Notes", "Milk", "Milk shake"]),
}


def searched() -> TaskSpec:
    """A flow of an episode that tapped, typed and pressed Enter in one step."""
    world = FlowWorld(pages=SEARCH, taps={"s0": "Search"})
    agent_of(world, saved=Stop())
    world.follows = lambda name: (Type(text="Milk"), Enter()) if name == "s0" else ()
    given = order(task={**TASK, "goal": "Find Milk."}, profile="native", elements="vision", without=["planner"])
    run_virtual(world.host().run_episode(given))
    episode = episode_of(world.written("run-task-1"))
    assert episode is not None
    return task_of(draft_flow(episode, "run, task", {}))


def test_between_the_actions_of_one_step_stays_what_is_shown_before_and_after() -> None:
    flow = searched().flow
    assert flow is not None
    assert [step.words for step in flow.steps] == ['Tap "Search"', 'Type "Milk"', "Enter"]
    assert [step.before.shows for step in flow.steps] == [("Notes", "Recent"), ("Notes",), ("Milk", "Notes")]


@pytest.mark.parametrize("field", ["Milk", "Mi"])
def test_what_was_typed_must_be_shown_before_it_is_sent(field: str) -> None:
    typed = Page([field, "Notes"], {"enter": "saved"}, keyboard=True)
    world, ending = play(searched(), {**SEARCH, "typed": typed})
    is_shown = field == "Milk"
    assert ending is (Ending.FINISHED if is_shown else Ending.DIVERGED)
    assert (world.tapped[:2], "enter" in world.tapped) == (["Search", "type Milk"], is_shown)


def test_a_flow_is_for_all_phones_though_a_matrix_chose_one() -> None:
    chosen = {**TASK, "matrix": "model", "matrix_value": "Pixel 8", "phones": "android>=13, model=Pixel 8"}
    task = task_of(draft_flow(recorded(chosen), "run, task", {}))
    assert (task.matrix, task.matrix_value, task.phones) == ("", "", "android>=13")


def test_a_detour_is_left_out() -> None:
    draft = draft_flow(recorded(astray=True), "run, task", {})
    assert [step.words for step in draft.flow.steps][:3] == ['Tap "Notes"', 'Tap "New note"', 'Tap "Title"']


def test_a_value_that_no_step_uses_is_refused() -> None:
    with pytest.raises(BadInput, match="--set who=Zoe: no step uses this text; steps use 'Milk', 'Notes'"):
        draft_flow(recorded(), "run, task", {"who": "Zoe"})


def test_an_episode_that_was_not_verified_is_refused() -> None:
    with pytest.raises(BadInput, match="only a verified episode can be made a flow"):
        draft_flow(recorded({"goal": "Save the note Milk."}), "run, task", {})


def test_what_nobody_can_tell_apart_is_said() -> None:
    twice = {**PAGES, "list": Page(["", "New note", "", "New note"], {"New note": "form"})}
    draft = draft_flow(recorded(pages=twice), "run, task", {})
    (warning,) = draft.warnings
    assert 'step 2 of the episode: "New note"' in warning
    assert "so an agent must do this step" in warning


def test_a_second_run_drops_texts_that_do_not_stay() -> None:
    draft = draft_flow(recorded(), "run, task", {})
    task = task_of(draft)
    other = {**PAGES, "list": Page(["Notes", "Zoe", "New note"], {"New note": "form"})}
    world, _ = play(task, other)
    second = episode_of(world.written("run-task-1"))
    assert second is not None
    (entry,) = parse_yaml(draft.yaml(), "flow.yaml").data
    assert entry["flow"]["steps"][1]["before"]["shows"] == ["Notes", "Anna"]
    checked = mark_checked(entry, task, shown_texts(second))
    assert checked["flow"]["is_checked"] is True
    assert checked["flow"]["steps"][1]["before"]["shows"] == ["Notes"]


@pytest.mark.parametrize(
    ("value", "goal"), [("e", "Open the pie and save ${x}."), ("Tab #2", "Open ${x}, not Tab #21.")]
)
def test_a_value_is_replaced_where_it_stands_for_itself(value: str, goal: str) -> None:
    pages = {**PAGES, "form": Page(["Your note", value], {value: "typing"})}
    task = {**TASK, "goal": goal.replace("${x}", value)}
    (entry,) = parse_yaml(draft_flow(recorded(task, pages=pages, field=value), "r", {"x": value}).yaml(), "f.yaml").data
    assert entry["goal"] == goal
    assert entry["flow"]["steps"][2]["action"] == {"name": "Tap", "target": {"text": "${x}"}}
    assert entry["check"] == CHECK


def test_the_title_of_a_page_is_its_first_signpost() -> None:
    title = Element(kind="text", box=Box(x1=0, y1=0, x2=SIZE.width, y2=SIZE.height), content="Trip", confidence=1)
    rows = Page(["Anna", "Ben", "Carl", "Dora"]).elements()
    screen = Screen(content_id="0" * 32, size=SIZE, elements=(*rows, title), keyboard="hidden")
    shot = Screenshot(content_id="0" * 32, size=SIZE, serial="p", taken_at=0, capture_ms=0)
    shown = signpost(shot, screen, None).shows
    assert shown == ("Trip", "Anna", "Ben", "Carl")


def common(*episodes: RecordedEpisode) -> Any:
    return make_common_flow([FlowSource(one, "r", {}) for one in episodes]).entry


def test_two_episodes_keep_the_signposts_that_both_have() -> None:
    other = {**PAGES, "list": Page(["Notes", "Zoe", "New note"], {"New note": "form"})}
    entry, alone = common(recorded(), recorded(pages=other)), draft_flow(recorded(), "r", {}).entry()
    assert entry["flow"]["steps"][1]["before"]["shows"] == ["Notes"]
    assert entry["flow"]["steps"][2]["before"] == alone["flow"]["steps"][2]["before"]


def test_an_episode_that_took_another_way_says_nothing_of_signposts() -> None:
    other = {**PAGES, "form": Page(["Her note", "Name", "Save"], {"Name": "typing"})}
    assert common(recorded(), recorded(pages=other, field="Name")) == draft_flow(recorded(), "r", {}).entry()


def test_an_action_without_a_visible_effect_is_a_step_if_two_episodes_have_it() -> None:
    tapped = [step["action"]["target"]["text"] for step in common(recorded(twice=True))["flow"]["steps"][:3]]
    assert tapped == ["Notes", "New note", "Title"]
    both = common(recorded(twice=True), recorded(twice=True))["flow"]["steps"][:4]
    assert [step["action"]["target"]["text"] for step in both] == ["Notes", "Notes", "New note", "Title"]
    one = common(recorded(twice=True), recorded())["flow"]["steps"][:3]
    assert [step["action"]["target"]["text"] for step in one] == ["Notes", "New note", "Title"]


def test_a_flow_is_of_the_episode_whose_targets_can_be_told() -> None:
    twins = {**PAGES, "list": Page(["New note", "New note", "Notes"], {"New note": "form"})}
    steps = common(recorded(pages=twins), recorded())["flow"]["steps"]
    assert steps[1]["action"]["target"] == {"text": "New note"}


def test_a_description_finds_its_element_again() -> None:
    page = Page(["Display", "Dark mode", "Adaptive", "Dark mode"], switches={"Dark mode": True})
    screen = Screen(content_id="0" * 32, size=SIZE, elements=page.elements(), keyboard="hidden")
    for element in screen.elements:
        target = describe_target(element, screen)
        found = match_target(target, screen)
        assert found.element is None or found.element.centre[1] == element.centre[1]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    asked = {"phones": ["p"], "run_id": "run", "tasks": [{"id": "task", "goal": TASK["goal"]}]}
    write_run(folder, asked, {"task-1-x": recorded().records})
    return folder


def test_the_commands_make_and_show_it(run: Path, tmp_path: Path) -> None:
    made = manyhands("flow", "make", run, "task", "-o", tmp_path / "milk.yaml", "--unchecked", "--set", "what=Milk")
    assert (made.returncode, made.stderr) == (0, "")
    assert "5 steps, not checked by a second run" in made.stdout
    shown = manyhands("flow", "show", tmp_path / "milk.yaml", "--set", "what=Bread")
    assert 'Type "Bread"' in shown.stdout
    assert "Save the note Bread. (not checked by a second run)" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("make", "RUN", "nobody", "-o", "OUT"), "no episode of 'nobody' was verified; the run's tasks are task"),
        (("make", "RUN", "task", "-o", "OUT", "--also", "two"), "no episode of 'two' was verified"),
        (("make", "RUN", "task", "-o", "OUT/no/folder"), "there is no folder"),
        (("make", "RUN", "task", "-o", "OUT", "--set", "Milk"), "write NAME=VALUE"),
        (("show", "FLOW", "--set", "wat=Bread"), "does not use it; its variables are what; did you mean 'what'?"),
        (("check", "FLOW", "--set", "wat=Bread"), "its variables are what; did you mean 'what'?"),
        (("show", "SUITE"), "a flow's file is a list; 'run --profile flow' takes other files of tasks"),
        (("show", "TASKS"), "task a has no 'flow'; 'flow make' makes one of a verified run"),
        (("show", "WRONG"), "line 4: task 1 (a): flow.steps.0.action: Tap needs 'target'"),
    ],
)
def test_bad_input_is_one_line(run: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    manyhands("flow", "make", run, "task", "-o", tmp_path / "milk.yaml", "--unchecked", "--set", "what=Milk")
    (tmp_path / "tasks.yaml").write_text("- {id: a, goal: Look.}\n")
    (tmp_path / "wrong.yaml").write_text("- id: a\n  goal: Look.\n  flow:\n    steps: [{action: {name: Tap}}]\n")
    places = {"RUN": run, "FLOW": tmp_path / "milk.yaml", "TASKS": tmp_path / "tasks.yaml"}
    (tmp_path / "suite.yaml").write_text("tasks: [{id: a, goal: Look.}]\n")
    places |= {"SUITE": tmp_path / "suite.yaml"}
    places |= {"WRONG": tmp_path / "wrong.yaml", "OUT": tmp_path / "out"}
    words = [str(places.get(word, word)).replace("OUT/", f"{tmp_path}/") for word in arguments]
    done = manyhands("flow", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_variables_leave_packages_and_settings_as_they_are() -> None:
    entry = {
        "goal": "Search for settings",
        "device": {"time_zone": "Europe/Berlin"},
        "before": {"app": "com.android.settings"},
    }
    changed = with_variables(entry, {"text_1": "settings", "city": "Berlin"})
    assert changed == {**entry, "goal": "Search for ${text_1}"}
