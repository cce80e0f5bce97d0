"""Read episodes, screens and small pictures from the service's run folders, in threads, with bounded caches."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cachetools import LRUCache

from manyhands.evaluation.episode_view import EpisodePage, view_episode
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.markup import DAMAGED_PNG, small_jpeg
from manyhands.evaluation.report.failures import last_app
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.journal_file import JOURNAL
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.open_causes import FailurePlace

MOST_VIEWS = 16
"""How many episodes are kept in memory."""
MOST_THREADS = 2
"""How many files are read at once. Journals and pictures take time to decode, and the fleet needs the processor."""
LATEST_RUNS = 3
"""In how many run folders small pictures are looked for."""
THUMBNAIL_WIDTH = 180
"""The width of the small pictures that a run folder has (``actors.frames.make_thumbnail``)."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FoundEpisode:
    """Hold an episode, and the run folder that has its journal and its screens."""

    run: RunFolder
    view: EpisodePage
    state: str
    """Identifies what the journal holds: it changes with each record."""


class RunFiles:
    """Read what the journals of a service's runs tell. A service may have begun several runs, one after another."""

    def __init__(self, runs: Path, thumbnails_bytes: int) -> None:
        """Read the run folders in ``runs``. Small pictures take ``thumbnails_bytes`` of memory."""
        self._runs = runs
        self._views: LRUCache[tuple[str, int, int], FoundEpisode] = LRUCache(MOST_VIEWS)
        self._thumbnails: LRUCache[tuple[str, int], bytes] = LRUCache(thumbnails_bytes, getsizeof=len)
        self._threads = asyncio.Semaphore(MOST_THREADS)
        self._results = asyncio.Lock()
        """Is held while results are read: the journals of a large batch take long, and must hold up no screen."""
        self._lock = threading.Lock()
        """Is held by whoever uses ``_views``, which threads fill."""

    async def read_results(self, work: Callable[[Sequence[RunFolder]], T]) -> T:
        """Call ``work`` as ``read`` does, but one call after another. Raises StoreError."""
        async with self._results:
            return await self._read(work)

    async def read(self, work: Callable[[Sequence[RunFolder]], T]) -> T:
        """Call ``work`` with all run folders, the newest first, in a thread. Raises StoreError."""
        async with self._threads:
            return await self._read(work)

    async def _read(self, work: Callable[[Sequence[RunFolder]], T]) -> T:
        try:
            return await asyncio.to_thread(lambda: work(self._folders()))
        except (OSError, BadInput) as error:  # a run.yaml that is damaged is no mistake of the client
            raise StoreError(f"{self._runs} cannot be read: {error}") from error

    async def episode(self, id: str) -> FoundEpisode:
        """Return an episode. Raises RequestRefused if there is none with this id."""
        stored_episode = await self.read(lambda runs: self._find(runs, id))
        if stored_episode is None:
            raise RequestRefused(ProblemKind.NOT_FOUND, f"{id}: there is no such episode, or it has no journal yet")
        return stored_episode

    async def screen(self, run: RunFolder, content_id: str) -> Path:
        """Return the file of a screenshot. Raises RequestRefused if there is none."""
        path = run.screen_path(content_id)
        if not await asyncio.to_thread(path.is_file):
            raise _no_screen(content_id)
        return path

    async def thumbnail(self, run: RunFolder, content_id: str, width: int) -> bytes:
        """Return a screenshot as a small JPEG. Raises RequestRefused if there is none, or if its file is damaged."""
        cached_item = self._thumbnails.get((content_id, width))
        if cached_item is not None:
            return cached_item
        if width == THUMBNAIL_WIDTH and (stored := await self.thumbnails([content_id])):
            return stored[content_id]
        thumbnail = await self.read(lambda _: _small(run, content_id, width))
        if thumbnail is None:
            raise _no_screen(content_id)
        if len(thumbnail) <= self._thumbnails.maxsize:
            self._thumbnails[content_id, width] = thumbnail
        return thumbnail

    async def thumbnails(self, content_ids: Collection[str]) -> Mapping[str, bytes]:
        """Return the stored small pictures of screens of the latest runs, by content id, as far as they exist."""
        if not content_ids:
            return {}
        return await self.read(lambda runs: _stored_thumbnails(runs[:LATEST_RUNS], content_ids))

    def _folders(self) -> Sequence[RunFolder]:
        """Return the run folders, the newest first: their names begin with the time."""
        return [RunFolder(path.parent) for path in sorted(self._runs.glob("*/run.yaml"), reverse=True)]

    def _find(self, runs: Sequence[RunFolder], id: str) -> FoundEpisode | None:
        for run in runs:
            try:
                stat = (run.path / EPISODES / id / JOURNAL).stat()
            except FileNotFoundError:
                continue
            return self._view(run, id, (id, stat.st_size, stat.st_mtime_ns))
        return None

    def _view(self, run: RunFolder, id: str, key: tuple[str, int, int]) -> FoundEpisode | None:
        """Return an episode from memory, if its journal has not grown since. ``key``: the journal's present state."""
        with self._lock:
            cached_item = self._views.get(key)
        if cached_item is not None:
            return cached_item
        scan = run.journal(id)
        episode = None if scan is None else episode_of(scan.records)
        if scan is None or episode is None:
            return None
        stored_episode = FoundEpisode(run, view_episode(episode, len(scan.damage)), f"{key[1]:x}-{key[2]:x}")
        with self._lock:
            self._views[key] = stored_episode
        return stored_episode


def _stored_thumbnails(runs: Sequence[RunFolder], content_ids: Collection[str]) -> Mapping[str, bytes]:
    thumbnails: dict[str, bytes] = {}
    for run in runs:
        for content_id in content_ids:
            if content_id not in thumbnails and (jpeg := run.thumbnail_jpeg(content_id)) is not None:
                thumbnails[content_id] = jpeg
    return thumbnails


def _small(run: RunFolder, content_id: str, width: int) -> bytes | None:
    png = run.screen_png(content_id)
    try:
        return None if png is None else small_jpeg(png, width)
    except DAMAGED_PNG as error:
        raise RequestRefused(ProblemKind.NOT_FOUND, f"{content_id}: the file of this screen is damaged") from error


def _no_screen(content_id: str) -> RequestRefused:
    return RequestRefused(ProblemKind.NOT_FOUND, f"{content_id}: the run folder has no such screen")


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
        places = {episode: self._known[episode] for episode in episodes if episode in self._known}
        return defaultdict(FailurePlace, places)


def _place(view: EpisodePage) -> FailurePlace:
    actions = [step.action for step in view.steps if step.action]
    return FailurePlace(app=last_app(view.steps), action=actions[-1] if actions else "")
