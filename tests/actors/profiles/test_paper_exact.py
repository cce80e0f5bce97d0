"""With ``paper_exact`` the prompts of the papers' profiles stay byte for byte as they are in ``paper_exact/``.

To write these files anew after a change that is meant, run this file's tests with ``WRITE_GOLDEN=1``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.episode.profile import Profile
from manyhands.actors.mllm.request.bodies import sent_schema
from manyhands.actors.profiles import e, v1, v2
from manyhands.actors.profiles.v1.requests import ChatSoFar
from manyhands.actors.profiles.v2.requests import FocusRequest, OperationRequest
from manyhands.protocol.roles.requests import Request
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action, ClickText, Stop, Tap
from tests.actors.episode.world import World, order, shown
from tests.actors.profiles.e.test_inputs import stumbling
from tests.actors.profiles.rendered_prompts import MODEL, pictures_of, prompts_of, written
from tests.actors.profiles.v1.chat_world import ChatWorld
from tests.actors.profiles.v2.world import V2World, play, right_operation
from tests.actors.roles import examples
from tests.virtual_clock import run_virtual

FOLDER = Path(__file__).parent / "paper_exact"


def settings_of(profile: Profile) -> EpisodeSettings:
    return EpisodeSettings(profile=profile.name, paper_exact=True, cheap_verdicts=())


def rendered(profile: Profile, requests: Sequence[Request[Any]]) -> str:
    """The longest prompt of each kind of request, in the order of the first of each, and the schemas of replies."""
    settings = settings_of(profile)
    prompts = prompts_of(profile, settings)
    agents = {agent.role: agent for agent in profile.agents(settings)}
    longest: dict[str, str] = {}
    for request in requests:
        made = "\n".join(written(agents[request.role].prompt(prompts, request, pictures_of(request)), ids=True))
        kind = type(request).__name__
        longest[kind] = max(longest.get(kind, ""), made, key=len)
    for reply in profile.role_settings(settings, MODEL).offered_replies:
        longest[reply.__name__] = json.dumps(sent_schema(reply))
    return "\n\n".join(f"==== {kind}\n{text}" for kind, text in longest.items()) + "\n"


def requests_of_e() -> list[Request[Any]]:
    world: World = stumbling()
    asked = order(task={"hints": "a hint"}, schedule="serial", paper_exact=True, cheap_verdicts=())
    run_virtual(world.host().run_episode(asked))
    played = [request for agent in e.PROFILE.agents(settings_of(e.PROFILE)) for request in world.asked_of(agent.role)]
    after = examples.reflect_request("text", sees_after=True)
    return [
        *played,
        examples.plan_request("text", stuck=True),
        examples.decide_request("text", ("Wi-Fi", "| a bar")),
        after,
        examples.note_request("text"),
    ]


def requests_of_v1() -> list[Request[Any]]:
    def operates(request: ChatSoFar[Any]) -> Action:
        return ClickText(text="Save") if len(request.chat) < 4 else Stop()

    world = ChatWorld(operates)
    world.play(task={"hints": "a hint"}, paper_exact=True)
    return [one for one in world.asked if isinstance(one, ChatSoFar)]


def requests_of_v2() -> list[Request[Any]]:
    def operates(request: OperationRequest) -> Action:
        name = shown(request.screen)
        if name == "s3" or name.startswith("wrong"):
            return Stop()
        return Tap(x=99, y=9) if name == "s1" and not request.tried else right_operation(request, "s3")

    world = V2World(operates=operates)
    play(world, task={"hints": "a hint"}, schedule="serial", paper_exact=True, cheap_verdicts=())
    agents = v2.PROFILE.agents(settings_of(v2.PROFILE))
    asked = [request for role in dict.fromkeys(agent.role for agent in agents) for request in world.asked_of(role)]
    return [one for one in asked if not isinstance(one, FocusRequest)]


@pytest.mark.parametrize(
    ("profile", "requests"), [(e.PROFILE, requests_of_e), (v1.PROFILE, requests_of_v1), (v2.PROFILE, requests_of_v2)]
)
def test_prompts_as_in_the_papers_stay_as_they_are(
    profile: Profile, requests: Callable[[], list[Request[Any]]]
) -> None:
    golden, made = FOLDER / f"{profile.name}.txt", rendered(profile, requests())
    if os.environ.get("WRITE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(made)
    assert made == golden.read_text()


def test_the_chat_of_v1_does_not_say_that_pictures_are_left_out() -> None:
    """All stay: ``test_with_paper_exact_all_pictures_stay``."""
    text = (FOLDER / "v1.txt").read_text(encoding="utf-8")
    assert "left out" not in text


@pytest.mark.parametrize("name", ["e", "v1", "v2"])
def test_no_action_has_an_argument_that_its_table_lacks(name: str) -> None:
    """Table 8 of E, and the lists of operations of v1 and v2."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert '"clear"' not in text
