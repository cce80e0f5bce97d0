"""A learned shortcut in the chat: permitted before its use, watched after it, and judged with the next answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.profiles import PROFILES
from manyhands.actors.profiles.native.requests import ActRequest
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import Record, Reflected
from manyhands.protocol.roles.requests import PermitRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, RunShortcut, Stop, Tap
from tests.actors.episode.shortcut_world import WatchedWorld, knowing
from tests.actors.episode.world import right_action
from tests.actors.profiles.native.world import NativeWorld
from tests.virtual_clock import run_virtual

NAME = "native+evo"
CALL = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})


def moves(screen: str, action: Action) -> str:
    """Search leads from s1 over a field to s2."""
    if (screen, action) == ("s1", Tap(x=5, y=6)):
        return "field"
    if screen in ("field", "typed"):
        return {"Type": "typed", "Enter": "s2"}.get(action.name, screen)
    return f"s{int(screen[1:]) + 1}" if action == right_action(screen) else screen


def acts(name: str) -> Action:
    if name == "s3":
        return Stop()
    return CALL if name == "s1" else right_action(name)


@dataclass
class LearningWorld(WatchedWorld, NativeWorld):
    """The world with the agent of the chat, a verifier and a memory."""

    def collaborators(self) -> Collaborators:
        watched, chat = WatchedWorld.collaborators(self), NativeWorld.collaborators(self)
        agents = {**chat.agents, Role.PERMIT: watched.agents[Role.PERMIT]}
        return replace(watched, agents=agents)

    def host(self, **settings: Any) -> EpisodeHost:
        return EpisodeHost(HostSettings(**settings), self.collaborators(), self.clock)


def play(world: LearningWorld, **chosen: Any) -> tuple[EpisodeResult, list[Record]]:
    given = knowing(profile=NAME, **chosen)
    result = run_virtual(world.host().run_episode(given))
    return result, list(world.written(given.episode))


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
def test_a_shortcut_is_permitted_carried_out_judged_and_watched(schedule: str) -> None:
    world = LearningWorld(acts=acts, moves=moves)
    result, journal = play(world, schedule=schedule)
    assert (result.ending, result.steps) == (Ending.FINISHED, 4)
    (asked,) = world.requests("permit")
    assert asked.screen is not None
    assert [one.reflection.outcome for one in journal if isinstance(one, Reflected)] == [Outcome.A] * 3
    (use,) = world.uses.values()
    assert (use.step, use.outcome) == (1, "worked")


def test_a_shortcut_that_is_not_permitted_is_not_sent_and_the_agent_is_told() -> None:
    refused = "the field is not there"
    tried: list[str] = []

    def once(name: str) -> Action:
        tried.append(name)
        return Stop() if tried.count("s1") == 2 else acts(name)

    def refuses(request: PermitRequest) -> str:
        return refused

    world = LearningWorld(acts=once, moves=moves, permits=refuses)
    play(world)
    last = [one for one in world.asked_of(Role.DECIDE) if isinstance(one, ActRequest)][-1]
    assert refused in last.steps[-1].told
    assert not last.steps[-1].asks_verdict


def test_it_asks_the_same_roles_around_tasks_as_e_evo() -> None:
    def around(name: str) -> set[Role]:
        settings = EpisodeSettings(profile=name)
        return {role for role in PROFILES[name].roles(settings) if not role.spec.in_steps}

    assert around(NAME) == around("e+evo")
    assert PROFILES[NAME].learns
