"""The prompts of whole episodes against docs/profiles.md: by default, exactly as in the paper, without each part."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt, dialect_named
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.profiles import v2
from manyhands.actors.profiles.v2.requests import PAPERS_HINT, FocusRequest, OperationRequest
from manyhands.actors.prompts import Prompts
from manyhands.protocol.base import Ending
from manyhands.protocol.roles.requests import Request
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action, Stop, Tap
from tests.actors.episode.world import shown
from tests.actors.profiles import documented
from tests.actors.profiles.v2.world import V2World, play, right_operation

INPUTS, PARTS = documented.inputs("v2"), documented.parts("v2")
LEFT_OUT = {"planner": "planner", "reflector": "reflector", "memory": "notetaker"}
EVERY = [()] + [(part,) for part in PARTS]
DIALECT = dialect_named("qwen3-vl")


def stumbling() -> V2World:
    """A world in which the first action on s1 leads astray, from where one Back leads back."""

    def operates(request: OperationRequest) -> Action:
        name = shown(request.screen)
        if name == "s3" or name.startswith("wrong"):
            return Stop()
        return Tap(x=99, y=9) if name == "s1" and not request.tried else right_operation(request, "s3")

    return V2World(operates=operates)


def texts_of(prompt: Prompt) -> str:
    later = (part for turn in prompt.turns for part in turn.content)
    return "\n".join(part for part in (*prompt.content, *later) if isinstance(part, str))


def pictures(request: Request[Any]) -> list[ModelImage]:
    return [ModelImage(shot.content_id, b"") for shot in request.screenshots]


def prompts_of(world: V2World, settings: EpisodeSettings) -> dict[str, list[tuple[set[Section], int, str]]]:
    """The sections, pictures and system text of each prompt that the episode's requests lead to, by role."""
    replies = v2.PROFILE.replies(settings)
    prompts = Prompts(DIALECT, "json", v2.PROFILE.package, replies, paper_exact=settings.paper_exact)
    decides = next(agent for agent in v2.PROFILE.agents(settings) if agent.role.spec.agent == "operator")
    found = defaultdict(list)
    for agent in v2.PROFILE.agents(settings):
        name = agent.role.spec.agent
        for request in world.asked_of(agent.role):
            if isinstance(request, FocusRequest):  # the world's conversation is none of prompts: take the decision's
                asked = [one for one in world.begun["decide"] if one.screenshot == request.screenshot]
                decided = decides.prompt(prompts, asked[-1], pictures(asked[-1]))
                request = request.model_copy(update={"conversation": tuple(messages_of(decided))})
            prompt = agent.prompt(prompts, request, pictures(request))
            found[name].append((set(split_sections(texts_of(prompt))), len(prompt.images), prompt.system))
    return found


def test_the_table_of_parts_is_the_profiles() -> None:
    assert {part: what for part, (what, _) in PARTS.items()} == dict(v2.PROFILE.parts)


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("without", EVERY, ids=lambda parts: "-".join(parts) or "whole")
def test_each_role_is_shown_what_the_table_says(schedule: str, exact: bool, without: tuple[str, ...]) -> None:
    if exact and schedule == "speculate":
        pytest.skip("paper_exact excludes it")
    settings = {"schedule": schedule, "paper_exact": exact, "without": without, "cheap_verdicts": ()}
    world = stumbling()
    result, _ = play(world, task={"hints": "a hint"}, **settings)
    assert result.ending is Ending.FINISHED, result.reason
    found = prompts_of(world, EpisodeSettings(profile="v2", **settings))  # type: ignore[arg-type]
    gone = frozenset().union(*(PARTS[part][1] for part in without))
    assert found.keys() == INPUTS.keys() - {LEFT_OUT.get(part) for part in without}
    for role, prompts in found.items():
        sections = set().union(*(sections for sections, _, _ in prompts))
        assert sections == INPUTS[role].shown(exact, gone), role
        assert {pictures for _, pictures, _ in prompts} == {len(INPUTS[role].pictures)}
    assert len({system for prompts in found.values() for _, _, system in prompts}) == 1


@pytest.mark.parametrize("exact", [False, True])
def test_exact_prompts_have_the_hint_and_the_language_of_the_papers_tables(exact: bool) -> None:
    world = stumbling()
    play(world, task={"hints": "a hint"}, schedule="serial", paper_exact=exact, cheap_verdicts=())
    prompts = Prompts(DIALECT, "json", v2.PROFILE.package, v2.PROFILE.replies(EpisodeSettings(profile="v2")))
    planning = next(agent for agent in v2.PROFILE.agents(EpisodeSettings(profile="v2")) if agent.role is Role.PLAN)
    texts = [texts_of(planning.prompt(prompts, request, [])) for request in world.asked_of(Role.PLAN)]
    assert len(texts) > 1
    assert ["Write in English." in text for text in texts] == [exact, *[False] * (len(texts) - 1)]
    hints = [request.brief.hints for role in (Role.PLAN, Role.DECIDE, Role.REFLECT) for request in world.asked_of(role)]
    assert set(hints) == {f"{PAPERS_HINT}\na hint" if exact else "a hint"}
