"""The prompts of whole episodes of ``e+evo`` against those of ``e``: the same, but for what a shortcut brings with it.

What is compared is every word of every prompt, by role, with the pictures and in order.
"""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import dialect_named
from manyhands.actors.profiles import PROFILES
from manyhands.actors.profiles.e_evo import PARTS
from manyhands.actors.prompts import Prompts
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.replies import without_actions
from manyhands.protocol.roles.requests import DecideRequest, ReflectRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action, RunShortcut, Stop, Tap
from tests.actors.episode.shortcut_world import WatchedWorld, knowing
from tests.actors.episode.world import content_id, tap
from tests.actors.profiles.e.test_inputs import EVERY
from tests.virtual_clock import run_virtual

NAMES = {content_id(name): name for name in (*(f"s{number}" for number in range(9)), "field", "typed")}
OF_E, EVO = PROFILES["e"], PROFILES["e+evo"]
OWN = sorted(PARTS.keys() - OF_E.parts.keys())
CALL = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})
SCHEDULES = ["serial", "overlap", "speculate"]
Sent = dict[str, list[tuple[str, ...]]]
"""By role, each prompt as its texts and the names of its pictures."""


def stumbling(uses: bool) -> WatchedWorld:
    """A world in which two actions on s1 change nothing; then it is left by a tap, or by a shortcut."""
    tried: list[str] = []

    def chooses(request: DecideRequest) -> Action:
        name = NAMES[request.screenshot.content_id]
        tried.append(name)
        if name == "s3":
            return Stop()
        if name == "s1" and tried.count("s1") in (1, 2):
            return Tap(x=50 + len(tried), y=9)
        return CALL if uses and name == "s1" else tap(int(name[1:]))

    def judges(request: ReflectRequest) -> Outcome:
        return Outcome.C if request.before.content_id == request.after.content_id else Outcome.A

    def moves(screen: str, action: Action) -> str:
        steps = {("s1", Tap(x=5, y=6)): "field"}
        if (screen, action) in steps:
            return "field"
        if screen in ("field", "typed"):
            return {"Type": "typed", "Enter": "s2"}.get(action.name, screen)
        return f"s{int(screen[1:]) + 1}" if action == tap(int(screen[1:])) else screen

    return WatchedWorld(chooses=chooses, judges=judges, moves=moves)


def played(profile: str, uses: bool = False, **settings: Any) -> tuple[WatchedWorld, Sent]:
    """An episode, and the prompts that its requests led to. Of ``e`` no memory has ids."""
    world = stumbling(uses)
    order = knowing(profile=profile, task={"hints": "a hint"}, **settings)
    if profile == "e":
        order = order.model_copy(update={"memory": LongTermMemory(shortcuts=order.memory.shortcuts)})
    result = run_virtual(world.host().run_episode(order))
    assert result.ending is Ending.FINISHED, result.reason
    return world, _prompts(world, EpisodeSettings(profile=profile, **settings))


def _prompts(world: WatchedWorld, settings: EpisodeSettings) -> Sent:
    profile = PROFILES[settings.profile]
    offered = profile.not_offered(settings)
    replies = tuple(without_actions(reply, offered) for reply in profile.replies(settings))
    prompts = Prompts(dialect_named("qwen3-vl"), "json", profile.package, replies)
    found: Sent = {}
    for agent in profile.agents(settings):
        for request in world.asked_of(agent.role):
            images = [ModelImage(shot.content_id, b"") for shot in request.screenshots]
            made = agent.prompt(prompts, request, images)
            shown = (part if isinstance(part, str) else part.content_id for part in made.content)
            found.setdefault(agent.role.value, []).append((made.system, *shown))
    return found


def section(sent: Sent, role: Role, name: Section) -> list[str | None]:
    """What each prompt of a role has there."""
    return [split_sections("\n".join(prompt)).get(name) for prompt in sent[role.value]]


