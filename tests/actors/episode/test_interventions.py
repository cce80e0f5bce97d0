"""People pause, stop, take over and hand back a running episode, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.actors.episode.host import EpisodeHost
from manyhands.actors.episode.schedule import SCHEDULES
from manyhands.actors.profiles import PROFILES
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, DeadlinePassed, InterventionRefused, KeyReused
from manyhands.protocol.journals.effective_records import effective_records, holds
from manyhands.protocol.journals.records import (
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeHandedBack,
    EpisodePaused,
    EpisodeTakenOver,
    EpisodeUnpaused,
    Reflected,
    ScreenCaptured,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.interventions import (
    EpisodeControl,
    EpisodePhase,
    HandBackEpisode,
    PauseEpisode,
    PersonAction,
    ResumeEpisode,
    ShowControl,
    StopEpisode,
    TakeOverEpisode,
)
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Action, Answer, Back, Tap, Type
from tests.actors.episode.interruption import FATES, Cut, Fate, cut_after, interrupted
from tests.actors.episode.test_invariants import drawn
from tests.actors.episode.test_resumption import CUTS, PATIENT, WORLDS
from tests.actors.episode.world import World, next_screen, order, right_action
from tests.examples import examples
from tests.virtual_clock import run_virtual

EPISODE = "run-task-1"
SLOW: dict[str, float] = {"plan": 1.0, "decide": 1.0, "verify": 1.0, "perform": 0.5}


def slow(**given: Any) -> World:
    return World(latency=lambda method, count: SLOW.get(method, 0.0), **given)


def with_world(
    meanwhile: Callable[[World, EpisodeHost], Awaitable[Any]],
    world: World | None = None,
    given: EpisodeOrder | None = None,
) -> tuple[World, EpisodeResult]:
    """Run an episode; meanwhile, run something beside it."""
    world = world or slow()

    async def main() -> EpisodeResult:
        host = world.host()
        running = asyncio.create_task(host.run_episode(given or order()))
        await meanwhile(world, host)
        return await running

    return world, run_virtual(main())


def act(action: Action, screen: str | None, request: str, by: str = "ann") -> PersonAction:
    return PersonAction(by=by, request=request, screen=screen or "", action=action)


def kinds(world: World, *kinds: type) -> list[Any]:
    return [record for record in world.written(EPISODE) if isinstance(record, kinds)]


# ---------------------------------------------------------------------------- pause
def test_a_paused_episode_sends_nothing_until_it_is_resumed() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.5)
        control = await host.intervene(EPISODE, PauseEpisode(by="ann", reason="a look"))
        assert (control.phase, control.by) == (EpisodePhase.PAUSED, "ann")
        sent = len(world.ledger)
        await asyncio.sleep(3600)
        assert len(world.ledger) == sent
        (progress,) = await host.progress()
        assert (progress.phase, progress.held_by, progress.doing) == (EpisodePhase.PAUSED, "ann", "paused by ann")
        assert progress.held_s == pytest.approx(3600, abs=1)
        assert (await host.intervene(EPISODE, PauseEpisode(by="bob"))).by == "ann"
        control = await host.intervene(EPISODE, ResumeEpisode(by="bob"))
        assert (control.phase, control.by, control.since) == (EpisodePhase.RUNNING, None, None)

    world, result = with_world(meanwhile)
    assert result.ending is Ending.FINISHED
    assert [(one.kind, one.by) for one in kinds(world, EpisodePaused, EpisodeUnpaused)] == [
        ("paused", "ann"),
        ("unpaused", "bob"),
    ]
    ((start, end),) = holds(world.written(EPISODE))
    assert end - start == pytest.approx(3600, abs=1)


def test_the_time_limit_does_not_count_a_pause() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.5)
        await host.intervene(EPISODE, PauseEpisode(by="ann"))
        await asyncio.sleep(1000)
        await host.intervene(EPISODE, ResumeEpisode(by="ann"))

    _, result = with_world(meanwhile, given=order(task={"limits": {"wall_s": 60}}))
    assert result.ending is Ending.FINISHED


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
def test_a_paused_episode_ends_when_its_lease_is_lost(schedule: str) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.5)
        await host.intervene(EPISODE, PauseEpisode(by="ann"))
        await asyncio.sleep(20)
        (progress,) = await host.progress()
        assert progress.stages == ("act",)
        sent = len(world.ledger)
        world.epoch += 1
        await asyncio.sleep(20)
        assert not await host.progress()
        assert len(world.ledger) == sent

    _, result = with_world(meanwhile, given=order(schedule=schedule, lease_s=9.0))
    assert result.ending is Ending.LEASE_LOST


def test_a_paused_episode_ends_when_a_stage_beside_the_action_fails() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        while not world.count["note"]:
            await asyncio.sleep(0.1)
        await host.intervene(EPISODE, PauseEpisode(by="ann"))
        await asyncio.sleep(40)
        (progress,) = await host.progress()
        assert set(progress.stages) == {"act", "note"}
        sent = len(world.ledger)
        await asyncio.sleep(20)
        assert not await host.progress()
        assert len(world.ledger) == sent

    world = World(
        latency=lambda method, count: {**SLOW, "note": 50.0}.get(method, 0.0),
        fault=lambda method, count: ValueError("a defect") if method == "note" else None,
    )
    _, result = with_world(meanwhile, world, order(schedule="overlap"))
    assert result.ending is Ending.INTERNAL_ERROR


# ---------------------------------------------------------------------------- stop
@pytest.mark.parametrize("at_s", [0.0, 0.5, 1.5, 2.2, 2.7, 4.0])
def test_a_stopped_episode_ends_at_once_and_its_journal_says_by_whom_and_why(at_s: float) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(at_s)
        asked_at = world.clock.now()
        control = await host.intervene(EPISODE, StopEpisode(by="ann", reason="wrong account"))
        assert world.clock.now() - asked_at < 1
        assert (control.phase, control.ending) == (EpisodePhase.ENDED, Ending.CANCELLED)
        assert control.reason == "stopped by ann: wrong account"
        assert world.written(EPISODE)[-1].kind == "episode_ended"
        assert (await host.intervene(EPISODE, StopEpisode(by="bob"))).reason == control.reason
        assert (await host.intervene(EPISODE, ShowControl())).phase is EpisodePhase.ENDED
        with pytest.raises(InterventionRefused, match="has ended"):
            await host.intervene(EPISODE, PauseEpisode(by="ann"))

    _, result = with_world(meanwhile)
    assert (result.ending, result.reason) == (Ending.CANCELLED, "stopped by ann: wrong account")


def test_a_paused_episode_can_be_stopped() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.5)
        await host.intervene(EPISODE, PauseEpisode(by="ann"))
        await asyncio.sleep(100)
        await host.intervene(EPISODE, StopEpisode(by="ann"))

    assert with_world(meanwhile)[1].reason == "stopped by ann"


def test_an_episode_that_does_not_run_here_cannot_be_paused() -> None:
    async def main() -> None:
        with pytest.raises(InterventionRefused, match="does not run"):
            await World().host().intervene("other", PauseEpisode(by="ann"))

    run_virtual(main())


# ---------------------------------------------------------------------------- by hand
@pytest.mark.parametrize("schedule", list(SCHEDULES))
def test_a_task_by_hand_is_one_takeover_without_the_agent(schedule: str) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(5.0)
        control = await host.intervene(EPISODE, ShowControl())
        assert (control.phase, control.by, control.is_by_hand) == (EpisodePhase.TAKEN_OVER, "ann", True)
        with pytest.raises(InterventionRefused):
            await host.intervene(EPISODE, TakeOverEpisode(by="bob"))
        await host.intervene(EPISODE, act(Back(), control.screen, "r1"))
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    world, result = with_world(meanwhile, given=order(task={"by_hand": "ann"}, schedule=schedule))
    assert (result.ending, result.reason) == (Ending.FINISHED, "ann has had the phone")
    assert len(world.ledger) == 1
    assert [sent.by for sent in kinds(world, ActionSent)] == ["ann"]
    assert kinds(world, ActionDecided) == []
    assert [name for name, *_ in world.calls if name in ("plan", "decide", "verify")] == []


def test_a_task_by_hand_that_is_paused_during_the_reset_has_no_step_of_the_agent() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.0)
        await host.intervene(EPISODE, PauseEpisode(by="ann"))
        await asyncio.sleep(5.0)
        control = await host.intervene(EPISODE, ShowControl())
        assert (control.phase, control.by) == (EpisodePhase.TAKEN_OVER, "ann")
        await host.intervene(EPISODE, act(Back(), control.screen, "r1"))
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    given = order(task={"by_hand": "ann"})
    world, result = with_world(meanwhile, World(latency=lambda method, _: 3.0 * (method == "reset")), given)
    assert (result.ending, result.reason) == (Ending.FINISHED, "ann has had the phone")
    assert kinds(world, ActionDecided) == []


def test_a_task_by_hand_is_not_finished_when_nobody_acts() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        pass

    world, result = with_world(meanwhile, given=order(task={"by_hand": "ann"}))
    assert (result.ending, result.reason) == (Ending.TIME_LIMIT, "no action came for 600 s")
    assert [record.reason for record in kinds(world, EpisodeHandedBack)] == ["no action came for 600 s"]


# ---------------------------------------------------------------------------- take over
async def taken_over(host: EpisodeHost, after_s: float = 1.5) -> EpisodeControl:
    await asyncio.sleep(after_s)
    control = await host.intervene(EPISODE, TakeOverEpisode(by="ann"))
    assert (control.phase, control.by) == (EpisodePhase.TAKEN_OVER, "ann")
    return control


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
@pytest.mark.parametrize("after_s", [0.0, 0.5, 1.5, 2.2, 2.7, 3.0, 4.2, 5.1])
def test_a_person_acts_and_the_agent_goes_on_from_the_new_screen(after_s: float, schedule: str) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await taken_over(host, after_s)
        assert world.shown_on_id(control.screen) == world.screen
        for number in range(2):
            before = world.screen
            action = right_action(before)
            control = await host.intervene(EPISODE, act(action, control.screen, f"r{number}"))
            assert control.receipt is not None
            assert control.receipt.status == "done"
            assert world.screen == next_screen(before, action)
            assert world.shown_on_id(control.screen) == world.screen
            assert control.person_actions == number + 1
        sent = len(world.ledger)
        await asyncio.sleep(300)
        assert len(world.ledger) == sent
        control = await host.intervene(EPISODE, HandBackEpisode(by="ann"))
        assert control.phase is EpisodePhase.RUNNING

    world, result = with_world(
        meanwhile, slow(goal_screen="s6"), order(task={"limits": {"wall_s": 100}}, schedule=schedule)
    )
    assert result.ending is Ending.FINISHED
    assert world.unwritten == []
    records = world.written(EPISODE)
    sent = [record for record in records if isinstance(record, ActionSent)]
    assert [one.key for one in sent] == world.ledger
    own = [one for one in sent if one.by == "ann"]
    assert [one.request for one in own] == ["r0", "r1"]
    steps = {one.step for one in own}
    assert len(steps) == 2
    # Nobody judges what the person did, nor what the agent did right before it, if the verdict was not out.
    assert not steps & {one.step for one in records if isinstance(one, Reflected)}
    assert result.steps == len(sent) - 2
    # the agent is told
    told = [past for one in world.asked_of(Role.DECIDE) for past in one.history if past.by_person]
    assert {past.action for past in told} == {one.action for one in own}
    assert all(past.outcome is None and "person" in past.error for past in told)


def test_what_is_journalled_of_a_takeover() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await taken_over(host)
        await host.intervene(EPISODE, act(Back(), control.screen, "r0"))
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    world, _ = with_world(meanwhile)
    found = kinds(world, EpisodeTakenOver, EpisodeHandedBack, ActionSent, ActionReceived, ScreenCaptured)
    start = next(place for place, one in enumerate(found) if isinstance(one, EpisodeTakenOver))
    assert [one.kind for one in found[start:]][:6] == [
        "taken_over",
        "captured",
        "action_sent",
        "action_received",
        "captured",
        "handed_back",
    ]


def test_a_takeover_without_an_action_changes_nothing() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await taken_over(host, 2.7)
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    _, result = with_world(meanwhile)
    assert result.ending is Ending.FINISHED
    assert result.steps == 3


def test_a_takeover_ends_a_pause() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.5)
        await host.intervene(EPISODE, PauseEpisode(by="bob"))
        await asyncio.sleep(100)
        await taken_over(host)
        with pytest.raises(InterventionRefused, match="taken over by ann"):
            await host.intervene(EPISODE, ResumeEpisode(by="bob"))
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    assert with_world(meanwhile)[1].ending is Ending.FINISHED


async def leave_half_done(world: World, host: EpisodeHost) -> None:
    """Take over, act once, and go away."""
    control = await taken_over(host)
    await asyncio.sleep(500)
    control = await host.intervene(EPISODE, act(Back(), control.screen, "r0"))
    assert control.ends_at == pytest.approx(world.clock.now() + 600)
    await asyncio.sleep(599)
    assert (await host.intervene(EPISODE, ShowControl())).phase is EpisodePhase.TAKEN_OVER
    await asyncio.sleep(5)


LEFT = "ann took it over, and no action came for 600 s"


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
def test_the_agent_never_goes_on_in_what_a_person_has_left_half_done(schedule: str) -> None:
    world, result = with_world(leave_half_done, given=order(schedule=schedule))
    assert (result.ending, result.reason) == (Ending.NEEDS_PERSON, LEFT)
    assert [one.by for one in kinds(world, ActionSent)][-1] == "ann"
    assert kinds(world, EpisodeHandedBack) == []


@pytest.mark.parametrize("number", range(5))
def test_a_takeover_that_nobody_goes_on_with_ends_the_task_after_a_kill_too(number: int) -> None:
    world, _ = with_world(leave_half_done)
    seen = []

    def is_cut(record: Any) -> bool:
        if seen or isinstance(record, EpisodeTakenOver):
            seen.append(record)
        return len(seen) == number + 1

    resumed = cut_after(world, order(), is_cut)
    sent = list(world.ledger)

    async def main() -> EpisodeResult:
        return await world.host().run_episode(resumed)

    result = run_virtual(main())
    assert (result.ending, result.reason) == (Ending.NEEDS_PERSON, LEFT)
    assert world.ledger == sent, "nothing was sent after the person had gone"


def test_a_taken_over_episode_can_be_stopped() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await taken_over(host)
        await host.intervene(EPISODE, StopEpisode(by="bob"))

    assert with_world(meanwhile)[1].reason == "stopped by bob"


def test_an_action_is_carried_out_once_also_if_it_is_asked_for_again() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await taken_over(host)
        asked = act(Back(), control.screen, "r0")
        both = await asyncio.gather(*(host.intervene(EPISODE, asked) for _ in range(2)))
        again = await host.intervene(EPISODE, asked)
        keys = {one.receipt.key for one in (*both, again) if one.receipt is not None}
        assert len(keys) == 1
        assert len([one for one in world.ledger if one in keys]) == 1
        with pytest.raises(KeyReused):
            await host.intervene(EPISODE, act(Tap(x=1, y=1), again.screen, "r0"))
        gone = asyncio.create_task(host.intervene(EPISODE, act(Tap(x=1, y=1), again.screen, "r1")))
        await asyncio.sleep(0.1)
        gone.cancel()  # the client is gone: the action is carried out all the same
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))
        late = await host.intervene(EPISODE, act(Tap(x=1, y=1), again.screen, "r1"))
        assert late.receipt is not None
        assert (late.receipt.status, late.receipt.repeated) == ("done", True)

    world, _ = with_world(meanwhile, slow(goal_screen="s6"))
    assert [one.request for one in kinds(world, ActionSent) if one.by] == ["r0", "r1"]


def test_the_receipt_of_a_request_that_was_sent_under_two_keys_is_the_last_one() -> None:
    lost: list[Exception] = []

    def fault(method: str, count: int) -> Exception | None:
        if method != "perform" or not lost:
            return None
        return lost.pop()

    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await taken_over(host)
        asked = act(Back(), control.screen, "r0")
        lost.append(DeadlinePassed("no answer"))
        first = asyncio.create_task(host.intervene(EPISODE, asked))
        await asyncio.sleep(SLOW["perform"] + 0.1)
        again = await host.intervene(EPISODE, asked)  # the second key is under way
        late = await host.intervene(EPISODE, asked)
        for one in (await first, again, late):
            assert one.receipt is not None
            assert one.receipt.status == "done"
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    world, _ = with_world(meanwhile, slow(fault=fault, goal_screen="s6"))
    assert [one.request for one in kinds(world, ActionSent) if one.by] == ["r0", "r0"]


def test_what_is_refused() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.5)
        with pytest.raises(InterventionRefused, match="not taken over"):
            await host.intervene(EPISODE, act(Back(), "0" * 32, "r0"))
        control = await taken_over(host, 0)
        sent = len(world.ledger)
        with pytest.raises(InterventionRefused, match="another screen"):
            await host.intervene(EPISODE, act(Back(), "0" * 32, "r0"))
        with pytest.raises(InterventionRefused, match="taken over by ann"):
            await host.intervene(EPISODE, act(Back(), control.screen, "r1", by="bob"))
        with pytest.raises(InterventionRefused, match="taken over by ann"):
            await host.intervene(EPISODE, TakeOverEpisode(by="bob"))
        with pytest.raises(InterventionRefused, match="taken over by ann"):
            await host.intervene(EPISODE, HandBackEpisode(by="bob"))
        with pytest.raises(InterventionRefused, match="taken over by ann"):
            await host.intervene(EPISODE, PauseEpisode(by="bob"))
        with pytest.raises(BadInput, match="outside the screen"):
            await host.intervene(EPISODE, act(Tap(x=5000, y=1), control.screen, "r2"))
        with pytest.raises(BadInput, match="only the agent"):
            await host.intervene(EPISODE, act(Answer(text="done"), control.screen, "r3"))
        assert len(world.ledger) == sent
        assert (await host.intervene(EPISODE, TakeOverEpisode(by="ann"))).screen == control.screen
        await host.intervene(EPISODE, HandBackEpisode(by="bob", is_operator=True))

    _, result = with_world(meanwhile)
    assert result.ending is Ending.FINISHED


def test_what_the_phone_refuses_is_told_and_the_takeover_goes_on() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await taken_over(host)
        control = await host.intervene(EPISODE, act(Type(text="x"), control.screen, "r0"))
        assert control.receipt is not None
        assert (control.receipt.status, control.receipt.detail) == ("refused", "no keyboard")
        assert control.person_actions == 0
        await host.intervene(EPISODE, act(Back(), control.screen, "r1"))
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    _, result = with_world(meanwhile, slow(refuses={"Type": "no keyboard"}, goal_screen="s5"))
    assert result.ending is Ending.FINISHED


# ---------------------------------------------------------------------------- the ends of a takeover
@pytest.mark.parametrize("schedule", ["serial", "overlap"])
def test_the_agent_goes_on_after_a_takeover_from_before_its_first_step(schedule: str) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await taken_over(host, 0.0)
        await asyncio.sleep(5)
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))
        await asyncio.sleep(2)
        assert await phase(host) is EpisodePhase.RUNNING

    world, result = with_world(meanwhile, given=order(schedule=schedule))
    assert result.ending is Ending.FINISHED
    assert [one.by for one in kinds(world, EpisodeTakenOver, EpisodeHandedBack)] == ["ann", "ann"]


def test_a_person_is_told_if_the_episode_ends_during_the_action() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await taken_over(host)
        asked = [act(Back(), control.screen, f"r{number}") for number in range(2)]
        acts = [asyncio.create_task(host.intervene(EPISODE, one)) for one in asked]
        await asyncio.sleep(0.1)
        await host.intervene(EPISODE, StopEpisode(by="bob"))
        done, _ = await asyncio.wait(acts, timeout=1)
        assert done == set(acts)
        with pytest.raises(InterventionRefused, match="ended during the action"):
            await acts[0]
        with pytest.raises(InterventionRefused, match="was not sent"):
            await acts[1]

    assert with_world(meanwhile)[1].reason == "stopped by bob"


def test_requests_during_a_hand_back_do_not_reach_the_next_takeover() -> None:
    def latency(method: str, count: int) -> float:
        return {**SLOW, "capture": 0.3}.get(method, 0.0)

    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await taken_over(host)
        back = HandBackEpisode(by="ann")
        first = asyncio.create_task(host.intervene(EPISODE, back))
        while not kinds(world, EpisodeHandedBack):
            await asyncio.sleep(0.01)
        assert not first.done()
        second = asyncio.create_task(host.intervene(EPISODE, back))
        with pytest.raises(InterventionRefused, match="being handed back"):
            await host.intervene(EPISODE, act(Back(), control.screen, "late"))
        again = await host.intervene(EPISODE, TakeOverEpisode(by="ann"))
        assert again.phase is EpisodePhase.TAKEN_OVER
        await asyncio.wait_for(asyncio.gather(first, second), 1)
        await asyncio.sleep(5)
        assert await phase(host) is EpisodePhase.TAKEN_OVER
        await host.intervene(EPISODE, back)

    world, result = with_world(meanwhile, World(latency=latency))
    assert result.ending is Ending.FINISHED
    assert len(kinds(world, EpisodeTakenOver)) == 2
    assert not [one for one in kinds(world, ActionSent) if one.by]


# ---------------------------------------------------------------------------- interruptions
async def person_of_two_actions(world: World, host: EpisodeHost, after_s: float = 2.7) -> None:
    """Take over, act twice, hand back. Requests of an earlier takeover are made again, as a client does."""
    control = await taken_over(host, after_s)
    for number in range(2):
        action = Tap(x=10 + number, y=10)
        for _ in range(2):  # once more if the phone has shown another screen since
            screen = (await host.intervene(EPISODE, ShowControl())).screen
            try:
                control = await host.intervene(EPISODE, act(action, screen, f"r{number}"))
            except InterventionRefused:
                continue
            break
        assert control.receipt is not None
    await host.intervene(EPISODE, HandBackEpisode(by="ann"))


def the_way_of_a_person(screen: str, action: Action) -> str:
    """A tap of the person leads nowhere; the agent's right action leads on."""
    return (
        screen if isinstance(action, Tap) and action.y == 10 and action.x in (10, 11) else next_screen(screen, action)
    )


