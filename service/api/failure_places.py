"""Find where failed episodes ended, from their journals: the app in front, and the last action."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from cachetools import LRUCache

from manyhands.evaluation.episode_view import EpisodeView
from manyhands.evaluation.report.failure_step import last_app
from manyhands.protocol.errors import StoreError
from manyhands.service.api.problems import RequestRefused
from manyhands.service.api.run_files import RunFiles
from manyhands.service.open_causes import FailurePlace

MOST_PLACES, MOST_READ = 5000, 10
"""Of how many episodes the place is kept, and how many journals one request reads."""


class FailurePlaces:
    """Read where episodes ended, once for each episode."""

    def __init__(self, files: RunFiles) -> None:
        """Read the journals of ``files``."""
        self._files = files
        self._known: LRUCache[str, FailurePlace] = LRUCache(MOST_PLACES)

    async def find(self, episodes: Sequence[str]) -> Mapping[str, FailurePlace]:
        """Return where these episodes ended; an empty place for those that cannot be read, or not yet."""
        for episode in [one for one in episodes if one not in self._known][:MOST_READ]:
            try:
                self._known[episode] = _place((await self._files.episode(episode)).view)
            except (RequestRefused, StoreError):
                self._known[episode] = FailurePlace()
        found = {episode: self._known[episode] for episode in episodes if episode in self._known}
        return defaultdict(FailurePlace, found)


def _place(view: EpisodeView) -> FailurePlace:
    actions = [step.action for step in view.steps if step.action]
    return FailurePlace(app=last_app(view.steps), action=actions[-1] if actions else "")
