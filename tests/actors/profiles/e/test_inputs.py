"""The prompts of whole episodes against docs/profiles.md: by default, exactly as in the paper, without each part."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import dialect_named
from manyhands.actors.profiles import e
from manyhands.actors.prompts import Prompts
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.roles.replies import without_actions
from manyhands.protocol.roles.requests import DecideRequest, ReflectRequest
from manyhands.protocol.roles.role import DecideReply
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import ASK, ATOMS, Action, Stop, Tap
from tests.actors.episode.world import World, content_id, order, tap
from tests.actors.profiles import documented
from tests.virtual_clock import run_virtual

INPUTS, PARTS = documented.inputs("e"), documented.parts("e")
NAMES = {content_id(name): name for name in (f"s{number}" for number in range(9))}
SYSTEM = {Section.ACTIONS, Section.FORMAT}
EVERY = [()] + [(part,) for part in PARTS]
DIALECT = dialect_named("qwen3-vl")


def stumbling() -> World:
    """A world in which two actions on s1 change nothing, and the operator stops at the goal."""
    tried: list[str] = []

    def chooses(request: DecideRequest) -> Action:
        name = NAMES[request.screenshot.content_id]
        tried.append(name)
        if name == "s3":
            return Stop()
        return Tap(x=50 + len(tried), y=9) if tried.count("s1") in (1, 2) and name == "s1" else tap(int(name[1:]))

    def judges(request: ReflectRequest) -> Outcome:
        return Outcome.C if request.before.content_id == request.after.content_id else Outcome.A

    def moves(screen: str, action: Action) -> str:
        return f"s{int(screen[1:]) + 1}" if action == tap(int(screen[1:])) else screen

    return World(chooses=chooses, judges=judges, moves=moves)


def prompts_of(world: World, settings: EpisodeSettings) -> dict[str, list[tuple[set[Section], int, str]]]:
    """The sections, pictures and system text of each prompt that the episode's requests lead to, by role."""
    offered = e.PROFILE.not_offered(settings)
    replies = tuple(without_actions(reply, offered) for reply in e.PROFILE.replies(settings))
    prompts = Prompts(DIALECT, "json", e.PROFILE.package, replies, paper_exact=settings.paper_exact)
    found = defaultdict(list)
    for agent in e.PROFILE.agents(settings):
        name = agent.role.spec.agent
        for request in world.asked_of(agent.role):
            images = [ModelImage(shot.content_id, b"") for shot in request.screenshots]
            prompt = agent.prompt(prompts, request, images)
            texts = [part for part in prompt.content if isinstance(part, str)]
            found[name].append((set(split_sections("\n".join(texts))), len(prompt.images), prompt.system))
    return found


def played(settings: dict[str, Any]) -> tuple[World, EpisodeSettings]:
    world = stumbling()
    result = run_virtual(world.host().run_episode(order(task={"hints": "a hint"}, **settings)))
    assert result.ending is Ending.FINISHED, result.reason
    return world, EpisodeSettings.model_validate(settings)


def test_the_table_of_parts_is_the_profiles() -> None:
    assert {part: what for part, (what, _) in PARTS.items()} == dict(e.PROFILE.parts)


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("without", EVERY, ids=lambda parts: "-".join(parts) or "whole")
def test_each_role_is_shown_what_the_table_says(schedule: str, exact: bool, without: tuple[str, ...]) -> None:
    if exact and schedule == "speculate":
        pytest.skip("paper_exact excludes it")
    world, settings = played({"schedule": schedule, "paper_exact": exact, "without": without})
    found = prompts_of(world, settings)
    gone = frozenset().union(*(PARTS[part][1] for part in without))
    assert found.keys() == INPUTS.keys() - set(without)
    for role, prompts in found.items():
        expected = INPUTS[role].shown(exact, gone)
        if "planner" in without or "reflector" in without:  # nobody to be stuck, or nobody who says so
            expected -= {Section.STUCK}
        assert set().union(*(sections for sections, _, _ in prompts)) == expected, role
        assert {pictures for _, pictures, _ in prompts} == {len(INPUTS[role].pictures)}
    assert len({system for prompts in found.values() for _, _, system in prompts}) == 1


