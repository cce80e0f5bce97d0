"""What holds of every episode that is interrupted anywhere and gone on with in place, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.runtime import Collaborators
from manyhands.actors.episode.schedule import SCHEDULES
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import ModelImage
from manyhands.actors.profiles import PROFILES
from manyhands.actors.profiles.bare import BareRequest
from manyhands.actors.profiles.v1.requests import ChatSoFar
from manyhands.actors.profiles.v2.requests import OperationRequest
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.effective_records import effective_records
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    NotesTaken,
    Perceived,
    Planned,
    Record,
    Reflected,
    Resumed,
    RubricsChecked,
    ScreenCaptured,
    StageResult,
)
from manyhands.protocol.journals.trace_context import traceparent
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.requests import DecideRequest, Decision
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Action, Back, ClickText, Exit, PageDown, Stop, Swipe, Tap, Wait
from tests.actors.episode.interruption import FATES, Cut, actions, cut_after, interrupted
from tests.actors.episode.test_invariants import OFTEN, TASK, drawn, latencies
from tests.actors.episode.world import CALL, World, decided, next_screen, order, right_action, shown
from tests.actors.profiles.native.world import NativeWorld
from tests.actors.profiles.v1.chat_world import ChatWorld, WorldAgent, WorldLocator
from tests.actors.profiles.v2.world import V2World, right_operation
from tests.examples import examples
from tests.virtual_clock import run_virtual

PATIENT: dict[str, Any] = {**TASK, "limits": {"max_steps": 60, "max_failures": 30, "max_repeats": 30}}
"""A task whose limits an interruption does not bring nearer: an action that nobody knows of may have failed."""


def mistakes(
    world: World, seed: int, often: float, wrong: Sequence[Action | str]
) -> Callable[[str], Action | str | None]:
    """A wrong choice, or none, that depends on what has come to the phone alone: so it is the same after any cut."""

    def chosen(name: str) -> Action | str | None:
        if drawn(seed, name, len(world.ledger)) >= often:
            return None
        return wrong[int(drawn(seed, name, len(world.ledger), "which") * len(wrong))]

    return chosen


def unreliable(world: World, seed: int) -> Callable[[str, Action], str]:
    """Some actions come to nothing, whatever the screen is."""
    return lambda screen, action: screen if drawn(seed, len(world.ledger)) < 0.1 else next_screen(screen, action)


def world_of_e(seed: int, often: float, latency: Callable[[str, int], float]) -> World:
    world = World(goal_screen="s4", latency=latency)
    wrong = mistakes(world, seed, often, [Tap(x=99, y=9), Swipe(x1=9, y1=9, x2=9, y2=99), Wait(seconds=3), "no action"])

    def chooses(request: DecideRequest) -> Action | str:
        last = request.history[-1].action if request.history else None
        instead = None if request.history and (last is None or isinstance(last, Wait)) else wrong(shown(request.screen))
        return instead or right_action(shown(request.screen))

    world.chooses, world.moves = chooses, unreliable(world, seed)
    return world


def world_of_v2(seed: int, often: float, latency: Callable[[str, int], float]) -> V2World:
    world = V2World(latency=latency, keeps=lambda screen: f"seen {screen}")
    wrong = mistakes(world, seed, often, [Tap(x=99, y=9)])

    def operates(request: OperationRequest) -> Action | str:
        name = shown(request.screen)
        if name.startswith("wrong-"):  # a Back that was lost: nobody else presses it
            return Back()
        return (name != "s4" and wrong(name)) or right_operation(request, "s4")

    world.operates = operates
    return world


@dataclass
class V1World(World):
    """The small world with v1's agent."""

    operates: Callable[[str], Action] = lambda name: Stop()
    """The operation on the screen of that name."""

    def collaborators(self) -> Collaborators:
        def operates(request: ChatSoFar[Any]) -> Action:
            return self.operates(self.names[request.screenshots[-1].content_id])

        chat = ChatWorld(operates, world=self)
        return replace(super().collaborators(), agents={Role.DECIDE: WorldAgent(chat)}, locator=WorldLocator(chat))


