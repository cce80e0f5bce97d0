"""A tap on a text: found among the elements of the screen, or by perception, or the agent is told why not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from manyhands.actors.episode.host import Collaborators
from manyhands.actors.frames import Frame
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.perception.grounding.locate import find_texts
from manyhands.actors.profiles import PROFILES
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import Acted, ActionSent
from manyhands.protocol.messages import CallContext
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action, ClickText, Stop, Tap
from manyhands.protocol.screens.screen import Located, LocateQuery, Screenshot
from tests.actors.episode.world import WorldPerception
from tests.actors.mllm.native.example_chat import chat_at
from tests.actors.profiles.native.test_loop import play
from tests.actors.profiles.native.world import NativeWorld

PLACE = Tap(x=20, y=25)
"""The centre of the text with the screen's name."""


class WorldLocator(WorldPerception):
    """Finds texts on the screens of the small world."""

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        screen = await self.perceive(screenshot, frame, context)
        self.world.count["locate"] += 1
        return Located(matches=tuple(find_texts(screen.elements, query.words)))


@dataclass
class TextWorld(NativeWorld):
    def collaborators(self) -> Collaborators:
        return replace(super().collaborators(), locator=WorldLocator(self))


def onwards(screen: str, action: Action) -> str:
    return f"s{int(screen[1:]) + 1}" if action == PLACE else screen


def by_name(name: str) -> Action:
    return Stop() if name == "s2" else ClickText(text=name.upper())


@pytest.mark.parametrize("schedule", ["serial", "overlap"])
@pytest.mark.parametrize("reading_s", [0.0, 5.0])
def test_a_text_is_tapped_where_it_stands(schedule: str, reading_s: float) -> None:
    slow = {"perceive": reading_s, "decide": 1.0}
    world = TextWorld(acts=by_name, moves=onwards, latency=lambda method, count: slow.get(method, 0.0))
    result, journal = play(world, schedule=schedule)
    assert (result.ending, world.screen) == (Ending.FINISHED, "s2")
    assert [one.action for one in journal if isinstance(one, ActionSent)] == [PLACE, PLACE]
    late = schedule == "overlap" and reading_s > 1
    assert (world.count["locate"] > 0) is late, "perception looks for it only where the elements are not known yet"


def test_a_text_that_is_not_there_is_not_tapped_and_the_agent_is_told() -> None:
    chosen: list[Action] = [ClickText(text="Nowhere at all"), Stop()]
    world = TextWorld(acts=lambda name: chosen.pop(0))
    _, journal = play(world)
    assert not [one for one in journal if isinstance(one, ActionSent)]
    problem = next(one.problem for one in journal if isinstance(one, Acted))
    assert problem == "the text 'Nowhere at all' is not on the screen"
    assert f"was not carried out: {problem}" in world.asked_to_act[-1].steps[-1].told


@pytest.mark.parametrize("reading_s", [0.0, 5.0])
@pytest.mark.parametrize("words", ["S", "0", "SO", "S0 S0"])
def test_a_text_in_other_words_is_not_tapped(words: str, reading_s: float) -> None:
    """The screen shows "S0", which contains some of these words and is similar to others."""
    chosen: list[Action] = [ClickText(text=words), Stop()]
    slow = {"perceive": reading_s, "decide": 1.0}
    world = TextWorld(acts=lambda name: chosen.pop(0), latency=lambda method, count: slow.get(method, 0.0))
    _, journal = play(world, schedule="overlap")
    assert not [one for one in journal if isinstance(one, ActionSent)]
    assert next(one.problem for one in journal if isinstance(one, Acted)) == f"the text {words!r} is not on the screen"


def test_a_run_may_leave_it_out_and_no_family_is_offered_it() -> None:
    profile = PROFILES["native"]
    without = EpisodeSettings(profile="native", without=("elements",))
    assert profile.not_offered(without) == {"Click_Text", "Tap_Element"}
    assert profile.not_offered(EpisodeSettings(profile="native")) == {"Tap_Element"}
    assert profile.not_offered(EpisodeSettings(profile="native", pictures="none")) == {"Click_Text"}
    for dialect, form in NATIVE_FORMS.items():
        assert "Click_Text" not in form.render(chat_at(dialect, 0)).system
