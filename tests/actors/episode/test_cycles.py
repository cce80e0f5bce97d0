"""A round of actions on the same screens that comes again and again: the agent is told once, then the episode ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.episode.cycles import LONGEST_ROUND, Visit, find_cycle
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Back, ClickText, Home, OpenApp, Swipe, Tap, Wait
from tests.actors.episode.world import SIZE, World, content_id, order, shown, tap
from tests.actors.profiles.bare.test_bare import Model
from tests.actors.profiles.bare.test_bare import play as play_in_bare
from tests.actors.profiles.native.world import NativeWorld
from tests.actors.profiles.v1.chat_world import ChatWorld
from tests.actors.profiles.v2.world import V2World
from tests.actors.profiles.v2.world import play as play_in_v2
from tests.virtual_clock import run_virtual

DEFAULT = Limits().max_repeats
SETTINGS = OpenApp(app="Settings")
ROUNDS: dict[str, tuple[Action, ...]] = {
    "Settings, Home": (SETTINGS, Home()),
    "a tap and Back": (Tap(x=50, y=100), Back()),
    "three pages": (Tap(x=50, y=20), Tap(x=50, y=100), Back()),
    "four pages": (SETTINGS, Tap(x=50, y=100), Back(), Home()),
}


def circling(actions: tuple[Action, ...], clock_ticks: bool = False) -> World:
    """A world whose operator does the same round for ever, and whose reflector finds each action good."""
    world = World(goal_screen="never", screen="p0", judges=lambda request: Outcome.A)
    places = {f"p{number}": action for number, action in enumerate(actions)}

    def move(screen: str, action: Action) -> str:
        after = f"p{(int(screen[1:].split()[0]) + 1) % len(actions)}"
        return f"{after} at {len(world.ledger)}" if clock_ticks and isinstance(action, Home) else after

    world.moves = move
    world.chooses = lambda request: places[request.screen.elements[0].content.split()[0]]
    return world


def run(world: World, task: dict[str, Any] | None = None, **settings: Any) -> EpisodeResult:
    return run_virtual(world.host().run_episode(order(task=task, **settings)))


@pytest.mark.parametrize("actions", ROUNDS.values(), ids=list(ROUNDS))
@pytest.mark.parametrize("schedule", ["serial", "overlap"])
def test_a_round_that_comes_again_and_again_ends_the_episode_and_is_named(
    actions: tuple[Action, ...], schedule: str
) -> None:
    result = run(circling(actions), schedule=schedule)
    begins_late = Home() in actions  # the first page is one to which Home had not led
    assert (result.ending, result.steps) == (Ending.REPEAT_LIMIT, (DEFAULT + 1) * len(actions) + begins_late)
    assert result.reason.startswith(f"the same {len(actions)} actions on the same screens 4 times in a row: ")
    assert all(action.name in result.reason for action in actions)


def test_the_planner_and_the_operator_are_told_once_before() -> None:
    world = circling(ROUNDS["a tap and Back"])
    run(world)
    for role in (Role.PLAN, Role.DECIDE):
        told = [number for number, request in enumerate(world.asked_of(role)) if request.circling]
        assert told == [4]
    assert "going in a circle" in world.asked_of(Role.DECIDE)[4].circling


def test_the_clock_of_the_home_screen_breaks_no_cycle() -> None:
    result = run(circling(ROUNDS["Settings, Home"], clock_ticks=True))
    assert (result.ending, result.steps) == (Ending.REPEAT_LIMIT, (DEFAULT + 1) * 2 + 1)


@pytest.mark.parametrize("every", [2, 3, 5, 7])
@pytest.mark.parametrize("actions", ROUNDS.values(), ids=list(ROUNDS))
def test_a_reply_without_an_action_breaks_no_cycle(actions: tuple[Action, ...], every: int) -> None:
    """Each reply of a number that ``every`` divides is unusable."""
    world = circling(actions, clock_ticks=True)
    choose = world.chooses
    world.chooses = lambda request: (
        choose(request) if len(world.asked_of(Role.DECIDE)) % every else "the reply holds no action"
    )
    result = run(world)
    assert result.ending is Ending.REPEAT_LIMIT
    assert len(world.ledger) == (DEFAULT + 1) * len(actions) + (Home() in actions)
    assert result.reason.startswith(f"the same {len(actions)} actions on the same screens 4 times in a row: ")
    told = [request.circling for request in world.asked_of(Role.DECIDE) if request.circling]
    assert 1 <= len(told) <= 2  # again where the reply to it is unusable


def test_a_reply_without_an_action_hides_no_repeated_action() -> None:
    world = circling(ROUNDS["a tap and Back"])
    world.judges = lambda request: Outcome.B if len(world.ledger) % 2 else Outcome.A
    world.chooses = lambda request: tap(0) if len(world.asked_of(Role.DECIDE)) % 3 else "the reply holds no action"
    world.moves = lambda screen, action: f"s{len(world.ledger)}"
    result = run(world)
    assert (result.ending, result.reason) == (Ending.REPEAT_LIMIT, "the same action in a row failed 3 times")


def test_the_papers_have_no_such_limit() -> None:
    world = circling(ROUNDS["a tap and Back"])
    result = run(world, paper_exact=True, task={"limits": {"max_steps": 20}})
    assert (result.ending, result.steps) == (Ending.STEP_LIMIT, 20)
    assert not any(request.circling for request in world.asked_of(Role.DECIDE))


def test_an_agent_that_does_something_else_when_it_is_told_goes_on() -> None:
    """It leaves the circle for the right way, which has as many screens as it likes."""
    world = World(goal_screen="s9", judges=lambda request: Outcome.A)
    usual = world.moves
    way_out: list[str] = []

    def choose(request: Any) -> Action:
        if request.circling:
            way_out.append("told")
        name = request.screen.elements[0].content
        return tap(int(name[1:])) if way_out else Swipe(x1=50, y1=150, x2=50, y2=50 + (name == "s1"))

    def move(screen: str, action: Action) -> str:
        return usual(screen, action) if way_out else {"s0": "s1"}.get(screen, "s0")

    world.chooses, world.moves = choose, move
    assert run(world).ending is Ending.FINISHED


@pytest.mark.parametrize("length", range(2, LONGEST_ROUND + 1))
@pytest.mark.parametrize("changing", range(LONGEST_ROUND))
def test_an_episode_that_counts_on_one_page_of_each_round_is_not_ended(length: int, changing: int) -> None:
    """One digit is new in each round, on one of its pages. The goal is reached after ten rounds."""
    world = World(goal_screen="p0 10", screen="p0 0", judges=lambda request: Outcome.A)
    actions = [Tap(x=50, y=20 + 20 * number) for number in range(length)]

    def move(screen: str, action: Action) -> str:
        at = (int(screen[1:].split()[0]) + 1) % length
        rounds = (len(world.ledger)) // length
        return f"p{at} {rounds}" if at == changing % length or rounds == 10 else f"p{at} x"

    world.moves = move
    world.chooses = lambda request: actions[int(request.screen.elements[0].content[1:].split()[0])]
    result = run(world)
    assert (result.ending, result.steps) == (Ending.FINISHED, 10 * length)


# ---------------------------------------------------------------------------- the rule itself
ACTIONS: list[Action] = [SETTINGS, Home(), Back(), Tap(x=50, y=100), Swipe(x1=50, y1=150, x2=50, y2=50), Wait()]
VISITS = st.builds(lambda page, action: Visit(page, action, SIZE), st.sampled_from("abc"), st.sampled_from(ACTIONS))


def repeats(visits: list[Visit | None]) -> int:
    cycle = find_cycle(visits)
    return 0 if cycle is None else cycle.repeats


@given(
    st.lists(VISITS, max_size=12),
    st.lists(st.tuples(st.lists(VISITS, max_size=LONGEST_ROUND - 1), st.sampled_from(ACTIONS)), max_size=12),
)
def test_no_progressing_episode_is_ended(start: list[Visit | None], rounds: list[tuple[list[Visit], Action]]) -> None:
    """An episode makes progress while a page that was never seen comes at least once in four steps."""
    visits = list(start) if repeats(list(start)) < DEFAULT else []
    for number, (others, action) in enumerate(rounds):
        for visit in (Visit(f"new {number}", action, SIZE), *others):
            visits.append(visit)
            assert repeats(visits) < 1


@given(
    st.lists(VISITS, max_size=8),
    st.lists(VISITS, min_size=2, max_size=LONGEST_ROUND),
    st.integers(0, 12),
)
def test_a_round_without_progress_is_ended_wherever_it_begins(
    before: list[Visit | None], one_round: list[Visit], cut: int
) -> None:
    """Not where a round is one action on one page, nor where it waits for something outside."""
    visits = [*before, *(one_round * (DEFAULT + 1))]
    cycle = find_cycle(visits)
    kinds = {(visit.page, visit.action.name) for visit in one_round}
    waits = any(isinstance(visit.action, Wait) for visit in one_round)
    others = [visit.action for visit in one_round if not isinstance(visit.action, Wait)]
    if len(kinds) == 1 or (waits and all(action.repeatable for action in others)):
        assert cycle is None
    else:
        assert cycle is not None
        assert cycle.repeats >= DEFAULT
    broken = [*visits[:-1], None, *visits[-1:]]
    assert repeats(broken) == 0


@pytest.mark.parametrize(("apart", "is_cycle"), [(2, True), (3, False)])
def test_taps_a_few_pixels_apart_are_the_same(apart: int, is_cycle: bool) -> None:
    """SIZE is 100 wide: two pixels there are twenty on a phone."""
    rounds = [
        (Visit("a", Tap(x=50 + apart * (number % 2), y=100), SIZE), Visit("b", Back(), SIZE)) for number in range(4)
    ]
    assert (repeats([visit for one in rounds for visit in one]) == 3) is is_cycle


def test_what_a_person_did_is_no_part_of_a_round() -> None:
    one_round: list[Visit | None] = [Visit("a", SETTINGS, SIZE), Visit("b", Home(), SIZE)]
    assert repeats(one_round * 4) == 3
    assert repeats([*one_round * 2, None, *one_round * 2]) == 1


def test_pages_are_told_by_what_stays_of_a_screenshot() -> None:
    """The world's screenshots have no page id, so their pixels stand for the page."""
    world = World()
    run(world)
    captured = [record.screenshot for record in world.journals["run-task-1"] if record.kind == "captured"]
    assert captured[0].page == content_id("s0")
    assert captured[0].model_copy(update={"page_id": "other"}).page == "other"