@dataclass
class BareWorld(World):
    """The small world with a bare model."""

    acts: Callable[[str], Action] = lambda name: Stop()
    """The action on the screen of that name."""

    def collaborators(self) -> Collaborators:
        return replace(super().collaborators(), agents={Role.DECIDE: _Bare(self)})


@dataclass
class _Bare:
    world: BareWorld

    async def answer(self, request: BareRequest, context: CallContext, *images: ModelImage) -> Answered[Decision]:
        (image,) = images
        async with self.world.asked("decide", request, counted=True):
            return Answered[Decision](value=decided(self.world.acts(self.world.shown_on(image)), "so"), calls=(CALL,))


def world_of_v1(seed: int, often: float, latency: Callable[[str, int], float]) -> V1World:
    world = V1World(latency=latency)
    wrong = mistakes(world, seed, often, [PageDown(), Exit()])

    def operates(name: str) -> Action:
        if name.startswith("wrong-"):
            return Back()
        return Stop() if name == "s4" else wrong(name) or ClickText(text="Save")  # type: ignore[return-value]

    world.operates, world.moves = operates, unreliable(world, seed)
    return world


def world_of_a_bare_model(seed: int, often: float, latency: Callable[[str, int], float]) -> BareWorld:
    world = BareWorld(latency=latency)
    wrong = mistakes(world, seed, often, [Tap(x=99, y=9)])

    def acts(name: str) -> Action:
        return Stop() if name == "s4" else wrong(name) or right_action(name)  # type: ignore[return-value]

    world.acts, world.moves = acts, unreliable(world, seed)
    return world


def world_of_native(seed: int, often: float, latency: Callable[[str, int], float]) -> NativeWorld:
    world = NativeWorld(latency=latency, goal_screen="none", reaches=lambda name: name in ("s1", "s3"))
    wrong = mistakes(world, seed, often, [Tap(x=99, y=9), Swipe(x1=9, y1=9, x2=9, y2=99)])

    def acts(name: str) -> Action | str:
        return Stop() if name == "s4" else wrong(name) or right_action(name)

    world.acts, world.moves = acts, unreliable(world, seed)
    return world


WORLDS: dict[str, Callable[[int, float, Callable[[str, int], float]], World]] = {
    "e": world_of_e,
    "v2": world_of_v2,
    "v1": world_of_v1,
    "bare": world_of_a_bare_model,
    "native": world_of_native,
}


def play(world: World, given_order: EpisodeOrder) -> EpisodeResult:
    return run_virtual(world.host(records_ahead=4, screens_ahead=1).run_episode(given_order))


ONCE_A_STEP = (
    ScreenCaptured,
    Perceived,
    Planned,
    ActionDecided,
    Acted,
    Reflected,
    NotesTaken,
    RubricsChecked,
    StageResult,
)


def check_standing(records: Sequence[Record]) -> None:
    """The journal without what is void: one beginning, one end, and what each stage found in order and once."""
    assert isinstance(records[0], EpisodeStarted)
    assert isinstance(records[-1], EpisodeEnded)
    sent: set[str] = set()
    decided: set[int] = set()
    judged: set[int] = set()
    judges = any(isinstance(record, Reflected) for record in records)
    for record in records:
        if isinstance(record, ActionSent):
            assert record.key not in sent
            sent.add(record.key)
            assert record.step in decided
            assert record.step == 0 or record.step - 1 in judged or not judges
        elif isinstance(record, ActionReceived):
            assert record.receipt.key in sent
        elif isinstance(record, ActionDecided):
            decided.add(record.step)
        elif isinstance(record, Reflected):
            judged.add(record.step)
    for kind in ONCE_A_STEP:
        steps = [record.step for record in records if isinstance(record, kind)]
        assert steps == sorted(set(steps))
    for kind in (ScreenCaptured, ActionDecided, Acted, *([Reflected] if judges else [])):
        steps = [record.step for record in records if isinstance(record, kind)]
        assert steps == list(range(len(steps)))


