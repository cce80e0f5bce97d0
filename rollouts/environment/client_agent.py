"""Let a client decide in the place of a model: an agent for the profile ``bare``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from manyhands.actors.frames import ModelImage
from manyhands.actors.profiles.bare import BareRequest
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.requests import Decision
from manyhands.protocol.screens.actions import AtomicAction
from manyhands.protocol.screens.screen import Screenshot


@dataclass(frozen=True, slots=True)
class ShownScreen:
    """Hold a screen that waits for the client's action."""

    step: int
    screenshot: Screenshot
    image: ModelImage
    problem: str
    """Why the action before was not carried out."""


class ClientTurns:
    """Pass the screens of one episode to its client, and the client's actions back, one at a time."""

    def __init__(self) -> None:
        self._screens: asyncio.Queue[ShownScreen] = asyncio.Queue(1)
        self._actions: asyncio.Queue[AtomicAction] = asyncio.Queue(1)

    async def decide(self, screen: ShownScreen) -> AtomicAction:
        """Show a screen, and return the action of the client once it comes."""
        await self._screens.put(screen)
        return await self._actions.get()

    async def next_screen(self) -> ShownScreen:
        """Return the next screen once it is shown."""
        return await self._screens.get()

    def act(self, action: AtomicAction) -> None:
        """Give the action for the screen that was returned last. Each screen takes one."""
        self._actions.put_nowait(action)


class ClientAgent:
    """Implement ``actors.interfaces.Agent`` for the episodes of all sessions."""

    def __init__(self) -> None:
        self._turns: dict[str, ClientTurns] = {}

    @contextmanager
    def turns_of(self, episode: str) -> Iterator[ClientTurns]:
        """Serve an episode while the context is open."""
        self._turns[episode] = turns = ClientTurns()
        try:
            yield turns
        finally:
            del self._turns[episode]

    async def answer(self, request: Any, context: CallContext, *images: ModelImage) -> Answered[Any]:
        """Return the client's decision. Raises ReplyUnusable for what no client is asked: an answer after the end."""
        if not isinstance(request, BareRequest):
            raise ReplyUnusable("the task asks for an answer, and the client's last Answer is none that fits")
        before = request.history[-1:]
        problem = "".join(one.problem for one in before if one.step == context.step - 1)
        screen = ShownScreen(context.step, request.screenshot, images[-1], problem)
        action = await self._turns[context.episode].decide(screen)
        return Answered(value=Decision(thought="", action=action, expectation=""))