def killed(after: Callable[[Any], bool], fate: Fate) -> tuple[World, EpisodeOrder]:
    world, _ = with_world(person_of_two_actions, slow(moves=the_way_of_a_person))
    return world, cut_after(world, order(), after, fate)


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("number", range(9))
def test_an_episode_killed_in_a_takeover_resumes_in_it_and_repeats_nothing(number: int, fate: Fate) -> None:
    seen = []

    def is_cut(record: Any) -> bool:
        if seen or isinstance(record, EpisodeTakenOver):
            seen.append(record)
        return len(seen) == number + 1

    world, resumed = killed(is_cut, fate)
    took_back = isinstance(seen[-1], EpisodeHandedBack)

    async def main() -> EpisodeResult:
        host = world.host()
        running = asyncio.create_task(host.run_episode(resumed))
        await asyncio.sleep(0.3)
        control = await host.intervene(EPISODE, ShowControl())
        assert (control.phase is EpisodePhase.TAKEN_OVER) is not took_back
        if not took_back:
            await asyncio.sleep(500)
            await person_of_two_actions(world, host, 0)
        return await running

    result = run_virtual(main())
    assert result.ending is Ending.FINISHED
    assert len(set(world.ledger)) == len(world.ledger)
    sent = {one.key: one for one in kinds(world, ActionSent)}
    by_request = [sent[key].request for key in world.ledger if sent[key].by]
    assert len(by_request) == len(set(by_request))
    if fate != "perhaps not":
        assert sorted(by_request) == ["r0", "r1"]


