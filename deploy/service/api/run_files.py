"""Read episodes, screens and small pictures from the service's run folder, in threads, with bounded caches."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from cachetools import LRUCache

from manyhands.deploy.service.api.problems import ProblemKind, RequestRefused
from manyhands.evaluation.episode_view import EpisodeView, view_episode
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.markup import DAMAGED_PNG, small_jpeg
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.folder_identity import EPISODES
from manyhands.protocol.journal_file import JOURNAL

MOST_VIEWS = 16
"""How many episodes are kept in memory."""
MOST_THREADS = 2
"""How many files are read at once. Journals and pictures take time to decode, and the fleet needs the processor."""
T = TypeVar("T")


class RunFiles:
    """Read what the journals of a service's run tell."""

    def __init__(self, folder: Callable[[], Awaitable[str | None]], thumbnails_bytes: int) -> None:
        """Read from the run folder that ``folder`` names at the moment. Small pictures take ``thumbnails_bytes``."""
        self._folder = folder
        self._views: LRUCache[tuple[str, int, int], EpisodeView] = LRUCache(MOST_VIEWS)
        self._thumbnails: LRUCache[tuple[str, int], bytes] = LRUCache(thumbnails_bytes, getsizeof=len)
        self._threads = asyncio.Semaphore(MOST_THREADS)
        self._lock = threading.Lock()
        """Is held by whoever uses ``_views``, which threads fill."""

    async def run(self) -> RunFolder:
        """Return the run folder. Raises RequestRefused while there is none."""
        path = await self._folder()
        try:
            if path is not None:
                return RunFolder(Path(path))
        except BadInput:
            pass
        raise RequestRefused(
            ProblemKind.BUSY, "the fleet has no run folder yet; try again", headers={"Retry-After": "5"}
        )

    async def read(self, work: Callable[[RunFolder], T]) -> T:
        """Run ``work`` on the run folder in a thread. Raises RequestRefused if the folder cannot be read."""
        run = await self.run()
        try:
            async with self._threads:
                return await asyncio.to_thread(work, run)
        except OSError as error:
            raise StoreError(f"{run.path} cannot be read: {error}") from error

    async def episode(self, id: str) -> EpisodeView:
        """Return an episode. Raises RequestRefused if there is none with this id."""
        found = await self.read(lambda run: self._view(run, id))
        if found is None:
            raise RequestRefused(ProblemKind.NOT_FOUND, f"{id}: there is no such episode, or it has no journal yet")
        return found

    async def screen(self, content_id: str) -> Path:
        """Return the file of a screenshot. Raises RequestRefused if there is none."""
        path = (await self.run()).screen_path(content_id)
        if not await asyncio.to_thread(path.is_file):
            raise _no_screen(content_id)
        return path

    async def thumbnail(self, content_id: str, width: int) -> bytes:
        """Return a screenshot as a small JPEG. Raises RequestRefused if there is none, or if its file is damaged."""
        known = self._thumbnails.get((content_id, width))
        if known is not None:
            return known
        made = await self.read(lambda run: _small(run, content_id, width))
        if made is None:
            raise _no_screen(content_id)
        if len(made) <= self._thumbnails.maxsize:
            self._thumbnails[content_id, width] = made
        return made

    def _view(self, run: RunFolder, id: str) -> EpisodeView | None:
        """Return an episode from memory if its journal has not grown since."""
        try:
            stat = (run.path / EPISODES / id / JOURNAL).stat()
        except FileNotFoundError:
            return None
        key = (id, stat.st_size, stat.st_mtime_ns)
        with self._lock:
            known = self._views.get(key)
        if known is not None:
            return known
        scan = run.journal(id)
        episode = None if scan is None else episode_of(scan.records)
        if scan is None or episode is None:
            return None
        view = view_episode(episode, len(scan.damage))
        with self._lock:
            self._views[key] = view
        return view


def _small(run: RunFolder, content_id: str, width: int) -> bytes | None:
    png = run.screen_png(content_id)
    try:
        return None if png is None else small_jpeg(png, width)
    except DAMAGED_PNG as error:
        raise RequestRefused(ProblemKind.NOT_FOUND, f"{content_id}: the file of this screen is damaged") from error


def _no_screen(content_id: str) -> RequestRefused:
    return RequestRefused(ProblemKind.NOT_FOUND, f"{content_id}: the run has no such screen")
