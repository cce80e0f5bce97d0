"""What the journals of a run tell its dispatcher: asked again and again while the run folder cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.dispatch.calls import answered, asked_again
from manyhands.actors.seams import Store
from manyhands.protocol.runs import EpisodeIndex


class RunJournals:
    """Reads where episodes stand."""

    def __init__(self, store: Store, patience_s: float) -> None:
        """``patience_s``: how long the run folder may not be read."""
        self._store = store
        self._patience_s = patience_s

    async def index(self) -> Sequence[EpisodeIndex]:
        """Return where the run's episodes stand. Raises what the store does, if it does so for too long."""
        limit_s, what = self._patience_s, "reading the run folder"
        return await asked_again(lambda: answered(self._store.index(), limit_s, what), limit_s, what)

    async def finished_steps(self, episode: str) -> int:
        """Return how many steps an episode has finished. Raises as ``index``."""
        return sum(entry.steps for entry in await self.index() if entry.started.episode == episode)
