"""A small world of pages with texts, switches and buttons, for the profile ``flow``: a tap does what its page says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from manyhands.actors.episode.host import Collaborators
from manyhands.protocol.messages import CallContext
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Action, Back, Enter, OpenApp, Swipe, Tap, Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Control, Element, Screen, Screenshot
from manyhands.protocol.tasks.flow import Flow
from tests.actors.episode.world import SIZE, WorldPerception, order
from tests.actors.profiles.native.world import NativeWorld
from tests.virtual_clock import run_virtual

ROW = 20
"""How many pixels high each row of a page is."""


@dataclass(frozen=True)
class Page:
    """A page: its rows from the top, and which page each text leads to."""

    rows: Sequence[str]
    leads: Mapping[str, str] = field(default_factory=dict)
    switches: Mapping[str, bool] = field(default_factory=dict)
    """The states of switches, by the text in their row."""
    scrolls_to: str = ""
    typed_to: str = ""
    keyboard: bool = False
    waits_to: str = ""
    """The page that it becomes by itself once somebody has looked at it."""

    def elements(self) -> tuple[Element, ...]:
        return tuple(element for row in range(len(self.rows)) for element in self._row(row))

    def _row(self, row: int) -> Sequence[Element]:
        text, top = self.rows[row], row * ROW
        if not text:
            return ()
        said = Element(kind="text", box=Box(x1=5, y1=top + 5, x2=60, y2=top + 15), content=text, confidence=1)
        if text not in self.switches:
            return (said,)
        box, is_on = Box(x1=80, y1=top + 5, x2=95, y2=top + 15), self.switches[text]
        switch = Control(kind="Switch", box=box, clickable=True, checked=is_on)
        name = "switch on" if is_on else "switch off"
        return said, Element(kind="icon", box=box, content=name, confidence=1, control=switch)

    def touched(self, x: int, y: int) -> str:
        row = y // ROW
        return self.rows[row] if row < len(self.rows) else ""


@dataclass
class FlowWorld(NativeWorld):
    pages: Mapping[str, Page] = field(default_factory=dict)
    tapped: list[str] = field(default_factory=list)
    """What was touched, by its words, in the order in which it reached the phone."""
    taps: dict[str, str] = field(default_factory=dict)
    """The text that the agent taps on the page of that name."""

    def __post_init__(self) -> None:
        self.moves = self._move
        self.keyboard = lambda name: "shown" if self.pages[name].keyboard else "hidden"
        self.acts = self._act

    def collaborators(self) -> Collaborators:
        return replace(super().collaborators(), perception=PagePerception(self))

    def _act(self, name: str) -> Action | str:
        text = self.taps.get(name)
        if text is None:
            return "the agent does not know what to do"
        row = list(self.pages[name].rows).index(text)
        return Tap(x=20, y=row * ROW + 10)

    def _move(self, screen: str, action: Action) -> str:
        page = self.pages[screen]
        match action:
            case Tap(x=x, y=y):
                text = page.touched(x, y)
                self.tapped.append(text)
                return page.leads.get(text, screen)
            case Swipe():
                self.tapped.append("swipe")
                return page.scrolls_to or screen
            case Type(text=text):
                self.tapped.append(f"type {text}")
                return page.typed_to or screen
            case OpenApp(app=app):
                self.tapped.append(f"open {app}")
                return page.leads.get(app, screen)
            case Enter():
                self.tapped.append("enter")
                return page.leads.get("enter", screen)
            case Back():
                self.tapped.append("back")
                return page.leads.get("back", screen)
        return screen


@dataclass
class PagePerception(WorldPerception):
    world: FlowWorld

    async def perceive(self, screenshot: Screenshot, frame: Any, context: CallContext) -> Screen:
        name = self.world.shown_on_id(screenshot.content_id)
        async with self.world.asked("perceive", screenshot, counted=True):
            page = self.world.pages[name]
            if page.waits_to and self.world.screen == name:
                self.world.screen = page.waits_to
            elements = page.elements()
            return Screen(content_id=screenshot.content_id, size=SIZE, elements=elements, keyboard=screenshot.keyboard)


def flow_order(flow: Mapping[str, Any], **settings: Any) -> EpisodeOrder:
    task = {"flow": Flow.model_validate(flow).model_dump(mode="json")}
    return order(task=task, **{"profile": "flow", "elements": "vision", **settings})


def play(world: FlowWorld, flow: Mapping[str, Any], **settings: Any) -> EpisodeResult:
    return run_virtual(world.host().run_episode(flow_order(flow, **settings)))
