"""The small world of the episodes' tests with v1's agent and what finds words in it: both are functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.profiles.v1.requests import (
    ChatSoFar,
    Choice,
    ChoiceRequest,
    CompletionAnswer,
    CompletionRequest,
)
from manyhands.protocol.journals.records import Record
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, ClickText, Stop, Tap
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Located, LocateQuery, Match, Screenshot
from tests.actors.episode.world import World, call_of, decided, order
from tests.virtual_clock import run_virtual


def place(x: int, y: int, text: str = "Save") -> Match:
    """A text of which (x, y) is the centre."""
    box = Box(x1=x - 4, y1=y - 2, x2=x + 4, y2=y + 2)
    return Match(element=Element(kind="text", box=box, content=text, confidence=1.0), score=1.0, ways=("exact",))


def on_screen(screen: str, query: LocateQuery) -> Sequence[Match]:
    """In the default world each screen has one text, at its right place."""
    return [place(int(screen[1:]) % 100, 100, query.words)] if screen.startswith("s") else []


@dataclass
class ChatWorld:
    operates: Callable[[ChatSoFar[Any]], Action | str]
    """The operation, or the problem with the reply."""
    world: World = field(default_factory=World)
    finds: Callable[[str, LocateQuery], Sequence[Match]] = on_screen
    completes: Callable[[CompletionRequest], bool] = lambda request: True
    chooses: Callable[[ChoiceRequest], int] = lambda request: 1
    asked: list[Any] = field(default_factory=list)
    shown: list[list[str]] = field(default_factory=list)
    """The content ids of the pictures that went with each question."""

    def collaborators(self) -> Collaborators:
        agents = {Role.DECIDE: WorldAgent(self)}
        return replace(self.world.collaborators(), agents=agents, locator=WorldLocator(self))

    def play(self, profile: str = "v1", task: dict[str, Any] | None = None, **chosen: Any) -> EpisodeResult:
        host = EpisodeHost(HostSettings(), self.collaborators(), self.world.clock)
        return run_virtual(host.run_episode(order(task=task, profile=profile, **chosen)))

    @property
    def journal(self) -> tuple[Record, ...]:
        """As it is read from a file."""
        (episode,) = self.world.journals
        return self.world.written(episode)


@dataclass
class WorldAgent:
    chat: ChatWorld

    async def answer(self, request: Any, context: CallContext, *images: ModelImage) -> Answered[Any]:
        assert [image.content_id for image in images] == [one.content_id for one in request.screenshots]
        self.chat.asked.append(request)
        self.chat.shown.append([image.content_id for image in images])
        async with self.chat.world.asked(type(request).__name__, request, counted=True):
            value: Any
            match request:
                case ChoiceRequest():
                    value = Choice(thought="that one", number=self.chat.chooses(request))
                case CompletionRequest():
                    done = self.chat.completes(request)
                    value = CompletionAnswer(thought="look", complete=done, missing="" if done else "the rest")
                case _:
                    value = decided(self.chat.operates(request), "so", expectation="", seen="seen")
        call = call_of(Role.DECIDE, reply=f"answer {len(self.chat.asked)}")
        return Answered[Any](value=value, calls=(call,))


@dataclass
class WorldLocator:
    chat: ChatWorld

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        async with self.chat.world.asked("locate", query, counted=True):
            return Located(matches=tuple(self.chat.finds(self.chat.world.screen, query)))


def step_of(request: ChatSoFar[Any]) -> int:
    return len(request.chat) - 1


def click(request: ChatSoFar[Any]) -> Action:
    """Click the text of each screen, up to the third."""
    return Stop() if step_of(request) == 3 else ClickText(text="Save")


def taps(world: World) -> list[Tap]:
    return [what.action for what in world.requests("perform")]