@pytest.mark.parametrize("fate", FATES)
def test_an_episode_that_is_killed_after_a_takeover_goes_on_as_ever(fate: Fate) -> None:
    def is_first_after(record: Any) -> bool:
        return isinstance(record, ActionSent) and not record.by and record.step >= 3

    world, resumed = killed(is_first_after, fate)

    async def main() -> EpisodeResult:
        return await world.host().run_episode(resumed)

    assert run_virtual(main()).ending is Ending.FINISHED
    assert len(set(world.ledger)) == len(world.ledger)


def test_a_pause_outlives_an_interruption() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(1.5)
        await host.intervene(EPISODE, PauseEpisode(by="ann"))
        await asyncio.sleep(100)
        await host.intervene(EPISODE, ResumeEpisode(by="ann"))

    world, _ = with_world(meanwhile)
    resumed = cut_after(world, order(task={"limits": {"wall_s": 60}}), lambda one: isinstance(one, EpisodePaused))

    async def main() -> EpisodeResult:
        host = world.host()
        running = asyncio.create_task(host.run_episode(resumed))
        await asyncio.sleep(100)
        assert (await host.intervene(EPISODE, ShowControl())).phase is EpisodePhase.PAUSED
        await host.intervene(EPISODE, ResumeEpisode(by="ann"))
        return await running

    assert run_virtual(main()).ending is Ending.FINISHED


