"""Keep what a model has written so far in the calls of episodes that somebody watches.

Only such calls are streamed: for all others a stream would cost a message for each token, and nobody would read it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from manyhands.protocol.messages import PartialReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

WATCHED_S = 10.0
"""How long an episode counts as watched after somebody looked."""
LONGEST = 4_000
"""Characters of a text that are kept: the last ones."""


class LiveTexts:
    """Hold the texts of one client. All methods are called in one event loop."""

    def __init__(self, now: Callable[[], float] = HOST_CLOCK.now) -> None:
        """``now`` returns the time in Unix seconds."""
        self._now = now
        self._watched: dict[str, float] = {}
        """Until when each episode counts as watched."""
        self._open: dict[int, tuple[str, PartialReply]] = {}
        """The episode and the text of each call that is streamed now."""
        self._numbers = itertools.count()

    def watch(self, episode: str) -> tuple[PartialReply, ...]:
        """Return what is being written for an episode, oldest call first. Its next calls are streamed."""
        now = self._now()
        self._watched = {name: until for name, until in self._watched.items() if until > now}
        self._watched[episode] = now + WATCHED_S
        return tuple(text for name, text in self._open.values() if name == episode)

    @contextmanager
    def keep(self, role: Role, episode: str) -> Iterator[Callable[[str], None] | None]:
        """Give a function that adds to the text of a call; None if nobody watches. The text is kept inside only."""
        if self._watched.get(episode, 0.0) <= self._now():
            yield None
            return
        number = next(self._numbers)
        self._open[number] = episode, PartialReply(role=role, since=self._now(), text="")

        def add(piece: str) -> None:
            _, known = self._open[number]
            self._open[number] = episode, known.model_copy(update={"text": (known.text + piece)[-LONGEST:]})

        try:
            yield add
        finally:
            del self._open[number]