# ---------------------------------------------------------------------------- a step without a shortcut
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("without", EVERY, ids=lambda parts: "-".join(parts) or "whole")
def test_an_episode_without_a_shortcut_makes_the_calls_of_e_and_no_other(
    schedule: str, exact: bool, without: tuple[str, ...]
) -> None:
    if exact and schedule == "speculate":
        pytest.skip("paper_exact excludes it")
    settings = {"schedule": schedule, "paper_exact": exact, "without": without}
    (world, sent), (evolving, evolved) = played("e", **settings), played("e+evo", **settings)
    assert sent
    assert evolved == sent
    asked = {method: count for method, count in evolving.count.items() if method != "append"}
    assert asked == {method: count for method, count in world.count.items() if method != "append"}
    assert [method for method, *_ in evolving.calls if method in ("permit", "put_aside", "used")] == []
    assert evolving.ledger == world.ledger


@pytest.mark.parametrize("part", OWN)
def test_the_parts_of_evolution_change_nothing_in_a_step_without_a_shortcut(part: str) -> None:
    assert played("e+evo", without=(part,))[1] == played("e")[1]


# ---------------------------------------------------------------------------- a step with one
def test_a_learned_shortcut_is_permitted_and_the_reflector_reads_its_actions() -> None:
    (world, sent), (evolving, evolved) = played("e", uses=True), played("e+evo", uses=True)
    assert [world.count[name] for name in ("permit", "put_aside", "used")] == [0, 0, 0]
    assert [evolving.count[name] for name in ("permit", "put_aside", "used")] == [1, 2, 1]
    (permit,) = evolved.pop(Role.PERMIT.value)
    assert "You are the verifier" in permit[-1]
    told = section(evolved, Role.REFLECT, Section.SENT)
    assert [text is not None for text in told] == [False, True, False]
    assert section(sent, Role.REFLECT, Section.SENT) == [None] * 3
    before, after = sent[Role.REFLECT.value], evolved[Role.REFLECT.value]
    assert [before[0], before[2]] == [after[0], after[2]]
    whole, more = (split_sections("\n".join(one[1])) for one in (before, after))
    assert {name for name in more if more[name] != whole.get(name)} == {Section.SENT}
    assert {role: prompts for role, prompts in evolved.items() if role != Role.REFLECT.value} == {
        role: prompts for role, prompts in sent.items() if role != Role.REFLECT.value
    }
    assert evolving.ledger == world.ledger


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("part", OWN)
def test_without_a_part_what_a_shortcut_is_asked_for_goes_and_nothing_else(schedule: str, part: str) -> None:
    _, whole = played("e+evo", uses=True, schedule=schedule)
    world, sent = played("e+evo", uses=True, schedule=schedule, without=(part,))
    if part == "preconditions":
        assert Role.PERMIT.value not in sent
        whole.pop(Role.PERMIT.value)
    assert sent == whole
    asked = 1 if part == "preconditions" else 2  # whether it was put aside: before the verifier, and after its yes
    assert (world.count["put_aside"], world.count["used"]) == (asked, 1)


@pytest.mark.parametrize("without", [("preconditions",), ("checks",), ("recall",), ("future-tasks",), ()])
def test_as_the_paper_has_it_shortcuts_are_used_as_in_e(without: tuple[str, ...]) -> None:
    world, sent = played("e", uses=True, paper_exact=True)
    evolving, evolved = played("e+evo", uses=True, paper_exact=True, without=without)
    assert evolved == sent
    assert [evolving.count[name] for name in ("permit", "put_aside", "used")] == [0, 0, 0]
    assert evolving.ledger == world.ledger


def test_who_is_asked_beside_the_steps_is_what_the_parts_leave() -> None:
    around = {Role.PERMIT, Role.RECALL, Role.LEARN_SHORTCUTS, Role.LEARN_TIPS}
    gone = {
        "preconditions": {Role.PERMIT},
        "recall": {Role.RECALL},
        "learn-shortcuts": {Role.LEARN_SHORTCUTS},
        "learn-tips": {Role.LEARN_TIPS},
        "shortcuts": {Role.PERMIT, Role.LEARN_SHORTCUTS},
        "tips": {Role.LEARN_TIPS},
    }
    for part in ("", *EVO.parts):
        settings = EpisodeSettings(profile="e+evo", without=(part,) if part else ())
        assert set(EVO.roles(settings)) & around == around - gone.get(part, set()), part
    exact = EpisodeSettings(profile="e+evo", paper_exact=True)
    assert set(EVO.roles(exact)) & around == around - {Role.PERMIT}
    assert set(OF_E.roles(EpisodeSettings())) & around == set()