def notes(state: EpisodeState) -> str:
    return state.notes(state.last_step)


def noted_in(records: Sequence[Record]) -> list[str]:
    """The screens that were noted, in order. One that was seen twice in a row, as after a Wait, is there once."""
    return [name for name, _ in groupby(notes(folded(records)).removeprefix("seen ").replace("\nseen ", " ").split())]


def folded(records: Sequence[Record]) -> EpisodeState:
    state = EpisodeState()
    for record in records:
        state = fold(state, record)
    return state


CUTS = st.builds(
    Cut,
    place=st.floats(0, 1),
    of_bytes=st.booleans(),
    fate=st.sampled_from(FATES),
    screens_lost=st.sampled_from([False, False, False, True]),
)


def check_going_on(
    profile: str, schedule: str, seed: int, often: float, latency: Callable[[str, int], float], cuts: Sequence[Cut]
) -> None:
    """Play an episode, and another one like it that is interrupted: it does what the first one did."""
    if schedule == "speculate" and not PROFILES[profile].loop(EpisodeSettings(profile=profile)).assumptions:
        schedule = "overlap"
    chosen = order(task=PATIENT, profile=profile, schedule=schedule)
    whole, world = (WORLDS[profile](seed, often, latency) for _ in range(2))
    uncut = play(whole, chosen)
    play(world, chosen)
    resumed = chosen
    for cut in cuts:
        resumed = interrupted(world, resumed, cut)
        before = folded(world.journals[chosen.episode])
        result = play(world, resumed)
        assert notes(folded(world.journals[chosen.episode])).startswith(before.notes(before.last_touched))
    journal = world.written(chosen.episode)
    stands = effective_records(journal)
    check_standing(stands)
    assert len(set(world.ledger)) == len(world.ledger)
    assert not world.unwritten
    assert not folded(journal).spent & set(world.ledger)
    assert actions(world, chosen) == actions(whole, chosen)
    assert (result.ending, result.verified) == (uncut.ending, uncut.verified) == (Ending.FINISHED, True)
    later = {f"saw s{number}" for number in range(1, 5)}  # whether s0 is seen after a step depends on when it is asked
    assert {name: result.rubrics[name] for name in later} == {name: uncut.rubrics[name] for name in later}
    assert replace(folded(journal), spent=frozenset()) == folded(stands)
    blind = any(record.unseen for record in journal if isinstance(record, Resumed))
    if not blind and all(cut.fate != "perhaps not" for cut in cuts):
        assert result.steps == uncut.steps
    if not blind:
        noted, wanted = noted_in(journal), noted_in(whole.written(chosen.episode))
        # v2 notes what it sees on its way, also on a page that a lost Back has left.
        assert [one for one in noted if one in wanted or profile == "e"] == wanted


CASES = st.tuples(
    st.sampled_from(sorted(WORLDS)),
    st.sampled_from(sorted(SCHEDULES)),
    st.integers(0, 10_000),
    OFTEN,
    latencies(),
    st.lists(CUTS, min_size=1, max_size=3),
)
HOW = settings(deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink))


@settings(HOW, max_examples=examples(2000, fixed=30))
@given(CASES)
def test_cut_anywhere_and_gone_on_with_it_does_what_it_would_have_done(case: tuple[Any, ...]) -> None:
    check_going_on(*case)


def test_an_episode_keeps_its_trace_when_its_run_folder_has_another_name() -> None:
    world = World()
    first = order()
    run_virtual(world.host().run_episode(first))
    before = {context.traceparent for context in world.requests("capture")}
    again = cut_after(world, first, lambda record: isinstance(record, Acted))
    world.calls.clear()
    run_virtual(world.host().run_episode(again.model_copy(update={"run": "renamed"})))
    after = {context.traceparent for context in world.requests("capture")}
    assert after
    assert after <= before
    assert before == {traceparent("run", first.episode, step) for step in range(len(before))}