@pytest.mark.parametrize("told", [False, True])
def test_exactly_as_the_paper_the_planner_is_told_tips_only_where_its_text_counts(told: bool) -> None:
    found = prompts_of(*played({"paper_exact": True, "planner_tips": told}))
    with_tips = {role for role, prompts in found.items() if any(Section.TIPS in sections for sections, _, _ in prompts)}
    assert with_tips == ({"planner", "operator"} if told else {"operator"})


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("without", EVERY, ids=lambda parts: "-".join(parts) or "whole")
def test_the_operator_is_offered_the_actions_of_its_settings(exact: bool, without: tuple[str, ...]) -> None:
    settings = EpisodeSettings(paper_exact=exact, without=without)
    (reply,) = [one for one in e.PROFILE.replies(settings) if issubclass(one, DecideReply)]
    offered = without_actions(reply, e.PROFILE.not_offered(settings) | {ASK})
    assert issubclass(offered, DecideReply)
    nine = ["Open_App", "Tap", "Swipe", "Type", "Enter", "Switch_App", "Back", "Home", "Wait"]
    names = {*nine} if exact else {*ATOMS, "Tap_Element"}
    if exact and "planner" in without:
        names |= {"Stop"}
    if "elements" in without:
        names -= {"Tap_Element"}
    assert offered.actions.specs.keys() == names
    assert offered.actions.shortcuts == ("shortcuts" not in without)
    if exact:
        written = {name: [one.name for one in spec.parameters] for name, spec in offered.actions.specs.items()}
        assert (written["Type"], written["Wait"]) == (["text"], [])


def test_exactly_as_the_paper_the_notetaker_is_asked_after_each_step() -> None:
    asked = {exact: len(played({"paper_exact": exact})[0].begun["note"]) for exact in (False, True)}
    assert asked == {False: 3, True: 5}


def test_without_a_reflector_the_limit_of_steps_still_ends_an_episode() -> None:
    world = stumbling()
    task = {"limits": {"max_steps": 2}}
    result = run_virtual(world.host().run_episode(order(task=task, without=("reflector", "planner"))))
    assert (result.ending, result.steps) == (Ending.STEP_LIMIT, 2)


def test_without_a_planner_a_limit_takes_effect_before_the_operator_exactly_as_well() -> None:
    for exact in (False, True):
        world = World(judges=lambda request: Outcome.C, moves=lambda screen, action: screen)
        result = run_virtual(world.host().run_episode(order(without=("planner",), paper_exact=exact)))
        assert result.ending in (Ending.FAILURE_LIMIT, Ending.REPEAT_LIMIT), result.reason


@pytest.mark.parametrize(("exact", "ending", "steps"), [(False, Ending.STEP_LIMIT, 6), (True, Ending.REPEAT_LIMIT, 4)])
def test_without_a_reflector_equal_actions_end_an_episode_under_paper_exact(
    exact: bool, ending: Ending, steps: int
) -> None:
    world = World(moves=lambda screen, action: screen)
    task = {"limits": {"max_steps": 6}}
    result = run_virtual(world.host().run_episode(order(task=task, without=("reflector",), paper_exact=exact)))
    assert (result.ending, result.steps) == (ending, steps)


@pytest.mark.parametrize("exact", [False, True])
def test_without_a_reflector_the_operator_is_told_what_could_not_be_carried_out(exact: bool) -> None:
    world = World(refuses={"Tap": "the display is off"})
    task = {"limits": {"max_steps": 2}}
    run_virtual(world.host().run_episode(order(task=task, without=("reflector",), paper_exact=exact)))
    (past,) = world.begun["decide"][1].history
    assert past.outcome is None
    assert "the display is off" in past.error