# ---------------------------------------------------------------------------- every profile, any moment
async def step_in(world: World, host: EpisodeHost, waits: Sequence[float], actions: int) -> None:
    """Take the episode over at these moments, and pause it in between, as long as it runs."""
    for number, wait_s in enumerate(waits):
        await asyncio.sleep(wait_s)
        try:
            await host.intervene(EPISODE, PauseEpisode(by="ann"))
            await asyncio.sleep(wait_s)
            control = await host.intervene(EPISODE, TakeOverEpisode(by="ann"))
            for count in range(actions):
                action = Tap(x=10 + count, y=10)
                control = await host.intervene(EPISODE, act(action, control.screen, f"{number}.{count}"))
            await asyncio.sleep(wait_s)
            await host.intervene(EPISODE, HandBackEpisode(by="ann"))
        except InterventionRefused:
            return


async def hand_back_always(host: EpisodeHost) -> None:
    while await host.progress():
        now = await phase(host)
        if now is EpisodePhase.PAUSED:
            await host.intervene(EPISODE, ResumeEpisode(by="ann"))
        elif now is EpisodePhase.TAKEN_OVER:
            await host.intervene(EPISODE, HandBackEpisode(by="ann"))
        await asyncio.sleep(1)


async def phase(host: EpisodeHost) -> EpisodePhase:
    return (await host.intervene(EPISODE, ShowControl())).phase


