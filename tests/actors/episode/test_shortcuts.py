"""A shortcut is one action: what of it is sent, where its parts are found, and where it stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from manyhands.actors.episode.runtime import Collaborators
from manyhands.actors.frames import Frame
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import Acted, ActionSent, Reflected
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.screens.actions import Action, Enter, Home, OpenApp, RunShortcut, Tap, Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Located, LocateQuery, Match, Screenshot
from tests.actors.episode.test_steps import instead, of, run
from tests.actors.episode.world import World, content_id, next_screen, order
from tests.virtual_clock import run_virtual


@pytest.mark.parametrize(
    ("blind", "problem"),
    [(None, "Tap, action 1 of 3: Nothing on the screen changed."), ({"cheap_verdicts": []}, None)],
)
def test_a_shortcut_stops_at_the_first_surprise_where_rules_look(blind: Any, problem: str | None) -> None:
    call = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})
    world = World(chooses=instead("s1", call))
    world.moves = lambda screen, action: screen if action == Tap(x=5, y=6) else next_screen(screen, action)
    _, journal = run(world, **(blind or {}))
    sent = [record.action.name for record in of(ActionSent, journal) if record.step == 1]
    found = of(Acted, journal)[1].problem
    if problem is None:
        assert (sent, found) == (["Tap", "Type", "Enter"], None)
        return
    assert sent == ["Tap"]
    assert found.startswith(problem)
    assert found.endswith("What follows was not sent.")
    judged = of(Reflected, journal)[1].reflection
    assert (judged.outcome, judged.error, judged.made_by) == (Outcome.C, found, "check")
    assert world.requests("decide")[2].history[-1].error == found


@dataclass
class FindingWorld(World):
    """The small world with somebody who finds words."""

    finds: Callable[[str, LocateQuery], int] = lambda screen, query: 1
    """How many places there are of what is looked for on the screen of that name."""
    place: Box = field(default_factory=lambda: Box(x1=40, y1=50, x2=60, y2=70))
    """Where they are."""
    looked: list[tuple[str, str]] = field(default_factory=list)

    def collaborators(self) -> Collaborators:
        return replace(super().collaborators(), locator=_Finder(self))


@dataclass
class _Finder:
    world: FindingWorld

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        assert content_id(self.world.screen) == screenshot.content_id
        self.world.looked.append((self.world.screen, query.words))
        element = Element(kind="text", box=self.world.place, content=query.words, confidence=1.0)
        found = [Match(element=element, score=1.0, ways=("exact",))] * self.world.finds(self.world.screen, query)
        return Located(matches=tuple(found))


OPEN_AND_SAVE = Shortcut(
    name="Open_And_Save",
    arguments=("name",),
    steps=(
        ShortcutStep(name="Click_Text", arguments_map={"text": "name"}),
        ShortcutStep(name="Wait", arguments_map={"seconds": 1}),
        ShortcutStep(name="Click_Icon", arguments_map={"icon": "a disk", "position": "top right"}),
    ),
)


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ({}, None),
        ({"Files": 0}, "Click_Text, action 1 of 3: the text 'Files' is not on the screen"),
        ({"Files": 2}, "Click_Text, action 1 of 3: the text 'Files' stands on the screen 2 times"),
        ({"a disk": 0}, "Click_Icon, action 3 of 3: an icon like 'a disk' is not on the screen at the top right"),
    ],
)
def test_what_a_shortcut_clicks_by_words_is_found_on_the_screen_that_is_there_then(
    found: dict[str, int], problem: str | None
) -> None:
    world = FindingWorld(chooses=instead("s1", RunShortcut(shortcut="Open_And_Save", arguments={"name": "Files"})))
    world.finds = lambda screen, query: found.get(query.words, 1)
    tap = Tap(x=50, y=60)
    world.moves = lambda screen, action: (
        next_screen(screen, action) if action != tap else {"s1": "s7"}.get(screen, "s1")
    )
    given = order().model_copy(update={"memory": LongTermMemory(shortcuts=(OPEN_AND_SAVE,))})
    assert run_virtual(world.host().run_episode(given)).ending is not Ending.INTERNAL_ERROR
    journal = world.journals[given.episode]
    assert of(Acted, journal)[1].problem == problem
    sent = [record.action for record in of(ActionSent, journal) if record.step == 1]
    assert sent == [tap] * (2 if problem is None else 1 if "Icon" in problem else 0)
    assert world.looked == [("s1", "Files"), ("s7", "a disk")][: 2 if problem is None or "Icon" in problem else 1]


OPEN_AND_WAIT = Shortcut(
    name="Open_And_Wait",
    steps=(
        ShortcutStep(name="Home"),
        ShortcutStep(name="Open_App", arguments_map={"app": "Files"}),
        ShortcutStep(name="Wait", arguments_map={"seconds": 1}),
        ShortcutStep(name="Enter"),
    ),
)


@pytest.mark.parametrize(
    ("paper_exact", "labels", "opens", "waited_s", "problem"),
    [
        (False, 1, OpenApp(app="Files"), 1.0, None),
        (True, 1, Tap(x=50, y=40), 10.0, None),  # one text height, 20 pixels, above the label's centre
        (True, 2, Tap(x=50, y=40), 10.0, None),
        (True, 0, None, None, "Open_App, action 2 of 4: Open_App: the label 'Files' is not on the screen"),
    ],
)
def test_with_paper_exact_steps_of_a_shortcut_are_as_in_table_8(
    paper_exact: bool, labels: int, opens: Action | None, waited_s: float | None, problem: str | None
) -> None:
    """An app is opened by its label, on the screen that is there then; Wait is ten seconds."""
    world = FindingWorld(chooses=instead("s1", RunShortcut(shortcut="Open_And_Wait")))
    world.finds = lambda screen, query: labels
    usual = world.moves
    world.moves = lambda screen, action: "home" if isinstance(action, Home) else usual(screen, action)
    given = order(paper_exact=paper_exact, cheap_verdicts=(), task={"limits": {"max_steps": 3}})
    given = given.model_copy(update={"memory": LongTermMemory(shortcuts=(OPEN_AND_WAIT,))})
    run_virtual(world.host().run_episode(given))
    journal = world.journals[given.episode]
    sent = [record for record in of(ActionSent, journal) if record.step == 1]
    assert of(Acted, journal)[1].problem == problem
    assert world.looked == ([("home", "Files")] if paper_exact else [])
    if opens is None or waited_s is None:
        assert [record.action for record in sent] == [Home()]
        return
    assert [record.action for record in sent] == [Home(), opens, Enter()]
    assert sent[2].at - sent[1].at == pytest.approx(waited_s, abs=0.5)


def test_a_shortcut_that_another_app_interrupts_stops_there() -> None:
    call = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})
    world = World(chooses=instead("s1", call))

    def moves(screen: str, action: Action) -> str:
        if isinstance(action, Type):
            world.app = "com.other"
            return "asks"
        return "field" if action == Tap(x=5, y=6) else next_screen(screen.replace("asks", "s1"), action)

    world.moves = moves
    _, journal = run(world, {"limits": {"max_steps": 2}})
    assert [record.action.name for record in of(ActionSent, journal) if record.step == 1] == ["Tap", "Type"]
    assert of(Acted, journal)[1].problem == (
        "Type, action 2 of 3: Another app is in front now: com.other. What follows was not sent."
    )


def test_what_a_shortcut_waits_for_is_no_surprise() -> None:
    """The app that was opened comes to the front while it waits; then it types there."""
    steps = (
        ShortcutStep(name="Tap", arguments_map={"x": "x", "y": "y"}),
        ShortcutStep(name="Wait", arguments_map={"seconds": 2}),
        ShortcutStep(name="Type", arguments_map={"text": "tea"}),
        ShortcutStep(name="Enter"),
    )
    patient = Shortcut(name="Patient", arguments=("x", "y"), steps=steps)
    world = World(chooses=instead("s1", RunShortcut(shortcut="Patient", arguments={"x": 5, "y": 6})))

    def moves(screen: str, action: Action) -> str:
        if isinstance(action, Type):
            world.app = "com.late"
            return "s7"
        return screen if action == Tap(x=5, y=6) else "s1" if screen == "s7" else next_screen(screen, action)

    world.moves = moves
    given = order(task={"limits": {"max_steps": 2}})
    given = given.model_copy(update={"memory": LongTermMemory(shortcuts=(patient,))})
    run_virtual(world.host().run_episode(given))
    journal = world.journals[given.episode]
    assert of(Acted, journal)[1].problem is None
    assert [record.action.name for record in of(ActionSent, journal) if record.step == 1] == ["Tap", "Type", "Enter"]