# ---------------------------------------------------------------------------- the other profiles
def to_and_fro(screen: str, action: Action) -> str:
    return "s0" if isinstance(action, Back) else "s1"


def play_v1(**chosen: Any) -> tuple[EpisodeResult, list[str]]:
    chat = ChatWorld(
        lambda request: (ClickText(text="Save"), Back())[(len(request.chat) - 1) % 2], World(moves=to_and_fro)
    )
    result = chat.play(**chosen)
    return result, [request.chat[-1].told for request in chat.asked]


def play_v2(**chosen: Any) -> tuple[EpisodeResult, list[str]]:
    world = V2World(operates=lambda request: tap(5) if shown(request.screen) == "s0" else tap(60))
    world.moves = lambda screen, action: "s1" if action == tap(5) else "s0"
    result, _ = play_in_v2(world, **chosen)
    return result, [request.circling for request in world.asked_of(Role.DECIDE)]


def play_bare(**chosen: Any) -> tuple[EpisodeResult, list[str]]:
    model = Model([tap(5), Back()] * 12)
    result = play_in_bare(model, World(moves=to_and_fro), **chosen)
    return result, [request.circling for request in model.asked]


def play_native(**chosen: Any) -> tuple[EpisodeResult, list[str]]:
    world = NativeWorld(moves=to_and_fro, goal_screen="never", acts=lambda name: tap(5) if name == "s0" else Back())
    result = run(world, profile="native", **chosen)
    return result, [request.steps[-1].told for request in world.asked_to_act]


@pytest.mark.parametrize("play", [play_v1, play_v2, play_bare, play_native])
def test_every_profile_tells_the_agent_once_and_then_ends(play: Any) -> None:
    result, told = play()
    assert (result.ending, result.steps) == (Ending.REPEAT_LIMIT, (DEFAULT + 1) * 2)
    assert [number for number, text in enumerate(told) if "going in a circle" in text] == [4]


@pytest.mark.parametrize("play", [play_v1, play_v2, play_bare])
def test_no_profile_of_a_paper_does_so_with_paper_exact(play: Any) -> None:
    result, told = play(paper_exact=True, task={"limits": {"max_steps": 14}})
    assert (result.ending, result.steps) == (Ending.STEP_LIMIT, 14)
    assert not any("circle" in text for text in told)