def check_any_moment(
    profile: str, schedule: str, seed: int, waits: Sequence[float], actions: int, cut: Cut | None
) -> None:
    if schedule == "speculate" and not PROFILES[profile].loop(EpisodeSettings(profile=profile)).assumptions:
        schedule = "overlap"
    world = WORLDS[profile](seed, 0.1, lambda method, count: drawn(seed, method, count))
    agents = world.moves

    def moves(screen: str, action: Action) -> str:
        is_persons = isinstance(action, Tap) and action.y == 10 and action.x in (10, 11)
        return screen if is_persons else agents(screen, action)

    world.moves = moves
    given_order = order(task=PATIENT, profile=profile, schedule=schedule)
    _, result = with_world(lambda world, host: step_in(world, host, waits, actions), world, given_order)
    if cut is not None:
        resumed = interrupted(world, given_order, cut)

        async def main() -> EpisodeResult:
            host = world.host()
            running = asyncio.create_task(host.run_episode(resumed))
            await asyncio.sleep(1)
            await hand_back_always(host)
            return await running

        result = run_virtual(main())
    assert result.ending is Ending.FINISHED, result.reason
    assert len(set(world.ledger)) == len(world.ledger)
    assert world.unwritten == []
    records = effective_records(world.written(EPISODE))
    persons = {one.step for one in records if isinstance(one, ActionSent) and one.by}
    assert not persons & {one.step for one in records if isinstance(one, Reflected | ActionDecided)}
    captured = [one.step for one in records if isinstance(one, ScreenCaptured)]
    assert captured == sorted(set(captured))


@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(sorted(WORLDS)),
    st.sampled_from(sorted(SCHEDULES)),
    st.integers(0, 1000),
    st.lists(st.floats(0, 6), min_size=1, max_size=3),
    st.integers(0, 2),
    st.none() | CUTS,
)
def test_a_person_may_step_in_at_any_moment_in_every_profile(
    profile: str, schedule: str, seed: int, waits: list[float], actions: int, cut: Cut | None
) -> None:
    check_any_moment(profile, schedule, seed, waits, actions, cut)
